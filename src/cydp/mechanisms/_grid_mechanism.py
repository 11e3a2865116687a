# SPDX-License-Identifier: MIT
"""Mechanisms that add noise to real numbers, on a power-of-two grid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._columns.declared import Declared, check_entries, declare
from cydp._columns.entries import is_real
from cydp._columns.pandas import labels_of, restore_labels
from cydp._core import Sampler
from cydp._generator import Generator
from cydp._numbers.rational import as_exact
from cydp.accounting._loss import Loss
from cydp.exact._grid_sum import GridSum
from cydp.mechanisms._charge import Budget, paid
from cydp.mechanisms._grid_noise import add_noise
from cydp.mechanisms._grid_sums import release_sum

__all__ = ["GridMechanism", "RealMechanism", "declare_reals"]

_SUMS = "Laplace and Gaussian"
FLOAT64 = np.dtype(np.float64)


class RealMechanism(ABC):
    """Adds noise to real numbers."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """Privacy cost."""

    @abstractmethod
    def _drawing(self, given: Declared) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        """Return how often the loss is paid, and what reads the value and adds noise."""

    def _release_sum(
        self, total: GridSum, budget: Budget | None, rng: Generator | None
    ) -> float | NDArray[np.float64]:
        raise TypeError(f"value must be real numbers, not an exact sum, which {_SUMS} release")

    @overload
    def release(
        self, value: float, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float: ...
    @overload
    def release(
        self,
        value: ArrayLike | GridSum,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> float | NDArray[np.float64]: ...
    def release(
        self,
        value: ArrayLike | GridSum,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> float | NDArray[np.float64]:
        """Return the value plus noise.

        Of `Laplace` and `Gaussian`, `loss` covers the whole call; of `Snapping` it is paid for each
        entry.

        Parameters
        ----------
        value : float or int, or array of floats of up to 64 bits or integers, or column
            Of any shape. NaN, and a null in a list or a column, counts as 0.
            Integers of any size are as exact as floats. More than 2**113 steps of the grid from 0
            (or 2**53, if that is more), or Snapping's bound, is cut there. `Laplace` and `Gaussian`
            also take a `GridSum` of `cydp.exact`, as the exact number that it is.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            Charged before the value is read.
        rng : Generator, optional
            Default: this thread's own.

        Returns
        -------
        float, or ndarray of float64 of the same shape; for a pandas Series one with its index
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
        if isinstance(value, GridSum):
            return self._release_sum(value, budget, rng)
        given = declare_reals(value, "value")
        count, draw = self._drawing(given)
        labels = labels_of(value)
        released = paid(
            self, draw, given.shape, FLOAT64, budget, rng, count=count, arguments=labels
        )
        number = released.ndim == 0 and not isinstance(value, np.ndarray)
        return float(released) if number else restore_labels(value, released)


class GridMechanism(RealMechanism):
    """Adds integer noise in units of a grid, so that the sum is exact."""

    __slots__ = ()

    _log2_step: int
    relation: str | None

    @abstractmethod
    def _noise(self, entries: int) -> Sampler:
        """Return the noise for so many entries, in steps of the grid."""

    @abstractmethod
    def _exponent(self, entries: int) -> int:
        """Return the exponent of the grid of a release of so many entries."""

    @property
    @abstractmethod
    def sensitivity(self) -> Fraction:
        """What one unit can change."""

    @property
    @abstractmethod
    def coordinates(self) -> int | None:
        """How many entries one unit can change; None: all that are released."""

    @property
    @abstractmethod
    def _norm_order(self) -> int:
        """Whether the sensitivity is an L1 or an L2 norm."""

    def _release_sum(
        self, total: GridSum, budget: Budget | None, rng: Generator | None
    ) -> float | NDArray[np.float64]:
        return release_sum(self, total, budget, rng)

    @property
    def step(self) -> Fraction:
        """The step of the grid, for `coordinates` entries, or else for one.

        Without `coordinates` and `step`, an array of many entries is released on a
        finer grid: each entry that is rounded adds to the noise.
        """
        return as_exact(Fraction(2) ** self._log2_step)

    def _drawing(self, given: Declared) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        return 1, partial(add_noise, given, self._noise(given.size), self._exponent(given.size))


def declare_reals(value: Any, name: str) -> Declared:
    """Return what a number, or an array of numbers, says of itself; no value is read.

    Raises
    ------
    TypeError
        For anything else, by the dtype of an array and the types of a list's entries.

    """
    given = declare(value, name, "real numbers")
    if given.listed:
        check_entries(given, is_real, name, "integers or floats of up to 64 bits")
    elif given.dtype is None:
        if not is_real(type(value)):
            raise TypeError(f"{name} must be a real number, not {type(value).__name__}")
    elif given.dtype.kind not in "iuf" or given.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must be integers or floats of up to 64 bits, not of dtype {given.dtype}"
        )
    return given
