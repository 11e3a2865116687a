# SPDX-License-Identifier: MIT
"""What an epsilon means: expectations, bets, beliefs, deltas, and epsilons in public use."""

from __future__ import annotations

from cydp.accounting import DeltaMeaning, delta_meaning, in_words
from cydp.teach.meaning._expected_change import ExpectedChange, expected_change
from cydp.teach.meaning._public_epsilons import PublicEpsilon, PublicEpsilons, public_epsilons
from cydp.teach.meaning._trade_off import TradeOff, posterior, trade_off

__all__ = [
    "DeltaMeaning",
    "ExpectedChange",
    "PublicEpsilon",
    "PublicEpsilons",
    "TradeOff",
    "delta_meaning",
    "expected_change",
    "in_words",
    "posterior",
    "public_epsilons",
    "trade_off",
]


def __dir__() -> list[str]:
    return __all__
