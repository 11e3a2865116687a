# SPDX-License-Identifier: MIT
"""The part of `BudgetLedger` that sets parts of its budget aside, as accounts of pipelines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from cydp._call_errors import explain_arguments
from cydp.accounting._amounts import Amount, loss_of_amount
from cydp.accounting._errors import BlockRetiredError, LedgerError, UnknownAccountError
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._accounts import (
    AccountState,
    AccountStates,
    account_of,
    read_accounts,
)
from cydp.accounting.ledger._balance import Balance
from cydp.accounting.ledger._blocks import (
    ALL,
    LossesByBlock,
    check_block_budget,
    check_block_ids,
    read_block,
    retired_message,
    unknown_account_message,
    write_balance,
)
from cydp.accounting.ledger._entries import append_entry
from cydp.accounting.ledger._rows import Rows, Store
from cydp.accounting.ledger._serialize import check_string, describe_writer, strings_of
from cydp.accounting.ledger._write_charge import refusal

__all__ = ["LedgerAccounts", "close_share"]


class LedgerAccounts:
    """A ledger that may have accounts."""

    __slots__ = ()

    _check_named: Callable[[tuple[str, ...]], tuple[str, ...]]
    _store: Store
    budget: Loss
    relation: str

    @explain_arguments
    def open_account(
        self,
        account: str,
        budget: Loss,
        *,
        blocks: Iterable[str | date] | None = None,
        exist_ok: bool = False,
    ) -> None:
        """Set a part of the budget aside, which only charges that name the account can spend.

        What the account spends is charged to the ledger like any other charge, and its guarantees
        are the same. Other charges cannot spend what is set aside.

        Parameters
        ----------
        account : str
            The name of the account, such as that of a pipeline.
        budget : loss
            What is set aside, in the ledger's measure; in each of the blocks.
        blocks : list of str or dates, optional
            The ids of the blocks in which it is set aside. An account may be opened again for
            further blocks. Needed if the ledger was made with ``by_block=True``.
        exist_ok : bool, default False
            Whether to leave an account that is open in a block as it is, if its budget is the same.

        Raises
        ------
        BudgetExceededError
            If less than this is left in a block. Then nothing is set aside.
        LedgerError
            If the account is open in a block, with another budget if `exist_ok` is True.
        UnknownBlockError, BlockRetiredError
            If the ledger does not have a block, or the block was retired.
        TypeError, ValueError
            For a bad name, and for a budget that is larger or of another measure.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         ledger.open_account("nightly", PureDP("0.4"))
        ...         receipt = ledger.scope(account="nightly").charge(PureDP("0.1"))
        ...         print(ledger.accounts())
        ...         ledger.remaining, ledger.close_account("nightly"), ledger.remaining
        account  block  budget       spent        left
        nightly         epsilon=0.4  epsilon=0.1  epsilon=0.3
        (PureDP(epsilon=0.6), PureDP(epsilon=0.3), PureDP(epsilon=0.9))

        """
        check_string(account, "account")
        amount = check_block_budget(budget, self.budget, self.relation)
        ids = (ALL,) if blocks is None else self._check_named(check_block_ids(blocks))
        if not isinstance(exist_ok, bool):
            raise TypeError(f"exist_ok must be True or False, not {type(exist_ok).__name__}")

        def insert(rows: Rows) -> None:
            opened = []
            for block in ids:
                balance = read_block(rows, block)
                if balance.is_retired:
                    raise BlockRetiredError(retired_message(block))
                place = "" if block == ALL else f" in block {block!r}"
                there = balance.shares.get(account)
                if there is not None:
                    if not exist_ok:
                        raise LedgerError(
                            f"account {account!r} is open{place} already: use another name, leave "
                            "it out, or say exist_ok=True"
                        )
                    if there.budget != amount:
                        raise LedgerError(
                            f"account {account!r} is open{place} already, with another budget: "
                            "close it first, or use another name"
                        )
                    continue
                after = balance.with_share(account, amount)
                if after.is_overdrawn():
                    raise refusal(type(self.budget), block, balance, amount)
                write_balance(rows, block, balance, after)
                opened.append(block)
            if opened:
                entry = {"kind": "open account", "account": account, "blocks": opened}
                append_entry(rows, entry | {"budget": strings_of(amount)} | describe_writer())

        self._store.write(insert)

    @explain_arguments
    def close_account(self, account: str, *, blocks: Iterable[str | date] | None = None) -> Any:
        """Close an account: other charges may spend what it has not spent.

        What was charged stays charged, also by a charge in doubt.

        Parameters
        ----------
        account : str
            The name of the account.
        blocks : list of str or dates, optional
            The blocks in which it is closed. Default: all in which it is open.

        Returns
        -------
        loss, or dict of losses by block id
            What had not been spent.

        Raises
        ------
        UnknownAccountError
            If the account is not open.
        UnknownBlockError
            If the ledger does not have a block.
        TypeError, ValueError
            For a bad name, or list of blocks.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(
        ...         folder + "/l", PureDP(1), privacy_unit="person-day", by_block=True
        ...     ) as ledger:
        ...         ledger.add_blocks(["mon", "tue"])
        ...         ledger.open_account("nightly", PureDP("0.4"), blocks=["mon", "tue"])
        ...         ledger.close_account("nightly", blocks=["tue"])
        {'tue': PureDP(epsilon=0.4)}

        """
        check_string(account, "account")
        ids = None if blocks is None else self._check_named(check_block_ids(blocks))

        def update(rows: Rows) -> dict[str, Loss]:
            found = {}
            chosen = _blocks_of(rows, account) if ids is None else ids
            if not chosen:
                raise UnknownAccountError(
                    f"account must be open in the ledger, and {account!r} is not: its accounts() "
                    "are those that are"
                )
            for block in chosen:
                left = close_share(rows, block, account)
                found[block] = loss_of_amount(type(self.budget), left)
            return found

        found = LossesByBlock(self._store.write(update))
        return found.get(ALL, found)

    @explain_arguments
    def accounts(self) -> AccountStates:
        """Return the open accounts, one for each block, by block and name.

        What a closed account has spent is in ``totals("account")``.

        Returns
        -------
        tuple of AccountState
            As of one moment. It prints itself as a table.

        Examples
        --------
        >>> import tempfile
        >>> from cydp import BudgetLedger, PureDP
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with BudgetLedger.create(folder + "/l", PureDP(1), privacy_unit="person") as ledger:
        ...         ledger.open_account("nightly", PureDP("0.4"))
        ...         ledger.accounts()[0].remaining
        PureDP(epsilon=0.4)

        """
        return self._store.read(lambda rows: read_accounts(rows, type(self.budget)))

    def _accounts(self, account: str, blocks: Iterable[str]) -> dict[str, AccountState]:
        """Return an account in some blocks; UnknownAccountError if it is not open in one."""

        def read(rows: Rows) -> dict[str, AccountState]:
            found = {}
            for block in blocks:
                balance = read_block(rows, block)
                if account not in balance.shares:
                    raise UnknownAccountError(unknown_account_message(block, balance, account))
                found[block] = account_of(type(self.budget), account, block, balance)
            return found

        return self._store.read(read)


def _blocks_of(rows: Rows, account: str) -> list[str]:
    return [row[0] for row in rows.blocks() if account in Balance.of_row(row).shares]


def close_share(rows: Rows, block: str, account: str) -> Amount:
    """Close an account in one block, and return what it might still have spent."""
    balance = read_block(rows, block)
    if account not in balance.shares:
        raise UnknownAccountError(unknown_account_message(block, balance, account))
    write_balance(rows, block, balance, balance.without_share(account))
    entry = {"kind": "close account", "account": account, "blocks": [block]}
    append_entry(rows, entry | describe_writer())
    return balance.left_of(account)
