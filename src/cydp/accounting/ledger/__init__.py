# SPDX-License-Identifier: MIT
"""A budget in a file, which `cydp.accounting` offers too."""

from __future__ import annotations

from cydp.accounting.ledger._accounts import AccountState
from cydp.accounting.ledger._blocks import BlockState
from cydp.accounting.ledger._history import LedgerHistory
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._paid import Receipt
from cydp.accounting.ledger._report import LedgerReport
from cydp.accounting.ledger._scope import LedgerScope

__all__ = [
    "AccountState",
    "BlockState",
    "BudgetLedger",
    "LedgerHistory",
    "LedgerReport",
    "LedgerScope",
    "Receipt",
]


def __dir__() -> list[str]:
    return __all__
