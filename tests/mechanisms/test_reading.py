"""What real-valued mechanisms read: one number is one number, as an integer or as a float."""

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from columns.near_limits import INTEGERS, NUMBERS, shapes
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms.test_laplace import nearest
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.mechanism_inputs import read_floats
from cydp.mechanisms import Snapping
from cydp.mechanisms._grid_mechanism import declare_reals
from cydp.mechanisms._grid_noise import read_array, read_steps
from cydp.testing import SeededGenerator

EXPONENTS = st.one_of(
    st.integers(-64, 16), st.sampled_from([-1021, -200, -80, -74, -73, 40, 60, 63, 64, 70, 896])
)


def read(value: Any, exponent: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return what each entry is read as: a float, and units to add to it."""
    declared = declare_reals(value, "value")
    if declared.listed or declared.dtype is None:
        entries = declared.value.flat if declared.listed else (declared.value,)
        near, rest = zip(*(read_steps(entry, exponent) for entry in entries), strict=True)
        return np.array(near), np.array(rest)
    array = read_array(declared, "value")
    assert array.flags.c_contiguous
    assert array.shape == np.shape(value)
    if array.dtype == np.float64:
        return array.reshape(-1), np.zeros(array.size, np.int64)
    floats, units = np.empty(array.size), np.zeros(array.size, np.int64)
    _core.split_integers(array.reshape(-1), exponent, floats, units)
    return floats, units


def units_read(value: Any, exponent: int) -> int:
    """Return the multiple of the grid that the core adds noise to."""
    near, rest = read(value, exponent)
    step = Fraction(2) ** exponent
    end = min(max(2**53 / step, Fraction(2**113)), Fraction(2**126))
    return round(min(max(Fraction(float(near[0])) / step, -end), end)) + int(rest[0])


@given(NUMBERS, EXPONENTS)
def test_every_shape_is_rounded_to_the_grid_once(number: Any, exponent: int) -> None:
    expected = nearest(number, exponent)
    for value in shapes(number):
        assert units_read(value, exponent) == expected


@settings(max_examples=25)  # each compares some 60 pairs of readings
@given(NUMBERS, NUMBERS, st.integers(-4, 4), EXPONENTS)
def test_no_two_numbers_are_read_further_apart_than_the_grid_is_paid_for(
    one: Any, other: Any, off: int, exponent: int
) -> None:
    try:
        close = one + off
    except OverflowError:
        close = other
    for two in (other, close):
        apart = abs(Fraction(one) - Fraction(two)) / Fraction(2) ** exponent
        for first in shapes(one)[:3]:
            for second in shapes(two):
                moved = abs(units_read(first, exponent) - units_read(second, exponent))
                assert moved <= math.floor(apart) + 1


def test_big_arrays_are_read_in_any_layout() -> None:
    rng = np.random.default_rng(5)
    array = rng.integers(-(2**63), 2**63 - 1, (6, 8), endpoint=True)
    for exponent in (-57, -50, -49, -48, -1, 0, 1, 11, 12, 13, 14, 62, 65):
        half = min(max(exponent - 1, 0), 61)  # odd multiples of half a step are ties
        array[0] = (rng.integers(-(2**61), 2**61, 8) >> half << half + 1) + 2**half
        for given_ in (array, array[::-3, ::2].T, array.astype(">i8"), array.view(np.uint64)):
            near, rest = read(given_, exponent)
            for i, number in enumerate(given_.flat):
                steps = Fraction(float(near[i])) / Fraction(2) ** exponent
                more = int(rest[i])
                assert round(steps) + more == nearest(int(number), exponent), (number, exponent)
                assert abs(more) < 2**61


# Snapping, which adds floats


@pytest.mark.long
@given(NUMBERS, st.integers(-3, 1000), st.fractions(-1, 1, max_denominator=64), st.booleans())
def test_snapping_reads_neighbours_no_further_apart(
    number: Any, exponent: int, part: Fraction, as_float: bool
) -> None:
    """Numbers within a power of two of each other stay so, if float64 has its multiples."""
    unit = Fraction(2) ** max(exponent, math.frexp(abs(float(number)))[1] - 52)
    moved = Fraction(number) + part * unit
    if abs(moved) > sys.float_info.max:  # no float64 is near
        return
    other: Any = float(moved) if as_float else math.floor(moved)
    if not math.isfinite(other) or abs(Fraction(other) - Fraction(number)) > unit:
        return
    for first in shapes(number):
        for second in shapes(other):
            one, two = (
                Fraction(float(read_floats(declare_reals(x, "value"), "value").flat[0]))
                for x in (first, second)
            )
            assert abs(one - two) <= unit


@given(INTEGERS)
def test_snapping_reads_integers_towards_zero(number: int) -> None:
    size = abs(number)
    extra = max(size.bit_length() - 53, 0)
    expected = math.copysign(size >> extra << extra, number) if number else 0.0
    for value in shapes(number):
        assert read_floats(declare_reals(value, "value"), "value").flat[0] == expected


def test_snapping_has_one_answer_for_one_number() -> None:
    m = Snapping(epsilon=1, sensitivity=2**20, bounds=(-(2.0**62), 2.0**62))
    for number in (2**53, 2**60, -(2**60), 2**61 + 2**20):
        answers = {
            float(np.ravel(m.release(value, rng=SeededGenerator(3)))[0])
            for value in shapes(number) if np.size(np.array(value, object)) == 1
        }  # fmt: skip
        assert len(answers) == 1
        assert abs(answers.pop() - number) < 2**26
    assert read_floats(declare_reals(10**400, "value"), "value") == math.inf
    assert read_floats(declare_reals([-(10**400), 2**1024 - 1], "value"), "value")[0] == -math.inf


def clamped(m: Snapping, value: Any) -> Fraction:
    """Return the units that noise is added to."""
    seen: list[float] = []

    def look(_: Snapping, units: Any, *rest: Any) -> Any:
        seen.append(float(units[0]))
        return np.zeros_like(units)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Snapping, "_snap", look)
        patch.setattr(Snapping, "_release_one", lambda *_: None)  # test_one_number.py has it
        m.release(value, rng=SeededGenerator(1))
    return Fraction(seen[0])


@given(NUMBERS, st.integers(-5, 5), st.sampled_from([1, 2.0**-5, 2**12]))
def test_snapping_clamps_neighbours_no_further_apart(number: Any, off: int, unit: Any) -> None:
    """Also where the bound is beyond what float64 holds; one number has one answer."""
    bound = 2**66 * Fraction(unit)
    m = Snapping(epsilon="1e-8", sensitivity=unit, bounds=(-bound, bound))
    other = number + off * unit
    (one,) = {clamped(m, value) for value in shapes(number)}
    (two,) = {clamped(m, value) for value in shapes(other)}
    apart = abs(Fraction(number) - Fraction(other)) / Fraction(unit)
    assert abs(one - two) <= math.ceil(apart)
    assert abs(one) <= max(2**53, 2**53 / Fraction(unit))
