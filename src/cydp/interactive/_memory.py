# SPDX-License-Identifier: MIT
"""What a session remembers: its answers by the keys of their questions, and its history."""

from __future__ import annotations

import threading
from typing import Any

from cydp.interactive._session_entry import SessionEntry

__all__ = ["Memory", "Slot"]


class Slot:
    """The answer to one question. Whoever asks holds the lock, so that it is asked once.

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

        Its history begins anew: what the parent has paid is in the history of the parent.
        """
        child = Memory()
        for key, slot in self._slots.copy().items():
            if slot.answer is not None:
                child._slots[key] = Slot(slot.answer, slot.seq)
        return child
