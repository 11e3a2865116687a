# SPDX-License-Identifier: MIT
"""A private histogram, which knows its noise, its privacy loss and its intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp._numbers.rational import format_number
from cydp.mechanisms._discrete_laplace import DiscreteLaplace
from cydp.releases._format import format_cost
from cydp.releases._parts import Part
from cydp.releases._release import Release, recorded
from cydp.releases.postprocessing._post_processed import PostProcessing

__all__ = ["HistogramRelease"]

_SHOWN_CONFIDENCE = Fraction(999, 1000)
_SHOWN_BINS = 20


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HistogramRelease(Release, PostProcessing):
    """A private histogram. `histogram` and `histogramdd` return it.

    Releases can be compared, hashed, copied and pickled. Their arrays are read-only: change a
    copy of `counts`. A release unpacks as numpy's histograms do: ``counts, edges = release``.

    Attributes
    ----------
    query : Query
        What was asked: noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    counts : ndarray of int64, shape (bins,), or (keys, bins), or one dimension for each column
        Noisy counts, in records. They are unbiased, so they may be negative.
    axes : tuple of ndarrays
        The edges of the bins of each column.
    by_columns : tuple of ndarrays
        The keys of the first dimension of counts, by column; empty without `by`.

    """

    query: Any
    counts: NDArray[np.int64]
    axes: tuple[NDArray[Any], ...]
    by_columns: tuple[NDArray[Any], ...] = ()

    @property
    def edges(self) -> Any:
        """The edges of the bins, shape (bins + 1,); for several columns a tuple of them.

        Bin i holds edges[i] <= x < edges[i + 1]; the last bin includes its right edge.
        """
        return self.axes[0] if len(self.axes) == 1 else self.axes

    @property
    def by_keys(self) -> Any:
        """The keys, shape (keys,); for several columns a tuple of them; None without `by`."""
        if not self.by_columns:
            return None
        return self.by_columns[0] if len(self.by_columns) == 1 else self.by_columns

    def __iter__(self) -> Iterator[Any]:
        return iter((self.counts, self.edges))

    @property
    def _part(self) -> Part:
        part: Part
        (part,) = self.query.parts.values()
        return part

    @property
    def variance(self) -> float:
        """Variance of the noise in each count."""
        return self._part.variance

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> int:
        """Return the distance within which noisy counts are from the true counts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            The number of bins for which it holds together: 1, or ``release.counts.size`` for all.

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
        >>> from cydp import histogram
        >>> release = histogram([1, 2], 4, (0, 4), epsilon=1)
        >>> release.error_bound(0.95), release.error_bound(0.95, count=4)
        (3, 4)

        """
        return self._part.noise.error_bound(confidence, count=count)

    def interval(
        self, confidence: Number = 0.95, *, count: Integer = 1
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return intervals that contain the true counts.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            The number of bins for which it holds together: 1, or ``release.counts.size`` for all.

        Returns
        -------
        (lower, upper) : ndarrays of int64, of the shape of counts
            The ends of the intervals, in records.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> from cydp import histogram
        >>> lower, upper = histogram([1, 2], 2, (0, 4), epsilon=1).interval(0.95)
        >>> upper - lower
        array([6, 6])

        """
        # No count is beyond 2**62 (DiscreteLaplace.release), and int64 would wrap.
        bound = min(self.error_bound(confidence, count=count), 2**62)
        return self.counts - bound, self.counts + bound

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype)

    def __repr__(self) -> str:
        noise = self._part.noise
        bound = self.error_bound(_SHOWN_CONFIDENCE, count=max(self.counts.size, 1))
        size = (
            f"scale {format_number(noise.scale)}"
            if isinstance(noise, DiscreteLaplace)
            else f"sigma {noise.sigma:.4g}"
        )
        cells = " x ".join(map(str, self.counts.shape))
        head = [
            f"HistogramRelease: {cells} bins, {format_cost(self.loss)}, relation={self.relation!r}",
            f"mechanism: {type(noise).__name__}, {size}",
            f"error: within {bound} for all bins together, with 99.9 % confidence",
        ]
        return "\n".join(head + (self._format_rows() if self.counts.ndim == 1 else []))

    def _format_rows(self) -> list[str]:
        n, half, edges = len(self.counts), _SHOWN_BINS // 2, self.axes[0]
        shown = [*range(n)] if n <= _SHOWN_BINS else [*range(half), *range(n - half, n)]
        bins = [
            f"[{_format_edge(edges[i])}, {_format_edge(edges[i + 1])}"
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
