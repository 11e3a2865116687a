# SPDX-License-Identifier: MIT
"""Charges of a ledger: checked, and then written."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cydp._arguments import Integer
from cydp.accounting._amounts import (
    Amount,
    add_amounts,
    exceeds,
    loss_of_amount,
    repeat_amount,
    subtract_amounts,
    zero_amount,
)
from cydp.accounting._cost import Cost, check_relation_of_cost, loss_of
from cydp.accounting._describe_cost import describe_cost
from cydp.accounting._errors import (
    BlockRetiredError,
    BudgetExceededError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerCorruptError,
)
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import read_count
from cydp.accounting.ledger import _store
from cydp.accounting.ledger._blocks import ALL, block_ids, block_of, row_of, told_retired
from cydp.accounting.ledger._entries import digest_of, json_of, text_of, texts_of, when
from cydp.accounting.ledger._outcomes import result_of_text

__all__ = [
    "ARGUMENTS",
    "Before",
    "Call",
    "Charge",
    "Receipt",
    "check_names",
    "checked",
    "read_result",
    "written",
]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a charge has written.

    Attributes
    ----------
    seq : int
        Its place in the ledger, from 1 on.
    charge_id : str
    cost : loss
        What each block has paid.
    blocks : tuple of str
        The ids of the blocks that have paid; empty for a ledger without blocks.
    hash : str
        Of this entry and all before it.
    rounded : bool
        Whether a total was so long that the charge was rounded up.
    result : object
        What was recorded for the charge, if it was paid before.
    fresh : bool
        Whether this call has paid. If not, the charge was paid before: use `result`, and draw no
        new noise, which nobody would have paid for.

    """

    seq: int
    charge_id: str
    cost: Loss
    blocks: tuple[str, ...]
    hash: str
    rounded: bool = False
    result: Any = None
    fresh: bool = True


ARGUMENTS: dict[str, Any] = {
    "cost": None, "count": 1, "blocks": None, "charge_id": None, "label": None, "relation": None
}  # fmt: skip

# What a repetition can differ in.
_COMPARED = (
    "cost", "count", "blocks", "mechanism", "params", "function", "arguments", "data_version"
)  # fmt: skip


def check_names(given: dict[str, Any]) -> bool:
    """Raise a TypeError unless these are arguments of `charge` by name; return False."""
    if not isinstance(given, dict):
        found = type(given).__name__
    elif unknown := [name for name in given if name not in ARGUMENTS]:
        found = f"with {unknown[0]!r}" if isinstance(unknown[0], str) else "with other keys"
    elif "cost" not in given:
        found = "without 'cost'"
    else:
        return False
    raise TypeError(
        f"charges must be dicts of the arguments of charge ({', '.join(ARGUMENTS)}), not {found}"
    )


@dataclass(frozen=True, slots=True)
class Call:
    """What a charge pays for: a repetition must be the same in all of it.

    Attributes
    ----------
    function : str
        What releases.
    arguments : object
        Its public arguments, as JSON can hold them. The ledger keeps their SHA-256.
    data_version : str or None
        What the caller calls the data that is read.

    """

    function: str
    arguments: Any
    data_version: str | None = None

    def described(self) -> dict[str, Any]:
        """Return what the entry of the charge says of the call."""
        text_of(self.function, "function")
        if self.data_version is not None:
            text_of(self.data_version, "data_version")
        digest = digest_of(json_of(self.arguments, "arguments", sort_keys=True))
        return {"function": self.function, "arguments": digest, "data_version": self.data_version}


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge that was checked, and not yet written."""

    kind: type[Loss]
    asked: Amount
    rounded: bool
    blocks: tuple[str, ...]
    charge_id: str
    entry: dict[str, Any]


def checked(
    budget: Loss,
    kept: str,
    cost: Cost,
    count: Integer = 1,
    blocks: Iterable[str] | None = None,
    charge_id: str | None = None,
    label: str | None = None,
    relation: str | None = None,
    call: Call | None = None,
) -> Charge:
    """Return a charge to a ledger of a budget, which is kept under a relation.

    `call` is what the charge pays for, if the ledger itself sees that.
    """
    check_relation_of_cost(cost, relation, kept)
    times = read_count(count)
    given = repeat_amount(loss_of(cost), times, budget)
    asked = add_amounts(zero_amount(given), given)  # not too long for a text
    for name, text in (("charge_id", charge_id), ("label", label)):
        if text is not None:
            text_of(text, name)
    ids = (ALL,) if blocks is None else block_ids(blocks)
    mechanism = _name_of(cost)
    what = {
        "cost": texts_of(asked), "blocks": sorted(ids), "mechanism": mechanism,
        "params": None if mechanism is None else describe_cost(cost), "count": times,
    }  # fmt: skip
    if call is not None:
        what |= call.described()
    digest = digest_of(json.dumps(what, sort_keys=True))
    entry = {"kind": "charge", "label": label, "fingerprint": digest} | what
    id_ = charge_id or str(uuid.uuid4())
    return Charge(type(budget), asked, asked != given, ids, id_, entry)


class Before:
    """What was spent of blocks before the charges of one call, and how many charges it makes."""

    def __init__(self) -> None:
        self._spent: dict[str, Amount] = {}
        self._charges: Counter[str] = Counter()

    def of(self, block: str, spent: Amount) -> tuple[Amount, int]:
        """Note a charge to a block; return what was spent before the call, and its charges."""
        self._charges[block] += 1
        return self._spent.setdefault(block, spent), self._charges[block]


def written(
    connection: sqlite3.Connection, charge: Charge, before: Before | None = None
) -> Receipt:
    """Write a charge if it fits into all its blocks, and was not made before.

    `before` is the same of all charges that are made in one call.
    """
    before = Before() if before is None else before
    row = connection.execute(
        "SELECT seq, body, hash, result FROM entry LEFT JOIN outcome USING (charge_id) "
        "WHERE charge_id = ?", (charge.charge_id,),
    ).fetchone()  # fmt: skip
    if row is not None:
        return _repeated(charge, *row)
    rounded = charge.rounded
    for block in charge.blocks:
        budget, spent, retired = block_of(connection, block)
        if retired:
            raise BlockRetiredError(told_retired(block))
        total = add_amounts(spent, charge.asked)
        since, charges = before.of(block, spent)
        if exceeds(total, budget):
            asked = charge.asked if charges == 1 else subtract_amounts(total, since)
            parts = budget, since, subtract_amounts(budget, since), asked
            whole, paid, rest, cost = (loss_of_amount(charge.kind, part) for part in parts)
            named = None if block == ALL else block
            raise BudgetExceededError(whole, paid, rest, cost, named, charges)
        exact = tuple(a + b for a, b in zip(spent, charge.asked, strict=True))
        rounded = rounded or total != exact
        changed = connection.execute(
            "UPDATE block SET spent = ? WHERE id = ? AND spent = ?",
            (row_of(total), block, row_of(spent)),
        )
        if changed.rowcount != 1:
            raise LedgerCorruptError(
                f"the ledger is damaged: block {block!r} is not what was written"
            )
    entry = _store.append(
        connection, charge.entry | {"rounded": rounded} | when(), charge.charge_id
    )
    return _receipt(charge, entry["seq"], entry["hash"], rounded)


def _repeated(charge: Charge, seq: int, body: str, digest: str, result: Any) -> Receipt:
    entry = json.loads(body)
    if entry.get("fingerprint") != charge.entry["fingerprint"]:
        differs = [name for name in _COMPARED if entry.get(name) != charge.entry.get(name)]
        raise ChargeConflictError(
            f"charge_id {charge.charge_id!r} belongs to a charge that differs in "
            f"{', '.join(differs)}: repeat the same call, or use another charge_id"
        )
    if result is None:
        raise ChargeInDoubtError(
            f"charge_id {charge.charge_id!r} was charged and has no recorded result, which may "
            "have been released: to release again, use another charge_id, which is charged again"
        )
    return _receipt(charge, seq, digest, entry["rounded"], read_result(result), fresh=False)


def read_result(text: str) -> Any:
    """Return a recorded result; a LedgerCorruptError for what nobody has recorded."""
    try:
        return result_of_text(text)
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
    cost = loss_of_amount(charge.kind, charge.asked)
    blocks = () if charge.blocks == (ALL,) else charge.blocks
    return Receipt(seq, charge.charge_id, cost, blocks, digest, rounded, result, fresh)


def _name_of(cost: Cost) -> str | None:
    """Return what the history calls a cost; None: a loss, which nobody said more about."""
    if isinstance(cost, PureDP | ApproxDP | ZCDP):
        return "Plan" if isinstance(cost, ApproxDP) and cost.plan is not None else None
    return type(cost).__name__
