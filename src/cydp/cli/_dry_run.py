# SPDX-License-Identifier: MIT
"""``--dry-run``: what a release would do and cost, and whether the budget would pay for it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._errors import (
    BudgetExceededError,
    PrivacyError,
)
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._charge import check_charge
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope
from cydp.cli._format import json_of
from cydp.cli._messages import in_options, json_in_options
from cydp.cli._payment import describe_left, json_of_ledger, left_in
from cydp.releases._explain import explain
from cydp.releases._group_by import group_by
from cydp.releases._query import Query
from cydp.releases._run import Prepared
from cydp.releases._unit import check_ledger

__all__ = ["explain_dry"]


def explain_dry(
    options: argparse.Namespace,
    function: Callable[..., Any],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    budget: LedgerScope | None,
    prepared: Callable[[], Prepared],
    notes: Sequence[str],
) -> int:
    """Print what a release would do and cost, and raise what the ledger would raise.

    Nothing is read and nothing is charged. `prepared` returns the release of the data, checked.
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
        was_charged = False
        if budget.charge_id is not None:
            was_charged, refusal = budget._look_up(prepared().asked)
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
