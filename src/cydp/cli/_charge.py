# SPDX-License-Identifier: MIT
"""``cydp ledger charge``: pays for a release that was made elsewhere."""

from __future__ import annotations

import argparse

from cydp.accounting._words import format_name
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._budget import BUDGETS, read_budget
from cydp.cli._format import head_of
from cydp.cli._ledger_file import check_blocks, open_ledger
from cydp.cli._payment import describe_left, left_in

__all__ = ["charge"]

_PAID = "paid"  # what is recorded of a charge with an id, so that it can be repeated
_REPEATED = 3  # so that `cydp ledger charge && release` releases once for each charge


def charge(options: argparse.Namespace) -> int:
    """Charge a loss, print what is left and the head; return 0, or 3 if it was charged before."""
    loss = read_budget(options)
    if loss is None:
        raise ValueError(f"the cost must be given: {BUDGETS}")
    with open_ledger(BudgetLedger.open, options.path, expect_head=options.head) as ledger:
        check_blocks(ledger, options.blocks)
        scope = {"blocks": options.blocks, "label": options.label}
        is_fresh = options.charge_id is None

        def note() -> str:
            nonlocal is_fresh
            is_fresh = True
            return _PAID

        if options.charge_id is None:
            ledger.charge(loss, **scope)
        else:
            ledger.once(options.charge_id, loss, note, function="cydp ledger charge", **scope)
        if not is_fresh:
            print(
                f"repeated: --charge-id {format_name(options.charge_id)} was charged before, and "
                "nothing was charged now: release nothing new"
            )
        for line in describe_left(ledger, left_in(ledger, options.blocks)):
            print(line)
        print(head_of(ledger))
    return 0 if is_fresh else _REPEATED
