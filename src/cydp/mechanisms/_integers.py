# SPDX-License-Identifier: MIT
"""Mechanisms that add noise to integers."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._random import Sampler, add_noise
from cydp.accounting.loss import Loss
from cydp.mechanisms._arrays import declared, is_integer, read_declared
from cydp.mechanisms._charge import Budget, charged_generator
from cydp.random import Generator

_LEAST, _LARGEST = -(2**63), 2**63 - 1


class IntegerMechanism(ABC):
    """Adds integer noise of a law to integers."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """Privacy cost of one release."""

    @abstractmethod
    def _noise(self, entries: int) -> tuple[Sampler, bool]:
        """Return the noise for so many entries, and whether it may stop at 2**63 - 1."""

    @abstractmethod
    def _pmf(self, k: NDArray[np.float64]) -> NDArray[np.float64]: ...

    @abstractmethod
    def _cdf(self, k: NDArray[np.float64]) -> NDArray[np.float64]: ...

    @overload
    def pmf(self, k: int) -> float: ...
    @overload
    def pmf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def pmf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is k; float in, float out, and array in, array out.

        >>> from cydp import DiscreteGaussian, DiscreteLaplace
        >>> round(DiscreteLaplace(epsilon=1).pmf(0), 4), round(DiscreteGaussian(sigma=1).pmf(0), 4)
        (0.4621, 0.3989)
        """
        return _unwrap(self._pmf(_whole(k)))

    @overload
    def cdf(self, k: int) -> float: ...
    @overload
    def cdf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def cdf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is at most k.

        >>> from cydp import DiscreteLaplace
        >>> DiscreteLaplace(epsilon=1).cdf([-1, 0]).round(4)
        array([0.2689, 0.7311])
        """
        return _unwrap(self._cdf(_whole(k)))

    @overload
    def release(
        self,
        value: int | np.integer,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> int: ...
    @overload
    def release(
        self,
        value: NDArray[np.integer] | Sequence[Any],
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> NDArray[np.int64]: ...
    def release(
        self,
        value: int | ArrayLike,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> int | NDArray[np.int64]:
        """Return the value plus noise, of which `loss` covers the whole call.

        Parameters
        ----------
        value : int, or array of any integer dtype and shape
            Read as the nearest int64; for discrete Laplace noise of a scale above 2**52 as the
            nearest integer in [-2**62, 2**62].
        budget : PrivacyFilter, BudgetLedger or blocks of one, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        int, or ndarray of int64 of the same shape
            Saturated at the ends of int64, or within 2**62 for such a scale, which is
            post-processing.

        Raises
        ------
        TypeError
            If value is not of integers, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses.

        Examples
        --------
        >>> from cydp import DiscreteLaplace
        >>> DiscreteLaplace(epsilon=1).release([10, 20]).dtype
        dtype('int64')

        """
        check_integers(value)
        sampler, stops = self._noise(entries_of(value))
        generator = charged_generator(rng, budget, self)
        values = read_int64(value)
        noisy = np.empty(values.shape, np.int64)
        generator.fill(sampler, noisy)
        add_noise(noisy.reshape(-1), values.reshape(-1), stops)
        return int(noisy[()]) if isinstance(value, (int, np.integer)) else noisy


def check_integers(value: Any) -> None:
    """Raise a TypeError for what is no integer and no array of integers, reading no value."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("value must be of integers, not bool")
    if isinstance(value, list | tuple):
        if not all(map(is_integer, np.array(value, object).flat)):
            raise TypeError("value must be of integers")
    elif not isinstance(value, int):
        dtype, _ = declared(value, "value", "integers")
        if dtype.kind not in "iu":
            raise TypeError(f"value must be of integers, not of dtype {dtype}")


def entries_of(value: Any) -> int:
    """Return how many entries an array, a list or a number has, reading none."""
    if isinstance(value, list | tuple):
        return np.array(value, object).size
    return math.prod(getattr(value, "shape", ()))


def read_int64(value: int | ArrayLike) -> NDArray[np.int64]:
    """Return a contiguous array of the nearest int64."""
    if isinstance(value, int):
        return np.array(min(max(value, _LEAST), _LARGEST), np.int64)
    if isinstance(value, list | tuple):
        # numpy takes an empty list for floats, and long integers for floats or objects.
        entries = np.array(value, object)
        cut = [min(max(int(entry), _LEAST), _LARGEST) for entry in entries.flat]
        return np.array(cut, np.int64).reshape(entries.shape)
    array = read_declared(value, "value")
    if array.dtype.itemsize == 8 and array.dtype.kind == "u":
        array = np.minimum(array, np.uint64(_LARGEST))
    return cast("NDArray[np.int64]", np.require(array, np.int64, ["C", "ALIGNED"]))


def _whole(k: ArrayLike) -> NDArray[np.float64]:
    """Return integers as floats, to ask a law for their probabilities."""
    steps = np.asarray(k)
    if steps.dtype.kind not in "iu":
        raise TypeError(f"k must be of integers, not {steps.dtype}")
    return steps.astype(np.float64)


def _unwrap(result: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a float for an array without dimensions."""
    return float(result) if np.ndim(result) == 0 else result
