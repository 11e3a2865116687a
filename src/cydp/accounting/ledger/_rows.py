# SPDX-License-Identifier: MIT
"""What a ledger asks of the place where it is kept: rows that one transaction reads and writes.

A file and a PostgreSQL server offer the same. docs/accounting/ledger.md describes both.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Protocol, TypeAlias, TypeVar

__all__ = [
    "FROZEN",
    "BlockRow",
    "ChargeRow",
    "EntryRow",
    "Rows",
    "Store",
    "advice",
    "frozen_message",
]

FROZEN = "a frozen copy, by a backup or a move: nothing can be charged to it"

T = TypeVar("T")

EntryRow: TypeAlias = tuple[int, str | None, str, str]  # place, charge id, JSON, hash
ChargeRow: TypeAlias = tuple[int, str, str, str | None]  # place, JSON, hash, result if recorded
BlockRow: TypeAlias = tuple[str, str, str, int]  # id, JSON of budget and of spent, 1 if retired


class Rows(Protocol):
    """The rows of one ledger in one transaction. Entries and results are only added."""

    def last(self) -> tuple[int, str]:
        """Return the place and the hash of the last entry; (0, "") if there is none."""

    def entry(self, seq: int) -> EntryRow | None:
        """Return the entry at a place, or None."""

    def entries(self, after: int = 0) -> Generator[EntryRow, None, None]:
        """Yield the entries after a place, oldest first. It is closed inside the transaction."""

    def entries_that_begin(self, key: str) -> list[str]:
        """Return the JSON of the entries that begin with a key, oldest first.

        An entry is JSON with sorted keys. Those that add and retire blocks begin with "block".
        """

    def charge(self, charge_id: str) -> ChargeRow | None:
        """Return the charge of an id, or None."""

    def count_charges(self) -> int:
        """Return how many entries have a charge id."""

    def last_charges(self, most: int) -> list[tuple[EntryRow, str]]:
        """Return the last entries with a charge id, latest first, and the hash before each."""

    def append(self, row: EntryRow) -> None:
        """Add an entry, which becomes the head."""

    def block(self, block: str) -> BlockRow | None:
        """Return a block, or None."""

    def blocks(self) -> list[BlockRow]:
        """Return all blocks, by id."""

    def open_blocks(self, most: int) -> list[str]:
        """Return the ids of the first blocks that are not retired, by id."""

    def add_block(self, block: str, budget: str, spent: str) -> None:
        """Add a block."""

    def spend(self, block: str, total: str, before: str) -> bool:
        """Write what a block has spent; False if it is not what was spent `before`."""

    def retire(self, block: str) -> None:
        """Let a block be retired."""

    def results(self) -> Generator[tuple[str, str], None, None]:
        """Yield charge ids and recorded results. It is closed inside the transaction."""

    def ids_with_results(self, after: int) -> set[str]:
        """Return the ids of the charges after a place whose results were recorded."""

    def add_result(self, charge_id: str, result: str) -> None:
        """Record the result of a charge."""

    @property
    def is_frozen(self) -> bool:
        """Whether nothing may be written to this copy."""

    @property
    def is_moved(self) -> bool:
        """Whether this copy is frozen since the ledger was moved away from here."""

    def freeze(self, *, moved: bool = False) -> None:
        """Let nothing be written to this copy any more, once this transaction has ended."""

    def thaw(self) -> None:
        """Let this copy be written to again."""

    def damage(self) -> str:
        """Return what is wrong with the rows as such, beside what entries say; "" for nothing."""


class Store(Protocol):
    """A place that keeps one ledger. One thread uses it at a time."""

    @property
    def frozen(self) -> bool:
        """Whether the last transaction found a copy to which nothing may be written."""

    def read(self, work: Callable[[Rows], T]) -> T:
        """Call a function in a transaction that sees one state; it may be called again."""

    def write(self, work: Callable[[Rows], T]) -> T:
        """Call a function in the only transaction that writes; commit durably, or roll back."""

    def thaw(self) -> None:
        """Let a frozen copy be written to."""

    def closed_by_errors(self) -> AbstractContextManager[None]:
        """Close the ledger if anything is raised."""

    def close(self) -> None:
        """Close the ledger; the next use opens it again."""


def advice(*, or_open: bool) -> str:
    """Return what to do if there is a ledger already where one is to be made, or a copy of one.

    >>> advice(or_open=False)
    'choose'
    """
    if not or_open:
        return "choose"
    return "open a ledger with BudgetLedger.open, say exist_ok=True, or choose"


def frozen_message(place: object) -> str:
    """Return the message for a copy that only `restore` may use."""
    return (
        f"nothing can be charged or changed at {place}, which is a backup, or was moved away: use "
        "the ledger itself, or restore this copy by BudgetLedger.restore, if the ledger is lost"
    )
