# SPDX-License-Identifier: MIT
"""exact.clamped_sum and its kin are the sums of Fractions, whatever the order."""

import itertools
import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from exact.grid_sums import check, numbers_in, specials, units_of
from exact.layouts import layouts
from exact.numpys_histogram import FLOATS, INTEGERS
from hypothesis import assume, given
from hypothesis import strategies as st

from cydp import _threads as threads
from cydp import exact


@pytest.mark.parametrize("dtype", ["bool", *FLOATS, *INTEGERS])
def test_each_dtype_is_rounded_exactly(dtype):
    x = specials(dtype)
    for lower, upper, step in [
        (0, 1, None), (-3, 5, 1), (-3, 5, 2), (-3, 5, 0.5), (1, 4, 0.25), (-4, -2, 4),
        (0, 10**6, None), (-(2**40), 2**40, None), (-(2**63), 2**64, None), (2.5, 2.5, 1),
        (-(2**70), 2**80, 2**63), (-(2**70), 2**80, 2**64), (-(2**70), 2**80, 2**62),
        (-(2**70), 2**120, 2**70), (-(2**70), 2**80, 2**75), (0, 0, None),
        (Fraction(1, 3), Decimal("7.7"), None), ("0.1", "1e3", None), (-1, 1, 2.0**-51),
        (0, 2.0**-40, None), (2**50, 2**51, 1), (-(2**52), 2**52, 2), (2**52, 2**53, 4),
    ]:  # fmt: skip
        exact_ends = [Fraction(end) for end in (lower, upper)]
        check(x, *exact_ends, step)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint64", "int16"])
def test_each_layout_gives_the_same(dtype):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 200, (30, 20)).astype(dtype)
    expected = check(x, 3, 150, 0.5).units
    for layout in (*layouts(x), x[::-1, ::-1], x.T, x.ravel().tolist()):
        assert exact.clamped_sum(layout, (3, 150), step=0.5).units == expected
    one = np.array(7, dtype)
    assert exact.clamped_sum(one, (0, 10), step=1).units == 7
    assert exact.clamped_sum(np.empty(0, dtype), (1, 10), step=1).units == 0
    assert exact.clamped_sum(np.broadcast_to(one, (5, 4)), (0, 10), step=1).units == 140


def test_what_is_missing_adds_nothing():
    for lower in (-3, 0, 2):  # not even the lower bound
        x = np.ma.array([1.0, 50.0, 4.0, np.nan], mask=[0, 1, 0, 0])
        assert exact.clamped_sum(x, (lower, 5), step=1).units == max(lower, 1) + 4
        assert (
            exact.clamped_sum([1, None, 4, math.nan], (lower, 5), step=1).units == max(lower, 1) + 4
        )
    whole = np.ma.array([1, 50, 4], mask=[0, 1, 0])
    assert exact.grouped_clamped_sum([0, 0, 0], whole, 1, (2, 5), step=1).units.tolist() == [6]
    codes = np.ma.array([0, 0, 1], mask=[1, 0, 0])
    assert exact.grouped_clamped_sum(codes, [3, 4, 5], 2, (0, 9), step=1).units.tolist() == [4, 5]


def test_every_order_and_every_chunking():
    x = [2.0**53, 1.0, -(2.0**53), math.inf, 0.5, math.nan]
    for order in itertools.permutations(x):
        check(np.array(order), -(2**54), 2**54, 8)
    rng = np.random.default_rng(2)
    large = rng.standard_normal(2000) * 10.0 ** rng.integers(-9, 9, 2000)
    whole = check(large, -1000, 1000).units
    for parts in (2, 3, 7, 1000):
        cut = sum(exact.clamped_sum(p, (-1000, 1000)).units for p in np.array_split(large, parts))
        assert cut == whole


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32"])
def test_numbers_of_threads(monkeypatch, dtype):
    rng = np.random.default_rng(3)
    n = threads.THREADS_FROM + 12_345
    x = (rng.standard_normal(n) * 1e5).astype(dtype)
    codes = rng.integers(-3, 1003, n)
    if x.dtype.kind == "f":
        x[::1000] = np.nan
    monkeypatch.setattr(threads, "NUM_THREADS", 1)
    total = exact.clamped_sum(x, (-50_000, 10**5))
    squares = exact.clamped_sum_and_squares(x, (-50_000, 10**5))[1]
    groups = exact.grouped_clamped_sum(codes, x, 1000, (-50_000, 10**5))
    exactly = np.where(np.isnan(x), 0, np.clip(np.nan_to_num(x), -50_000, 10**5))
    q = np.rint(exactly.astype(np.float64) / float(total.step)).astype(np.int64)
    assert total.units == int(q.sum())
    halves = int((q * q >> 32).sum()), int((q * q & (2**32 - 1)).sum())
    assert squares.units == (halves[0] << 32) + halves[1]
    for number in (2, 3, 16):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        assert exact.clamped_sum(x, (-50_000, 10**5)).units == total.units
        assert exact.clamped_sum_and_squares(x, (-50_000, 10**5))[1].units == squares.units
        again = exact.grouped_clamped_sum(codes, x, 1000, (-50_000, 10**5)).units
        np.testing.assert_array_equal(again, groups.units)


def test_sums_beyond_int64_are_folded():
    n = 2**13
    for x, q in ((np.full(n, np.inf), 2**51), (np.full(n, -(2**63)), -(2**51))):
        assert exact.clamped_sum(x, (-(2**51), 2**51), step=1).units == n * q
        assert abs(n * q) >= 2**63
    _, squares = exact.clamped_sum_and_squares(np.full(n, 2**31), (0, 2**31), step=1)
    assert squares.units == n * 2**62


@given(
    x=st.lists(st.floats(width=64), max_size=40),
    ends=st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)),
    exponent=st.one_of(st.none(), st.integers(-15, 40)),
)
def test_any_floats_and_any_bounds(x, ends, exponent):
    step = None if exponent is None else Fraction(2) ** exponent
    assume(step is None or max(map(abs, ends)) <= 2**51 * step)
    assume(any(abs(end) > 1e-290 for end in ends) or ends == (0, 0))
    check(np.array(x, float), *sorted(ends), step)


@given(
    x=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40),
    ends=st.tuples(st.integers(-(2**66), 2**66), st.integers(-(2**66), 2**66)),
    exponent=st.one_of(st.none(), st.integers(15, 80)),
)
def test_any_integers_and_any_bounds(x, ends, exponent):
    step = None if exponent is None else 2**exponent
    lower, upper = sorted(ends)
    check(np.array(x, np.int64), lower, upper, step)
    unsigned = np.array(x, np.int64).view(np.uint64)
    check(unsigned, lower, upper, step)


# Groups


def grouped(codes, x, n_groups, lower, upper, step):
    units = [0] * n_groups
    for code, value in zip(numbers_in(codes), numbers_in(x), strict=True):
        if 0 <= code < n_groups:
            units[code] += units_of(value, lower, upper, step)
    return units


def test_groups_of_each_dtype():
    kinds = itertools.product(
        ["bool", *INTEGERS], ["bool", "float16", "float32", "float64", "int8", "uint64"]
    )
    for number, (codes_dtype, dtype) in enumerate(kinds):
        x = np.resize(specials(dtype), 300)
        codes = np.random.default_rng(4).permutation(np.resize(specials(codes_dtype), 300))
        step = (None, 0.5, 4)[number % 3]
        for n_groups in (0, 1, 7, 2000):
            total = exact.grouped_clamped_sum(codes, x, n_groups, (-3, 9), step=step)
            assert total.units.dtype == np.int64
            expected = grouped(codes, x, n_groups, -3, 9, total.step)
            assert total.units.tolist() == expected
            assert total.value.tolist() == [units * total.step for units in expected]


def test_groups_of_each_layout():
    rng = np.random.default_rng(6)
    x, codes = rng.random((40, 30)), rng.integers(-1, 9, (40, 30))
    expected = grouped(codes, x, 8, 0.1, 0.9, Fraction(1, 64))
    for keys, values in (
        (codes.T, x.T), (codes[::-1], x[::-1]), (codes.tolist(), x.tolist()),
        (np.asfortranarray(codes), x), (codes.astype(">i4"), x.astype(">f8")),
        (codes.astype("i2"), x), (codes, np.repeat(x, 2, axis=1)[:, ::2]),
        (np.ma.array(codes), np.ma.array(x)),
    ):  # fmt: skip
        total = exact.grouped_clamped_sum(keys, values, 8, (0.1, 0.9), step=Fraction(1, 64))
        assert total.units.tolist() == expected
    for empty in ([], np.empty(0, np.int32), np.empty((0, 3), np.int32)):
        x = np.empty(np.shape(empty))
        assert exact.grouped_clamped_sum(empty, x, 2, (0, 1)).units.tolist() == [0, 0]


def test_groups_that_could_overflow_are_refused_by_length():
    many = np.full(4096, math.inf)
    with pytest.raises(ValueError, match="step"):
        exact.grouped_clamped_sum(np.zeros(4096, int), many, 1, (0, 2**51), step=1)
    most = exact.grouped_clamped_sum(np.zeros(4095, int), many[1:], 1, (0, 2**51), step=1)
    assert most.units.tolist() == [4095 * 2**51]


# Parameters


def test_the_step():
    for lower, upper, step, expected in [
        (0, 2**29, 1.0, 0), (0, 1, None, -29), (-1, 0.75, None, -29), (0, 1.0000001, None, -28),
        (Fraction(-1, 3), 0, None, -30), (0, 0, None, 0), (0, 0, 2.0**-1021, -1021),
    ]:  # fmt: skip
        total = exact.clamped_sum([0.5], (lower, upper), step=step)
        assert total.step == Fraction(2) ** expected
        if step is None and upper > lower:
            bound = max(abs(Fraction(lower)), abs(Fraction(upper)))
            assert 2**28 < bound / total.step <= 2**29


def test_the_default_step_comes_from_the_bounds_alone():
    for x in (np.array([3]), np.array([True]), np.array([3], np.uint8), [3], [3.0], []):
        assert exact.clamped_sum(x, (0, 10)).step == Fraction(1, 2**25)
        assert exact.clamped_sum(x, (0, 2**29 + 1)).step == 2
        assert exact.clamped_sum(x, (0, 2**29)).step == 1
        assert exact.clamped_sum(x, (0, 0)).step == 1


def test_integers_between_integer_bounds_are_summed_at_step_one():
    some = [(0, 7), (-5, 3), (2, 2), (-9, -4), (0, 0), (-2.5, 6), (-6, 6.25)]
    steps = [None, 1, 0.25, 2.0**-20, 2.0**-40, 4]
    x, codes = np.arange(-20, 20), np.arange(40) % 3
    for number, (bounds, step) in enumerate(itertools.product(some, steps)):
        values = x.astype((np.int8, np.int32, np.int64)[number % 3])
        total = check(values, *bounds, step)
        groups = exact.grouped_clamped_sum(codes, values, 3, bounds, step=step)
        units = [units_of(value, *bounds, total.step) for value in x.tolist()]
        assert groups.units.tolist() == [sum(units[group::3]) for group in range(3)]
        assert groups.step == total.step
    nothing = exact.grouped_clamped_sum(codes, x, 3, (0, 0), step=2.0**-1021)
    assert nothing.units.tolist() == [0, 0, 0]


def test_a_float_bound_is_its_binary_value():
    seen = set()
    for n in range(1, 1000):  # three digits, and a grid that tells them from the float
        digits, step = f"0.{n:03}", 2.0**-51
        rounded = round(Fraction(float(digits)) / Fraction(step))
        assert exact.clamped_sum([1.0], (0, float(digits)), step=step).units == rounded
        other = round(Fraction(digits) / Fraction(step))
        assert exact.clamped_sum([1.0], (0, digits), step=step).units == other
        seen.add(rounded == other)
    assert seen == {True, False}
    assert exact.clamped_sum([1.0], (0, np.float32(0.1)), step=2.0**-50).value == Fraction(
        float(np.float32(0.1))
    )


def test_a_sum_says_that_it_is_not_private():
    total, groups = exact.clamped_sum([3], (0, 5)), exact.grouped_clamped_sum([0], [3], 2, (0, 5))
    assert "NOT private" in repr(total)
    assert "NOT private" in repr(groups)


def test_no_value_gives_a_warning():
    signalling = np.array([0x7F800001], np.uint32).view(np.float32)
    signalling64 = np.array([0x7FF0000000000001], np.uint64).view(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for x in (signalling, signalling64, signalling[::-1], np.array([np.nan, 1e308])):
            assert exact.clamped_sum(x, (0, 1), step=1).units <= 1
            exact.grouped_clamped_sum(np.zeros(len(x), int), x, 1, (0, 1))
