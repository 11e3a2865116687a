# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that makes copies: backups, and moves between file and server.

Of all copies of a ledger one may be charged. The others are frozen: they can be read, and restored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Self
from uuid import uuid4

from cydp._call_errors import explain_arguments
from cydp.accounting._amounts import Amount, subtract_amounts, zero_amount
from cydp.accounting._errors import LedgerCorruptError, LedgerError, LedgerRollbackError
from cydp.accounting.ledger._blocks import CLOSED_ID, read_block, write_balance
from cydp.accounting.ledger._entries import append_entry, read_hash, verify
from cydp.accounting.ledger._head_file import HeadFile
from cydp.accounting.ledger._homes import create_store, open_store
from cydp.accounting.ledger._ledger_accounts import close_share
from cydp.accounting.ledger._rows import Rows, Store
from cydp.accounting.ledger._serialize import (
    amount_from,
    check_head,
    describe_writer,
    strings_of,
)

__all__ = ["LedgerCopies"]


class LedgerCopies:
    """A ledger that can be copied."""

    __slots__ = ()

    _store: Store
    uuid: str

    @explain_arguments
    def backup(self, path: str | os.PathLike[str]) -> tuple[int, str]:
        """Write an exact copy, while the ledger is in use.

        Parameters
        ----------
        path : path or str
            The path of a new file, or the address of a new ledger on a server.

        Returns
        -------
        (int, str)
            The head of the copy, which `restore` asks for.

        Raises
        ------
        LedgerError
            If there is a file or a ledger already, or none can be made.
        TypeError, ValueError
            For a bad path.

        Notes
        -----
        The copy is frozen: it can be read, and nothing can be charged to it.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path, copy = f"{folder}/ledger", f"{folder}/copy"
        ...     with BudgetLedger.create(path, PureDP(1), privacy_unit="person") as ledger:
        ...         receipt = ledger.charge(PureDP("0.3"))
        ...         head = ledger.backup(copy)
        ...     with BudgetLedger.restore(copy, f"{folder}/again", expect_head=head) as again:
        ...         again.spent
        PureDP(epsilon=0.3)

        """
        return self._store.read(lambda rows: _copy(rows, path, self.uuid))

    @classmethod
    @explain_arguments
    def restore(
        cls,
        backup: str | os.PathLike[str],
        path: str | os.PathLike[str],
        *,
        expect_head: tuple[int, str] | None = None,
        head_file: str | os.PathLike[str] | None = None,
        retire: bool = False,
    ) -> Self:
        """Make a ledger of a backup, and open it. It refuses to forget what was charged since.

        Restore one backup once: two ledgers of it would each spend the rest of the budget.

        Parameters
        ----------
        backup : path or str
            A copy that `backup` has made, or an interrupted `move`.
        path : path or str
            Where the ledger is made, as in `create`.
        expect_head : (int, str), optional
            The last head that is known of the ledger. A backup without it is refused.
        head_file : path, optional
            A file that remembers the last head, as in `open`.
        retire : bool, default False
            Whether all that was left at the time of the backup counts as spent, and nothing may be
            charged, and no block added, any more. Without a head nobody knows what was charged
            since, so that this is the only way then, and also if the backup lacks the head.

        Returns
        -------
        BudgetLedger

        Raises
        ------
        LedgerRollbackError
            If the backup lacks the head, and `retire` is False.
        LedgerError
            If there is no backup, it is damaged, or there is a ledger at the path already.
        TypeError, ValueError
            For a bad parameter, and if neither a head nor `retire` is given.

        """
        heads = [] if expect_head is None else [check_head(expect_head)]
        if not isinstance(retire, bool):
            raise TypeError(f"retire must be True or False, not {type(retire).__name__}")
        kept = None if head_file is None else HeadFile(head_file)
        if kept is not None and kept.written is not None:
            heads.append(kept.written[1:])
        if not heads and not retire:
            raise ValueError(
                "expect_head or head_file must be given, the last head that is known of the "
                "ledger, or retire=True, which lets nothing be charged any more"
            )
        source = open_store(backup, read_only=True)
        try:
            source.read(lambda rows: _restore(rows, path, heads, retire=retire))
        finally:
            source.close()
        return cls.open(path)  # type: ignore[attr-defined, no-any-return]

    @explain_arguments
    def move(self, path: str | os.PathLike[str]) -> tuple[int, str]:
        """Move the ledger to a new file, or to a server, with all entries and its head.

        What is here stays as a frozen copy to read, which `restore` refuses. Nothing is changed
        here if no copy can be made there. If a move is interrupted, either this ledger is as it
        was, or both copies are frozen, and `restore` makes a ledger of the one that is there.

        Parameters
        ----------
        path : path or str
            Where the ledger will be, as in `create`.

        Returns
        -------
        (int, str)
            The head.

        Raises
        ------
        LedgerError
            If there is a file or a ledger already, or none can be made; if it was moved before.
        TypeError, ValueError
            For a bad path.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         f"{folder}/old", PureDP(1), privacy_unit="person"
        ...     ) as ledger:
        ...         head = ledger.move(f"{folder}/new")
        ...         with BudgetLedger.open(f"{folder}/new") as there:
        ...             there.head() == head
        True

        """

        def freeze(rows: Rows) -> tuple[int, str]:
            rows.freeze(moved=True)  # first: without the right to do so, no copy is made
            return _copy(rows, path, self.uuid)

        head = self._store.write(freeze)
        # A COMMIT that nobody answered is looked up by its entries, and to freeze writes none.
        if not self._store.read(lambda rows: rows.is_frozen):
            raise LedgerError(
                "the connection broke, and this ledger is as it was; the copy is frozen: remove "
                "it, or move to another place"
            )
        there = open_store(path, read_only=False)
        try:
            there.thaw()
        finally:
            there.close()
        return head


def _restore(
    rows: Rows, path: str | os.PathLike[str], heads: list[tuple[int, str]], *, retire: bool
) -> tuple[int, str]:
    if not rows.is_frozen:
        raise LedgerError(
            "backup must be a copy that BudgetLedger.backup has made, and this is a ledger in use: "
            "of two such copies each would spend the rest of the budget"
        )
    if rows.is_moved and not retire:
        raise LedgerError(
            "backup must not be what a move has left, since the ledger may be charged where it was "
            "moved: restore the copy there if the move was interrupted, or this one with "
            "retire=True, so that nothing can be charged any more"
        )
    verify(rows)
    for seq, digest in heads:
        if read_hash(rows, seq) != digest and not retire:
            raise LedgerRollbackError(
                f"the backup lacks the entry {seq} of that head, so that what was charged since "
                "would be forgotten: find a newer backup, or restore it with retire=True, so that "
                "nothing can be charged any more"
            )
    first = rows.entry(1)
    if first is None:
        raise LedgerCorruptError("the backup has no entries")
    uuid = str(json.loads(first[2])["uuid"])

    def finish(new: Rows) -> None:
        if retire:
            _spend_all(new)
        new.thaw()

    return _copy(rows, path, uuid, finish)


def _copy(
    rows: Rows,
    path: str | os.PathLike[str],
    uuid: str,
    finish: Callable[[Rows], None] | None = None,
) -> tuple[int, str]:
    """Copy all rows to a new home, which is frozen unless `finish` thaws it; return its head."""

    def write(new: Rows) -> tuple[int, str]:
        entries, results = rows.entries(), rows.results()
        try:
            for entry in entries:
                new.append(entry)
            for block, budget, spent, retired in rows.blocks():
                new.add_block(block, budget, spent)
                if retired:
                    new.retire(block)
            for charge_id, result in results:
                new.add_result(charge_id, result)
        finally:
            entries.close()
            results.close()
        new.freeze()
        if finish is not None:
            finish(new)
        return new.last()

    return create_store(path, uuid, write)


def _spend_all(rows: Rows) -> None:
    """Charge what is left in each block, which no charge that a backup lacks has exceeded.

    A charge of nothing is the first, by whose id no block is added any more.
    """

    def charge(cost: Amount, blocks: list[str], charge_id: str) -> None:
        entry = {
            "kind": "charge", "label": "what the backup lacks, at most", "analyst": None,
            "params": "all that was left", "mechanism": None, "count": 1, "rounded": False,
            "cost": strings_of(cost), "blocks": blocks,
        }  # fmt: skip
        append_entry(rows, entry | describe_writer(), charge_id)

    if rows.charge(CLOSED_ID) is None:
        first = rows.entry(1)
        assert first is not None
        charge(zero_amount(amount_from(json.loads(first[2])["budget"])), [], CLOSED_ID)
    for block, _, _, retired in rows.blocks():
        if retired:
            continue
        for account in read_block(rows, block).shares:
            close_share(rows, block, account)
        balance = read_block(rows, block)
        left = subtract_amounts(balance.budget, balance.spent)
        charge(left, [block], str(uuid4()))
        write_balance(rows, block, balance, balance.charged(left))
        append_entry(rows, {"kind": "retire", "block": block} | describe_writer())
        rows.retire(block)
