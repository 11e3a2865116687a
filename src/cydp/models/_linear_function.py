# SPDX-License-Identifier: MIT
"""The columns of a model, scaled by public bounds, linear functions of them, and their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Bounds
from cydp._columns.declared import Records
from cydp._columns.pieces import Totals
from cydp._columns.table import Table
from cydp._columns.tables import open_table
from cydp._numbers.bounds import read_bounds
from cydp._numbers.rational import float_of
from cydp.releases._missing import is_absent
from cydp.releases._release import recorded
from cydp.releases._rows import Key, Rows, users_of
from cydp.releases._unit import Unit

__all__ = [
    "ColumnBounds",
    "LinearFunction",
    "ModelColumn",
    "ModelRows",
    "read_columns",
    "read_features",
]


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


_ROWS = 2**16  # that are transformed at once, so that they stay in the cache


class ModelRows(Rows):
    """Several columns of numbers of a table, and the user of each row.

    Parameters
    ----------
    table : table
    columns : sequence of ModelColumn
        The features, and last the target.
    user : column, its name, or None

    Raises
    ------
    TypeError, ValueError
        For anything that is no table of these columns, and for columns of other types.

    """

    __slots__ = ()

    def __init__(self, table: Any, columns: Sequence[ModelColumn], user: Any) -> None:
        opened = open_table(table)
        super().__init__(_declare(opened, columns[:-1], columns[-1:]), users_of(opened, user))

    def add_present(
        self, exact: Callable[[NDArray[np.float64]], Totals], unit: Unit, key: Key
    ) -> Totals:
        """Return exact answers that add up over the rows in which no number is missing.

        Parameters
        ----------
        exact : callable
            Returns answers from the numbers of up to `_ROWS` rows, shape (n, columns).
        unit : Unit
            How many rows of a user count.
        key : ndarray of uint64 or None
            As in `bound_users`.

        """

        def read() -> Totals:
            columns, present = _read(self.columns)
            present = self.stay(~present, unit, key, columns)
            totals: Totals = []
            for start in range(0, max(len(present), 1), _ROWS):
                piece = slice(start, start + _ROWS)
                found = exact(_side_by_side(each[piece] for each in columns)[present[piece]])
                totals = [a + b for a, b in zip(totals, found, strict=True)] if start else found
            return totals

        return self.add(read)


def read_features(table: Any, columns: Sequence[ModelColumn]) -> NDArray[np.float64]:
    """Return columns of a table, shape (n, columns), with NaN where a number is missing."""
    found, present = _read(_declare(open_table(table), columns))
    values = _side_by_side(found)
    values[~present] = np.nan
    return values


def _declare(
    table: Table, features: Sequence[ModelColumn], target: Sequence[ModelColumn] = ()
) -> list[Records]:
    """Return columns of a table; all columns of a relation are taken before one is read."""
    found = [
        table.column(each.name, f"features[{each.name!r}]", is_named=True) for each in features
    ]
    found += [table.column(each.name, f"target[{each.name!r}]", is_named=True) for each in target]
    names = [repr(each.name) for each in (*features, *target)]
    return [Records(column, name) for column, name in zip(found, names, strict=True)]


def _read(records: Sequence[Records]) -> tuple[list[Any], NDArray[np.bool_]]:
    """Return the values of columns, and in which rows no number is missing."""
    columns = [each.read() for each in records]
    if any(len(column) != len(columns[0]) for column in columns):
        raise ValueError("table must have columns of one length")
    present = np.ones(len(columns[0]), np.bool_)
    for column in columns:
        present &= ~is_absent(column)
    return columns, present


def _side_by_side(columns: Iterable[Any]) -> NDArray[np.float64]:
    """Return columns as one array of shape (n, columns)."""
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.stack([np.ma.getdata(each).astype(np.float64) for each in columns], axis=1)
