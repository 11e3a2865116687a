# SPDX-License-Identifier: MIT
"""Private quantiles of clamped numbers."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.bounds import check_pair
from cydp._numbers.rational import float_of
from cydp.exact._grid import Grid, public_grid
from cydp.exact._sorted_units import SortedUnits, sort_units
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._missing import Missing, read_missing
from cydp.releases._parts import Aggregate
from cydp.releases._presence import fill_absent
from cydp.releases._privacy import read_privacy
from cydp.releases._qs import Qs, read_quantiles
from cydp.releases._query import Query, kept
from cydp.releases._release import Release, recorded
from cydp.releases._rows import NumberRows
from cydp.releases._run import run
from cydp.releases._unit import UnitName, UserKey, read_unit, user_key
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = [
    "QuantileQuery",
    "QuantileRelease",
    "median",
    "quantile",
    "quantile_query",
    "read_sorted",
]


@recorded
@dataclass(frozen=True, repr=False)
class QuantileQuery(Query):
    """Quantiles of numbers that are clamped to bounds.

    Attributes
    ----------
    grid : Grid
        The bounds, in steps.
    filled : int or None
        What a missing number counts as, in steps; None: it does not count.
    qs : tuple of Fraction
        Which quantiles.

    """

    function: ClassVar[str] = "quantile"

    grid: Grid
    filled: int | None
    qs: tuple[Fraction, ...]

    def aggregates(self) -> list[Aggregate]:
        """Return a choice for each quantile."""
        return [
            Aggregate(f"q{i}", self.unit.change_one_answer(max(q, 1 - q), 1), self.grid.step, q=q)
            for i, q in enumerate(self.qs)
        ]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QuantileRelease(Release):
    """Private quantiles, as `quantile` and `median` return them.

    Attributes
    ----------
    query : QuantileQuery
        What was asked: quantiles, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    steps : ndarray of int64, shape (q,) or ()
        The chosen points, in steps of the grid.

    """

    query: Any
    steps: NDArray[np.int64]

    @property
    def value(self) -> float | NDArray[np.float64]:
        """The quantile in the unit of the data; an array if a list was asked for."""
        values: NDArray[np.float64] = self.steps * np.float64(self.query.grid.step)
        return values if self.steps.ndim else float(values)

    @property
    def variance(self) -> None:
        """None: the variance depends on the data. `rank_error` does not."""

    def rank_error(self, confidence: Number = 0.95) -> float | NDArray[np.float64]:
        """Return by how many ranks the released points are from the quantiles, at most.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds for each of them.

        Returns
        -------
        float, or ndarray of float for a list of quantiles
            In numbers of the column.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Notes
        -----
        A point y is max(#{x < y} - q n, q n - #{x <= y}, 0) ranks from the quantile q of n numbers,
        and there is a point of 0 ranks. If the grid has g points, the released one is less than
        scale * ln(g / (1 - confidence)) ranks from the quantile [1]_.

        References
        ----------
        .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, theorem
           3.11.

        """
        bounds = self._rank_bounds(confidence, 1)
        return np.array(bounds) if self.steps.ndim else bounds[0]

    def _rank_bounds(self, confidence: Number, together: int) -> list[float]:
        grid = self.query.grid
        count = (grid.highest - grid.lowest + 1) * together
        parts = self.query.parts.values()
        return [part.choice.error_bound(confidence, count=count) for part in parts]

    @property
    def _notes(self) -> tuple[str, ...]:
        return ()

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> Any:
        """Refuse: the distance in the unit of the data depends on the data; see `rank_error`."""
        raise TypeError("a quantile has no public error bound in its own unit: see rank_error")

    def interval(self, confidence: Number = 0.95, *, count: Integer = 1) -> tuple[Any, Any]:
        """Refuse: the ends would depend on the data; see `rank_error`."""
        return self.error_bound(confidence, count=count), None

    def __float__(self) -> float:
        return float(self.value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.value, dtype)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        qs = np.array([float_of(q) for q in self.query.qs])
        together = len(qs) if simultaneous else 1
        bounds = self._rank_bounds(confidence, together)
        several = self.steps.ndim > 0
        chosen = Numbers(
            name=self.query.function,
            values=np.asarray(self.value),
            bound=np.array(bounds) if several else bounds[0],
            bound_unit="ranks",
        )
        axes = [keys_of((qs,), ("q",), "quantile")] if several else []
        title = self.query.function
        if not several:
            title = "median" if self.query.qs == (Fraction(1, 2),) else f"{title} {qs[0]:g}"
        return self._make_sheet(
            axes, [chosen], confidence, simultaneous, title=title, notes=self._notes
        )

    @property
    def _exact(self) -> dict[str, Any]:
        return {"q": [str(q) for q in self.query.qs], "steps": self.steps.tolist()}


@kept
def quantile_query(
    q: Qs,
    lower: Number,
    upper: Number,
    missing: Missing,
    epsilon: Number | None,
    rho: Number | None,
    delta: Number | None,
    relation: str,
    user: UserKey,
    unit: UnitName | None,
    max_rows: Integer | None,
    max_rows_per_unit: Integer | None,
) -> QuantileQuery:
    """Return the query of `quantile`, whose parameters these are."""
    protected = read_unit(
        relation, user, unit, max_rows=max_rows, max_rows_per_unit=max_rows_per_unit,
        by_partition=False,
    )  # fmt: skip
    privacy = read_privacy(epsilon, rho, delta, relation)
    grid = public_grid((lower, upper), None)
    return QuantileQuery(
        privacy, protected, grid, read_missing(missing, grid), read_quantiles(q)[0]
    )


@explain_arguments
def quantile(
    x: Column,
    q: Qs,
    bounds: Bounds,
    *,
    column: Hashable = None,
    missing: Missing = "drop",
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> QuantileRelease:
    """Choose quantiles of numbers that are clamped to bounds, by the exponential mechanism.

    Parameters
    ----------
    x, bounds, column, missing
        As in `sum`.
    q : number from 0 to 1, or list of numbers
        Which quantiles: 0.5 is the median. Several share the privacy equally, and one sort. 0 and 1
        are any points below the least and above the largest number: take 0.01 and 0.99.
    epsilon, rho, delta, relation, user, unit, max_rows, max_rows_per_unit, budget, rng
        As in `count`. They are for the whole release.

    Returns
    -------
    QuantileRelease
        The quantiles, in the unit of x, within the bounds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    Notes
    -----
    A point y of the grid is preferred by exp(-rate * d(y)), where d(y) = max(#{x < y} - q n,
    q n - #{x <= y}, 0) and n numbers are not missing: d is 0 where q n is among the ranks of y. One
    record changes d(y) by at most max(q, 1 - q) under "add-remove", and by 1 under "change-one". A
    number of the column may be released, most of all one that many rows share: it is a point like
    any other, and rows act through d alone. docs/mechanisms/quantile.md has the proof.

    References
    ----------
    .. [1] Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
       algorithm 2.

    Examples
    --------
    >>> ages = list(range(100)) * 100
    >>> release = quantile(ages, [0.25, 0.5], (0, 120), epsilon=2)
    >>> bool(np.abs(release.value - [25, 50]).max() < 2)
    True

    """
    query = quantile_query(
        q, *check_pair(bounds), missing, epsilon, rho, delta, relation, user_key(user), unit,
        max_rows, max_rows_per_unit,
    )  # fmt: skip
    rows = NumberRows(x, column, user, query.unit)
    draw = partial(_draw, query, rows)
    steps, payment = run(query, draw, budget, rng, columns=[column, user], nbytes=8 * len(query.qs))
    steps = steps if read_quantiles(q)[1] else steps.reshape(())
    return QuantileRelease(query=query, steps=steps, payment=payment)


@explain_arguments
def median(
    x: Column,
    bounds: Bounds,
    *,
    column: Hashable = None,
    missing: Missing = "drop",
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_rows: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> QuantileRelease:
    """Choose the median of numbers that are clamped to bounds: `quantile` with q=0.5.

    Parameters
    ----------
    x, bounds, column, missing
        As in `sum`.
    epsilon, rho, delta, relation, user, unit, max_rows, max_rows_per_unit, budget, rng
        As in `count`.

    Returns
    -------
    QuantileRelease
        The median, in the unit of x, within the bounds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    References
    ----------
    .. [1] Smith, "Privacy-preserving statistical estimation with optimal convergence rates", 2011,
       algorithm 2.

    Examples
    --------
    >>> release = median([20, 30, 30, 40, 50] * 1000, (0, 100), epsilon=1)
    >>> round(release.value, 3)
    30.0

    """
    return quantile(
        x, "1/2", bounds, column=column, missing=missing, epsilon=epsilon, rho=rho, delta=delta,
        relation=relation, user=user, unit=unit, max_rows=max_rows,
        max_rows_per_unit=max_rows_per_unit, budget=budget, rng=rng,
    )  # fmt: skip


def read_sorted(query: Any, rows: NumberRows, generator: Generator) -> SortedUnits:
    """Return the numbers that count, in steps of the query's grid; the data is read here."""
    values = rows.read(generator, absent_count=query.filled is not None)
    return sort_units(fill_absent(values, query.filled, query.grid), query.grid)


def _draw(query: QuantileQuery, rows: NumberRows, generator: Generator) -> NDArray[np.int64]:
    """Return the chosen points, in steps; the data is read here."""
    records = read_sorted(query, rows, generator)
    chosen = [part.choice.choose(records, generator) for part in query.parts.values()]
    return np.concatenate(chosen)
