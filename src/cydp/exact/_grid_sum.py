# SPDX-License-Identifier: MIT
"""Exact sums on a grid, and how much one record can change them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._call_errors import explain_arguments
from cydp._numbers.bounds import read_bounds
from cydp._numbers.intervals import sqrt_bounds
from cydp._numbers.rational import Exact, as_exact
from cydp._numbers.rounding import decimal_above
from cydp._relations import check_relation
from cydp._sensitivity import (
    Sensitivity,
    check_missing,
    check_norm,
    largest_sensitivity,
)
from cydp.exact._grid import Grid, read_exponent

__all__ = ["GridSum", "sum_on_grid"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GridSum:
    """An exact sum of numbers that were clamped and rounded to a grid. NOT private.

    `Laplace` and `Gaussian` release it: they add noise to the exact sum, and convert the result
    to a float only afterwards. They need `sensitivity`.

    Attributes
    ----------
    units : int, or ndarray of int64, shape (n_groups,)
        The sum, or the sum of each group, in steps of the grid.
    step : Fraction
        The distance between neighbouring points of the grid, a power of two.
    bounds : (lower, upper), Fractions
        The least and the most that one number can add to `value`, if it is not missing. Both are
        multiples of the step.

    Raises
    ------
    TypeError, ValueError
        If units has another type, step is not a power of two, or bounds is not a pair of
        multiples of step.

    """

    units: int | NDArray[np.int64]
    step: Fraction
    bounds: tuple[Fraction, Fraction]

    def __post_init__(self) -> None:
        if isinstance(self.units, np.ndarray):
            if self.units.dtype != np.int64 or self.units.ndim != 1:
                raise TypeError("units must be an int, or an array of int64 of one dimension")
        elif isinstance(self.units, int | np.integer) and not isinstance(self.units, bool):
            object.__setattr__(self, "units", int(self.units))
        else:
            raise TypeError(
                f"units must be an int, or an array of int64, not {type(self.units).__name__}"
            )
        step = as_exact(Fraction(2) ** read_exponent(self.step))
        lower, upper = read_bounds(self.bounds)
        if (lower / step).denominator != 1 or (upper / step).denominator != 1:
            raise ValueError("bounds must be multiples of step")
        object.__setattr__(self, "step", step)
        object.__setattr__(self, "bounds", (lower, upper))

    @property
    def value(self) -> Fraction | NDArray[Any]:
        """The sum, units * step: an exact Fraction, or an object array of one for each group."""
        if isinstance(self.units, int):
            return as_exact(self.units * self.step)
        above, below = self.step.numerator, self.step.denominator
        return np.array([Exact(units * above, below) for units in self.units.tolist()], object)

    @explain_arguments
    def sensitivity(
        self, *, relation: str = "add-remove", missing: bool = True, norm: int = 1
    ) -> Sensitivity:
        """Return how much one record can change `value`, in all groups together.

        Parameters
        ----------
        relation : {"add-remove", "change-one", "add-remove-or-change"}, default "add-remove"
            Whether neighbouring tables differ in the presence of one record, in its number and its
            group, or in either.
        missing : bool, default True
            Whether a record may have no number (NaN, null or masked) or no group. This matters
            if a record may change. With False the caller promises that every record has both.
        norm : {1, 2}, default 1
            L1 for Laplace noise, or L2 for Gaussian noise. They are equal for a single sum.

        Returns
        -------
        Sensitivity
            In the unit of the data. An irrational one is rounded up to six digits. It tells the
            mechanism its relation and its norm; only Gaussian mechanisms take an L2 norm.

        Raises
        ------
        TypeError, ValueError
            If relation, missing or norm is not allowed.

        Examples
        --------
        >>> from cydp.exact import clamped_sum
        >>> clamped_sum([3], (2, 5)).sensitivity(relation="change-one", missing=False)
        Sensitivity(3, relation='change-one')

        """
        check_relation(relation)
        check_missing(missing)
        check_norm(norm)
        if relation == "add-remove-or-change":
            return largest_sensitivity(partial(self.sensitivity, missing=missing, norm=norm))
        lower, upper = self.bounds
        largest = max(abs(lower), abs(upper))
        zero = Fraction(0)
        inside = max(upper, zero) - min(lower, zero) if missing else upper - lower
        if relation == "add-remove":
            return Sensitivity(largest, relation=relation)
        if isinstance(self.units, int) or len(self.units) < 2:
            return Sensitivity(inside, relation=relation)
        # The record moves to another group, or its number changes within its group.
        moved = decimal_above(sqrt_bounds(Fraction(2))[1] * largest)
        l2 = max(moved, inside)
        if norm == 1:
            return Sensitivity(2 * largest, relation=relation, l2=l2)
        return Sensitivity(l2, relation=relation, norm=2)

    def __repr__(self) -> str:
        if isinstance(self.units, int):
            units = f"{self.units} units"
        else:
            units = f"{len(self.units)} groups in units"
        exponent = self.step.numerator.bit_length() - self.step.denominator.bit_length()
        return f"<GridSum: {units} of 2**{exponent}, exact and NOT private>"


def sum_on_grid(units: int | NDArray[np.int64], grid: Grid) -> GridSum:
    """Return a GridSum without checks of its parts: the grid makes them right."""
    total = object.__new__(GridSum)
    for name, part in (("units", units), ("step", grid.step), ("bounds", grid.bounds)):
        object.__setattr__(total, name, part)
    return total
