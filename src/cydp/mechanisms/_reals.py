# SPDX-License-Identifier: MIT
"""Mechanisms that add noise to real numbers, on a power-of-two grid."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp import threads
from cydp._random import Sampler, add_grid_noise
from cydp.accounting.loss import Loss
from cydp.mechanisms._arrays import declared, is_real, read_declared
from cydp.mechanisms._charge import Budget, charged_generator
from cydp.mechanisms._integers import entries_of
from cydp.random import Generator

_LARGEST_INTEGER = 2**53  # to which every integer is a float64


class RealMechanism(ABC):
    """Adds noise to real numbers."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """Privacy cost."""

    @abstractmethod
    def _released(
        self, value: ArrayLike, budget: Budget | None, rng: Generator | None
    ) -> NDArray[np.float64]:
        """Charge, read, and return the value plus noise."""

    @overload
    def release(
        self, value: float, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float: ...
    @overload
    def release(
        self, value: ArrayLike, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float | NDArray[np.float64]: ...
    def release(
        self, value: ArrayLike, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float | NDArray[np.float64]:
        """Return the value plus noise.

        Of `Laplace` and `Gaussian`, `loss` covers the whole call; of `Snapping` it is paid for each
        entry.

        Parameters
        ----------
        value : float or int, or array of floats of up to 64 bits or integers, of any shape
            NaN counts as 0; integers beyond 2**53 as that. More than 2**126 steps of the grid from
            0, or Snapping's bound, is cut there.
        budget : PrivacyFilter, BudgetLedger or blocks of one, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        float, or ndarray of float64 of the same shape
            Multiples of the grid, rounded to float64.

        Raises
        ------
        TypeError, ValueError
            If value is not of numbers, budget no budget, or rng not a Generator.
        PrivacyError
            If the budget refuses.

        Examples
        --------
        >>> from cydp import Laplace
        >>> Laplace(epsilon=1, sensitivity=0.5).release([0.25, 1]).dtype
        dtype('float64')

        """
        check_reals(value)
        released = self._released(value, budget, rng)
        number = released.ndim == 0 and not isinstance(value, np.ndarray)
        return float(released) if number else released


class GridMechanism(RealMechanism):
    """Adds integer noise in units of a grid, so that the sum is exact."""

    __slots__ = ()

    exponent: int

    @abstractmethod
    def _noise(self, entries: int) -> Sampler:
        """Return the noise for so many entries, in steps of the grid."""

    @abstractmethod
    def _exponent(self, entries: int) -> int:
        """Return the exponent of the grid of a release of so many entries."""

    @property
    def granularity(self) -> Fraction:
        """The step of the grid, for `coordinates` entries, or else for one.

        Without coordinates and a granularity of its own, an array of many entries is released on a
        finer grid: each entry that is rounded adds to the noise.
        """
        return Fraction(2) ** self.exponent

    def _released(
        self, value: ArrayLike, budget: Budget | None, rng: Generator | None
    ) -> NDArray[np.float64]:
        entries = entries_of(value)
        sampler, exponent = self._noise(entries), self._exponent(entries)
        generator = charged_generator(rng, budget, self)
        values = read_reals(value)
        noise = np.empty(values.shape, np.int64)
        generator.fill(sampler, noise)
        many = threads.NUM_THREADS if values.size > threads.SHARED_ABOVE else 1
        add_grid_noise(values.reshape(-1), noise.reshape(-1), exponent, many)
        return noise.view(np.float64)


def check_reals(value: Any) -> None:
    """Raise a TypeError for what is no number and no array of numbers, reading no value."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("value must be of real numbers, not bool")
    if isinstance(value, list | tuple):
        if not all(map(is_real, np.array(value, object).flat)):
            raise TypeError("value must be of integers or floats")
    elif not isinstance(value, int | float):
        dtype, _ = declared(value, "value", "real numbers")
        if dtype.kind not in "iuf" or dtype.itemsize > 8:
            raise TypeError(f"value must be of integers or floats of 64 bits, not {dtype}")


def read_reals(value: ArrayLike) -> NDArray[np.float64]:
    """Return a contiguous array of float64; integers that this rounds would be further apart."""
    if isinstance(value, int | float):
        return np.array(_cut(value), np.float64)
    if isinstance(value, list | tuple):
        entries = np.array(value, object)
        cut = [_cut(entry) for entry in entries.flat]
        return np.array(cut, np.float64).reshape(entries.shape)
    array = read_declared(value, "value")
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        least = 0 if array.dtype.kind == "u" else -_LARGEST_INTEGER
        array = np.clip(array, least, _LARGEST_INTEGER)
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.require(array, np.float64, ["C", "ALIGNED"])


def _cut(entry: float) -> float:
    if isinstance(entry, int | np.integer):
        return float(min(max(int(entry), -_LARGEST_INTEGER), _LARGEST_INTEGER))
    return entry
