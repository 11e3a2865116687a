# SPDX-License-Identifier: MIT
"""Power-of-two grids: their exponents, and noise that is added to real numbers in their steps.

Integers of any size are read exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._columns.declared import Declared
from cydp._columns.entries import plain
from cydp._core import Sampler, add_grid_noise, add_noise_to_real, fill_grid_noise
from cydp._generator import Generator
from cydp._numbers.rational import format_number, read_binary, read_exact
from cydp._threads import threads_for

__all__ = [
    "LEAST_EXPONENT",
    "MOST_EXPONENT",
    "MOST_STEPS",
    "add_noise",
    "add_noise_to_one",
    "ceil_log2",
    "default_exponent",
    "float_up",
    "read_array",
    "read_exponent",
    "read_steps",
]

LEAST_EXPONENT, MOST_EXPONENT = -1021, 896  # as in cydp.h
_LOG2_LEAST_STEPS = 40  # the scale of the noise is at least 2**40 steps
MOST_STEPS = 2**52  # and at most this number of them
_LOG2_ROUNDING = 10  # the sensitivity is at least 1024 times what rounding adds, if possible
_LOG2_LEAST_SCALE, _LOG2_MOST_SCALE = -981, 936
_FLOAT_BITS = 53  # up to 2**53 every integer is a float64
_MOST_BITS = 113  # up to 2**113 steps, rounding an integer to float64 leaves less than 2**61 steps


def default_exponent(scale2: Fraction, rounding2: Fraction, least2: Fraction) -> int:
    """Return the exponent of the coarsest grid on which rounding adds hardly any noise.

    Parameters
    ----------
    scale2 : Fraction
        Square of the scale of the noise.
    rounding2 : Fraction
        Square of the step at which rounding would double the sensitivity.
    least2 : Fraction
        Square of the least step that is allowed.

    Raises
    ------
    ValueError
        If no grid fits the scale.

    """
    inverse = _ceil_log2(scale2.denominator, scale2.numerator)
    if inverse > -2 * _LOG2_LEAST_SCALE or ceil_log2(scale2) > 2 * _LOG2_MOST_SCALE:
        raise ValueError(
            "sensitivity must give a scale between 2**-981 and 2**936, where step is not given"
        )
    for_rounding = 2 * _LOG2_ROUNDING + _ceil_log2(rounding2.denominator, rounding2.numerator)
    for_scale = 2 * _LOG2_LEAST_STEPS + inverse
    wanted = -max(for_rounding, for_scale) // 2
    finest = -(-ceil_log2(least2) // 2)
    return max(wanted, finest, LEAST_EXPONENT)


def read_exponent(step: Number) -> int:
    """Return the exponent of a step.

    Raises
    ------
    TypeError, ValueError
        If step is not a power of two from 2**-1021 to 2**896.

    """
    width = read_binary(step, "step")
    if width <= 0 or Fraction(2) ** (exponent := ceil_log2(width)) != width:
        near = f", such as 2.0**{ceil_log2(width)}" if width > 0 else ""
        raise ValueError(
            f"step must be a power of two{near}, not {format_number(read_exact(step, 'step'))}"
        )
    if not LEAST_EXPONENT <= exponent <= MOST_EXPONENT:
        raise ValueError(f"step must be from 2**-1021 to 2**896, not 2**{exponent}")
    return exponent


def ceil_log2(number: Fraction) -> int:
    """Return the least e with 2**e >= number > 0.

    >>> ceil_log2(Fraction(1, 4)), ceil_log2(Fraction(5))
    (-2, 3)
    """
    return _ceil_log2(number.numerator, number.denominator)


def _ceil_log2(above: int, below: int) -> int:
    """Return the least e with 2**e >= above / below > 0."""
    e = above.bit_length() - below.bit_length()  # 2**(e - 1) < number < 2**(e + 1)
    return e if above << max(-e, 0) <= below << max(e, 0) else e + 1


def float_up(number: Fraction) -> float:
    """Return the least float at or above a number >= 0."""
    try:
        nearest = number.numerator / number.denominator
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)


def read_array(given: Declared, name: str) -> NDArray[Any]:
    """Return an array or a column as contiguous float64, int64 or uint64, with equal numbers."""
    array = given.read(name)
    kind = array.dtype.kind if array.dtype.kind in "iu" and array.dtype.itemsize == 8 else "f"
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.require(array, f"{kind}8", ["C", "ALIGNED"])


def read_steps(entry: Any, exponent: int) -> tuple[float, int]:
    """Return a float and steps of the grid to add to it.

    The float, rounded to a multiple of 2**exponent with ties to even, plus the steps are the entry
    rounded in the same way. It is clamped at the larger of 2**53 and 2**113 steps.
    """
    end, real = max(_FLOAT_BITS, _MOST_BITS + exponent), plain(entry)
    if not isinstance(real, int):
        number, limit = float(real), math.ldexp(1, end)
        return (number if math.isnan(number) else min(max(number, -limit), limit)), 0
    integer = min(max(real, -(2**end)), 2**end)
    if abs(integer) <= 2**_FLOAT_BITS:
        return float(integer), 0
    steps = round(Fraction(integer) / Fraction(2) ** exponent)
    near = float(steps)
    return math.ldexp(near, exponent), steps - int(near)


def add_noise_to_one(
    value: float, sampler: Sampler, exponent: int, generator: Generator
) -> float | None:
    """Return a number plus noise, as `add_noise` does; None for a number that is no float64."""
    if type(value) is int and not -(2**_FLOAT_BITS) <= value <= 2**_FLOAT_BITS:
        return None
    return add_noise_to_real(value, exponent, generator._stream, sampler)


def add_noise(
    given: Declared,
    sampler: Sampler,
    exponent: int,
    generator: Generator,
    *,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return numbers, rounded to the grid, plus noise in steps of the grid, as float64.

    They are written to `out`, if it is given: a contiguous array of their shape.
    """
    noisy = np.empty(given.shape) if out is None else out
    if given.listed or given.dtype is None:
        entries = given.value.flat if given.listed else (given.value,)
        read = [read_steps(entry, exponent) for entry in entries]
        noise = noisy.view(np.int64)
        generator._fill(sampler, noise)
        noise += np.array([steps for _, steps in read], np.int64).reshape(noise.shape)
        near = np.array([number for number, _ in read], np.float64)
        add_grid_noise(near, noise.reshape(-1), exponent, 1)
    else:
        values, to = read_array(given, "value").reshape(-1), noisy.reshape(-1)
        fill_grid_noise(generator._stream, sampler, values, exponent, to, threads_for(values.size))
    return noisy
