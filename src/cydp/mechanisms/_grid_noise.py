# SPDX-License-Identifier: MIT
"""Real numbers on a power-of-two grid, plus noise. Integers of any size are read exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _threads
from cydp._columns.declared import Declared
from cydp._core import Sampler, add_grid_noise
from cydp._generator import Generator

__all__ = ["add_noise", "read_steps"]

_WHOLE = 53  # 2**53: to here every integer is a float64
_MOST = 113  # 2**113 steps: what float64 leaves of an integer to here is below 2**61 steps
_SPARE = 11  # bits of a 64-bit integer beyond those of a float64

Steps = tuple[NDArray[np.float64], NDArray[np.int64] | None]


def read_steps(given: Declared, exponent: int, name: str) -> Steps:
    """Return numbers of float64, and steps of the grid to add to them, if any; contiguous.

    Rounded to the grid, the nearest multiple of 2**exponent, ties to even, they are together what
    the exact value is, cut at the larger of 2**53 and 2**113 steps.
    docs/mechanisms/grid_noise.md, "Integers and floats on one grid".
    """
    end = max(_WHOLE, _MOST + exponent)
    if given.listed:
        pairs = [_split(entry, exponent, end) for entry in given.value.flat]
        near = np.array([pair[0] for pair in pairs], np.float64).reshape(given.shape)
        rest = np.array([pair[1] for pair in pairs], np.int64).reshape(given.shape)
        return near, rest if rest.any() else None
    if given.dtype is None:
        number, steps = _split(given.value, exponent, end)
        return np.array(number, np.float64), np.array(steps) if steps else None
    array = given.read(name)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        return _split_array(array, exponent, end)
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        limit = math.ldexp(1, end)
        floats = array.astype(np.float64, copy=False)
        return np.require(np.clip(floats, -limit, limit), np.float64, ["C"]), None


def _split(entry: Any, exponent: int, end: int) -> tuple[float, int]:
    if not isinstance(entry, int | np.integer):
        number, limit = float(entry), math.ldexp(1, end)
        return (number if math.isnan(number) else min(max(number, -limit), limit)), 0
    whole = min(max(int(entry), -(2**end)), 2**end)
    if abs(whole) <= 2**_WHOLE:
        return float(whole), 0
    steps = round(Fraction(whole) / Fraction(2) ** exponent)
    near = float(steps)
    return math.ldexp(near, exponent), steps - int(near)


def _split_array(array: NDArray[Any], exponent: int, end: int) -> Steps:
    kind = np.iinfo(array.dtype)
    whole = np.clip(array, max(-(2**end), int(kind.min)), min(2**end, int(kind.max)))
    whole = np.require(whole, kind.dtype.newbyteorder("="), ["C"])
    if end == _WHOLE:
        return whole.astype(np.float64), None
    if exponent > _SPARE + 1:
        # To odd at a quarter of a step or less: rounded once more, it is as if it were but once.
        odd = whole >> _SPARE | ((whole & (2**_SPARE - 1)) != 0).astype(whole.dtype)
        return odd.astype(np.float64) * 2.0**_SPARE, None
    # The upper part keeps 52 bits or fewer, and is an even number of steps where steps are not
    # whole divisors of it.
    low = max(min(end, 64) - 52, exponent + 1)
    upper = whole >> low << low
    lower = (whole - upper).astype(np.float64)
    return upper.astype(np.float64), np.rint(lower * 2.0**-exponent).astype(np.int64)


def add_noise(
    given: Declared, sampler: Sampler, exponent: int, generator: Generator
) -> NDArray[np.float64]:
    """Return numbers, rounded to a grid, plus noise in steps of it, as float64."""
    values, rest = read_steps(given, exponent, "value")
    noise = np.empty(values.shape, np.int64)
    generator._fill(sampler, noise)
    if rest is not None:
        noise += rest
    many = _threads.threads_for(values.size)
    add_grid_noise(values.reshape(-1), noise.reshape(-1), exponent, many)
    return noise.view(np.float64)
