# SPDX-License-Identifier: MIT
"""``--dry-run``: what a release would do and cost, and whether the budget would pay for it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cydp._arguments import Integer
from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._cost import Cost
from cydp.accounting._errors import (
    BudgetExceededError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerError,
    PrivacyError,
)
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._charge import Call, check_charge
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._receipt import Receipt
from cydp.accounting.ledger._scope import LedgerScope
from cydp.accounting.ledger._write_charge import write_charge
from cydp.cli._format import json_of
from cydp.cli._messages import in_options, json_in_options
from cydp.cli._payment import describe_left, json_of_ledger, left_in
from cydp.releases._explain import explain
from cydp.releases._group_by import group_by
from cydp.releases._query import Query
from cydp.releases._unit import check_ledger

__all__ = ["explain_dry"]


def explain_dry(
    options: argparse.Namespace,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    budget: LedgerScope | None,
    run: Callable[[LedgerScope], Any],
    notes: Sequence[str],
) -> int:
    """Print what a release would do and cost, and raise what the ledger would raise.

    Nothing is read and nothing is charged. `run` makes the release with a scope that pays; it gets
    one that stops it at the charge.
    """
    given = dict(named)
    given.pop("column", None)
    if options.rows is not None:
        given["n_per_key" if function is group_by else "n"] = options.rows
    explained = explain(function, *arguments, confidence=options.confidence or "0.95", **given)
    lines, facts = [in_options(str(explained))], json_in_options(explained.metadata)
    lines += [f"note: {note}" for note in notes]
    if notes:
        facts["notes"] = list(notes)
    refusal: PrivacyError | None = None
    if budget is not None:
        ledger = budget.ledger
        assert isinstance(ledger, BudgetLedger)
        check_ledger(budget, explained.query.unit)
        was_charged, refusal = _look_up(budget, run)
        if not was_charged:
            refusal = _refusal(ledger, explained.query, budget.blocks or None)
        left = left_in(ledger, budget.blocks)
        lines += describe_left(ledger, left)
        facts["ledger"] = json_of_ledger(ledger, left) | {"pays": refusal is None}
        if refusal is None:
            lines.append(
                "the charge id was charged before: nothing would be charged again" if was_charged
                else "the ledger would pay; nothing was charged and no value was read"
            )  # fmt: skip
    print(json_of(facts)) if options.json else print(*lines, sep="\n")
    if refusal is not None:
        raise refusal
    return 0


class _Found(Exception):  # noqa: N818 - it ends a release before it charges
    """Whether the charge id of a release was charged, and how a repetition would be refused."""

    def __init__(self, was_charged: bool, refusal: LedgerError | None) -> None:
        super().__init__(was_charged, refusal)
        self.was_charged, self.refusal = was_charged, refusal


class _Looking(LedgerScope):
    """A scope that compares a charge with that of its id, and neither charges nor releases."""

    def _once(
        self,
        cost: Cost,
        release: Callable[[], Any],
        count: Integer,
        relation: str | None,
        function: str | None,
        arguments: Any,
        nbytes: int,
        receipts: list[Receipt],
    ) -> Any:
        ledger = self.ledger
        assert self.charge_id is not None
        assert function is not None
        if ledger._read_outcome(self.charge_id) is None:
            raise _Found(False, None)
        charge = ledger._check(
            cost, count, self.blocks or None, self.charge_id, self.label, relation,
            Call(function, arguments, self.data_version),
        )  # fmt: skip
        try:
            # Nothing is written: entries stay, so that this is a repetition.
            ledger._store.read(lambda connection: write_charge(connection, charge))
        except (ChargeConflictError, ChargeInDoubtError) as error:
            raise _Found(True, error) from None
        raise _Found(True, None)


def _look_up(
    scope: LedgerScope, run: Callable[[LedgerScope], Any]
) -> tuple[bool, LedgerError | None]:
    """Return whether the charge id was charged, and the refusal of another charge of that id."""
    if scope.charge_id is None:
        return False, None
    try:
        run(_Looking(scope.ledger, scope.blocks, scope.label, scope.charge_id, scope.data_version))
    except _Found as found:
        return found.was_charged, found.refusal
    raise AssertionError("a release with a charge id asks the scope for it")


def _refusal(
    ledger: BudgetLedger, query: Query, blocks: Sequence[str] | None
) -> BudgetExceededError | None:
    """Return the error of the first block that has too little left, if there is one."""
    if not ledger.would_exceed(query, blocks=blocks):
        return None
    charge = check_charge(ledger.budget, ledger.relation, query)
    cost = loss_of_amount(charge.kind, charge.requested)
    remaining, spent = ({ALL: found} if not isinstance(found, dict) else found
                        for found in (ledger.remaining, ledger.spent))  # fmt: skip
    named = blocks or (ALL,)
    short = (
        block
        for block in named
        if ledger.would_exceed(query, blocks=None if block == ALL else [block])
    )
    block = next(short, named[0])
    name = None if block == ALL else block
    return BudgetExceededError(ledger.budget, spent[block], remaining[block], cost, name)
