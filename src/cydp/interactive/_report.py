# SPDX-License-Identifier: MIT
"""The report of a session: the budget, what this session has paid, and each question."""

from __future__ import annotations

from collections.abc import Sequence

from cydp.accounting._format import format_loss
from cydp.accounting._loss import Loss
from cydp.interactive._session_entry import SessionEntry
from cydp.releases._format import format_cost

__all__ = ["write_report"]

_MOST_SHOWN = 20
_HEADS = ("", "cost", "entry", "question")

Account = tuple[str, Loss, Loss, Loss]
"""A block or "", what all have spent of it, what this session has, and what is left."""


def write_report(about: str, accounts: Sequence[Account], entries: Sequence[SessionEntry]) -> str:
    """Return the lines of a report; of more than 20 questions, the last 20."""
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
