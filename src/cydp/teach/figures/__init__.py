# SPDX-License-Identifier: MIT
"""Figures of lectures, redrawn from the mechanisms themselves: pip install 'cydp[plot]'."""

from __future__ import annotations

from cydp.teach.figures._averages import averages
from cydp.teach.figures._beliefs import beliefs, odds, trade_offs
from cydp.teach.figures._densities import Densities, densities
from cydp.teach.figures._errors import errors_by_answers, errors_by_epsilon
from cydp.teach.figures._neighbours import neighbours, two_epsilons
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
    "trade_offs",
    "two_epsilons",
    "votes",
]


def __dir__() -> list[str]:
    return __all__
