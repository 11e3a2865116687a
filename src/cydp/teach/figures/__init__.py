# SPDX-License-Identifier: MIT
"""Figures of lectures, redrawn from the mechanisms themselves: pip install 'cydp[plot]'."""

from __future__ import annotations

from cydp.teach.figures._beliefs import beliefs, odds, trade_offs
from cydp.teach.figures._laplace_and_gaussian import (
    Densities,
    densities,
    errors_by_answers,
    errors_by_epsilon,
)
from cydp.teach.figures._neighbours import averages, neighbours, two_epsilons
from cydp.teach.figures._renyi import renyi_curves
from cydp.teach.figures._votes import Votes, votes

__all__ = [
    "Densities",
    "Votes",
    "averages",
    "beliefs",
    "densities",
    "errors_by_answers",
    "errors_by_epsilon",
    "neighbours",
    "odds",
    "renyi_curves",
    "trade_offs",
    "two_epsilons",
    "votes",
]


def __dir__() -> list[str]:
    return __all__
