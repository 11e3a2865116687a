# SPDX-License-Identifier: MIT
"""Missing numbers and labels: which they are, and what they count as."""

from __future__ import annotations

import math
from datetime import date
from typing import Any, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._columns.declared import Labels
from cydp._columns.entries import null_types, plain
from cydp._columns.label_values import LabelValues
from cydp._columns.strings import Strings
from cydp._numbers.rational import float_of, format_binary, read_binary
from cydp.exact._grid import Grid
from cydp.exact._time_grid import TimeGrid

__all__ = [
    "Missing",
    "count_present",
    "fill_absent",
    "held_still",
    "is_absent",
    "present_labels",
    "read_missing",
]


Missing: TypeAlias = Literal["drop"] | Number | date | np.datetime64


def read_missing(missing: Missing, grid: Grid) -> int | None:
    """Return what a missing number counts as, in steps of a grid; None: it does not count.

    Raises
    ------
    TypeError, ValueError
        Unless it is "drop" or a number within the bounds of the grid.

    Examples
    --------
    >>> from cydp.exact._grid import public_grid
    >>> read_missing(2, public_grid((0, 4), 0.5)), read_missing("drop", public_grid((0, 4), 1))
    (4, None)

    """
    if isinstance(missing, str) and missing == "drop":
        return None
    try:
        return grid.read_missing(missing) if isinstance(grid, TimeGrid) else _steps(missing, grid)
    except (TypeError, ValueError) as error:
        words = str(error).replace("missing must be", "missing must be 'drop' or", 1)
        raise type(error)(words) from None


def _steps(missing: Missing, grid: Grid) -> int:
    number = read_binary(cast("Number", missing), "missing")
    step = round(number / grid.step)  # a bound such as 0.3 may be beyond its point of the grid
    if not grid.lowest <= step <= grid.highest:
        lower, upper = map(format_binary, grid.short_bounds)
        raise ValueError(
            f"missing must be within the bounds, from {lower} to {upper}, not "
            f"{format_binary(number)}"
        )
    return step


def is_absent(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which numbers are null or NaN."""
    data = np.ma.getdata(values)
    absent = np.isnan(data) if data.dtype.kind == "f" else np.zeros(data.shape, np.bool_)
    if isinstance(values, np.ma.MaskedArray):
        absent |= np.ma.getmaskarray(values)
    return absent


def count_present(values: NDArray[Any]) -> int:
    """Return how many numbers are neither null nor NaN."""
    if isinstance(values, np.ma.MaskedArray):
        values = values.compressed()
    if values.dtype.kind != "f":
        return values.size
    return values.size - int(np.count_nonzero(np.isnan(values)))


def held_still(values: NDArray[Any], filled: int | None, grid: Grid) -> NDArray[Any]:
    """Return numbers for an answer that reads them twice, for which are missing and for their sum.

    Another thread may write meanwhile. A number that counts and then adds nothing is a 0, which
    changes no bound where 0 is within the bounds; else the numbers are copied.

    >>> from cydp.exact._grid import public_grid
    >>> x = np.array([5.0])
    >>> [held_still(x, None, public_grid(bounds, 1)) is x for bounds in ((0, 9), (1, 9))]
    [True, False]
    """
    if filled is None and grid.lowest <= 0 <= grid.highest:
        return values
    return values.copy()


def fill_absent(values: NDArray[Any], filled: int | None, grid: Grid) -> NDArray[Any]:
    """Return numbers with a public number, in steps of a grid, in place of missing ones.

    >>> from cydp.exact._grid import public_grid
    >>> fill_absent(np.array([np.nan, 7]), 2, public_grid((0, 8), 1)).tolist()
    [2.0, 7.0]
    """
    if filled is None:
        return values
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        units = np.ma.getdata(values).astype(np.float64)
    return np.where(is_absent(values), float_of(filled * grid.step), units)


def present_labels(labels: Labels) -> NDArray[np.bool_]:
    """Return which labels of a column are present; the column is read here.

    Examples
    --------
    >>> present_labels(Labels(["a", None, float("nan"), 3])).tolist()
    [True, False, False, True]

    """
    values = labels.read()
    present = _present_values(values)
    if values.rows is None:
        return present
    found = present[values.rows] if len(present) else np.zeros(len(values.rows), np.bool_)
    return found if values.rows_present is None else found & values.rows_present


def _present_values(values: LabelValues) -> NDArray[np.bool_]:
    stored = values.values
    present = np.ones(len(stored), np.bool_)
    if isinstance(stored, np.ndarray) and stored.dtype.kind in "mM":
        present = ~np.isnat(stored)
    elif isinstance(stored, np.ndarray) and stored.dtype.kind == "f":
        present = ~np.isnan(stored)
    elif not isinstance(stored, Strings) and not (
        isinstance(stored, np.ndarray) and stored.dtype.kind in "biuUS"
    ):
        entries = stored.tolist() if isinstance(stored, np.ndarray) else stored
        nulls = null_types(set(map(type, entries)))
        present = np.fromiter((_is_present(entry, nulls) for entry in entries), np.bool_)
    return present if values.present is None else present & values.present


def _is_present(entry: Any, nulls: set[type]) -> bool:
    """Whether an object is neither null nor NaN; it need not be a label, and may be a dict."""
    if type(entry) in nulls:
        return False
    number = plain(entry)
    return not (isinstance(number, float) and math.isnan(number))
