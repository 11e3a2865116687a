# SPDX-License-Identifier: MIT
"""How many people have each label, estimated from reports."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp.local._survey_estimate import SurveyEstimate
from cydp.mechanisms._estimate import Estimate
from cydp.mechanisms._parameters import read_level
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = ["CategoryEstimate"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class CategoryEstimate(SurveyEstimate):
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
            Whether it is that of all labels together, by the union bound.

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
        reports for a label has a variance of 100 or more: docs/local.md, "Coverage".

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
            ("count", "people", self.counts, 1), ("share", "", self.shares, self.people or np.nan),
        ):  # fmt: skip
            lower, upper = (end / size for end in ends)
            bound = np.maximum(upper - values, values - lower)
            if np.allclose(bound, bound.max(), rtol=1e-9):  # of two labels, but for rounding
                bound[:] = bound.max()
            columns.append(
                Numbers(name=name, values=values, unit=unit, bound=bound, lower=lower, upper=upper)
            )
        axis = keys_of((self.survey._keys.arrays[0],), ("label",), "label")
        return self._make_sheet((axis,), columns, confidence, simultaneous)
