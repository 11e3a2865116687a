# SPDX-License-Identifier: MIT
"""Real numbers that noise on a power-of-two grid is added to."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp import threads
from cydp._random import Sampler, add_grid_noise
from cydp.random import Generator
from cydp.rational import Number, binary, text

_LARGEST_INTEGER = 2**53  # to which every integer is a float64
_LEAST_EXPONENT, _MOST_EXPONENT = -1021, 896  # cydp.h
NOISE_BITS = 40  # of the scale of the noise in units of the grid


def check_reals(value: Any) -> None:
    """Raise a TypeError for what is no number and no array of numbers, reading no value."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("value must be of real numbers, not bool")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("value must be without a mask: fill it first")
    if isinstance(value, int | float):
        return
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype):
        if dtype.kind not in "iuf" or dtype.itemsize > 8:
            raise TypeError(f"value must be of integers or floats of 64 bits, not {dtype}")
    elif isinstance(value, list | tuple):
        entries = np.array(value, object).flat
        if not all(_is_plain(entry) for entry in entries):
            raise TypeError("value must be of integers or floats")
    elif not hasattr(value, "__array__"):
        raise TypeError(f"value must be of real numbers, not {type(value).__name__}")


def _is_plain(entry: Any) -> bool:
    return isinstance(entry, int | float | np.integer | np.floating) and not isinstance(entry, bool)


def noisy_on_grid(
    value: ArrayLike, exponent: int, sampler: Sampler, generator: Generator
) -> float | NDArray[np.float64]:
    """Return numbers plus noise in units of 2**exponent: float out, or an array for an array."""
    values = read_reals(value)
    noise = np.empty(values.shape, np.int64)
    generator.fill(sampler, noise)
    many = threads.NUM_THREADS if values.size > threads.SHARED_ABOVE else 1
    add_grid_noise(values.reshape(-1), noise.reshape(-1), exponent, many)
    return as_given(value, noise.view(np.float64))


def as_given(value: ArrayLike, released: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a float for a number, and an array for an array, also one without dimensions."""
    return float(released) if released.ndim == 0 and not isinstance(value, np.ndarray) else released


def read_reals(value: ArrayLike) -> NDArray[np.float64]:
    """Return a contiguous array of float64; integers that this rounds would be further apart."""
    if isinstance(value, int):
        value = float(min(max(value, -_LARGEST_INTEGER), _LARGEST_INTEGER))
    if isinstance(value, float):
        return np.array(value, np.float64)
    array = np.asarray(value)
    if array.dtype == object and isinstance(value, list | tuple):  # of long integers
        cut = [_cut(entry) for entry in array.flat]
        return np.array(cut, np.float64).reshape(array.shape)
    if array.dtype.kind in "iu":
        if array.dtype.itemsize == 8:
            least = 0 if array.dtype.kind == "u" else -_LARGEST_INTEGER
            array = np.clip(array, least, _LARGEST_INTEGER)
    elif array.dtype.kind != "f" or array.dtype.itemsize > 8:
        raise TypeError(f"value must be of integers or floats of 64 bits, not {array.dtype}")
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.require(array, np.float64, ["C", "ALIGNED"])


def _cut(entry: float) -> float:
    if isinstance(entry, int):
        return min(max(entry, -_LARGEST_INTEGER), _LARGEST_INTEGER)
    return entry


def grid_exponent(width: Fraction, granularity: Number | None) -> int:
    """Return the exponent of the grid for noise of a width, or of the one that was given.

    Raises
    ------
    TypeError, ValueError
        For a granularity that is no power of two, and for a grid outside 2**-1021 to 2**896.

    """
    if granularity is None:
        exponent = ceil_log2(width) - NOISE_BITS
        if not _LEAST_EXPONENT <= exponent <= _MOST_EXPONENT:
            raise ValueError("scale must be between 2**-981 and 2**936 without a granularity")
        return exponent
    step = binary(granularity, "granularity")
    if step <= 0 or Fraction(2) ** (exponent := ceil_log2(step)) != step:
        raise ValueError(f"granularity must be a power of two, not {text(step)}")
    if not _LEAST_EXPONENT <= exponent <= _MOST_EXPONENT:
        raise ValueError(f"granularity must be from 2**-1021 to 2**896, not 2**{exponent}")
    return exponent


def ceil_log2(number: Fraction) -> int:
    """Return the least e with 2**e >= number > 0.

    >>> ceil_log2(Fraction(1, 4)), ceil_log2(Fraction(5))
    (-2, 3)
    """
    e = number.numerator.bit_length() - number.denominator.bit_length() - 1
    while Fraction(2) ** e < number:
        e += 1
    return e


def float_up(number: Fraction) -> float:
    """Return the least float at or above a number >= 0."""
    try:
        nearest = number.numerator / number.denominator
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)
