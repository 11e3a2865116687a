# SPDX-License-Identifier: MIT
"""The private answers of a workload, which know their variance and their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp.releases._answers import Answer, NoisyAnswer, Steps
from cydp.releases._release import Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet, keys_of
from cydp.workloads._chernoff_bounds import SumsAnswer, Terms

__all__ = ["LinearRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LinearRelease(Release):
    """The private answers of a workload. `linear_queries` returns it.

    Attributes
    ----------
    query : LinearQuery
        The query: the strategy, its noise, the privacy unit and the loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    noisy : ndarray of int64
        The noisy numbers: counts of bins, counts of a tree's nodes, or answers.
    answers : ndarray of float64, shape (queries,); of int64 if noise is added to them directly
        Unbiased.
    squares : ndarray of float64, shape (queries,)
        The sum of the squares of the coefficients of noise in each answer.
    largest : ndarray of float64, shape (queries,)
        The largest absolute coefficient, or more.

    """

    query: Any
    noisy: NDArray[np.int64]
    answers: NDArray[Any]
    squares: NDArray[np.float64]
    largest: NDArray[np.float64]

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance of the noise in each answer; exact."""
        variances: NDArray[np.float64] = self.query.part.noise.variance * self.squares
        return variances

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> NDArray[np.float64]:
        """Return the distance within which each answer is from the true one.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds; by Chernoff's bound, unless noise is added to the
            answers directly.
        count : int >= 1, default 1
            The number of answers for which it holds together.

        Returns
        -------
        ndarray of float64, shape (queries,)
            In records.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> from cydp.workloads import linear_queries
        >>> linear_queries([1, 2], [[1, 1, 1, 1]], 4, (0, 4), epsilon=1).error_bound()
        array([3.])

        """
        bound = super().error_bound(confidence, count=count)
        return np.full(len(self.answers), bound, np.float64)

    @property
    def _answer(self) -> Answer:
        query = self.query
        if query.strategy == "workload":
            return NoisyAnswer("answers", query.queries, "rows", query.part)
        terms = Terms(query.part.noise, self.squares, self.largest)
        return SumsAnswer("answers", query.queries, "rows", (terms,))

    @property
    def _steps(self) -> Steps:
        answers = self.answers.astype(np.float64)
        return {"answers": answers, self.query.part.name: answers}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.answers, dtype)

    @property
    def _exact(self) -> dict[str, Any]:
        return {"noisy": self.noisy.tolist()}

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        bound = self.error_bound(confidence, count=len(self.answers) if simultaneous else 1)
        answers = Numbers(
            name="answer",
            values=self.answers,
            bound=bound,
            lower=self.answers - bound,
            upper=self.answers + bound,
        )
        axis = keys_of((np.arange(len(self.answers)),), ("query",), what="answer")
        made = f"strategy: noise in {_WORDS[self.query.strategy]}"
        return self._make_sheet([axis], [answers], confidence, simultaneous, notes=(made,))


_WORDS = {
    "identity": "the counts of bins",
    "tree": "the counts of a tree's nodes",
    "workload": "the answers",
    "fractional_sums": "fractional sums of bins",
    "tents": "bins and overlapping sums of them",
}
