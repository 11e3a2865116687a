# SPDX-License-Identifier: MIT
"""``--dry-run``: what a release would do and cost, and whether the budget would pay for it."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._errors import BudgetExceededError, ChargeInDoubtError, LedgerError
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._charge import check_charge
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope
from cydp.cli._messages import in_options
from cydp.cli._payment import describe_left, left_in
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
) -> int:
    """Print what a release would do and cost, and raise what the ledger would raise.

    Nothing is read and nothing is charged.
    """
    given = dict(named)
    given.pop("column", None)
    if options.rows is not None:
        given["n_per_key" if function is group_by else "n"] = options.rows
    explained = explain(function, *arguments, confidence=options.confidence or "0.95", **given)
    print(in_options(str(explained)))
    if budget is None:
        return 0
    ledger = budget.ledger
    assert isinstance(ledger, BudgetLedger)
    check_ledger(budget, explained.query.unit)
    blocks = budget.blocks or None
    exceeds = ledger.would_exceed(explained.query, blocks=blocks)
    for line in describe_left(ledger, left_in(ledger, blocks)):
        print(line)
    if budget.charge_id is not None and _was_charged(ledger, budget.charge_id):
        print("the charge id was charged before: nothing would be charged again")
        return 0
    if exceeds:
        raise _refusal(ledger, explained.query, blocks or (ALL,))
    print("the ledger would pay; nothing was charged and no value was read")
    return 0


def _was_charged(ledger: BudgetLedger, charge_id: str) -> bool:
    try:
        ledger.result(charge_id)
    except ChargeInDoubtError:
        return True
    except LedgerError:
        return False
    return True


def _refusal(ledger: BudgetLedger, query: Query, blocks: Sequence[str]) -> BudgetExceededError:
    """Return the error of the first block that has too little left."""
    charge = check_charge(ledger.budget, ledger.relation, query)
    cost = loss_of_amount(charge.kind, charge.requested)
    remaining, spent = ({ALL: found} if not isinstance(found, dict) else found
                        for found in (ledger.remaining, ledger.spent))  # fmt: skip
    short = (block for block in blocks if ledger.would_exceed(query, blocks=_named(block)))
    block = next(short, blocks[0])
    name = None if block == ALL else block
    return BudgetExceededError(ledger.budget, spent[block], remaining[block], cost, name)


def _named(block: str) -> list[str] | None:
    return None if block == ALL else [block]
