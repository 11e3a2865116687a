# SPDX-License-Identifier: MIT
"""A survey of numbers, which people clamp and randomize before they send them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds, Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Records
from cydp._columns.entries import is_number
from cydp._columns.reading import read_numbers
from cydp._generator import Generator
from cydp._numbers.rational import (
    float_of,
    format_number,
    literal_of,
    read_integer,
    read_level,
    read_positive,
)
from cydp._sensitivity import Sensitivity
from cydp.exact._grid import Grid, public_grid
from cydp.exact._sorted_units import round_units
from cydp.local._survey import Survey, Tally
from cydp.local._survey_estimates import NumberEstimate, one_bit_half_width, sum_half_width
from cydp.mechanisms._laplace import MOST_UNSATURATED_SCALE, DiscreteLaplace
from cydp.mechanisms._parameters import set_fields
from cydp.mechanisms._randomized_response import RandomizedResponse
from cydp.mechanisms._run import Budget
from cydp.releases._missing import fill_absent, read_missing

__all__ = ["NumberSurvey"]

NumberMethod: TypeAlias = Literal["auto", "laplace", "one-bit"]

_MOST_REPORT = 2.0**62 + 2.0**52  # steps: the largest noise, and the largest number
# With steps up to 2**300 float64 holds every report, and the variance of 2**62 of them.
_MOST_EXPONENT = 300
_LEAST_EPSILON = Fraction(1, 10**30)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class NumberSurvey(Survey):
    """A question for a number, which each person clamps and randomizes on their own device.

    The server sees reports only (local DP), and estimates the sum and the mean of the numbers. This
    is input perturbation; `cydp.sum` and `cydp.mean` add noise once, which is output perturbation.

    Parameters
    ----------
    bounds : (lower, upper)
        The public bounds that numbers are clamped to. They are read exactly: a float means its
        binary value.
    epsilon : number >= 1e-30
        Privacy cost of one report in pure DP, in nats, for the person who reports.
    step : number, optional
        Numbers are rounded to multiples of it, a power of two. Default: as in `cydp.sum`, at most
        2**-28 of the larger bound.
    method : {"auto", "laplace", "one-bit"}, default "laplace"
        By "laplace" a report is the number plus discrete Laplace noise of the scale
        (upper - lower) / epsilon; by "one-bit" it is 0 or 1. "auto" takes the one with the
        smaller largest variance: the second for epsilon up to about 2.3. The attribute `method` is
        what was taken.
    missing : number, optional
        The public number that None, NaN and what is no number count as. Default: the middle of the
        bounds.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or if the scale of noise is above 2**52 steps.

    Notes
    -----
    That a person reports is not hidden, and a person who reports twice pays twice.

    References
    ----------
    .. [1] Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data
       analysis", 2006.
    .. [2] Duchi, Jordan, Wainwright, "Minimax optimal procedures for locally private estimation",
       2018.

    Examples
    --------
    >>> survey = NumberSurvey((0, 100), epsilon=1)
    >>> type(survey.report(37))
    <class 'float'>
    >>> estimate = survey.estimate(survey.reports([37, 52, None, 18] * 100))
    >>> estimate.people, abs(estimate.sum - 15700) < survey.error_bound("0.999999999", reports=400)
    (400, True)
    >>> NumberSurvey.from_json(survey.to_json()) == survey
    True

    """

    _kind = "numbers"
    _names = ("bounds", "step", "epsilon", "method", "missing")

    epsilon: Fraction
    method: str
    _grid: Grid
    _missing: int
    _mechanism: DiscreteLaplace | RandomizedResponse = field(compare=False)

    @explain_arguments
    def __init__(
        self,
        bounds: Bounds,
        *,
        epsilon: Number,
        step: Number | None = None,
        method: NumberMethod = "laplace",
        missing: Number | None = None,
    ) -> None:
        grid = public_grid(bounds, step)
        if grid.lowest == grid.highest:
            raise ValueError("bounds must be at least a step apart")
        if abs(grid.exponent) > _MOST_EXPONENT:
            raise ValueError(
                f"bounds must have a step from 2**-{_MOST_EXPONENT} to 2**{_MOST_EXPONENT}, not "
                f"2**{grid.exponent}"
            )
        rate = read_positive(epsilon, "epsilon")
        if rate < _LEAST_EPSILON:
            raise ValueError(f"epsilon must be at least 1e-30, not {format_number(rate)}")
        if method not in ("auto", "laplace", "one-bit"):
            raise ValueError(f"method must be 'auto', 'laplace' or 'one-bit', not {method!r}")
        filled = (grid.lowest + grid.highest) // 2 if missing is None else _filled(missing, grid)
        bits = RandomizedResponse(epsilon=rate, n_categories=2)
        width = Sensitivity(grid.highest - grid.lowest, relation="change-one")
        if method == "auto":
            method = "one-bit" if rate < 1 or _is_one_bit_better(bits, width) else "laplace"
        chosen = bits if method == "one-bit" else DiscreteLaplace(epsilon=rate, sensitivity=width)
        if isinstance(chosen, DiscreteLaplace) and chosen.scale > MOST_UNSATURATED_SCALE:
            raise ValueError(
                "epsilon must give a scale, (upper - lower) / epsilon, of at most 2**52 steps: "
                "give a larger step"
            )
        set_fields(
            self, epsilon=rate, method=method, _grid=grid, _missing=filled, _mechanism=chosen
        )

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The bounds, rounded to multiples of the step."""
        return self._grid.bounds

    @property
    def step(self) -> Fraction:
        """The step of the grid, in the unit of the data."""
        return self._grid.step

    @property
    def missing(self) -> Fraction:
        """What a missing number counts as."""
        return self._missing * self.step

    @property
    def _width(self) -> float:
        return float_of((self._grid.highest - self._grid.lowest) * self.step)

    @property
    def mechanism(self) -> DiscreteLaplace | RandomizedResponse:
        """What adds noise to numbers in steps, or randomizes bits."""
        return self._mechanism

    @property
    def variance(self) -> float:
        """The largest variance that one report can add to the estimated sum.

        >>> round(NumberSurvey((0, 1), epsilon=1).variance, 4)
        2.0
        """
        if isinstance(self._mechanism, RandomizedResponse):
            return _one_bit_variance(self._mechanism) * self._width**2
        return self._mechanism.variance * float_of(self.step) ** 2

    def report(
        self, x: Any, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> float | int:
        """Return what a person sends instead of their number. It runs on their own device.

        Parameters
        ----------
        x : number
            The true number; text that is a number counts as that. None, NaN and what is no number
            count as `missing`. There is no error, because an error would reveal it.
        budget : PrivacyFilter, BudgetLedger or LedgerScope of relation "change-one", optional
            What the person is willing to spend. It is charged before the number is read.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        float or int
            A multiple of the step, which may be far outside of the bounds; or 0 or 1.

        Raises
        ------
        TypeError
            If budget or rng is not allowed. Then nothing is charged.
        PrivacyError
            If the budget refuses. Then nothing is charged.

        Examples
        --------
        >>> NumberSurvey((0, 100), epsilon=1, method="one-bit").report(37) in (0, 1)
        True

        """
        drawn = self._draw(lambda: Records([_number_or_none(x)]).read(), budget, rng)
        report: float | int = drawn.item()
        return report

    def reports(
        self, x: Column, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> NDArray[Any]:
        """Return a report for each number of a column; each belongs to a different person.

        It is for simulation, for teaching, and for a collector whom all people trust.

        Parameters
        ----------
        x : array_like of numbers, shape (n,), or column
            The true numbers, of pandas, polars, pyarrow or DuckDB, a list or an array.
        budget, rng
            As in `report`. The budget pays once, since each person has one report.

        Returns
        -------
        ndarray of float64 or, by "one-bit", of uint8, shape (n,)

        Raises
        ------
        TypeError, ValueError
            If x is no column of numbers; if budget or rng is not allowed. Then nothing is charged
            and no number is read.
        PrivacyError
            If the budget refuses. Then nothing is charged and no number is read.

        """
        return self._draw(Records(x).read, budget, rng)

    def _randomize(self, answers: Any, generator: Generator) -> NDArray[Any]:
        grid, mechanism = self._grid, self.mechanism
        units = round_units(fill_absent(answers(), self._missing, grid), grid).astype(np.int64)
        if isinstance(mechanism, RandomizedResponse):
            # 1 with probability (x - lower) / (upper - lower), so that its mean tells x.
            numpys = np.random.Generator(cast("np.random.BitGenerator", generator))
            thresholds = numpys.integers(grid.lowest, grid.highest, units.size)
            bits = (thresholds < units).astype(np.uint8)
            return mechanism.release(bits, rng=generator)
        return np.ldexp(mechanism.release(units, rng=generator).astype(np.float64), grid.exponent)

    def tally(self, reports: Any) -> Tally:
        """Return reports, added up: a server that adds tallies keeps no report.

        Parameters
        ----------
        reports : column of numbers
            What `report` or `reports` returned.

        Returns
        -------
        Tally
            How many reports there are, and their sum, exactly.

        Raises
        ------
        TypeError, ValueError
            If a report is none of this survey. Unlike numbers, reports are not secret.

        Examples
        --------
        >>> survey = NumberSurvey((0, 100), epsilon=1, step=1)
        >>> (survey.tally([137.0, -20.0]) + survey.tally([55])).totals
        (172,)

        """
        values = read_numbers(reports, "reports")
        held = np.ma.getdata(values).astype(np.float64)
        is_bit = self.method == "one-bit"
        steps = held if is_bit else np.ldexp(held, -self._grid.exponent)
        least, most = (0.0, 1.0) if is_bit else (-_MOST_REPORT, _MOST_REPORT)
        allowed = (steps >= least) & (steps <= most) & (steps == np.rint(steps))
        if values.ndim != 1 or np.ma.getmaskarray(values).any() or not allowed.all():
            kind = "0 or 1" if is_bit else f"multiples of {float_of(self.step):g}"
            raise ValueError(f"reports must be {kind}, one for each person, as report returns them")
        high, low = np.divmod(steps.astype(np.int64), 2**31)  # so that sums fit in 64 bits
        return Tally(self, len(steps), ((int(high.sum()) << 31) + int(low.sum()),))

    def estimate(self, reports: Any) -> NumberEstimate:
        """Return the sum and the mean of the clamped numbers, estimated from reports.

        Parameters
        ----------
        reports : column of numbers, or Tally
            As in `tally`, or what that returned.

        Returns
        -------
        NumberEstimate

        Raises
        ------
        TypeError, ValueError
            If a report is none of this survey, or if there is none.

        Notes
        -----
        It has no privacy cost.

        Examples
        --------
        >>> estimate = NumberSurvey((0, 100), epsilon=1, step=1).estimate([137, -20, 55, 80])
        >>> estimate.sum, estimate.mean
        (252.0, 63.0)

        """
        tally = self._read_tally(reports)
        if tally.people == 0:
            raise ValueError("reports must be one report or more")
        return NumberEstimate(tally)

    def error_bound(self, confidence: Number = 0.95, *, reports: Integer) -> float:
        """Return the approximate distance of the estimated sum from the true sum, beforehand.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The approximate probability that this holds; by "one-bit" it is larger, unless the
            numbers have the largest variance.
        reports : int >= 1
            The number of people who report.

        Returns
        -------
        float
            In the unit of the data. Divided by reports, it is the error of the mean.

        Raises
        ------
        TypeError, ValueError
            If confidence or reports is outside its range.

        Examples
        --------
        >>> round(NumberSurvey((0, 1), epsilon=1).error_bound(reports=1000), 1)
        87.7

        """
        level, n = read_level(confidence), read_integer(reports, "reports")
        if not 1 <= n < 2**62:
            raise ValueError(f"reports must be from 1 to 2**62 - 1, not {n}")
        if isinstance(self._mechanism, RandomizedResponse):
            return one_bit_half_width(level, n, self._mechanism._odds.slope) * self._width
        return sum_half_width(level, n, self._mechanism) * float_of(self.step)

    def __repr__(self) -> str:
        lower, upper = map(literal_of, self.bounds)
        return (
            f"NumberSurvey(({lower}, {upper}), epsilon={literal_of(self.epsilon)}, "
            f"method={self.method!r})"
        )


def _one_bit_variance(bits: RandomizedResponse) -> float:
    """Return the largest variance of one report by "one-bit", for bounds (0, 1)."""
    return bits._odds.slope**2 / 4


def _is_one_bit_better(bits: RandomizedResponse, width: Sensitivity) -> bool:
    laplace = DiscreteLaplace(epsilon=bits.epsilon, sensitivity=width).variance
    return _one_bit_variance(bits) < laplace / float_of(width) ** 2


def _filled(missing: Number, grid: Grid) -> int:
    """Return what a missing number counts as, in steps."""
    if isinstance(missing, str) and missing == "drop":
        raise ValueError("missing must be a number: a report that is dropped tells of itself")
    try:
        filled = read_missing(missing, grid)
    except (TypeError, ValueError) as error:  # here it cannot be 'drop'
        raise type(error)(str(error).replace("'drop' or ", "", 1)) from None
    assert filled is not None
    return filled


def _number_or_none(x: Any) -> Any:
    """Return a number as it is, text as the number that it is, and None for anything else."""
    if isinstance(x, str):
        try:
            return float(x)
        except ValueError:
            return None
    return x if is_number(type(x)) and not (isinstance(x, float) and math.isnan(x)) else None
