"""_columns/mechanism_inputs.py: scores are what they are, as integers or as floats."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from columns.near_limits import NUMBERS, shapes
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cydp._columns.mechanism_inputs import declare_scores, read_scores

TOP = 2**60 + 1  # no float64


def read(scores: Any) -> Any:
    return read_scores(declare_scores(scores))


def exactly(values: NDArray[Any]) -> list[Fraction]:
    """Return how far scores are behind the first one."""
    if values.dtype == np.float64:
        numbers = [Fraction(float(x)) for x in values]
    else:
        numbers = [Fraction(int(x) if isinstance(x, np.integer) else x) for x in values]
    return [numbers[0] - number for number in numbers]


def cut(scores: list[Any]) -> NDArray[Any]:
    """What cuts integers at 2**53 if a float stands beside them."""
    if all(isinstance(x, int) for x in scores):
        return np.array([min(max(x, -(2**63)), 2**63 - 1) for x in scores], np.int64)
    return np.array(
        [float(min(max(x, -(2**53)), 2**53)) if isinstance(x, int) else x for x in scores]
    )


def rounded(scores: list[Any]) -> NDArray[Any]:
    return np.array(scores, np.float64)


@given(st.lists(NUMBERS, min_size=1, max_size=5))
@example([2**53 + 1, 0.5])  # one bit more than float64 holds
@example([2**63, -(2**63), -(2**63) - 1])
def test_scores_keep_their_differences(scores: list[Any]) -> None:
    assert exactly(read(scores)) == [Fraction(scores[0]) - Fraction(x) for x in scores]
    assert exactly(read(tuple(scores))) == exactly(read(scores))


@given(NUMBERS)
@example(2**63 - 1)
@example(2**63 + 5)  # as uint64 beyond int64
@example(2**53 + 1)
def test_one_number_is_one_score(number: Any) -> None:
    """In whatever list or array it stands."""
    for row in shapes(number):
        if np.ndim(row) == 1:
            others = [Fraction(x if isinstance(x, int | float) else x.item()) for x in row]
            expected = [Fraction(number) - x for x in others]
            assert exactly(read(row)) == expected
            assert expected[0] == 0


@pytest.mark.parametrize("read", [cut, rounded])
def test_other_readings_are_found_out(read: Callable[[list[Any]], NDArray[Any]]) -> None:
    rows = [[2**60, 2.0**60, 0.5], [2**53 + 1, 2**53, 0.5], [2**70, 2**63], [TOP, 2.0**60]]
    assert any(exactly(read(row)) != [Fraction(row[0]) - Fraction(x) for x in row] for row in rows)
