# SPDX-License-Identifier: MIT
"""Noise with a scale of its own for each entry: one sampler for each distinct scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number, Numbers, Size
from cydp._core import Sampler, Stream
from cydp._outputs import INT64_OR_INT32, prepare_output, read_shape
from cydp._samplers import narrow, read_discrete_laplace, reader_of_gaussian
from cydp._threads import threads_for

__all__ = ["are_several", "draw_each_gaussian", "draw_each_laplace"]

_SEVERAL = (list, tuple, np.ndarray)
_INT64, _INT32 = np.dtype(np.int64), np.dtype(np.int32)


def are_several(scale: object) -> bool:
    """Whether a scale is one for each entry."""
    return type(scale) in _SEVERAL


def draw_each_laplace(
    stream: Stream, scale: Any, size: Size | None, out: NDArray[Any] | None
) -> NDArray[Any]:
    """Return discrete Laplace noise, each entry of its own scale; errors as in `_draw_each`."""
    return _draw_each(stream, read_discrete_laplace, scale, size, out)


def draw_each_gaussian(
    stream: Stream, sigma: Any, sigma2: Any, size: Size | None, out: NDArray[Any] | None
) -> NDArray[Any]:
    """Return discrete Gaussian noise, each entry of its own sigma; errors as in `_draw_each`."""
    return _draw_each(stream, *reader_of_gaussian(sigma, sigma2), size, out)


def _draw_each(
    stream: Stream,
    read: Callable[[Number], Sampler],
    scales: Numbers,
    size: Size | None,
    out: NDArray[Any] | None,
) -> NDArray[Any]:
    """Return integers, each of the sampler of its own scale.

    Parameters
    ----------
    stream : Stream
    read : callable
        It returns the sampler of a scale, or raises the error for it.
    scales : list, tuple or ndarray
        Of the shape of the result, or of one that numpy broadcasts to it.
    size, out
        As in `Generator.discrete_laplace`. Without both, the result has the shape of scales.

    Raises
    ------
    TypeError, ValueError
        If a scale is not allowed, or if the shapes do not fit. Then nothing is drawn.

    """
    samplers, index = _samplers_of(scales, read)
    shape = index.shape if size is None else read_shape(size)
    if size is None and isinstance(out, np.ndarray):
        shape = out.shape
    try:
        places = np.broadcast_to(index, shape).reshape(-1)
    except ValueError:
        raise ValueError(
            f"scales must have a shape that can be broadcast to {shape}, not {index.shape}"
        ) from None
    is_narrow = isinstance(out, np.ndarray) and out.dtype == _INT32
    if is_narrow:
        samplers = [narrow(each, "out must have dtype") for each in samplers]
    dtype = _INT32 if is_narrow else _INT64
    result = prepare_output(shape, out, dtype, allowed=INT64_OR_INT32)
    drawn = np.empty(places.size, result.dtype)
    counts = np.bincount(places, minlength=len(samplers)).tolist()
    first = 0
    for sampler, count in zip(samplers, counts, strict=True):
        stream.fill(sampler, drawn[first : first + count], threads_for(count))
        first += count
    # numpy sorts the smallest types by counting.
    order = np.argsort(places.astype(np.min_scalar_type(len(samplers))), kind="stable")
    result.reshape(-1)[order] = drawn
    return result


def _samplers_of(
    scales: Numbers, read: Callable[[Number], Sampler]
) -> tuple[list[Sampler], NDArray[np.intp]]:
    """Return a sampler for each distinct scale, and the place of each entry's among them."""
    array = scales if isinstance(scales, np.ndarray) else np.array(scales, object)
    if array.dtype.kind in "iuf":
        values = np.unique(array)
        return list(map(read, values)), np.searchsorted(values, array)
    samplers: dict[Any, Sampler] = {}
    places: dict[Any, int] = {}
    found = []
    for entry in array.flat:
        try:
            key = type(entry), entry  # True == 1 == 1.0, and True is refused
            if key not in samplers:
                places[key], samplers[key] = len(samplers), read(entry)
        except TypeError:  # nothing that has no hash is a number
            read(entry)
            raise
        found.append(places[key])
    return list(samplers.values()), np.array(found, np.intp).reshape(array.shape)
