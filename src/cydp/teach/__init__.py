# SPDX-License-Identifier: MIT
"""Lessons: privacy losses and their meaning, attacks and defences, errors, and figures."""

from __future__ import annotations

from cydp.accounting import DeltaMeaning, delta_meaning, in_words
from cydp.teach import attacks, figures, meaning, scores, sensitivity, utility
from cydp.teach._median_by_halving import HalvingRelease, median_by_halving
from cydp.teach._publish_share import PublishedShare, publish_share
from cydp.teach.loss._compare_losses import compare_losses
from cydp.teach.loss._privacy_loss import PrivacyLoss, privacy_loss
from cydp.teach.meaning._expected_change import ExpectedChange, expected_change
from cydp.teach.meaning._public_epsilons import PublicEpsilon, PublicEpsilons, public_epsilons
from cydp.teach.meaning._trade_off import TradeOff, posterior, trade_off

__all__ = [
    "DeltaMeaning",
    "ExpectedChange",
    "HalvingRelease",
    "PrivacyLoss",
    "PublicEpsilon",
    "PublicEpsilons",
    "PublishedShare",
    "TradeOff",
    "attacks",
    "compare_losses",
    "delta_meaning",
    "expected_change",
    "figures",
    "in_words",
    "meaning",
    "median_by_halving",
    "posterior",
    "privacy_loss",
    "public_epsilons",
    "publish_share",
    "scores",
    "sensitivity",
    "trade_off",
    "utility",
]


def __dir__() -> list[str]:
    return __all__
