# SPDX-License-Identifier: MIT
"""What releases cost, and budgets that refuse. Knows nothing of noise."""

from cydp.accounting.budget import PrivacyFilter, PrivacyOdometer
from cydp.accounting.composition import group_privacy, parallel, sequential
from cydp.accounting.errors import (
    AdaptivityError,
    BudgetExceededError,
    MeasureMismatchError,
    PrivacyError,
    RelationMismatchError,
)
from cydp.accounting.loss import ZCDP, ApproxDP, PureDP

__all__ = [
    "ZCDP",
    "AdaptivityError",
    "ApproxDP",
    "BudgetExceededError",
    "MeasureMismatchError",
    "PrivacyError",
    "PrivacyFilter",
    "PrivacyOdometer",
    "PureDP",
    "RelationMismatchError",
    "group_privacy",
    "parallel",
    "sequential",
]
