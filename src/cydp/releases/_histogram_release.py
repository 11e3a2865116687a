# SPDX-License-Identifier: MIT
"""A private histogram, which knows its noise, its privacy loss and its intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp.releases._answers import Steps
from cydp.releases._noise_split import Part
from cydp.releases._release import Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet, bins_of, keys_of
from cydp.releases.postprocessing._post_processed import PostProcessing

__all__ = ["HistogramRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class HistogramRelease(Release, PostProcessing):
    """A private histogram. `histogram` and `histogramdd` return it.

    Releases can be compared, hashed, copied and pickled. Their arrays are read-only: change a
    copy of `counts`. A release unpacks as numpy's histograms do: ``counts, edges = release``.

    Attributes
    ----------
    query : Query
        The query: noise, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    counts : ndarray of int64, shape (bins,), or (keys, bins), or one dimension for each column
        Noisy counts, in records. They are unbiased, so they may be negative.
    axes : tuple of ndarrays
        The edges of the bins of each column.
    by_columns : tuple of ndarrays
        The keys of the first dimension of counts, by column; empty without `by`.
    names : tuple of str
        The name of the column of each of `axes`, "" where it is not known; empty if none is known.
    by_names : tuple of str
        As `names`, for `by_columns`.

    """

    query: Any
    counts: NDArray[np.int64]
    axes: tuple[NDArray[Any], ...]
    by_columns: tuple[NDArray[Any], ...] = ()
    names: tuple[str, ...] = ()
    by_names: tuple[str, ...] = ()

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

    @property
    def _steps(self) -> Steps:
        return {"counts": self.counts}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.counts, dtype)

    def to_uhi(self) -> Any:
        """Return the histogram as other tools draw it: a PlottableHistogram of UHI.

        Returns
        -------
        object
            `axes`, `values()`, `variances()` (of the noise), `counts()` and `kind`.
            Keys are an axis of categories. ``boost_histogram.Histogram`` takes it too.

        Examples
        --------
        >>> import cydp
        >>> drawable = cydp.histogram([1, 3], 2, (0, 4), epsilon=100).to_uhi()
        >>> list(drawable.axes[0]), drawable.values()
        ([(0.0, 2.0), (2.0, 4.0)], array([1., 1.]))

        """
        from cydp.releases.output._uhi import uhi_of

        return uhi_of(self._sheet(0.95, False), self.variance)

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        together = max(self.counts.size, 1) if simultaneous else 1
        lower, upper = self.interval(confidence, count=together)
        counts = Numbers(
            name="count",
            values=self.counts,
            unit="rows",
            bound=self.error_bound(confidence, count=together),
            lower=lower,
            upper=upper,
        )
        axes = [keys_of(self.by_columns, self.by_names)] if self.by_columns else []
        names = self.names or ("",) * len(self.axes)
        axes += [bins_of(edges, name) for edges, name in zip(self.axes, names, strict=True)]
        return self._make_sheet(axes, [counts], confidence, simultaneous)
