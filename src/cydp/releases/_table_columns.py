# SPDX-License-Identifier: MIT
"""The columns of a released table, computed from its noisy parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import float_of
from cydp.exact._grid import Grid, centre_of
from cydp.releases._parts import Part

__all__ = ["CountColumn", "MeanColumn", "QuantileColumn", "SumColumn", "TableColumn"]

Steps: TypeAlias = Mapping[str, NDArray[np.int64]]
"""The noisy answers of each part by its name, in steps."""

Array: TypeAlias = NDArray[Any]


class TableColumn(Protocol):
    """A column: its values, and how far they are from the exact answers."""

    def values(self, steps: Steps) -> Array:
        """Return the values."""

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Any:
        """Return the distance from the exact answers."""

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Array, Array]:
        """Return the ends of intervals that hold the exact answers."""


@dataclass(frozen=True, slots=True)
class CountColumn:
    """Counts, in rows."""

    part: Part

    def values(self, steps: Steps) -> Array:
        """Return the noisy counts."""
        return steps[self.part.name]

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> int:
        """Return the error bound of each count."""
        return self.part.noise.error_bound(confidence, count=count)

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Array, Array]:
        """Return the counts minus and plus the error bound."""
        bound = min(self.error_bound(steps, confidence, count), 2**62)
        counts = self.values(steps)
        return counts - bound, counts + bound


@dataclass(frozen=True, slots=True)
class SumColumn:
    """Sums, in the unit of the data."""

    part: Part

    def values(self, steps: Steps) -> Array:
        """Return the noisy sums as floats."""
        return steps[self.part.name] * float_of(self.part.step)

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> float:
        """Return the error bound of each sum."""
        return float_of(self.part.noise.error_bound(confidence, count=count) * self.part.step)

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Array, Array]:
        """Return the sums minus and plus the error bound."""
        bound, sums = self.error_bound(steps, confidence, count), self.values(steps)
        return sums - bound, sums + bound


@dataclass(frozen=True, slots=True)
class MeanColumn:
    """Noisy sums of x - c over noisy counts, clamped to the bounds."""

    deviations: Part
    rows: Part
    grid: Grid

    def values(self, steps: Steps) -> Array:
        """Return the means as floats."""
        return self._place(steps[self.deviations.name] / np.maximum(steps[self.rows.name], 1))

    def _place(self, deviation: Array) -> Array:
        """Return means from their distances to c, in steps."""
        lower, upper = map(float_of, self.grid.bounds)
        means = (centre_of(self.grid) + deviation) * float_of(self.grid.step)
        clamped: Array = np.clip(means, lower, upper)
        return clamped

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Array:
        """Return the larger distance of each mean from the ends of its interval."""
        (lower, upper), means = self.interval(steps, confidence, count), self.values(steps)
        bound: Array = np.maximum(means - lower, upper - means)
        return bound

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Array, Array]:
        """Return the least and the largest ratio of a sum and a count within their bounds."""
        around, apart = (
            float(part.noise.error_bound(confidence, count=2 * count))
            for part in (self.deviations, self.rows)
        )
        totals, rows = steps[self.deviations.name], steps[self.rows.name]
        fewest, most = np.maximum(rows - apart, 1), np.maximum(rows + apart, 1)
        low, high = totals - around, totals + around
        rounding = float_of(self.grid.step) / 2  # of each number, and so of their mean
        return (
            self._place(low / np.where(low < 0, fewest, most)) - rounding,
            self._place(high / np.where(high < 0, most, fewest)) + rounding,
        )


@dataclass(frozen=True, slots=True)
class QuantileColumn:
    """Quantiles, in the unit of the data; a dimension for several quantiles of one column."""

    parts: tuple[Part, ...]
    several: bool

    def values(self, steps: Steps) -> Array:
        """Return the chosen grid points as floats."""
        chosen = [steps[part.name] * float_of(part.step) for part in self.parts]
        return np.stack(chosen, axis=-1) if self.several else chosen[0]

    def error_bound(self, steps: Steps, confidence: Number, count: int) -> Any:
        """Refuse: the distance in the unit of the data depends on the data."""
        raise TypeError(
            "quantiles have no error bound in the unit of the data: it would depend on the data. "
            "cydp.explain gives their error in ranks"
        )

    def interval(self, steps: Steps, confidence: Number, count: int) -> tuple[Array, Array]:
        """Refuse, as `error_bound` does."""
        return self.error_bound(steps, confidence, count), self.values(steps)
