# SPDX-License-Identifier: MIT
"""Integers that noise is added to."""

import math
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._random import Sampler, add_noise
from cydp.random import Generator

_LEAST, _LARGEST = -(2**63), 2**63 - 1


def check_integers(value: Any) -> None:
    """Raise a TypeError for what is no integer and no array of integers, reading no value."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("value must be of integers, not bool")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError("value must be without a mask: fill it first")
    if isinstance(value, int):
        return
    dtype = getattr(value, "dtype", None)
    if isinstance(dtype, np.dtype):
        if dtype.kind not in "iu":
            raise TypeError(f"value must be of integers, not of dtype {dtype}")
    elif isinstance(value, list | tuple):
        entries = np.array(value, object).flat
        if any(isinstance(entry, bool) or not isinstance(entry, int) for entry in entries):
            raise TypeError("value must be of integers")
    elif not hasattr(value, "__array__"):
        raise TypeError(f"value must be of integers, not {type(value).__name__}")


def entries_of(value: Any) -> int:
    """Return how many entries an array, a sequence or a number has, reading none."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return math.prod(shape)
    return np.array(value, object).size if isinstance(value, list | tuple) else 1


def noisy(
    value: int | ArrayLike, sampler: Sampler, generator: Generator, *, stops: bool
) -> int | NDArray[np.int64]:
    """Return integers plus noise: int in, int out, and array in, array out.

    `stops` tells that the noise may have stopped at 2**63 - 1, as in cydp.h.
    """
    values = _read(value)
    noise = np.empty_like(values)
    generator.fill(sampler, noise)
    add_noise(values.reshape(-1), noise.reshape(-1), stops)
    return int(values[()]) if isinstance(value, (int, np.integer)) else values


def _read(value: int | ArrayLike) -> NDArray[np.int64]:
    """Return a new, contiguous array of the nearest int64."""
    if isinstance(value, int):
        return np.array(min(max(value, _LEAST), _LARGEST), np.int64)
    array = np.asarray(value)
    if not hasattr(value, "dtype") and array.dtype.kind not in "iu":
        # numpy takes an empty list for floats, and long integers for floats or objects.
        array = np.array(value, object)
        cut = [min(max(int(entry), _LEAST), _LARGEST) for entry in array.flat]
        return np.array(cut, np.int64).reshape(array.shape)
    if array.dtype.kind not in "iu":
        raise TypeError(f"value must be of integers, not of dtype {array.dtype}")
    if array.dtype.itemsize == 8 and array.dtype.kind == "u":
        array = np.minimum(array, np.uint64(_LARGEST))
    return cast("NDArray[np.int64]", np.array(array, np.int64, order="C"))


def whole(k: ArrayLike) -> NDArray[np.float64]:
    """Return integers as floats, to ask a law for their probabilities."""
    steps = np.asarray(k)
    if steps.dtype.kind not in "iu":
        raise TypeError(f"k must be of integers, not {steps.dtype}")
    return steps.astype(np.float64)


def unwrap(result: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a float for an array without dimensions."""
    return float(result) if np.ndim(result) == 0 else result
