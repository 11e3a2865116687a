# SPDX-License-Identifier: MIT
"""Mechanisms that add noise to integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._columns.declared import Declared, check_entries, declare
from cydp._columns.entries import is_integer
from cydp._columns.pandas import labels_of, restore_labels
from cydp._core import Sampler, add_noise
from cydp._generator import Generator
from cydp.accounting._loss import Loss
from cydp.mechanisms._charge import Budget, paid

__all__ = ["INT64", "IntegerMechanism", "declare_integers", "read_int64"]

INT64 = np.dtype(np.int64)
_LEAST, _LARGEST = -(2**63), 2**63 - 1
_KIND = "integers (Laplace and Gaussian take real numbers)"


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
        >>> round(DiscreteLaplace(epsilon=1, sensitivity=1).pmf(0), 4)
        0.4621
        """
        return _unwrap(self._pmf(_whole(k)))

    @overload
    def cdf(self, k: int) -> float: ...
    @overload
    def cdf(self, k: NDArray[np.integer] | Sequence[int]) -> NDArray[np.float64]: ...
    def cdf(self, k: ArrayLike) -> float | NDArray[np.float64]:
        """Probability that the noise is at most k.

        >>> from cydp import DiscreteLaplace
        >>> DiscreteLaplace(epsilon=1, sensitivity=1).cdf([-1, 0]).round(4)
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
        value : int, or array of any integer dtype and shape, or column
            A null in a list or a column counts as 0. Read as the nearest
            int64; for discrete Laplace noise of a scale above 2**52 as the
            nearest integer in [-2**62, 2**62].
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        int, or ndarray of int64 of the same shape; for a pandas Series one with its index
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
        >>> DiscreteLaplace(epsilon=1, sensitivity=1).release([10, 20]).dtype
        dtype('int64')

        """
        given = declare_integers(value, "value", _KIND)
        draw = partial(_noisy, given, *self._noise(given.size))
        labels = labels_of(value)
        noisy = paid(self, draw, given.shape, INT64, budget, rng, arguments=labels)
        return (
            int(noisy[()]) if isinstance(value, (int, np.integer)) else restore_labels(value, noisy)
        )


def _noisy(
    given: Declared, sampler: Sampler, stops: bool, generator: Generator
) -> NDArray[np.int64]:
    values = read_int64(given, "value")
    noisy = np.empty(values.shape, np.int64)
    generator._fill(sampler, noisy)
    add_noise(noisy.reshape(-1), values.reshape(-1), stops)
    return noisy


def declare_integers(value: Any, name: str, kind: str = "integers") -> Declared:
    """Return what an integer, or an array of integers, says of itself; no value is read.

    Raises
    ------
    TypeError
        For anything else, by the dtype of an array and the types of a list's entries.

    """
    given = declare(value, name, kind)
    if given.listed:
        check_entries(given, is_integer, name, kind)
    elif given.dtype is None:
        if not is_integer(type(value)):
            raise TypeError(f"{name} must be {kind}, not {type(value).__name__}")
    elif given.dtype.kind not in "iu":
        raise TypeError(f"{name} must be {kind}, not of dtype {given.dtype}")
    return given


def read_int64(given: Declared, name: str) -> NDArray[np.int64]:
    """Return a contiguous array of the nearest int64."""
    if given.listed:  # numpy would take an empty list for floats, and long integers for objects
        cut = [min(max(int(entry), _LEAST), _LARGEST) for entry in given.value.flat]
        return np.array(cut, np.int64).reshape(given.shape)
    if given.dtype is None:
        return np.array(min(max(given.value, _LEAST), _LARGEST), np.int64)
    array = given.read(name)
    if array.dtype.itemsize == 8 and array.dtype.kind == "u":
        array = np.minimum(array, np.uint64(_LARGEST))
    return cast("NDArray[np.int64]", np.require(array, np.int64, ["C", "ALIGNED"]))


def _whole(k: ArrayLike) -> NDArray[np.float64]:
    """Return integers as floats, to ask a law for their probabilities."""
    steps = np.asarray(k)
    if steps.dtype.kind not in "iu":
        raise TypeError(f"k must be integers, not of dtype {steps.dtype}")
    return steps.astype(np.float64)


def _unwrap(result: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return a float for an array without dimensions."""
    return float(result) if np.ndim(result) == 0 else result
