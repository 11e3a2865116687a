# SPDX-License-Identifier: MIT
"""A release of a random sample of the rows, and what it tells of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._numbers.rational import float_of, literal_of, read_integer
from cydp.accounting._loss import ApproxDP, PureDP
from cydp.accounting._meaning import notes_on
from cydp.releases._certificate import describe_loss
from cydp.releases._count import CountQuery, NumberRelease
from cydp.releases._format import format_cost
from cydp.releases._histogram_release import HistogramRelease, TableRelease
from cydp.releases._query import Query
from cydp.releases._release import ADDED, Release, recorded
from cydp.releases._sum import SumQuery
from cydp.releases._unit import Unit
from cydp.releases.output._exportable import Exportable
from cydp.releases.output._sheet import Sheet
from cydp.sampling._amplified import amplified

__all__ = ["SampleQuery", "SampleRelease", "WholeEstimate"]


@recorded
@dataclass(frozen=True, repr=False)
class SampleQuery:
    """A release of a sample, without its data.

    Attributes
    ----------
    asked : Query
        The query of the sample.
    share : Fraction
        The probability with which each row is in it.
    rows : int or None
        How many rows the table has, if the sample has a fixed size.

    """

    asked: Query
    share: Fraction
    rows: int | None = field(default=None, metadata=ADDED)

    @cached_property
    def loss(self) -> PureDP | ApproxDP:
        """Privacy cost for the whole table."""
        return amplified(self.asked.loss, self.share, relation=self.relation)

    @property
    def size(self) -> int | None:
        """How many rows are in the sample, if it has a fixed size."""
        return None if self.rows is None else int(self.share * self.rows)

    @property
    def words(self) -> str:
        """What the sample is, in words."""
        if self.rows is None:
            return f"a random {literal_of(self.share)} of the rows"
        return f"{self.size:,} random rows of {self.rows:,}"

    @property
    def unit(self) -> Unit:
        """What is protected: a row."""
        return self.asked.unit

    @property
    def relation(self) -> str:
        """The relation of neighbours."""
        return self.asked.relation

    @property
    def function(self) -> str:
        """What a ledger calls the release."""
        return "on_sample"

    @property
    def mechanism_name(self) -> str:
        """What a ledger calls the mechanisms."""
        return self.asked.mechanism_name

    @property
    def in_words(self) -> str:
        """What is released, in a line for a report."""
        return f"{self.asked.in_words}, of {self.words}"

    @property
    def path(self) -> str | None:
        """The absolute path of the table, as of a query."""
        return self.asked.path

    def to_dict(self) -> dict[str, Any]:
        """Return the query as JSON can hold it, as `Query.to_dict` does."""
        rows = {} if self.rows is None else {"rows": self.rows}
        return {"share": str(self.share), **rows, "of": self.asked.to_dict()}

    def arguments_before(self) -> Any:
        """Return what no earlier version wrote: a query does not tell what it compared."""
        return {"on_sample": "compared by its query alone"}

    def __repr__(self) -> str:
        rows = "" if self.rows is None else f", rows={self.rows}"
        return f"on_sample({self.asked!r}, share={literal_of(self.share)}{rows})"


@dataclass(frozen=True, slots=True)
class WholeEstimate:
    """Estimates for the whole table, from a release of a sample.

    Attributes
    ----------
    values : float, or ndarray of float64
        The released numbers over the share: unbiased estimates for all rows.
    variances : float, or ndarray of float64
        Estimates of their variances, from released numbers alone: of the noise, over the square of
        the share, and of the sampling. They are right, or too large, in the mean.

    """

    values: Any
    variances: Any


@recorded
@dataclass(frozen=True, repr=False, kw_only=True)
class SampleRelease(Exportable):
    """A private release of a secret random share of the rows. `on_sample` returns it.

    Attributes
    ----------
    query : SampleQuery
        The query of the sample, and the share.
    release : Release
        The release of the sample: its numbers, errors and loss are about the sample.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.

    """

    query: SampleQuery
    release: Release
    payment: Any = field(default=None, compare=False)

    @property
    def share(self) -> Fraction:
        """The probability with which each row was in the sample."""
        return self.query.share

    @property
    def loss(self) -> PureDP | ApproxDP:
        """Privacy cost for the whole table: the amplified one."""
        return self.query.loss

    @property
    def relation(self) -> str:
        """The relation of neighbours: "add-remove", or "change-one" for a fixed size."""
        return self.query.relation

    @property
    def unit(self) -> str:
        """What is protected, in words."""
        return self.query.unit.words

    @property
    def metadata(self) -> dict[str, Any]:
        """The facts besides the numbers, as JSON can hold them."""
        return self.release.metadata | {
            "function": self.query.function,
            "loss": describe_loss(self.loss),
            "sampling": {
                "kind": "poisson" if self.query.rows is None else "fixed size",
                "share": str(self.share),
                "function": self.query.asked.function,
                "loss_on_sample": describe_loss(self.query.asked.loss),
            },
        }

    def estimate(self, *, most_rows: Integer | None = None) -> WholeEstimate:
        """Return estimates for all rows from the released counts or sum.

        Parameters
        ----------
        most_rows : int >= 1, optional
            A public bound of the number of rows. Needed for the variance of a sum of numbers that
            may be negative and positive.

        Returns
        -------
        WholeEstimate

        Raises
        ------
        TypeError, ValueError
            If what was released is no count, histogram, sum or table with counts, or most_rows is
            missing or not allowed. Means and quantiles of a sample need no scaling.

        Examples
        --------
        >>> import cydp
        >>> from cydp.sampling import on_sample
        >>> release = on_sample(cydp.count, [1] * 10_000, share="1/10", epsilon=100)
        >>> whole = release.estimate()
        >>> 5000 < whole.values < 15_000, 50_000 < whole.variances < 150_000
        (True, True)

        """
        rows = None if most_rows is None else read_integer(most_rows, "most_rows")
        if rows is not None and rows < 1:
            raise ValueError(f"most_rows must be at least 1, not {rows}")
        share, made = float_of(self.share), self.release
        counts: Any
        if isinstance(made, NumberRelease) and isinstance(made.query, SumQuery):
            return self._estimate_sum(made, made.query, rows)
        if isinstance(made, NumberRelease) and isinstance(made.query, CountQuery):
            counts, noise = float(made.value), made.variance
        elif isinstance(made, HistogramRelease):
            counts, noise = made.counts.astype(np.float64), made.variance
        elif isinstance(made, TableRelease) and "n" in made.columns:
            counts, noise = made.counts.astype(np.float64), made.variance["n"]
        else:
            raise TypeError(
                "estimate is for counts, histograms, sums and tables with counts: other numbers of "
                "a sample, such as means, are not scaled"
            )
        values = counts / share
        # A binomial count of n rows has the variance n q (1 - q), and n is estimated.
        variances = noise / share**2 + np.maximum(values, 0) * (1 - share) / share
        return WholeEstimate(values, float(variances) if np.ndim(variances) == 0 else variances)

    def _estimate_sum(
        self, made: NumberRelease, query: SumQuery, rows: int | None
    ) -> WholeEstimate:
        share, (lower, upper) = float_of(self.share), map(float_of, query.grid.bounds)
        value, largest = float(made) / share, max(abs(lower), abs(upper))
        if rows is not None:
            squares = rows * largest**2
            if self.query.rows is not None:  # draws without replacement
                squares *= self.query.rows / max(self.query.rows - 1, 1)
        elif lower >= 0 or upper <= 0:  # x**2 is at most largest * abs(x)
            squares = largest * max(value if upper > 0 else -value, 0.0)
        else:
            raise TypeError(
                "most_rows must be given: the variance of a sum of numbers of both signs depends "
                "on how many there are"
            )
        return WholeEstimate(value, made.variance / share**2 + squares * (1 - share) / share)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        sheet = self.release._sheet(confidence, simultaneous)
        sampled = (
            f"made of {self.query.words}, drawn in secret: numbers and "
            "errors are those of the sample, for which alone it would cost "
            f"{format_cost(self.query.asked.loss)}"
        )
        of_sample = self.query.asked.notes_on_cost  # which says nothing about the whole table
        others = [note for note in sheet.notes if note not in of_sample]
        return replace(
            sheet,
            title=f"{sheet.title} of a sample",
            cost=format_cost(self.loss),
            notes=(sampled, *others, *notes_on(self.loss, self.query.unit)),
            further_notes=() if self.payment is None else self.payment.notes,
        )

    def _facts(self) -> Mapping[str, Any]:
        facts = self.release._facts()
        return {
            **facts,
            "exact": facts["exact"] | describe_loss(self.loss),
            "metadata": self.metadata,
        }
