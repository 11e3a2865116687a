# SPDX-License-Identifier: MIT
"""The columns of a model, scaled by public bounds, and linear functions of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds
from cydp._numbers.bounds import read_bounds
from cydp._numbers.rational import float_of
from cydp.releases._release import recorded

__all__ = ["ColumnBounds", "LinearFunction", "ModelColumn", "read_columns"]

ColumnBounds: TypeAlias = Mapping[str, Bounds]
"""The bounds of columns by their names, such as {"age": (0, 100)}."""

_MOST = 500  # columns: the products of each pair are released


@recorded
@dataclass(frozen=True)
class ModelColumn:
    """A column, clamped to public bounds.

    Attributes
    ----------
    name : str or int
        Its name in the table; the place of a column of a 2-D array.
    lower, upper : Fraction

    """

    name: Any
    lower: Fraction
    upper: Fraction

    @property
    def middle(self) -> float:
        """The value that scaling maps to 0."""
        return float_of((self.lower + self.upper) / 2)

    @property
    def half(self) -> float:
        """Half of the distance of the bounds, which scaling maps to 1."""
        return float_of((self.upper - self.lower) / 2)

    def clamp(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values within the bounds; NaN stays."""
        return np.clip(values, float_of(self.lower), float_of(self.upper))

    def scale(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values, clamped, in [-1, 1]; NaN stays."""
        return np.clip((self.clamp(values) - self.middle) / self.half, -1, 1)


@recorded
@dataclass(frozen=True)
class LinearFunction:
    """A linear function of columns, which was released.

    Attributes
    ----------
    features : tuple of ModelColumn
    target : ModelColumn
    weights : tuple of float
        The weights of 1 and of the features, scaled to [-1, 1]. The weighted sum is the scaled
        target.

    """

    features: tuple[ModelColumn, ...]
    target: ModelColumn
    weights: tuple[float, ...]

    @property
    def coefficients(self) -> dict[Any, float]:
        """The change of the prediction for 1 in the unit of each feature."""
        return {
            feature.name: weight * self.target.half / feature.half
            for feature, weight in zip(self.features, self.weights[1:], strict=True)
        }

    @property
    def intercept(self) -> float:
        """The value of the function where all features are 0."""
        slopes = self.coefficients.values()
        middles = (feature.middle for feature in self.features)
        centre = self.target.middle + self.weights[0] * self.target.half
        return centre - sum(slope * middle for slope, middle in zip(slopes, middles, strict=True))

    def predict(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the predictions of rows, shape (n, features), within the bounds of the target."""
        total = np.full(len(values), self.weights[0])
        for j, feature in enumerate(self.features):
            total += self.weights[1 + j] * feature.scale(values[:, j])
        # Clipped first: the half of wide bounds would overflow, and warn of a row.
        scaled = np.clip(total, -1, 1)
        return self.target.clamp(self.target.middle + self.target.half * scaled)


def read_columns(
    features: ColumnBounds, target: ColumnBounds
) -> tuple[tuple[ModelColumn, ...], ModelColumn]:
    """Return the features and the target that a caller describes.

    Raises
    ------
    TypeError, ValueError
        Unless both are dicts of pairs (lower, upper) with lower < upper, the target has one entry,
        and no column is given twice.

    Examples
    --------
    >>> features, target = read_columns({"age": (0, 100)}, {"income": (0, 1000)})
    >>> features[0].scale(np.array([0.0, 75, 200])).tolist()
    [-1.0, 0.5, 1.0]

    """
    found = _read_each(features, "features"), _read_each(target, "target")
    if len(found[1]) != 1:
        raise ValueError(f"target must have one column, not {len(found[1])}")
    if not 1 <= len(found[0]) <= _MOST:
        raise ValueError(f"features must have 1 to {_MOST} columns, not {len(found[0])}")
    (goal,) = found[1]
    if goal.name in {feature.name for feature in found[0]}:
        raise ValueError(f"target must be another column than the features, not {goal.name!r}")
    return found[0], goal


def _read_each(given: Any, name: str) -> tuple[ModelColumn, ...]:
    if not isinstance(given, Mapping):
        raise TypeError(
            f"{name} must be a dict of bounds by column, such as {{'age': (0, 100)}}, not "
            f"{type(given).__name__}"
        )
    columns = []
    for column, bounds in given.items():
        if not isinstance(column, str | int) or isinstance(column, bool):
            raise TypeError(
                f"{name} must name columns by text, or of a 2-D array by int, not by "
                f"{type(column).__name__}"
            )
        lower, upper = read_bounds(bounds, f"{name}[{column!r}]")
        found = ModelColumn(column, lower, upper)
        if not 0 < found.half < np.inf:
            raise ValueError(f"{name}[{column!r}]=(lower, upper) must have lower < upper")
        columns.append(found)
    return tuple(columns)
