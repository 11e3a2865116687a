# SPDX-License-Identifier: MIT
"""Charges of a ledger: checked, and then written."""

import json
import sqlite3
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, SupportsIndex

from cydp.accounting import store
from cydp.accounting.blocks import ALL, block_ids, block_of, row_of
from cydp.accounting.budget import Cost, Parts, asked_of, check_kept, loss_of, total_of
from cydp.accounting.described import described
from cydp.accounting.entries import digest_of, text_of, texts_of, when
from cydp.accounting.errors import (
    BlockRetiredError,
    BudgetExceededError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerCorruptError,
)
from cydp.accounting.loss import ZCDP, ApproxDP, Loss, PureDP, count_of, loss_from


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
    hash : str
        Of this entry and all before it.
    rounded : bool
        Whether a total was so long that the charge was rounded up.
    result : object
        What `record` has stored for the charge, if it was paid before.

    """

    seq: int
    charge_id: str
    cost: Loss
    blocks: tuple[str, ...]
    hash: str
    rounded: bool = False
    result: Any = None


ARGUMENTS: dict[str, Any] = {
    "cost": None, "count": 1, "blocks": None, "charge_id": None, "label": None, "relation": None
}  # fmt: skip


def check_names(given: dict[str, Any]) -> bool:
    """Raise a TypeError unless these are arguments of `charge` by name; return False."""
    if not isinstance(given, dict) or "cost" not in given or not given.keys() <= ARGUMENTS.keys():
        raise TypeError(f"each of charges must be a dict of {', '.join(ARGUMENTS)}")
    return False


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge that was checked, and not yet written."""

    kind: type[Loss]
    asked: Parts
    rounded: bool
    blocks: tuple[str, ...]
    charge_id: str
    entry: dict[str, Any]


def checked(
    budget: Loss,
    kept: str,
    cost: Cost,
    count: SupportsIndex,
    blocks: Iterable[str] | None,
    charge_id: str | None,
    label: str | None,
    relation: str | None,
) -> Charge:
    """Return a charge to a ledger of a budget, which is kept under a relation."""
    check_kept(cost, relation, kept)
    times = count_of(count)
    given = asked_of(loss_of(cost), times, budget)
    asked = tuple(total_of(Fraction(0), part) for part in given)  # not too long for a text
    for name, text in (("charge_id", charge_id), ("label", label)):
        if text is not None:
            text_of(text, name)
    ids = (ALL,) if blocks is None else block_ids(blocks)
    mechanism = _name_of(cost)
    what = {
        "cost": texts_of(asked), "blocks": sorted(ids), "mechanism": mechanism,
        "params": None if mechanism is None else described(cost), "count": times,
    }  # fmt: skip
    digest = digest_of(json.dumps(what, sort_keys=True))
    entry = {"kind": "charge", "label": label, "fingerprint": digest} | what
    id_ = charge_id or str(uuid.uuid4())
    return Charge(type(budget), asked, asked != given, ids, id_, entry)


def written(connection: sqlite3.Connection, charge: Charge) -> Receipt:
    """Write a charge if it fits into all its blocks, and was not made before."""
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
            raise BlockRetiredError(f"block {block!r} was retired")
        total = tuple(map(total_of, spent, charge.asked))
        if any(a > b for a, b in zip(total, budget, strict=True)):
            kind, place = charge.kind, None if block == ALL else block
            raise BudgetExceededError(
                loss_from(kind, spent),
                loss_from(kind, charge.asked),
                loss_from(kind, budget),
                place,
            )
        exact = tuple(a + b for a, b in zip(spent, charge.asked, strict=True))
        rounded = rounded or total != exact
        changed = connection.execute(
            "UPDATE block SET spent = ? WHERE id = ? AND spent = ?",
            (row_of(total), block, row_of(spent)),
        )
        if changed.rowcount != 1:
            raise LedgerCorruptError(f"block {block!r} is not what was written")
    entry = store.append(connection, charge.entry | {"rounded": rounded} | when(), charge.charge_id)
    return _receipt(charge, entry["seq"], entry["hash"], rounded)


def _repeated(charge: Charge, seq: int, body: str, digest: str, result: Any) -> Receipt:
    entry = json.loads(body)
    if entry.get("fingerprint") != charge.entry["fingerprint"]:
        raise ChargeConflictError(f"another charge has the id {charge.charge_id!r}")
    if result is None:
        raise ChargeInDoubtError(
            f"{charge.charge_id!r} was charged, and its result may have been released"
        )
    return _receipt(charge, seq, digest, entry["rounded"], json.loads(result))


def _receipt(charge: Charge, seq: int, digest: str, rounded: bool, result: Any = None) -> Receipt:
    cost = loss_from(charge.kind, charge.asked)
    return Receipt(seq, charge.charge_id, cost, charge.blocks, digest, rounded, result)


def _name_of(cost: Cost) -> str | None:
    """Return what the history calls a cost; None: a loss, which nobody said more about."""
    if isinstance(cost, PureDP | ApproxDP | ZCDP):
        return "Plan" if isinstance(cost, ApproxDP) and cost.plan is not None else None
    return type(cost).__name__
