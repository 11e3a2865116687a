"""OpenDP's releases of numpy arrays, without Polars: the promise of its queries, and faster.

Each function makes a measurement of epsilon 1, for neighbours that differ by a row, and returns a
call that draws from it. Lines are not compared: users must know each sensitivity.
"""

from collections.abc import Callable
from typing import Any

import opendp.prelude as dp
from questions import BOUNDS, LEVELS

dp.enable_features("contrib", "honest-but-curious")
ROWS = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
MOST = float(BOUNDS[1])  # what a row adds to a sum, as bounds begin at 0


def checked(measurement: Any) -> Any:
    """Return a measurement whose loss is epsilon 1, by OpenDP's own account."""
    assert measurement.map(1) == 1.0
    return measurement


def counts(keys: list[int], space: Any = ROWS) -> Any:
    """Counts of known keys; rows of others are left out."""
    counted = space >> dp.t.then_count_by_categories(categories=keys, null_category=False)
    return checked(counted >> dp.m.then_laplace(1.0))


def count(people: Any) -> Callable[[], int]:
    """Married rows: a sum of 0 and 1."""
    ones = ROWS >> dp.t.then_clamp((0, 1)) >> dp.t.then_sum()
    draw, married = checked(ones >> dp.m.then_laplace(1.0)), people["married"]
    return lambda: draw(married)


def sum(people: Any) -> Callable[[], int]:
    clamped = ROWS >> dp.t.then_clamp(BOUNDS) >> dp.t.then_sum()
    draw, income = checked(clamped >> dp.m.then_laplace(MOST)), people["income"]
    return lambda: draw(income)


def mean(people: Any) -> Callable[[], float]:
    """A sum and a count, each of half the loss; both in one measurement."""
    total = ROWS >> dp.t.then_clamp(BOUNDS) >> dp.t.then_sum() >> dp.m.then_laplace(2 * MOST)
    n = ROWS >> dp.t.then_count() >> dp.m.then_laplace(2.0)
    draw, income = checked(dp.c.make_composition([total, n])), people["income"]

    def divided() -> float:
        total, n = draw(income)
        return total / max(n, 1)

    return divided


def histogram(people: Any) -> Callable[[], list[int]]:
    """Bins of ten years; those below 0 and from 100 on are no categories."""
    bins = ROWS >> dp.t.then_find_bin(edges=[*range(0, 101, 10)])
    draw, age = counts([*range(1, 11)], bins), people["age"]
    return lambda: draw(age)


def value_counts(people: Any) -> Callable[[], list[int]]:
    draw, levels = counts([*LEVELS]), people["educ"]
    return lambda: draw(levels)
