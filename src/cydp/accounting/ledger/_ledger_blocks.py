# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that adds and retires blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sqlite3 import Connection
from typing import Any

from cydp.accounting._errors import BlockRetiredError, LedgerError, UnknownBlockError
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._blocks import (
    ALL,
    check_block_budget,
    check_block_ids,
    insert_block,
    read_block,
    retired_message,
    unknown_message,
)
from cydp.accounting.ledger._entries import append_entry
from cydp.accounting.ledger._fields import check_dims, check_string, describe_writer, strings_of
from cydp.accounting.ledger._store import Store

__all__ = ["LedgerBlocks"]


class LedgerBlocks:
    """A ledger to which blocks can be added."""

    __slots__ = ()

    _store: Store
    budget: Loss
    relation: str

    def add_block(self, block: str, budget: Loss | None = None, **dims: Any) -> None:
        """Add a block of data.

        Parameters
        ----------
        block : str
            The id of the block, such as a day. Which records lie in a block must not depend on the
            data.
        budget : loss, optional
            What may be spent in the block, in the ledger's measure. The ledger's budget is the
            most, and the default.
        **dims
            Further facts about the block, which the history keeps.

        Raises
        ------
        TypeError, ValueError
            For a bad id, for a budget that is larger or of another measure, and for dims that JSON
            cannot hold.
        LedgerError
            If the ledger was made without blocks, or has a block of this id.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         folder + "/l", PureDP(1), privacy_unit="person", by_block=True
        ...     ) as ledger:
        ...         ledger.add_block("mon", PureDP(0.5), site="north")
        ...         ledger.remaining
        {'mon': PureDP(epsilon=0.5)}

        """
        self.add_blocks([check_string(block, "block")], budget, **dims)

    def add_blocks(
        self, blocks: Iterable[str] | Mapping[str, Loss], budget: Loss | None = None, **dims: Any
    ) -> None:
        """Add several blocks of data at once, as `add_block` does, all of them or none.

        Parameters
        ----------
        blocks : list of str, or dict of losses by block id
            A dict gives each block its own budget; then `budget` must be left out.
        budget, **dims
            As in `add_block`, for all of the blocks.

        Raises
        ------
        TypeError, ValueError, LedgerError
            As `add_block` does.

        """
        if isinstance(blocks, Mapping):
            if budget is not None:
                raise TypeError(
                    "budget must be left out if blocks is a dict, which has a budget for each"
                )
            budgets = dict(blocks)
        else:
            budgets = dict.fromkeys(
                check_block_ids(blocks), self.budget if budget is None else budget
            )
        if ALL in check_block_ids(list(budgets)):
            raise ValueError(
                "block must not be 'all', which stands for a ledger without blocks: use another id"
            )
        amounts = {
            block: check_block_budget(budget, self.budget, self.relation)
            for block, budget in budgets.items()
        }
        checked_dims = check_dims(dims)

        def insert(connection: Connection) -> None:
            for block, amount in amounts.items():
                known = connection.execute("SELECT id FROM block WHERE id IN (?, ?)", (ALL, block))
                found = known.fetchone()
                if found == (ALL,):
                    raise LedgerError(
                        "no block can be added, since the ledger was made without blocks: make "
                        "another ledger with by_block=True"
                    )
                if found is not None:
                    raise LedgerError(
                        f"block {block!r} is in the ledger already: use another id, or leave it out"
                    )
                entry = {"kind": "block", "block": block, "budget": strings_of(amount)}
                append_entry(connection, entry | {"dims": checked_dims} | describe_writer())
                insert_block(connection, block, amount)

        self._store.write(insert)

    def retire(self, block: str) -> None:
        """Let nothing be charged to a block any more. This cannot be undone.

        Parameters
        ----------
        block : str
            The id of the block.

        Raises
        ------
        UnknownBlockError, BlockRetiredError
            If there is no such block, or it was retired before.
        TypeError, ValueError
            For a bad id.

        """
        check_string(block, "block")

        def update(connection: Connection) -> None:
            if block == ALL:
                raise UnknownBlockError(unknown_message(connection, block, "block"))
            if read_block(connection, block, "block")[2]:
                raise BlockRetiredError(retired_message(block))
            append_entry(connection, {"kind": "retire", "block": block} | describe_writer())
            connection.execute("UPDATE block SET retired = 1 WHERE id = ?", (block,))

        self._store.write(update)
