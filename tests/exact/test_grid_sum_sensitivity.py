# SPDX-License-Identifier: MIT
"""Sums on a grid: neighbours are never further apart than GridSum.sensitivity says."""

import itertools
import math
import pickle
import random
from fractions import Fraction

import numpy as np
import pytest
from exact.grid_sums import check

from cydp import exact

BIG = 2.0**53
ONES = [1.0] * 1024


def test_neighbours_that_float_sums_tear_apart():
    """From Casacuberta, Shoemate, Vadhan, Wagaman, 2022."""
    pairs = [([BIG + 2, 1], [BIG, 1]), ([1, BIG + 2], [1, BIG]),
             ([BIG + 2, *ONES], [BIG, *ONES]), ([*ONES, BIG + 2], [*ONES, BIG])]  # fmt: skip
    grids = [(0, 2**54, 8), (BIG, BIG + 2, 8), (0, 2**51, 1), (0, 1, None)]
    for (x, y), (lower, upper, step) in itertools.product(pairs, grids):
        first, second = check(np.array(x), lower, upper, step), check(y, lower, upper, step)
        assert first.units == second.units  # both are clamped, or on the same multiple of 8
    assert abs(math.fsum([BIG + 2, 1]) - math.fsum([BIG, 1])) == 4  # of records 2 apart


def test_float32_does_not_get_stuck():
    x = np.array([2.0**24] + [1.0] * 64, np.float32)
    for order in (x, x[::-1]):
        assert check(order, 0, 2**24, 1).units == 2**24 + 64
        assert check(order, 0, 2**25).value == 2**24 + 64
    assert np.cumsum(x)[-1] == 2**24


def float_sum(x, lower, upper, step):
    """A mutant: clamped and added as floats, rounded at last."""
    total = 0.0
    for value in x:
        if not math.isnan(value):
            total += min(max(value, float(lower)), float(upper))
    return round(Fraction(total) / Fraction(step))


def float_clamp(x, lower, upper, step):
    """A mutant: clamped as floats, then rounded, so that a bound may round outwards."""
    clamped = [min(max(v, float(lower)), float(upper)) for v in x if not math.isnan(v)]
    low, high = math.ceil(Fraction(lower) / step), math.floor(Fraction(upper) / step)
    return sum(round(Fraction(v) / Fraction(step)) for v in clamped), max(abs(low), abs(high))


def neighbours(count):
    """Give pairs that differ in one record, at scales where floats round."""
    rng = random.Random(7)
    values = [0.0, 0.5, 1.0, 2.0**52, 2.0**53, 2.0**53 + 2, -(2.0**53), 1e300, -1e300,
              math.inf, -math.inf, math.nan, 3.7, 0.1, 2.0**24, 5e-324]  # fmt: skip
    for _ in range(count):
        length = rng.randrange(1, 8)
        x = [rng.choice(values) * rng.choice([1, 1, -1, 0.75]) for _ in range(length)]
        lower = rng.choice([-(2**54), -1000, -0.3, 0, 0.3, 2])
        upper = rng.choice([2.5, 7, 1000, 2**54])
        step = (
            2.0 ** rng.choice([3, 4, 10])
            if 2**54 in (upper, -lower)
            else 2.0 ** rng.randrange(-5, 3)
        )
        place = rng.randrange(length)
        yield x, x[:place] + x[place + 1 :], rng.choice(values), place, lower, upper, step


@pytest.mark.parametrize("count", [2000, pytest.param(100_000, marks=pytest.mark.long)])
def test_neighbours_are_never_further_apart_than_stated(count):
    broken = clamped_outwards = 0
    for x, without, other, place, lower, upper, step in neighbours(count):
        total = exact.clamped_sum(np.array(x), (lower, upper), step=step)
        less = exact.clamped_sum(np.array(without), (lower, upper), step=step)
        assert (
            abs(total.units - less.units) <= total.sensitivity(relation="add-remove") / total.step
        )
        changed = [*without[:place], other, *without[place:]]
        changed_total = exact.clamped_sum(np.array(changed), (lower, upper), step=step)
        gap = abs(total.units - changed_total.units)
        assert gap <= total.sensitivity(relation="change-one") / total.step
        if not (math.isnan(x[place]) or math.isnan(other)):
            assert gap <= total.sensitivity(relation="change-one", missing=False) / total.step
        # the mutants have the power to fail
        wrong = abs(float_sum(x, lower, upper, step) - float_sum(without, lower, upper, step))
        broken += wrong > total.sensitivity(relation="add-remove") / total.step
        first, stated = float_clamp(x, lower, upper, step)
        clamped_outwards += abs(first - float_clamp(without, lower, upper, step)[0]) > stated
    assert broken > count / 1000
    assert clamped_outwards > count / 1000


# Groups


def norms(tables: list[np.ndarray], more: list[np.ndarray], norm: int) -> float:
    """Return the largest distance of a table and another one."""
    return max(float(np.linalg.norm(a - b, norm)) for a, b in itertools.product(tables, more))


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_the_norm_of_groups_covers_every_pair_of_neighbours(groups: int) -> None:
    """A record comes or goes, leaves a group for another, or changes inside its own."""
    for low, high in [(-2, 5), (0, 5), (-2, 0), (-5, 5), (2, 5)]:
        total = exact.grouped_clamped_sum([0], [0], groups, (low, high), step=1)
        nothing = np.zeros(groups, int)
        records = [
            exact.grouped_clamped_sum([group], [x], groups, (low, high), step=1).units
            for group in range(groups) for x in (low, high, -2, 0, 5)
        ]  # fmt: skip
        for norm in (1, 2):
            moved = norms([nothing, *records], [nothing, *records], norm)
            for relation, most in (
                ("add-remove", norms([nothing], records, norm)),
                ("change-one", moved), ("add-remove-or-change", moved),
            ):  # fmt: skip
                stated = float(total.sensitivity(relation=relation, norm=norm))
                assert most <= stated <= most * (1 + 1e-5)  # of six digits


def test_sensitivity_comes_from_the_rounded_bounds():
    total = exact.clamped_sum([1.0], (-0.6, 1.6), step=1)
    assert total.bounds == (-1, 2)
    assert total.sensitivity() / total.step == 2
    for missing in (True, False):
        assert total.sensitivity(relation="change-one", missing=missing) / total.step == 3
    positive = exact.clamped_sum([1], (10, 30), step=1)
    assert positive.sensitivity(relation="change-one") / positive.step == 30
    assert positive.sensitivity(relation="change-one", missing=False) / positive.step == 20
    negative = exact.clamped_sum([1], (-30, -10), step=1)
    for relation in ("add-remove", "change-one"):
        assert negative.sensitivity(relation=relation) / negative.step == 30
    for copied in (pickle.loads(pickle.dumps(total)), exact.GridSum(total.units, 1, (-1, 2))):
        assert (copied.units, copied.step, copied.bounds) == (1, 1, (-1, 2))
        assert all(isinstance(x, Fraction) for x in (copied.step, *copied.bounds))
    squares = exact.clamped_sum_and_squares([1], (-30, 10), step=1)[1]
    assert squares.bounds == (0, 900)
    assert exact.clamped_sum_and_squares([1], (-30, -10), step=1)[1].bounds[0] == 100
    assert exact.clamped_sum_and_squares([1], (10, 30), step=1)[1].bounds[0] == 100
