# SPDX-License-Identifier: MIT
"""How charges are written: the budget of each block decides, and an entry is appended."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from typing import Any

from cydp.accounting._amounts import (
    Amount,
    add_amounts,
    exceeds,
    loss_of_amount,
    subtract_amounts,
)
from cydp.accounting._errors import (
    BlockRetiredError,
    BudgetExceededError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerCorruptError,
)
from cydp.accounting.ledger._blocks import ALL, json_of_amount, read_block, retired_message
from cydp.accounting.ledger._charge import Charge
from cydp.accounting.ledger._entries import append_entry
from cydp.accounting.ledger._fields import describe_writer
from cydp.accounting.ledger._receipt import Receipt
from cydp.accounting.ledger._serialize import deserialize

__all__ = ["ChargesOfCall", "read_result", "write_charge"]

# The fields in which a repetition of a charge can differ.
_COMPARED = (
    "cost", "count", "blocks", "mechanism", "params", "query", "function", "arguments",
    "data_version",
)  # fmt: skip


class ChargesOfCall:
    """The charges that one call makes: how many, and what was spent of each block before them."""

    def __init__(self) -> None:
        self._spent: dict[str, Amount] = {}
        self._charges: Counter[str] = Counter()

    def add(self, block: str, spent: Amount) -> tuple[Amount, int]:
        """Add a charge to a block; return what was spent before the call, and its charges."""
        self._charges[block] += 1
        return self._spent.setdefault(block, spent), self._charges[block]


def write_charge(
    connection: sqlite3.Connection, charge: Charge, call: ChargesOfCall | None = None
) -> Receipt:
    """Write a charge if it fits into all its blocks, and was not made before.

    All charges of one call pass the same `call`, for the error.
    """
    call = ChargesOfCall() if call is None else call
    row = connection.execute(
        "SELECT seq, body, hash, result FROM entry LEFT JOIN outcome USING (charge_id) "
        "WHERE charge_id = ?", (charge.charge_id,),
    ).fetchone()  # fmt: skip
    if row is not None:
        return _repeat(charge, *row)
    rounded = charge.rounded
    for block in charge.blocks:
        budget, spent, retired = read_block(connection, block)
        if retired:
            raise BlockRetiredError(retired_message(block))
        total = add_amounts(spent, charge.requested)
        before, charges = call.add(block, spent)
        if exceeds(total, budget):
            raise _refusal(charge, block, budget, before, total, charges)
        exact = tuple(a + b for a, b in zip(spent, charge.requested, strict=True))
        rounded = rounded or total != exact
        changed = connection.execute(
            "UPDATE block SET spent = ? WHERE id = ? AND spent = ?",
            (json_of_amount(total), block, json_of_amount(spent)),
        )
        if changed.rowcount != 1:
            raise LedgerCorruptError(
                f"the ledger is damaged: block {block!r} is not what was written"
            )
    entry = append_entry(
        connection, charge.entry | {"rounded": rounded} | describe_writer(), charge.charge_id
    )
    return _receipt(charge, entry["seq"], entry["hash"], rounded)


def _refusal(
    charge: Charge, block: str, budget: Amount, before: Amount, total: Amount, charges: int
) -> BudgetExceededError:
    """Return the error for charges of one call to a block, of which `charge` is the last."""
    requested = charge.requested if charges == 1 else subtract_amounts(total, before)
    amounts = budget, before, subtract_amounts(budget, before), requested
    limit, spent, left, cost = (loss_of_amount(charge.kind, amount) for amount in amounts)
    name = None if block == ALL else block
    return BudgetExceededError(limit, spent, left, cost, name, charges)


def _repeat(charge: Charge, seq: int, body: str, digest: str, result: Any) -> Receipt:
    """Return the receipt of a charge that was paid before, if it is the same and has a result."""
    entry = json.loads(body)
    given, compared = charge.entry, set(_COMPARED)
    if "query" in entry:
        compared.remove("params")  # the text of the query
    elif charge.before is not None:
        given = charge.before()
        compared &= given.keys()
    differences = [
        name for name in _COMPARED if name in compared and entry.get(name) != given.get(name)
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
    return _receipt(charge, seq, digest, entry["rounded"], read_result(result), fresh=False)


def read_result(text: str) -> Any:
    """Return a recorded result; a LedgerCorruptError for a string that is no result."""
    try:
        return deserialize(text)
    except (ValueError, TypeError, LookupError):
        raise LedgerCorruptError(
            "the ledger is damaged: a result is not what was written"
        ) from None


def _receipt(
    charge: Charge,
    seq: int,
    digest: str,
    rounded: bool,
    result: Any = None,
    *,
    fresh: bool = True,
) -> Receipt:
    cost = loss_of_amount(charge.kind, charge.requested)
    blocks = () if charge.blocks == (ALL,) else charge.blocks
    return Receipt(seq, charge.charge_id, cost, blocks, digest, rounded, result, fresh)
