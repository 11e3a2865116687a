# SPDX-License-Identifier: MIT
"""Exact answers as integers at places, and back: what pieces of a table have in common.

docs/distributed.md, "What crosses the wire".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.pieces import join_halves
from cydp.distributed._label_bytes import Kinds, decode
from cydp.exact._counted_units import CountedUnits
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits
from cydp.releases._group_rows import FoundTally
from cydp.releases._tally import Tally

__all__ = [
    "Arrays",
    "Integers",
    "Outline",
    "dense",
    "found_outline",
    "no_labels",
    "outline_of",
    "sparse",
]

Integers: TypeAlias = NDArray[np.int64]
Arrays: TypeAlias = tuple[NDArray[Any], ...]

_LOW = 2**32 - 1
_UNITS = "units of a key"  # beside the names of parts


class Shape(NamedTuple):
    """The shape of an exact answer.

    Attributes
    ----------
    size : tuple of int, or None
        Of an array of int64; None for an int of any size.
    grid : Grid or None
        If the answer counts the points of a grid, for quantiles: one row for each key.

    """

    size: tuple[int, ...] | None
    grid: Grid | None = None

    @property
    def rows(self) -> int:
        """How many integers of 64 bits it is."""
        return 2 if self.size is None else math.prod(self.size)


class Outline(NamedTuple):
    """What exact answers there are.

    Attributes
    ----------
    shapes : mapping of str to Shape
        By their names; if keys are found in the rows, of one key.
    kinds : tuple of str, or None
        Of the columns of keys that are found in the rows; None if keys are public, or there are
        none.

    """

    shapes: Mapping[str, Shape]
    kinds: Kinds | None = None

    @property
    def rows(self) -> int:
        """How many integers of 64 bits the answers are; if keys are found, those of one key."""
        return sum(shape.rows for shape in self.shapes.values())


def outline_of(parts: Mapping[str, Any]) -> Outline:
    """Return the names and the shapes of exact answers.

    >>> outline_of({"count": 3, "n": np.zeros((2, 4), np.int64)}).rows
    10
    """
    return Outline({name: _shape_of(exact) for name, exact in parts.items()})


def _shape_of(exact: Any) -> Shape:
    if isinstance(exact, SortedUnits):
        points = exact.grid.highest - exact.grid.lowest + 1
        return Shape((len(exact.offsets) - 1, points), exact.grid)
    return Shape(getattr(exact, "shape", None))


def found_outline(tally: FoundTally, kinds: Kinds) -> Outline:
    """Return the names and the shapes of the exact answers of one key."""
    shapes = {name: Shape(exact.shape[1:]) for name, exact in tally.parts.items()}
    return Outline(shapes | {_UNITS: Shape(())}, kinds)


def no_labels(outline: Outline) -> Arrays:
    """Return the keys of a table without rows, if keys are found; of public keys, nothing.

    >>> no_labels(Outline({}, ("<i8",)))
    (array([], dtype=int64),)
    """
    return () if outline.kinds is None else decode([], outline.kinds)


def sparse(tally: Tally, outline: Outline) -> tuple[Arrays, Integers, Integers, Integers]:
    """Return the keys that were found, if keys are; where answers are not 0; and their halves.

    The place of an answer of the i-th key that was found is i * outline.rows + its place.

    >>> sparse(Tally(None, {"n": np.array([0, -1])}), Outline({"n": Shape((2,))}))
    ((), array([1]), array([4294967295]), array([-1]))
    """
    if not isinstance(tally, FoundTally):
        halves = [_halves_of(tally.parts[name], shape) for name, shape in outline.shapes.items()]
        low, high = np.concatenate(halves, axis=1)
        places = np.flatnonzero(low | high)
        return (), places, low[places], high[places]
    parts = {**tally.parts, _UNITS: tally.units}
    wide = np.concatenate(
        [
            parts[name].reshape(len(tally.units), shape.rows)
            for name, shape in outline.shapes.items()
        ],
        axis=1,
    )
    told = wide != 0
    told[:, -1] = True  # a key is known by its units, even if none of them counts
    places = np.flatnonzero(told)
    flat = wide.reshape(-1)[places]
    return tally.keys, places, flat & _LOW, flat >> 32


def dense(query: Any, outline: Outline, labels: Arrays, low: Integers, high: Integers) -> Tally:
    """Return exact answers from sums of their halves.

    Parameters
    ----------
    query : DataQuery
    outline : Outline
    labels : tuple of ndarray
        The keys that were found, if keys are.
    low, high : ndarray of int64
        Of all answers, those of one key behind those of another. Arrays are what int64 can hold: a
        sum beyond it is the end of its range.

    """
    if outline.kinds is None:
        ends = np.cumsum([shape.rows for shape in outline.shapes.values()])[:-1]
        halves = zip(np.split(low, ends), np.split(high, ends), strict=True)
        return Tally(query, {
            name: _exact_of(*pair, shape)
            for (name, shape), pair in zip(outline.shapes.items(), halves, strict=True)
        })  # fmt: skip
    wide, end, parts = join_halves(high, low).reshape(-1, outline.rows), 0, dict[str, Any]()
    for name, shape in outline.shapes.items():
        assert shape.size is not None
        parts[name] = wide[:, end : end + shape.rows].reshape(len(wide), *shape.size)
        end += shape.rows
    units = parts.pop(_UNITS)
    return FoundTally(query, parts, labels, units)


def _halves_of(exact: Any, shape: Shape) -> Integers:
    """Return the low and the high halves of answers, shape (2, n)."""
    if shape.size is not None:
        counts = exact if shape.grid is None else CountedUnits.of(exact).counts
        flat = counts.reshape(-1)
        return np.stack([flat & _LOW, flat >> 32])
    first, second = int(exact) & (2**64 - 1), int(exact) >> 64
    return np.array([[first & _LOW, second & _LOW], [first >> 32, second >> 32]], np.int64)


def _exact_of(low: Integers, high: Integers, shape: Shape) -> Any:
    """Return answers from sums of their halves."""
    if shape.size is not None:
        found = join_halves(high, low).reshape(shape.size)
        return found if shape.grid is None else CountedUnits(shape.grid, found)
    first, second = (a + (b << 32) for a, b in zip(low.tolist(), high.tolist(), strict=True))
    return first + (second << 64)
