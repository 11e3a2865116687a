# SPDX-License-Identifier: MIT
"""What releases cost, and budgets that refuse. Knows nothing of noise."""

from __future__ import annotations

from cydp.accounting.budget import PrivacyFilter, PrivacyOdometer
from cydp.accounting.calibration import calibrate
from cydp.accounting.charges import Receipt
from cydp.accounting.composition import group_privacy, parallel, sequential
from cydp.accounting.errors import (
    AdaptivityError,
    BlockRetiredError,
    BudgetExceededError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
    LedgerSchemaError,
    MeasureMismatchError,
    PrivacyError,
    RelationMismatchError,
    UnknownBlockError,
)
from cydp.accounting.ledger import BudgetLedger
from cydp.accounting.ledger_scope import LedgerScope
from cydp.accounting.loss import ZCDP, ApproxDP, PureDP
from cydp.accounting.optimal import convert, optimal_composition
from cydp.accounting.plan import Plan

__all__ = [
    "ZCDP",
    "AdaptivityError",
    "ApproxDP",
    "BlockRetiredError",
    "BudgetExceededError",
    "BudgetLedger",
    "ChargeConflictError",
    "ChargeInDoubtError",
    "LedgerBusyError",
    "LedgerCorruptError",
    "LedgerError",
    "LedgerRollbackError",
    "LedgerSchemaError",
    "LedgerScope",
    "MeasureMismatchError",
    "Plan",
    "PrivacyError",
    "PrivacyFilter",
    "PrivacyOdometer",
    "PureDP",
    "Receipt",
    "RelationMismatchError",
    "UnknownBlockError",
    "calibrate",
    "convert",
    "group_privacy",
    "optimal_composition",
    "parallel",
    "sequential",
]


def __dir__() -> list[str]:
    return __all__
