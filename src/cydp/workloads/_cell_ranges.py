# SPDX-License-Identifier: MIT
"""Ranges of cells, as callers write them: by numbers of cells, or by edges of bins."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._columns.moments import read_moment
from cydp._numbers.rational import read_integer

__all__ = ["MOST_CELLS", "places_of_edges", "read_cells", "read_ranges"]

MOST_CELLS = 2**26  # the nodes of a tree over them fit into memory several times

_Places: TypeAlias = NDArray[np.int64]


def read_cells(cells: Integer, name: str) -> int:
    """Return a number of cells; a TypeError or a ValueError unless it is from 1 to 2**26."""
    number = read_integer(cells, name)
    if not 1 <= number <= MOST_CELLS:
        raise ValueError(f"{name} must be from 1 to 2**26, not {number}")
    return number


def read_ranges(lows: Any, highs: Any, cells: int) -> tuple[_Places, _Places, tuple[int, ...]]:
    """Return the first cells of ranges, the cells behind their ends, and the given shape.

    Raises
    ------
    TypeError, ValueError
        Unless both hold integers with 0 <= lo <= hi <= cells, and have one shape, or are numbers.

    Examples
    --------
    >>> read_ranges(0, [1, 2], 4)
    (array([0, 0]), array([1, 2]), (2,))

    """
    low, high = _read(lows, "lows"), _read(highs, "highs")
    try:
        low, high = np.broadcast_arrays(low, high)
    except ValueError:
        raise ValueError("lows and highs must have one shape: an end for each range") from None
    if low.size and not (low.min() >= 0 and high.max() <= cells and (low <= high).all()):
        raise ValueError(f"lows and highs must be 0 <= lo <= hi <= {cells}, the number of cells")
    return low.reshape(-1).astype(np.int64), high.reshape(-1).astype(np.int64), low.shape


def places_of_edges(ends: Any, edges: NDArray[Any], name: str) -> NDArray[np.int64]:
    """Return the place of each end among the edges of bins.

    Raises
    ------
    TypeError, ValueError
        If an end is no number, or is no edge.

    Examples
    --------
    >>> places_of_edges([0, 50], np.array([0, 25, 50, 100]), "lows")
    array([0, 2])
    >>> days = np.arange("2024-01-01", "2024-01-04", dtype="M8[D]")
    >>> places_of_edges(["2024-01-01", "2024-01-03"], days, "lows")
    array([0, 2])

    """
    given = np.asarray(ends)
    if edges.dtype.kind in "MO":
        given, edges = _nanoseconds(given, edges, name), _nanoseconds(edges, edges, "edges")
    elif given.dtype.kind not in "iuf":
        raise TypeError(f"{name} must be numbers, edges of bins, not of dtype {given.dtype}")
    # If bins at an end have no width, the range includes them.
    right = name == "highs"
    found = np.searchsorted(edges, given, side="right" if right else "left") - right
    if not (edges[np.clip(found, 0, len(edges) - 1)] == given).all():
        raise ValueError(f"{name} must be edges of bins: others would cut a bin")
    return found.astype(np.int64)


def _nanoseconds(times: NDArray[Any], edges: NDArray[Any], name: str) -> NDArray[Any]:
    """Return times as integers of Python, which have a zone if edges have one, and only then."""
    moments = [read_moment(each, name) for each in times.flat]
    if any((each.zone is None) != (edges.dtype.kind == "M") for each in moments):
        raise ValueError(f"{name} must be edges of bins, with a time zone if these have one")
    found = np.empty(times.shape, object)
    found.reshape(-1)[:] = [each.nanoseconds for each in moments]
    return found


def _read(ends: Any, name: str) -> NDArray[Any]:
    given = np.asarray(ends)
    if given.size == 0:
        return given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, numbers of cells, not of dtype {given.dtype}")
    return given
