# SPDX-License-Identifier: MIT
"""Estimates from the reports of a survey: of how many have each label, of a sum and a mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import float_of, read_level
from cydp.accounting._meaning import notes_on
from cydp.local._survey import Tally
from cydp.mechanisms._frequency_oracle import Estimate, ReportOdds, normal_quantile
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.releases._format import format_cost
from cydp.releases._unit import Unit
from cydp.releases.output._exportable import Exportable
from cydp.releases.output._sheet import Axis, Numbers, Sheet, keys_of

__all__ = [
    "CategoryEstimate",
    "NumberEstimate",
    "one_bit_half_width",
    "sum_half_width",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class _SurveyEstimate(Exportable):
    """An estimate from the reports of a survey.

    Attributes
    ----------
    tally : Tally
        The reports, added up.

    """

    tally: Tally

    @property
    def survey(self) -> Any:
        """The survey that people answered."""
        return self.tally.survey

    @property
    def people(self) -> int:
        """The number of people who reported."""
        return self.tally.people

    def _make_sheet(
        self,
        axes: tuple[Axis, ...],
        columns: Iterable[Numbers],
        confidence: Number,
        simultaneous: bool,
    ) -> Sheet:
        """Return a sheet with what is known of the survey."""
        return Sheet(
            title=f"survey of {self.people:,} people",
            cost=f"{format_cost(self.survey.loss)} a report",
            relation=self.survey.relation,
            protects="what each person answers, but not that they report",
            noise=self.survey.method,
            axes=axes,
            columns=tuple(columns),
            confidence=read_level(confidence),
            simultaneous=simultaneous,
            notes=tuple(notes_on(self.survey.loss, Unit(self.survey.relation, "person"))),
        )

    def _facts(self) -> Mapping[str, Any]:
        return {
            "exact": {"epsilon": str(self.survey.epsilon)},
            "method": self.survey.method,
            "people": self.people,
            "reports": list(self.tally.totals),
        }


@dataclass(frozen=True, repr=False)
class CategoryEstimate(_SurveyEstimate):
    """Estimated numbers of people with each label. `CategorySurvey.estimate` returns it.

    Attributes
    ----------
    tally : Tally
        The reports, added up.

    """

    @property
    def labels(self) -> tuple[Any, ...]:
        """The labels, in the order of the survey."""
        labels: tuple[Any, ...] = self.survey.labels
        return labels

    @cached_property
    def _estimate(self) -> Estimate:
        h = np.array(self.tally.totals, np.float64)
        found: Estimate = self.survey.mechanism._odds.estimate(h, self.people)
        return found

    @property
    def counts(self) -> Floats:
        """Unbiased estimates of the number of people with each label. They may be negative."""
        return self._estimate.counts

    @property
    def shares(self) -> Floats:
        """`counts` as shares of the people who reported; NaN if nobody did."""
        return self.counts / (self.people or np.nan)

    @property
    def variance(self) -> Floats:
        """Unbiased estimates of the variances of `counts`."""
        return self._estimate.variance

    def interval(
        self, confidence: Number = 0.95, *, simultaneous: bool = False
    ) -> tuple[Floats, Floats]:
        """Return confidence intervals of the true counts among the people who reported.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The confidence of each interval by itself.
        simultaneous : bool, default False
            Whether the confidence is of all labels together, by the union bound.

        Returns
        -------
        (lower, upper) : ndarrays of float64, shape (n_labels,)
            In people. They are about the people who reported, and not about a population from which
            these were drawn. They may lie outside 0 to the number of people.

        Raises
        ------
        TypeError, ValueError
            If confidence is outside its range.

        Notes
        -----
        An interval of 95 % covers the true count in 95 to 96 % of all cases if the number of
        reports for a label has a variance of 100 or more.

        Examples
        --------
        >>> from cydp.local import CategorySurvey
        >>> low, high = CategorySurvey([1, 2], epsilon=2).estimate([1] * 300 + [2] * 700).interval()
        >>> low.round(1), high.round(1)
        (array([210.4, 735.6]), array([264.4, 789.6]))

        """
        level: Fraction = read_level(confidence)
        return self._estimate.interval(
            1 - (1 - level) / len(self.labels) if simultaneous else level
        )

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        ends = self.interval(confidence, simultaneous=simultaneous)
        columns = []
        for name, unit, values, size in (
            ("count", "people", self.counts, 1),
            ("share", "", self.shares, self.people or np.nan),
        ):
            lower, upper = (end / size for end in ends)
            bound = np.maximum(upper - values, values - lower)
            if np.allclose(bound, bound.max(), rtol=1e-9):  # of two labels, but for rounding
                bound[:] = bound.max()
            columns.append(
                Numbers(name=name, values=values, unit=unit, bound=bound, lower=lower, upper=upper)
            )
        axis = keys_of((self.survey._keys.arrays[0],), ("label",), "label")
        return self._make_sheet((axis,), columns, confidence, simultaneous)


@dataclass(frozen=True, repr=False)
class NumberEstimate(_SurveyEstimate):
    """The estimated sum and mean of what people have. `NumberSurvey.estimate` returns it.

    Both are about the numbers of those who reported, clamped to the bounds and rounded to the grid,
    with the public number in place of those that are missing.

    Attributes
    ----------
    tally : Tally
        The reports, added up.

    """

    @property
    def sum(self) -> float:
        """Unbiased estimate of the sum. It may be beyond what the bounds allow."""
        (total,) = self.tally.totals
        return self._sum_of(total)

    @property
    def mean(self) -> float:
        """Unbiased estimate of the mean."""
        return self.sum / self.people

    @property
    def variance(self) -> float:
        """Variance of `sum`; for a survey by "one-bit" an estimate that is too large on average."""
        n, survey = self.people, self.survey
        if survey.method == "laplace":
            return float_of(n * Fraction(survey.variance))
        (ones,) = self.tally.totals
        unit: float = survey.mechanism._odds.slope * survey._width
        return ones * (1 - ones / n) * unit**2

    def interval(self, confidence: Number = 0.95, *, column: str = "mean") -> tuple[float, float]:
        """Return a confidence interval of the true mean or sum of the people who reported.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The confidence of the interval.
        column : {"mean", "sum"}, default "mean"
            What it is about.

        Returns
        -------
        (lower, upper) : floats
            In the unit of the data. It may lie outside of the bounds.

        Raises
        ------
        TypeError, ValueError
            If confidence or column is not allowed.

        Notes
        -----
        It covers the exact sum of the clamped numbers, not the mean of a population from which the
        people were drawn. By "laplace" 95 % means 95.0 to 95.8 % of all cases, for any number of
        people; by "one-bit" it means more, the more people differ: 95.7 % for ages at epsilon 1.

        Examples
        --------
        >>> from cydp.local import NumberSurvey
        >>> lower, upper = NumberSurvey((0, 100), epsilon=1, step=1).estimate([50] * 800).interval()
        >>> round(lower, 1), round(upper, 1)
        (40.2, 59.8)

        """
        level = read_level(confidence)
        if column not in ("sum", "mean"):
            raise ValueError(f"column must be 'mean' or 'sum', not {column!r}")
        size = self.people if column == "mean" else 1
        lower, upper = self._sum_interval(level)
        return lower / size, upper / size

    def _sum_of(self, total: float) -> float:
        """Return the estimated sum for a total of the reports."""
        survey, n = self.survey, self.people
        if survey.method == "laplace":
            return float_of(Fraction(total) * survey.step)
        odds: ReportOdds = survey.mechanism._odds
        width: float = survey._width
        ones = (total - n * float_of(odds.p_other)) * odds.slope
        return n * float_of(survey.bounds[0]) + ones * width

    def _sum_interval(self, level: Fraction) -> tuple[float, float]:
        survey, n = self.survey, self.people
        if survey.method == "laplace":
            half = sum_half_width(level, n, survey.mechanism) * float_of(survey.step)
            return self.sum - half, self.sum + half
        (ones,) = self.tally.totals
        z = normal_quantile(level)
        lower, upper = (_wilson_end(ones + side / 2, n, side * z) for side in (-1, 1))
        return self._sum_of(lower), self._sum_of(upper)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        columns = []
        for name, value in (("sum", self.sum), ("mean", self.mean)):
            lower, upper = self.interval(confidence, column=name)
            columns.append(
                Numbers(
                    name=name,
                    values=np.asarray(value, np.float64),
                    bound=max(upper - value, value - lower),
                    lower=np.asarray(lower, np.float64),
                    upper=np.asarray(upper, np.float64),
                )
            )
        return self._make_sheet((), columns, confidence, simultaneous)


def sum_half_width(level: Fraction, n: int, noise: DiscreteLaplace) -> float:
    """Return the half-width, in steps, of an interval for a sum of n noisy integers.

    The normal distribution gives it, corrected for the kurtosis of the noise [1]_. Half a step is
    added, since sums are integers.

    References
    ----------
    .. [1] Cornish, Fisher, "Moments and cumulants in the specification of distributions", 1938.

    """
    z = normal_quantile(level)
    p = math.exp(-1 / max(float_of(noise.scale), 0.1))
    excess = (1 / p + 4 + p) / 2  # of discrete Laplace noise: 3 for a large scale
    return (z + (z**3 - 3 * z) * excess / n / 24) * math.sqrt(n * noise.variance) + 0.5


def one_bit_half_width(level: Fraction, n: int, slope: float) -> float:
    """Return the largest half-width for a sum of n numbers in bounds (0, 1), by "one-bit"."""
    return (normal_quantile(level) * math.sqrt(n) / 2 + 0.5) * slope


def _wilson_end(ones: float, n: int, z: float) -> float:
    """Return n times the probability from which `ones` are z standard deviations away."""
    inside = min(max(ones, 0), n)
    root = math.sqrt(z * z / 4 + inside * (1 - inside / n))
    return (inside + z * z / 2 + z * root) / (1 + z * z / n)
