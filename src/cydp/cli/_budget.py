# SPDX-License-Identifier: MIT
"""A loss from the options --epsilon, --delta and --rho."""

from __future__ import annotations

import argparse
from typing import Any

from cydp._numbers.rational import read_exact
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP

__all__ = ["BUDGETS", "add_budget", "read_budget"]

BUDGETS = "--epsilon alone, --epsilon with --delta, or --rho alone"


def add_budget(parser: Any, title: str) -> None:
    """Add the options to a parser."""
    group = parser.add_argument_group(title)
    group.add_argument("--epsilon", metavar="E", help="pure, or with --delta approximate, DP")
    group.add_argument("--delta", metavar="D")
    group.add_argument("--rho", metavar="R", help="zero-concentrated DP")


def read_budget(options: argparse.Namespace) -> PureDP | ApproxDP | ZCDP | None:
    """Return the loss; None if no option is given; a ValueError for others together."""
    epsilon, delta, rho = options.epsilon, options.delta, options.rho
    if rho is not None and epsilon is None and delta is None:
        return ZCDP(rho)
    if epsilon is not None and rho is None:
        if delta is None:
            return PureDP(epsilon)
        return ApproxDP(read_exact(epsilon, "epsilon"), read_exact(delta, "delta"))
    if delta is None and rho is None:
        return None
    raise ValueError(f"the budget must be {BUDGETS}")
