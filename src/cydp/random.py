# SPDX-License-Identifier: MIT
"""Exact noise from a cryptographic generator."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import NDArray

from cydp import _samplers
from cydp._arguments import Number, Size
from cydp._generator import Generator, default_generator

__all__ = ["Generator", "bernoulli", "discrete_gaussian", "discrete_laplace"]


def __dir__() -> list[str]:
    return __all__


@overload
def discrete_laplace(scale: Number, size: None = None, *, out: None = None) -> int: ...
@overload
def discrete_laplace(
    scale: Number, size: Size, *, out: NDArray[np.int64] | None = None
) -> NDArray[np.int64]: ...
@overload
def discrete_laplace(
    scale: Number, size: Size | None = None, *, out: NDArray[np.int64]
) -> NDArray[np.int64]: ...
def discrete_laplace(
    scale: Number, size: Size | None = None, *, out: NDArray[np.int64] | None = None
) -> int | NDArray[np.int64]:
    """Draw exact discrete Laplace noise from this thread's default generator.

    Parameters, errors and privacy cost are those of `Generator.discrete_laplace`.

    Examples
    --------
    >>> discrete_laplace(1, 1000).shape
    (1000,)

    """
    return default_generator()._draw_integers(_samplers.laplace(scale), size, out)


@overload
def discrete_gaussian(
    sigma: Number | None = None,
    size: None = None,
    *,
    sigma2: Number | None = None,
    out: None = None,
) -> int: ...
@overload
def discrete_gaussian(
    sigma: Number | None,
    size: Size,
    *,
    sigma2: Number | None = None,
    out: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]: ...
@overload
def discrete_gaussian(
    sigma: Number | None = None,
    *,
    size: Size,
    sigma2: Number | None = None,
    out: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]: ...
@overload
def discrete_gaussian(
    sigma: Number | None = None,
    size: Size | None = None,
    *,
    sigma2: Number | None = None,
    out: NDArray[np.int64],
) -> NDArray[np.int64]: ...
def discrete_gaussian(
    sigma: Number | None = None,
    size: Size | None = None,
    *,
    sigma2: Number | None = None,
    out: NDArray[np.int64] | None = None,
) -> int | NDArray[np.int64]:
    """Draw exact discrete Gaussian noise from this thread's default generator.

    Parameters, errors and privacy cost are those of `Generator.discrete_gaussian`.

    Examples
    --------
    >>> discrete_gaussian(10, 1000).shape
    (1000,)

    """
    return default_generator()._draw_integers(_samplers.gaussian(sigma, sigma2), size, out)


@overload
def bernoulli(p: Number, size: None = None, *, out: None = None) -> bool: ...
@overload
def bernoulli(
    p: Number, size: Size, *, out: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_]: ...
@overload
def bernoulli(
    p: Number, size: Size | None = None, *, out: NDArray[np.bool_]
) -> NDArray[np.bool_]: ...
def bernoulli(
    p: Number, size: Size | None = None, *, out: NDArray[np.bool_] | None = None
) -> bool | NDArray[np.bool_]:
    """Draw exact coins from this thread's default generator.

    Parameters and errors are those of `Generator.bernoulli`.

    Examples
    --------
    >>> bernoulli("1/3", 1000).shape
    (1000,)

    """
    return default_generator()._draw_booleans(_samplers.bernoulli(p), size, out)
