# SPDX-License-Identifier: MIT
"""Charges of a ledger are written: the balance of each block decides, and an entry is appended."""

from __future__ import annotations

import json
from typing import Any

from cydp.accounting._amounts import Amount, add_amounts, exceeds, loss_of_amount, zero_amount
from cydp.accounting._errors import (
    BlockRetiredError,
    BudgetExceededError,
    ChargeConflictError,
    ChargeInDoubtError,
    UnknownAccountError,
)
from cydp.accounting._loss import ZCDP, Loss
from cydp.accounting.ledger._balance import Balance
from cydp.accounting.ledger._blocks import (
    ALL,
    read_block,
    retired_message,
    unknown_account_message,
    write_balance,
)
from cydp.accounting.ledger._charge import COMPARED, Charge
from cydp.accounting.ledger._earlier import with_half_squares
from cydp.accounting.ledger._entries import append_entry
from cydp.accounting.ledger._paid import Receipt
from cydp.accounting.ledger._rows import Rows
from cydp.accounting.ledger._serialize import amount_from, describe_writer, read_result

__all__ = ["ChargesOfCall", "balance_after", "refusal", "write_charge"]


class ChargesOfCall:
    """The charges that one call makes: what they ask of each block, and its balance before them."""

    def __init__(self) -> None:
        self._before: dict[str, Balance] = {}
        self._asked: dict[tuple[str, str | None], tuple[Amount, int]] = {}

    def add(
        self, block: str, account: str | None, balance: Balance, requested: Amount
    ) -> tuple[Balance, Amount, int]:
        """Add a charge to a block, or to an account there.

        Return the balance of the block before the call, what all such charges ask for together, and
        how many they are.
        """
        asked, charges = self._asked.get((block, account), (zero_amount(requested), 0))
        self._asked[block, account] = add_amounts(asked, requested), charges + 1
        return self._before.setdefault(block, balance), *self._asked[block, account]


def write_charge(rows: Rows, charge: Charge, call: ChargesOfCall | None = None) -> Receipt:
    """Write a charge if it fits into all its blocks, and was not made before.

    All charges of one call pass the same `call`, for the error.
    """
    call = ChargesOfCall() if call is None else call
    row = rows.charge(charge.charge_id)
    if row is not None:
        return _repeat(charge, *row)
    rounded, account = charge.rounded, charge.entry.get("account")
    for block in charge.blocks:
        balance = read_block(rows, block)
        after = balance_after(balance, block, charge.requested, account)
        before, asked, charges = call.add(block, account, balance, charge.requested)
        if after.is_overdrawn(account):
            raise refusal(charge.kind, block, before, asked, account, charges)
        exact = tuple(a + b for a, b in zip(balance.spent, charge.requested, strict=True))
        rounded = rounded or after.spent != exact
        write_balance(rows, block, balance, after)
    entry = append_entry(
        rows, charge.entry | {"rounded": rounded} | describe_writer(), charge.charge_id
    )
    return _receipt(charge, charge.requested, entry["seq"], entry["hash"], rounded)


def balance_after(
    balance: Balance, block: str, requested: Amount, account: str | None = None
) -> Balance:
    """Return the balance of a block after a charge, which may not fit.

    Raises BlockRetiredError if the block was retired, and UnknownAccountError without the account.
    """
    if balance.is_retired:
        raise BlockRetiredError(retired_message(block))
    if account is not None and account not in balance.shares:
        raise UnknownAccountError(unknown_account_message(block, balance, account))
    return balance.charged(requested, account)


def refusal(
    kind: type[Loss],
    block: str,
    before: Balance,
    requested: Amount,
    account: str | None = None,
    charges: int = 1,
) -> BudgetExceededError:
    """Return the error for what does not fit into a block, or into an account there.

    Parameters
    ----------
    kind, block
        The measure of the ledger, and the id of the block.
    before : Balance
        Of the block, before all charges of the call.
    requested : tuple of Fraction
        What these charges ask for together.
    account : str, optional
    charges : int
        How many charges they are.

    """
    place = before.shares.get(account) if account is not None else None
    budget, spent = (before.budget, before.spent) if place is None else place
    left = before.left if place is None else place.left
    limit, paid, rest, cost = (
        loss_of_amount(kind, amount) for amount in (budget, spent, left, requested)
    )
    kept = loss_of_amount(kind, before.set_aside) if account is None and before.shares else None
    name = None if block == ALL else block
    return BudgetExceededError(limit, paid, rest, cost, name, charges, account, kept)


def _repeat(charge: Charge, seq: int, body: str, digest: str, result: Any) -> Receipt:
    """Return the receipt of a charge that was paid before; it must be the same, with a result."""
    entry = json.loads(body)
    given, compared = charge.entry, set(COMPARED)
    paid = amount_from(entry["cost"])
    if _is_cost_of_earlier_version(charge, paid):
        compared.remove("cost")
    if "query" in entry:
        compared.remove("params")  # the text of the query
        if entry["query"] == with_half_squares(given.get("query")):
            compared.remove("query")
        if "table" not in entry:  # of an earlier version
            compared.remove("table")
    elif charge.before is not None:
        given = charge.before()
        compared &= given.keys()
    differences = [
        name for name in COMPARED if name in compared and entry.get(name) != given.get(name)
    ]
    if differences:
        raise ChargeConflictError(
            f"charge_id {charge.charge_id!r} belongs to a charge that differs in "
            f"{', '.join(differences)}: repeat the same call, or use another charge_id"
        )
    if result is None:
        raise ChargeInDoubtError(
            f"charge_id {charge.charge_id!r} was charged and has no recorded result, which may "
            "have been released: to release again, use another charge_id, which is charged again"
        )
    return _receipt(charge, paid, seq, digest, entry["rounded"], read_result(result), fresh=False)


def _is_cost_of_earlier_version(charge: Charge, paid: Amount) -> bool:
    """Whether the same charge may have cost more, when pure losses had larger rhos."""
    if paid == charge.cost_before:
        return True
    # What the mechanism or the query is, which is compared too, decides what it costs.
    is_described = charge.entry["mechanism"] is not None
    return charge.kind is ZCDP and is_described and not exceeds(charge.requested, paid)


def _receipt(
    charge: Charge,
    paid: Amount,
    seq: int,
    digest: str,
    rounded: bool,
    result: Any = None,
    *,
    fresh: bool = True,
) -> Receipt:
    cost = loss_of_amount(charge.kind, paid)
    blocks = () if charge.blocks == (ALL,) else charge.blocks
    return Receipt(seq, charge.charge_id, cost, blocks, digest, rounded, result, fresh)
