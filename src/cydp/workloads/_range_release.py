# SPDX-License-Identifier: MIT
"""The counts of all ranges of bins, which know their variance and their intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer, Number
from cydp.releases._answers import Steps
from cydp.releases._release import Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet, bins_of
from cydp.workloads._cell_ranges import places_of_edges, read_ranges
from cydp.workloads._chernoff_bounds import bound_sums

__all__ = ["RangeRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RangeRelease(Release):
    """Private counts of all ranges of bins. `range_counts` returns it.

    All counts are sums of `counts`, so they are consistent: a range is the sum of its parts. It
    unpacks as histograms do: ``counts, edges = release``.

    Attributes
    ----------
    query : RangeQuery
        The query: its strategy, noise, the privacy unit and the loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    nodes : ndarray of int64
        The noisy sums of bins: of all nodes of the tree, level after level from the bins up; or
        the fractional sum up to each bin, or bins and tents, in steps of `query.part.step`.
    axes : tuple of one ndarray, shape (bins + 1,)
        The edges of the bins.
    names : tuple of str
        The name of the column; empty if it is not known.
    counts : ndarray of float64, shape (bins,)
        The consistent counts of the bins, in records. They are unbiased, and may be negative.

    """

    query: Any
    nodes: NDArray[np.int64]
    axes: tuple[NDArray[Any], ...]
    names: tuple[str, ...] = ()

    @property
    def edges(self) -> NDArray[Any]:
        """The edges of the bins, shape (bins + 1,), as `cydp.histogram` has them."""
        return self.axes[0]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.counts, self.edges))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype)

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """The consistent counts of the bins."""
        counts: NDArray[np.float64] = self.query.sums.fit(self.nodes)
        counts.flags.writeable = False
        return counts

    @cached_property
    def _before(self) -> NDArray[np.float64]:
        """The counts of all bins before each edge."""
        return np.append(0.0, np.cumsum(self.counts))

    def range(self, lo: Any, hi: Any, *, edges: bool = False) -> float:
        """Return the noisy count of one range; parameters as in `ranges`.

        Examples
        --------
        >>> from cydp.workloads import range_counts
        >>> release = range_counts([1, 2, 3], 4, (0, 4), epsilon=100)
        >>> round(release.range(1, 3)), round(release.range(0, 2.0, edges=True))
        (2, 1)

        """
        found = self.ranges(lo, hi, edges=edges)
        if np.ndim(found):
            raise TypeError("lo and hi must be one number each: ranges counts many ranges")
        return float(found)

    def ranges(self, lows: Any, highs: Any, *, edges: bool = False) -> Any:
        """Return the noisy counts of many ranges of bins.

        Parameters
        ----------
        lows, highs : int or array_like of int
            A range is of the bins lo, ..., hi - 1.
        edges : bool, default False
            Whether lows and highs are edges of bins instead: the range is lo <= x < hi, with x = hi
            for the last edge.

        Returns
        -------
        float, or ndarray of float64 of the shape of lows and highs together
            In records. Unbiased, so they may be negative.

        Raises
        ------
        TypeError, ValueError
            Unless 0 <= lo <= hi <= the number of bins; for numbers that are no edges.

        Examples
        --------
        >>> from cydp.workloads import range_counts
        >>> release = range_counts([1, 2, 3], 4, (0, 4), epsilon=100)
        >>> release.ranges([0, 1], [2, 4]).round()
        array([1., 3.])

        """
        first, last, shape = self._places(lows, highs, edges)
        return _shaped(self._before[last] - self._before[first], shape)

    def range_variance(self, lows: Any, highs: Any, *, edges: bool = False) -> Any:
        """Return the variance of the noise in the count of each range; parameters as in `ranges`.

        It is exact, and depends on no data.

        Examples
        --------
        >>> from cydp.workloads import range_counts
        >>> release = range_counts([1, 2, 3], 4, (0, 4), epsilon=1)
        >>> release.range_variance([0, 0], [1, 4]).round(2)
        array([1.84, 7.37])

        """
        first, last, shape = self._places(lows, highs, edges)
        return _shaped(self.query.range_variance(first, last), shape)

    def range_interval(
        self,
        lows: Any,
        highs: Any,
        confidence: Number = 0.95,
        *,
        count: Integer = 1,
        edges: bool = False,
    ) -> tuple[Any, Any]:
        """Return intervals that contain the true counts of ranges.

        Parameters
        ----------
        lows, highs, edges
            As in `ranges`.
        confidence : number between 0 and 1, default 0.95
            The least probability that they do. It is proved (Chernoff's bound), and more than a
            normal distribution of the same variance would need.
        count : int >= 1, default 1
            The number of ranges for which it holds together.

        Returns
        -------
        (lower, upper) : floats, or ndarrays of float64, as from `ranges`
            In records.

        Raises
        ------
        TypeError, ValueError
            As `ranges` does; if confidence or count is outside its range.

        Examples
        --------
        >>> from cydp.workloads import range_counts
        >>> release = range_counts([1, 2, 3], 4, (0, 4), epsilon=1)
        >>> lower, upper = release.range_interval(0, 4)
        >>> bool(lower < release.range(0, 4) < upper)
        True

        """
        first, last, shape = self._places(lows, highs, edges)
        found = self._before[last] - self._before[first]
        bound = self._bound(first, last, confidence, count)
        return _shaped(found - bound, shape), _shaped(found + bound, shape)

    def _places(self, lows: Any, highs: Any, edges: bool) -> Any:
        if edges:
            lows = places_of_edges(lows, self.edges, "lows")
            highs = places_of_edges(highs, self.edges, "highs")
        return read_ranges(lows, highs, self.query.cells)

    def _bound(self, first: Any, last: Any, confidence: Number, count: Integer) -> Any:
        return bound_sums([self.query.terms_of_ranges(first, last)], confidence, count)

    @property
    def variance(self) -> NDArray[np.float64]:
        """Variance of the noise in each of `counts`."""
        cells = np.arange(self.query.cells)
        variances: NDArray[np.float64] = self.query.range_variance(cells, cells + 1)
        return variances

    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> NDArray[np.float64]:
        """Return the distance within which each of `counts` is from the true count.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds, as in `range_interval`.
        count : int >= 1, default 1
            The number of bins for which it holds together.

        Returns
        -------
        ndarray of float64, shape (bins,)
            In records.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range.

        Examples
        --------
        >>> from cydp.workloads import range_counts
        >>> release = range_counts([1, 2, 3], 2, (0, 4), epsilon=1)
        >>> release.error_bound().round(1)
        array([3., 3.])

        """
        return np.full(self.query.cells, super().error_bound(confidence, count=count), np.float64)

    @property
    def _steps(self) -> Steps:
        return {"counts": self.counts, "nodes": self.nodes}

    @property
    def _exact(self) -> dict[str, Any]:
        return {"nodes": self.nodes.tolist()}

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        together = self.query.cells if simultaneous else 1
        bound = self.error_bound(confidence, count=together)
        counts = Numbers(
            name="count",
            values=self.counts,
            unit="rows",
            bound=bound,
            lower=self.counts - bound,
            upper=self.counts + bound,
        )
        query = self.query
        kind = {
            "tree": f"a tree: {query.levels} levels, {query.branching} children",
            "fractional_sums": f"fractional sums: power {query.percent} %",
            "tents": f"bins and overlapping sums of them: {', '.join(map(str, query.tents[1:]))}",
        }[query.strategy]
        error = f"{query.expected_error:,.6g} rows, in the root of the mean square"
        note = f"consistent counts of {kind}; a range is off by {error}"
        axis = bins_of(self.edges, self.names[0] if self.names else "")
        return self._make_sheet([axis], [counts], confidence, simultaneous, notes=(note,))


def _shaped(numbers: NDArray[np.float64], shape: tuple[int, ...]) -> Any:
    """Return an array of a shape, or a float."""
    return numbers.reshape(shape) if shape else float(numbers.reshape(()))
