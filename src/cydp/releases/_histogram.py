# SPDX-License-Identifier: MIT
"""The private histogram."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp import sensitivity
from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Records
from cydp._generator import Generator
from cydp._numbers.rational import format_number
from cydp.accounting._loss import PureDP
from cydp.accounting.ledger._serialize import register
from cydp.exact._bins import Bins, public_bins
from cydp.mechanisms._charge_and_draw import Budget, charge_and_draw
from cydp.mechanisms._discrete_laplace import DiscreteLaplace
from cydp.mechanisms._integer_mechanism import INT64
from cydp.releases._release import Release

__all__ = ["HistogramRelease", "histogram"]

_SHOWN_CONFIDENCE = Fraction(999, 1000)
_SHOWN_BINS = 20


@explain_arguments
def histogram(
    x: Column,
    bins: BinsLike,
    range: RangeLike | None = None,
    *,
    epsilon: Number,
    relation: str = "add-remove",
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> HistogramRelease:
    """Count records in bins and add exact discrete Laplace noise to every count.

    Parameters
    ----------
    x : array_like of real numbers, shape (n,)
        One entry for each record. It may be a list, which is read as float64, an array, or a
        column or one-column table of pandas, polars, pyarrow or DuckDB. NaN, null and masked
        entries, and values outside the bins, are left out.
    bins : int or sequence of edges
        A number of equal bins over `range`, or edges that never decrease. The last bin includes
        its right edge.
    range : (float, float)
        The ends of the equal bins. There is no default, because the range of the data would
        reveal records.
    epsilon : number > 0
        Privacy cost of the release in pure DP, in nats.
    relation : {"add-remove", "change-one"}, default "add-remove"
        Whether neighbouring tables differ in the presence of one record (L1 sensitivity 1) or in
        its value (L1 sensitivity 2).
    budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
        It is charged before data is read.
    rng : Generator, optional
        The source of the noise. Default: the calling thread's own generator.

    Returns
    -------
    HistogramRelease
        The noisy counts, with their edges, privacy loss and intervals.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed. Then nothing is charged and no data is read.
    PrivacyError
        If the budget refuses. Then nothing is charged and no data is read.

    References
    ----------
    .. [1] Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity in private data
       analysis", 2006, example 1.

    Examples
    --------
    >>> histogram([18, 25, 31], bins=2, range=(0, 40), epsilon=1).counts.shape
    (2,)

    """
    mechanism = DiscreteLaplace(
        epsilon=epsilon, sensitivity=sensitivity.histogram(relation=relation)
    )
    if range is not None and np.ndim(cast(Any, bins)) != 0:
        raise ValueError("range must be None if bins are edges")
    records = Records(x)
    grid = public_bins(bins, range, records.dtype)
    shape = (len(grid.edges) - 1,)
    counts = charge_and_draw(
        mechanism,
        partial(_count, mechanism, grid, records),
        shape,
        INT64,
        budget,
        rng,
        function="histogram",
        arguments=grid.edges,
        relation=relation,
    )
    return HistogramRelease(counts=counts, edges=grid.edges, mechanism=mechanism, relation=relation)


def _count(
    mechanism: DiscreteLaplace, grid: Bins, records: Records, generator: Generator
) -> NDArray[np.int64]:
    """Return the noisy counts; the data is read here."""
    return mechanism.release(grid.count(records.read()), rng=generator)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class HistogramRelease(Release):
    """A private histogram, which knows its noise, its privacy loss and its intervals.

    Releases can be compared, hashed, copied and pickled. Their arrays are read-only: change a
    copy of `counts`.

    Attributes
    ----------
    counts : ndarray of int64, shape (bins,)
        Noisy counts, in records. They are unbiased, so they may be negative.
    edges : ndarray, shape (bins + 1,)
        Bin i holds edges[i] <= x < edges[i + 1]; the last bin includes its right edge.
    mechanism : DiscreteLaplace
        The mechanism that added the noise.
    relation : str
        "add-remove" or "change-one".

    """

    counts: NDArray[np.int64]
    edges: NDArray[Any]
    mechanism: DiscreteLaplace
    relation: str

    @property
    def loss(self) -> PureDP:
        """Privacy cost of the whole release."""
        return self.mechanism.loss

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> int:
        """Return the distance within which noisy counts are from the true counts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            The number of bins for which it holds together: 1, or ``len(release.counts)`` for all.

        Returns
        -------
        int
            In records.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> release = histogram([1, 2], 4, (0, 4), epsilon=1)
        >>> release.error_bound(0.95), release.error_bound(0.95, count=4)
        (3, 4)

        """
        return self.mechanism.error_bound(confidence, count=count)

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return intervals that contain the true counts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            The number of bins for which it holds together: 1, or ``len(release.counts)`` for all.

        Returns
        -------
        (lower, upper) : ndarrays of int64, shape (bins,)
            The ends of the intervals, in records.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> lower, upper = histogram([1, 2], 2, (0, 4), epsilon=1).interval(0.95)
        >>> upper - lower
        array([6, 6])

        """
        # No count is beyond 2**62 (DiscreteLaplace.release), and int64 would wrap.
        bound = min(self.error_bound(confidence, count=count), 2**62)
        return self.counts - bound, self.counts + bound

    def __repr__(self) -> str:
        noise = self.mechanism
        bound = self.error_bound(_SHOWN_CONFIDENCE, count=max(len(self.counts), 1))
        head = [
            f"HistogramRelease: {len(self.counts)} bins, epsilon={format_number(noise.epsilon)}, "
            f"relation={self.relation!r}",
            f"mechanism: DiscreteLaplace, scale {format_number(noise.scale)}",
            f"error: within {bound} for all bins together, with 99.9 % confidence",
        ]
        return "\n".join(head + self._format_rows())

    def _format_rows(self) -> list[str]:
        n, half = len(self.counts), _SHOWN_BINS // 2
        shown = [*range(n)] if n <= _SHOWN_BINS else [*range(half), *range(n - half, n)]
        bins = [
            f"[{_format_edge(self.edges[i])}, {_format_edge(self.edges[i + 1])}"
            + ("]" if i == n - 1 else ")")
            for i in shown
        ]
        counts = [str(self.counts[i]) for i in shown]
        left, right = max(map(len, bins)), max(map(len, counts))
        rows = [
            f"  {bin_:<{left}}  {count:>{right}}" for bin_, count in zip(bins, counts, strict=True)
        ]
        return rows if n <= _SHOWN_BINS else [*rows[:half], "  ...", *rows[half:]]


def _format_edge(edge: np.number[Any]) -> str:
    return str(edge).removesuffix(".0")


def _pack(release: HistogramRelease) -> dict[str, Any]:
    noise = release.mechanism
    return {
        "counts": release.counts, "edges": release.edges, "relation": release.relation,
        "epsilon": noise.epsilon, "sensitivity": noise.sensitivity, "stated": noise.relation,
    }  # fmt: skip


def _unpack(parts: dict[str, Any]) -> HistogramRelease:
    norm = sensitivity.Sensitivity(parts["sensitivity"], relation=parts["stated"])
    noise = DiscreteLaplace(epsilon=parts["epsilon"], sensitivity=norm)
    counts, edges, relation = parts["counts"], parts["edges"], parts["relation"]
    return HistogramRelease(counts=counts, edges=edges, mechanism=noise, relation=relation)


register(HistogramRelease, _pack, _unpack)
