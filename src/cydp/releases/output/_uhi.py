# SPDX-License-Identifier: MIT
"""A histogram as the tools of UHI take it: https://uhi.readthedocs.io."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.releases.output._sheet import Axis, Sheet, floats_of
from cydp.releases.output._words import axis_labels

__all__ = ["uhi_of"]


@dataclass(frozen=True, slots=True)
class Traits:
    """The properties of an axis."""

    discrete: bool
    circular: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class BinAxis:
    """An axis of bins; ``axis[i]`` is a pair of edges.

    Attributes
    ----------
    edges : ndarray of float, shape (bins + 1,)
        Of times: seconds from 1970 on.
    name : str

    """

    edges: NDArray[np.float64]
    name: str

    @property
    def traits(self) -> Traits:
        """Bins stand side by side."""
        return Traits(discrete=False)

    def __getitem__(self, place: int) -> tuple[float, float]:
        if not 0 <= place < len(self):
            raise IndexError("an axis has as many places as it is long")
        return float(self.edges[place]), float(self.edges[place + 1])

    def __len__(self) -> int:
        return len(self.edges) - 1

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BinAxis) and np.array_equal(self.edges, other.edges)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class CategoryAxis:
    """An axis of keys; ``axis[i]`` is a key as text.

    Attributes
    ----------
    keys : tuple of str
    name : str

    """

    keys: tuple[str, ...]
    name: str

    @property
    def traits(self) -> Traits:
        """Keys are apart from each other."""
        return Traits(discrete=True)

    def __getitem__(self, place: int) -> str:
        return self.keys[place]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys)


@dataclass(frozen=True, slots=True, eq=False)
class UhiHistogram:
    """A histogram of UHI, a `PlottableHistogram`.

    Attributes
    ----------
    axes : tuple of BinAxis or CategoryAxis
    kind : str
        "COUNT".

    """

    axes: tuple[BinAxis | CategoryAxis, ...]
    _counts: NDArray[np.float64]
    _variance: float | None
    kind: str = "COUNT"

    def values(self) -> NDArray[np.float64]:
        """Return the noisy counts as floats."""
        return self._counts.copy()

    def variances(self) -> NDArray[np.float64] | None:
        """Return the variance of the noise in each count; None where it is not known."""
        return None if self._variance is None else np.full(self._counts.shape, self._variance)

    def counts(self) -> NDArray[np.float64]:
        """Return the noisy counts as floats."""
        return self.values()

    def _to_boost_histogram_(self) -> Any:
        """Return the arguments of ``boost_histogram.Histogram``: counts with their variances.

        A variance that is not known is NaN.
        """
        import boost_histogram as bh

        axes = [
            bh.axis.StrCategory(axis.keys)
            if isinstance(axis, CategoryAxis)
            else bh.axis.Variable(axis.edges, underflow=False, overflow=False)
            for axis in self.axes
        ]
        variance = np.nan if self._variance is None else self._variance  # 0 would mean: exact
        found = bh.Histogram(*axes, storage=bh.storage.Weight())
        found[...] = np.stack([self._counts, np.full_like(self._counts, variance)], axis=-1)
        return found


def uhi_of(sheet: Sheet, variance: float | None) -> UhiHistogram:
    """Return the first column of a sheet as a histogram of UHI."""
    counts = np.asarray(sheet.columns[0].values, np.float64)
    return UhiHistogram(tuple(map(_axis_of, sheet.axes)), counts, variance)


def _axis_of(axis: Axis) -> BinAxis | CategoryAxis:
    if axis.edges is not None:
        return BinAxis(floats_of(axis.edges), axis.names[0])
    columns = axis_labels(axis, np.arange(len(axis)))
    return CategoryAxis(tuple(map(", ".join, zip(*columns, strict=True))), ", ".join(axis.names))
