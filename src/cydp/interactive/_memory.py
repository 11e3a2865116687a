# SPDX-License-Identifier: MIT
"""The memory of a session: answers by the keys of their questions, and the history of questions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cydp.accounting._loss import Loss
from cydp.accounting._renyi_dp import AnyLoss
from cydp.accounting._words import format_loss
from cydp.releases._format import format_cost

__all__ = ["Memory", "SessionEntry", "Slot", "write_report"]


_MOST_SHOWN = 20

_HEADS = ("", "cost", "entry", "question")

Account = tuple[str, AnyLoss, AnyLoss, AnyLoss]
"""A block or "", what all have spent of it, what this session has, and what is left."""


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A question of a session that was answered or paid for. It holds nothing of the data.

    Attributes
    ----------
    question : str
        The question, as it was written.
    analyst : str or None
        Who asked.
    loss : loss
        What the question costs.
    cost : loss
        What the budget has paid for it now, in its own measure; 0 for a repeated question.
    repeated : bool
        Whether the answer was there before: given by this session, or recorded by the ledger.
    answered : bool
        Whether the call has returned an answer. If not, the budget had paid before an error.
    seq : int or None
        The place of the charge in the ledger; None for a filter.

    """

    question: str
    analyst: str | None
    loss: Loss
    cost: AnyLoss
    repeated: bool = False
    answered: bool = True
    seq: int | None = None


class Slot:
    """The answer to one question. The thread that asks holds the lock, so that it is asked once.

    Attributes
    ----------
    lock : RLock
    answer : object or None
        None until there is one.
    seq : int or None
        The place of its charge in the ledger.
    is_asked : bool
        Whether a thread is asking.
    has_failed : bool
        Whether this process has paid and has no answer.

    """

    __slots__ = ("answer", "has_failed", "is_asked", "lock", "seq")

    def __init__(self, answer: Any = None, seq: int | None = None) -> None:
        # A signal handler of the thread that asks gets past an RLock, and finds `is_asked`.
        self.lock = threading.RLock()
        self.answer, self.seq = answer, seq
        self.is_asked = self.has_failed = False


class Memory:
    """Slots by key, and entries, of one process."""

    __slots__ = ("_slots", "entries", "turn")

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self.turn = threading.RLock()  # for a table that threads read one after the other
        self.entries: list[SessionEntry] = []

    def slot(self, key: str) -> Slot:
        """Return the slot of a key, the same in all threads."""
        found = self._slots.get(key)
        return self._slots.setdefault(key, Slot()) if found is None else found

    def after_fork(self) -> Memory:
        """Return the memory of a forked child: the answers, without locks that nobody releases.

        Its history begins anew: the parent's payments are in the history of the parent.
        """
        child = Memory()
        for key, slot in self._slots.copy().items():
            if slot.answer is not None:
                child._slots[key] = Slot(slot.answer, slot.seq)
        return child


def write_report(about: str, accounts: Sequence[Account], entries: Sequence[SessionEntry]) -> str:
    """Return the lines of a report, with the last 20 questions if there are more."""
    lines = [about]
    for block, spent, here, left in accounts:
        name = f"{block!r}: " if block else ""
        lines.append(
            f"  {name}spent {format_loss(spent)}, of which {format_loss(here)} here; "
            f"left {format_loss(left, left=True)}"
        )
    first = max(len(entries) - _MOST_SHOWN, 0)
    if first:
        lines.append(f"  {first:,} questions, and then")
    rows = [_row(i, entry) for i, entry in enumerate(entries[first:], first + 1)]
    if rows:
        columns = [column for column in zip(_HEADS, *rows, strict=True) if any(column[1:])]
        widths = [max(map(len, column)) for column in columns]
        for row in zip(*columns, strict=True):
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines.append(f"  {'  '.join(cells)}".rstrip())
    return "\n".join(lines)


def _row(place: int, entry: SessionEntry) -> tuple[str, str, str, str]:
    cost = "0, repeated" if entry.repeated else format_cost(entry.cost)
    question = entry.question if entry.answered else f"{entry.question}: no answer"
    return f"{place}.", cost, "" if entry.seq is None else str(entry.seq), question
