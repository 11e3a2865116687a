# SPDX-License-Identifier: MIT
"""Mechanisms that add noise to real numbers and to exact sums, on a power-of-two grid."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Declared, check_entries, declare
from cydp._columns.entries import is_real
from cydp._columns.pandas import labels_of, restore_labels
from cydp._core import Sampler
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp._numbers.rational import as_exact, float_of, read_integer
from cydp._relations import RELATIONS
from cydp.accounting._loss import Loss
from cydp.exact._bins import refuse_data_bins
from cydp.exact._grid_sum import GridSum
from cydp.mechanisms._grid_noise import (
    LEAST_EXPONENT,
    MOST_EXPONENT,
    add_noise,
    add_noise_to_one,
    float_up,
)
from cydp.mechanisms._integer_mechanism import declare_integers
from cydp.mechanisms._noise_distribution import GridNoiseDistribution
from cydp.mechanisms._run import Budget, check_output, draw_array, fill_output

__all__ = ["GridMechanism", "RealMechanism", "declare_reals"]

_FLOAT64 = np.dtype(np.float64)
# The usual types of one number, and what Python calls them.
_NUMBERS: dict[type, Callable[[Any], float]] = {
    float: float, int: int, np.float64: float, np.int64: int
}  # fmt: skip


class RealMechanism(ABC):
    """A mechanism that adds noise to real numbers."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """Privacy cost."""

    @abstractmethod
    def _plan_draw(
        self, given: Declared, out: NDArray[np.float64] | None
    ) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        """Return how many times the loss is charged, and a function that draws the result.

        The function writes to `out` and returns it, unless it is None.
        """

    @abstractmethod
    def _release_one(self, value: float, generator: Generator) -> float | None:
        """Return a number plus noise; None for a number that is read in another way."""

    def _release_sum(
        self,
        total: GridSum,
        budget: Budget | None,
        rng: Generator | None,
        out: NDArray[np.float64] | None,
    ) -> float | NDArray[np.float64]:
        raise TypeError(
            "value must be real numbers, not an exact sum, which Laplace and Gaussian release"
        )

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
        out: None = None,
    ) -> float | NDArray[np.float64]: ...
    @overload
    def release(
        self,
        value: ArrayLike | GridSum,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
        out: NDArray[np.float64],
    ) -> NDArray[np.float64]: ...
    @explain_arguments
    def release(
        self,
        value: ArrayLike | GridSum,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
        out: NDArray[np.float64] | None = None,
    ) -> float | NDArray[np.float64]:
        """Return the value plus noise.

        `Laplace` and `Gaussian` cost their loss once for the whole call, `Snapping` for each entry.

        Parameters
        ----------
        value : float or int, or array of floats of up to 64 bits or integers, or column
            The array may have any shape. NaN, and nulls in a list or a column, count as 0.
            Integers of any size are as exact as floats. Values farther from 0 than 2**113 steps of
            the grid and than 2**53, or outside the bounds of `Snapping`, are clamped. `Laplace` and
            `Gaussian` also take a `GridSum` of `cydp.exact`, and add noise to the exact sum.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            It is charged before the value is read.
        rng : Generator, optional
            The source of the noise. Default: the calling thread's own generator.
        out : ndarray of float64, optional
            The array to fill and to return: C-contiguous, in native byte order, writable, and of
            the shape of value. It may be value itself, but may not overlap it otherwise. Default:
            a new array.

        Returns
        -------
        float, or ndarray of float64 of the same shape; for a pandas Series one with its index
            Multiples of the step of the grid, rounded to float64. `out`, if it is given.

        Raises
        ------
        TypeError, ValueError
            If value does not hold numbers, or is counts in bins that came from the data; if
            budget, rng or out is not allowed. Then nothing is charged or drawn.
        PrivacyError
            If the budget refuses. Then nothing is charged and the value is not read.

        Examples
        --------
        >>> from cydp import Laplace
        >>> Laplace(epsilon=1, sensitivity=0.5).release([0.25, 1]).dtype
        dtype('float64')

        """
        read = _NUMBERS.get(type(value))
        if read and budget is None and out is None:  # most often, and the quickest way
            noisy = self._release_one(read(value), generator_or_default(rng))
            if noisy is not None:
                return noisy
        if isinstance(value, GridSum):
            return self._release_sum(value, budget, rng, out)
        refuse_data_bins(value, "value")
        given = declare_reals(value, "value")
        check_output(out, _FLOAT64, given.shape, value)
        count, draw = self._plan_draw(given, out)
        labels = labels_of(value)
        released = draw_array(
            self, draw, (given.shape, _FLOAT64), budget, rng, count=count, arguments=labels
        )
        if out is not None:
            return fill_output(out, released)
        is_number = released.ndim == 0 and not isinstance(value, np.ndarray)
        return float(released) if is_number else restore_labels(value, released)


class GridMechanism(RealMechanism, GridNoiseDistribution):
    """A mechanism that adds integer noise in steps of a grid, so that the sum is exact."""

    __slots__ = ()

    _log2_step: int  # for `coordinates` entries, or else for one
    _fixed: bool  # whether the caller gave the step
    relation: str | None

    @property
    def _noise_exponent(self) -> int:
        return self._log2_step

    @abstractmethod
    def _prepare_noise(self, entries: int) -> Sampler:
        """Return a sampler of noise in steps of the grid, for a release of this many entries."""

    @abstractmethod
    def _bound_noise(self, confidence: Number, entries: int) -> int:
        """Return the error bound of the noise in steps of the grid, for all entries together."""

    @abstractmethod
    def _default_exponent(self, entries: int) -> int:
        """Return the exponent of the default grid of a release of this many entries."""

    def _exponent(self, entries: int) -> int:
        """Return the exponent of the grid of a release of this many entries."""
        if self._fixed or entries <= 1 or self.coordinates is not None:
            return self._log2_step
        return self._default_exponent(entries)

    @property
    @abstractmethod
    def sensitivity(self) -> Fraction:
        """Norm of the change that one unit can make."""

    @property
    @abstractmethod
    def coordinates(self) -> int | None:
        """The number of entries that one unit can change; None if it can change all."""

    @property
    @abstractmethod
    def _norm_order(self) -> int:
        """1 if the sensitivity is an L1 norm, 2 if it is an L2 norm."""

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> float:
        """Return the distance within which `count` independent results are from their values.

        The rounding to the grid is included. The rounding of the result to float64 is not.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that all results are.
        count : int >= 1, default 1
            The number of results. If `coordinates` is not given, they are the entries of one
            release.

        Returns
        -------
        float
            In units of the value.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> from cydp import Gaussian, Laplace
        >>> round(Laplace(epsilon=1, sensitivity=1).error_bound(0.95), 3)
        2.996
        >>> round(Gaussian(sigma=1, sensitivity=1).error_bound(0.95), 3)
        1.96

        """
        entries = read_integer(count, "count")
        steps = self._bound_noise(confidence, entries) + Fraction(1, 2)
        return float_up(steps * Fraction(2) ** self._exponent(entries))

    def _release_sum(
        self,
        total: GridSum,
        budget: Budget | None,
        rng: Generator | None,
        out: NDArray[np.float64] | None,
    ) -> float | NDArray[np.float64]:
        return _release_grid_sum(self, total, budget, rng, out)

    @property
    def step(self) -> Fraction:
        """The step of the grid, for `coordinates` entries, or else for one.

        If neither `coordinates` nor `step` is given, an array of many entries is released on a
        finer grid, because the rounding of each entry adds to the noise.
        """
        return as_exact(Fraction(2) ** self._log2_step)

    def _release_one(self, value: float, generator: Generator) -> float | None:
        return add_noise_to_one(value, self._prepare_noise(1), self._log2_step, generator)

    def _plan_draw(
        self, given: Declared, out: NDArray[np.float64] | None
    ) -> tuple[int, Callable[[Generator], NDArray[np.float64]]]:
        size = given.size
        return 1, partial(
            add_noise, given, self._prepare_noise(size), self._exponent(size), out=out
        )


def declare_reals(value: Any, name: str) -> Declared:
    """Return the declared type and shape of a number or of an array of numbers, without reading it.

    Raises
    ------
    TypeError
        If the dtype of an array, or the type of a list's entry, is not one of numbers.

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


def _release_grid_sum(
    mechanism: GridMechanism,
    total: GridSum,
    budget: Budget | None,
    rng: Generator | None,
    out: NDArray[np.float64] | None,
) -> float | NDArray[np.float64]:
    """Return a sum plus the noise of a mechanism, on the mechanism's grid.

    The noise is the same as for any other value, so the mechanism's loss holds for sums of any
    step, also in plans and budgets.

    Raises
    ------
    ValueError
        If the sensitivity or the number of coordinates is too small for the sum; if the steps of
        the sum and of the grid are too far apart; if out is not allowed.
    TypeError
        If out is not allowed.

    """
    _check_sensitivity(mechanism, total)
    given = declare_integers(total.units, "value")
    check_output(out, _FLOAT64, given.shape, total.units)
    step = total.step.numerator.bit_length() - total.step.denominator.bit_length()
    exponent = mechanism._exponent(given.size) - step  # in steps of the sum
    if not LEAST_EXPONENT <= exponent <= MOST_EXPONENT:
        raise ValueError("sensitivity and epsilon must fit the step of the sum better")
    draw = partial(
        _add_noise_and_scale, given, mechanism._prepare_noise(given.size), exponent, step, out
    )
    public = list(map(str, (total.step, *total.bounds)))
    released = draw_array(mechanism, draw, (given.shape, _FLOAT64), budget, rng, arguments=public)
    if out is not None:
        return fill_output(out, released)
    return released if given.shape else float(released)


def _check_sensitivity(mechanism: GridMechanism, total: GridSum) -> None:
    stated = RELATIONS if mechanism.relation is None else (mechanism.relation,)
    order = mechanism._norm_order
    least = min(
        total.sensitivity(relation=relation, missing=False, norm=order) for relation in stated
    )
    if mechanism.sensitivity < least:
        raise ValueError(
            f"sensitivity must be at least {float_of(least)!r}, by which one record can change this"
            " sum on its grid: give the mechanism sensitivity=total.sensitivity(relation=...)"
        )
    groups = 1 if isinstance(total.units, int) else len(total.units)
    may_move = mechanism.relation not in (None, "add-remove")
    if mechanism.coordinates == 1 < groups and may_move:
        raise ValueError("coordinates must be at least 2: a record that changes may change groups")


def _add_noise_and_scale(
    given: Declared,
    sampler: Sampler,
    exponent: int,
    step: int,
    out: NDArray[np.float64] | None,
    generator: Generator,
) -> NDArray[np.float64]:
    noisy = add_noise(given, sampler, exponent, generator, out=out)
    with np.errstate(all="ignore"):  # a sum beyond float64 is infinite or 0
        return np.ldexp(noisy, step, out=out)
