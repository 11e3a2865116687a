# SPDX-License-Identifier: MIT
"""Charges of a ledger: their arguments are checked. `_write_charge` writes them."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, NamedTuple

from cydp._arguments import Integer
from cydp.accounting._amounts import (
    Amount,
    repeat_amount,
    shorten,
)
from cydp.accounting._cost import (
    Cost,
    check_relation_of_cost,
    describe_cost,
    loss_of,
    name_mechanism,
    query_of,
    units_of,
)
from cydp.accounting._loss import ZCDP, Loss, PureDP
from cydp.accounting._loss_numbers import half_square, read_count, rho_of_pure
from cydp.accounting.ledger._blocks import ALL, check_block_ids
from cydp.accounting.ledger._serialize import (
    check_string,
    json_of,
    sha256_of,
    strings_of,
)

__all__ = [
    "ARGUMENTS",
    "COMPARED",
    "UNBOOKED",
    "Booking",
    "Call",
    "Charge",
    "check_arguments",
    "check_charge",
    "check_unit",
    "requested_amount",
]


ARGUMENTS: dict[str, Any] = {
    "cost": None, "count": 1, "blocks": None, "charge_id": None, "label": None, "relation": None,
    "account": None,
}  # fmt: skip
# The fields of a repetition that are compared with the charge.
COMPARED = (
    "cost", "count", "blocks", "account", "mechanism", "params", "query", "function", "arguments",
    "table", "data_version",
)  # fmt: skip


def check_arguments(given: dict[str, Any]) -> None:
    """Raise a TypeError unless these are arguments of `charge` by name."""
    if not isinstance(given, dict):
        found = type(given).__name__
    elif unknown := [name for name in given if name not in ARGUMENTS]:
        found = f"with {unknown[0]!r}" if isinstance(unknown[0], str) else "with other keys"
    elif "cost" not in given:
        found = "without 'cost'"
    else:
        return
    raise TypeError(
        f"charges must be dicts of the arguments of charge ({', '.join(ARGUMENTS)}), not {found}"
    )


@dataclass(frozen=True, slots=True)
class Call:
    """The call of a function that a charge pays for. All of it must be the same in a repetition.

    Attributes
    ----------
    function : str
        The name of the function that releases.
    arguments : object
        The public arguments of the function, as JSON can hold them. The ledger keeps their SHA-256.
    data_version : str or None
        The caller's name for the data that is read.

    """

    function: str
    arguments: Any
    data_version: str | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of the call in the entry of the charge."""
        check_string(self.function, "function")
        if self.data_version is not None:
            check_string(self.data_version, "data_version")
        digest = sha256_of(json_of(self.arguments, "arguments", sort_keys=True))
        return {"function": self.function, "arguments": digest, "data_version": self.data_version}


class Booking(NamedTuple):
    """Under what a ledger books a charge: the arguments of `BudgetLedger.charge`, and who asks.

    Attributes
    ----------
    blocks : iterable of str or dates, or None
    label, charge_id : str or None
    data_version : str or None
        The caller's name for the data that is read.
    analyst : str or None
        Who asks.
    relation : str or None
    account : str or None
        The account that pays.

    """

    blocks: Iterable[str | date] | None = None
    label: str | None = None
    charge_id: str | None = None
    data_version: str | None = None
    analyst: str | None = None
    relation: str | None = None
    account: str | None = None


UNBOOKED = Booking()


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge that was checked, and not yet written.

    Attributes
    ----------
    kind : type
        The measure of the ledger.
    requested : tuple of Fraction
        What each of the blocks pays.
    rounded : bool
        Whether `requested` was so long that it was rounded up.
    blocks : tuple of str
        The ids of the blocks that pay.
    charge_id : str
    entry : dict
        The fields of the entry that do not depend on what was spent before.
    before : callable or None
        Returns the fields to compare with an entry that an earlier version wrote for a query. None:
        the charge is for no query.
    cost_before : tuple of Fraction or None
        What an earlier version has charged for a pure loss in zCDP.

    """

    kind: type[Loss]
    requested: Amount
    rounded: bool
    blocks: tuple[str, ...]
    charge_id: str
    entry: dict[str, Any]
    before: Callable[[], dict[str, Any]] | None = None
    cost_before: Amount | None = None


def requested_amount(
    budget: Loss,
    kept: str,
    cost: Cost,
    count: int = 1,
    relation: str | None = None,
    name: str = "cost",
) -> tuple[Amount, bool]:
    """Return what a charge asks of each block, and whether that was rounded up.

    The parameters are as in `check_charge`. `name` is the cost's parameter, for the error.
    """
    loss = loss_of(cost, name)
    check_relation_of_cost(cost, relation, kept)
    exact = repeat_amount(loss, count, budget)
    requested = tuple(map(shorten, exact))
    return requested, requested != exact


def check_charge(
    budget: Loss,
    kept: str,
    cost: Cost,
    count: Integer = 1,
    booking: Booking = UNBOOKED,
    call: Call | None = None,
) -> Charge:
    """Check the arguments of `BudgetLedger.charge`, and return a charge.

    Parameters
    ----------
    budget : loss
        The budget of the ledger.
    kept : str
        The relation that the ledger is kept under.
    cost, count
        As in `BudgetLedger.charge`.
    booking : Booking
    call : Call, optional
        The call that the charge pays for, if the ledger makes it.

    """
    times = read_count(count)
    requested, rounded = requested_amount(budget, kept, cost, times, booking.relation)
    for name in ("charge_id", "label", "account"):
        if (given := getattr(booking, name)) is not None:
            check_string(given, name)
    ids = (ALL,) if booking.blocks is None else check_block_ids(booking.blocks)
    mechanism, query = name_mechanism(cost), query_of(cost)
    params = None if mechanism is None else describe_cost(cost)
    compared = {
        "cost": strings_of(requested),
        "blocks": sorted(ids),
        "mechanism": mechanism,
        "count": times,
    }
    if call is not None:
        compared |= call.fields()
    # The text of a query is for people: another wording does not make it another query.
    is_compared = call is not None and query is not None
    compared |= {"query": query.to_dict()} if is_compared else {"params": params}
    before = None if not is_compared else partial(_fields_before_queries, compared, params, query)
    shown = {"label": booking.label, "analyst": booking.analyst, "params": params}
    if query is not None:
        shown |= {"released": query.in_words, "table": query.path}
    if booking.account is not None:  # other entries have no such field
        compared["account"] = booking.account
    entry = {"kind": "charge"} | shown | compared
    id_ = booking.charge_id or str(uuid.uuid4())
    return Charge(
        type(budget), requested, rounded, ids, id_, entry, before, _cost_before(budget, cost, times)
    )


def _cost_before(budget: Loss, cost: Cost, count: int) -> Amount | None:
    """Return what was charged when the rho of a pure loss was epsilon**2 / 2; None: the same."""
    loss = loss_of(cost)
    if not isinstance(budget, ZCDP) or not isinstance(loss, PureDP):
        return None
    if loss.rho != rho_of_pure(loss.epsilon):  # it was claimed
        return None
    return (shorten(count * half_square(loss.epsilon)),)


def _fields_before_queries(compared: dict[str, Any], params: Any, query: Any) -> dict[str, Any]:
    """Return the fields of an entry from when ledgers compared the text of a query."""
    found = {name: each for name, each in compared.items() if name != "query"} | {"params": params}
    if "arguments" in found:
        digest = sha256_of(json_of(query.arguments_before(), "arguments", sort_keys=True))
        found["arguments"] = digest
    return found


def check_unit(cost: Cost, kept: str, whole: str, blocks: int = 1) -> None:
    """Raise a UnitMismatchError for a cost that protects another unit than a ledger.

    Parameters
    ----------
    cost : loss, mechanism, release, or what was made of a release
    kept, whole, blocks
        As in `cydp.releases._unit.Unit.check_kept`.

    """
    for unit in units_of(cost):
        unit.check_kept(kept, whole, blocks)
