# SPDX-License-Identifier: MIT
"""The local setting: people randomize their data before they send it, and trust nobody."""

from __future__ import annotations

from cydp.local._category_survey import CategorySurvey
from cydp.local._compare import Comparison, compare
from cydp.local._number_survey import NumberSurvey
from cydp.local._survey import Tally
from cydp.local._survey_estimates import CategoryEstimate, NumberEstimate
from cydp.local._unary_encoding import UnaryEncoding

__all__ = [
    "CategoryEstimate",
    "CategorySurvey",
    "Comparison",
    "NumberEstimate",
    "NumberSurvey",
    "Tally",
    "UnaryEncoding",
    "compare",
]


def __dir__() -> list[str]:
    return __all__
