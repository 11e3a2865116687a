# SPDX-License-Identifier: MIT
"""What releases cost, and budgets that refuse what they cannot pay. Independent of noise."""

from __future__ import annotations

from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._calibration import calibrate
from cydp.accounting._composition import group_privacy, parallel, sequential
from cydp.accounting._conversion import convert
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._errors import (
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
    UnitMismatchError,
    UnknownAccountError,
    UnknownBlockError,
)
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._in_words import (
    DeltaMeaning,
    delta_meaning,
    in_words,
    protected_unit,
)
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_distribution import LossDistribution
from cydp.accounting._odometer import PrivacyOdometer
from cydp.accounting._optimal_composition import optimal_composition
from cydp.accounting._plan import Plan
from cydp.accounting._renyi import renyi_divergence
from cydp.accounting._renyi_dp import RenyiDP
from cydp.accounting._split import largest_count, split
from cydp.accounting._trade_off import RocBound, privacy_profile, roc_of, trade_off_curve
from cydp.accounting.ledger._accounts import AccountState
from cydp.accounting.ledger._blocks import BlockState
from cydp.accounting.ledger._history import LedgerHistory
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._paid import Receipt
from cydp.accounting.ledger._report import LedgerReport
from cydp.accounting.ledger._scope import LedgerScope

__all__ = [
    "ZCDP",
    "AccountState",
    "AdaptivityError",
    "ApproxDP",
    "ApproxZCDP",
    "BlockRetiredError",
    "BlockState",
    "BudgetExceededError",
    "BudgetLedger",
    "ChargeConflictError",
    "ChargeInDoubtError",
    "Cost",
    "DeltaMeaning",
    "LedgerBusyError",
    "LedgerCorruptError",
    "LedgerError",
    "LedgerHistory",
    "LedgerReport",
    "LedgerRollbackError",
    "LedgerSchemaError",
    "LedgerScope",
    "Loss",
    "LossDistribution",
    "MeasureMismatchError",
    "Plan",
    "PrivacyError",
    "PrivacyFilter",
    "PrivacyOdometer",
    "PureDP",
    "Receipt",
    "RelationMismatchError",
    "RenyiDP",
    "RocBound",
    "UnitMismatchError",
    "UnknownAccountError",
    "UnknownBlockError",
    "calibrate",
    "convert",
    "delta_meaning",
    "group_privacy",
    "in_words",
    "largest_count",
    "loss_of",
    "optimal_composition",
    "parallel",
    "privacy_profile",
    "protected_unit",
    "renyi_divergence",
    "roc_of",
    "sequential",
    "split",
    "trade_off_curve",
]


def __dir__() -> list[str]:
    return __all__
