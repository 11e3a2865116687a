# SPDX-License-Identifier: MIT
"""Arrays of numbers, times and labels as the buffers of Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["column_of"]

_TIMES = ("s", "ms", "us", "ns")
_LONGER = {"h": "s", "m": "s"}  # units that Arrow has not, as those that hold them exactly
_DAYS = ("Y", "M", "W", "D")


@dataclass(frozen=True, slots=True, eq=False)
class ArrowColumn:
    """A column: its type, its buffers but for the first, and which entries are not null."""

    type: Any
    buffers: list[Any]
    present: NDArray[np.bool_] | None = None


def column_of(values: NDArray[Any], na: Any) -> ArrowColumn:
    """Return an array as Arrow has it; labels of mixed kinds become text.

    Parameters
    ----------
    values : ndarray
        Numbers, bools, text, bytes, times, or objects.
    na : module
        nanoarrow.

    """
    kind = values.dtype.kind
    if kind == "b":
        return ArrowColumn(na.bool_(), [np.packbits(values, bitorder="little")])
    if kind in "iuf":
        native = values.astype(values.dtype.newbyteorder("="))
        if native.dtype.itemsize not in (1, 2, 4, 8):  # a long double
            native = native.astype(np.float64)
        return ArrowColumn(getattr(na, native.dtype.name)(), [native])
    if kind in "Mm":
        return _times(values, na)
    return _objects(values.astype(object), na)


def _times(values: NDArray[Any], na: Any) -> ArrowColumn:
    """Return times in a unit that Arrow has; as text where none holds them exactly."""
    kind, unit = values.dtype.kind, np.datetime_data(values.dtype)
    absent = np.isnat(values)
    present = ~absent if absent.any() else None
    is_date = kind == "M" and unit[0] in _DAYS
    wanted = "D" if is_date else _LONGER.get(unit[0], unit[0] if unit[0] in _TIMES else "s")
    if kind == "m" and unit[0] in ("Y", "M"):  # of no fixed length
        return _text(values.astype(str), present, na)
    found = values.astype(f"{kind}8[{wanted}]")
    whole = np.where(absent, 0, found.view(np.int64))
    if not ((found.astype(values.dtype) == values) | absent).all():
        return _text(values.astype(str), present, na)
    if not is_date:
        make = na.timestamp if kind == "M" else na.duration
        return ArrowColumn(make(wanted), [whole], present)
    if len(whole) and (whole.min() < -(2**31) or whole.max() >= 2**31):
        return _text(values.astype(str), present, na)
    return ArrowColumn(na.date32(), [whole.astype(np.int32)], present)


def _objects(values: NDArray[Any], na: Any) -> ArrowColumn:
    """Return objects of one kind as that kind, and others as text."""
    entries = values.tolist()
    absent = np.array([entry is None for entry in entries], np.bool_)
    present = ~absent if absent.any() else None
    kinds = {_kind_of(entry) for entry in entries if entry is not None}
    kind = kinds.pop() if len(kinds) == 1 else str
    if kind is bytes:
        return _bytes(entries, present, na.binary(), na.large_binary())
    if kind is int and not all(-(2**63) <= entry < 2**63 for entry in entries if entry is not None):
        kind = str
    if kind in _DTYPES:
        empty: Any = np.zeros(1, _DTYPES[kind])[0]
        filled = np.array(
            [empty if entry is None else entry for entry in entries], dtype=_DTYPES[kind]
        )
        column = column_of(filled, na)
        return ArrowColumn(column.type, column.buffers, present)
    return _text(["" if entry is None else str(entry) for entry in entries], present, na)


_DTYPES: dict[type, str] = {
    bool: "?",
    int: "i8",
    float: "f8",
    date: "M8[D]",
    datetime: "M8[us]",
    timedelta: "m8[us]",
}


def _kind_of(entry: Any) -> type:
    """Return the kind of a label; str if Arrow has it as text."""
    if isinstance(entry, bool | np.bool_):
        return bool
    if isinstance(entry, datetime):
        return datetime if entry.tzinfo is None else str
    kinds: tuple[tuple[Any, type], ...] = (
        (bytes, bytes), (int | np.integer, int), (float | np.floating, float), (date, date),
        (timedelta, timedelta),
    )  # fmt: skip
    return next((kind for types, kind in kinds if isinstance(entry, types)), str)


def _text(entries: Any, present: NDArray[np.bool_] | None, na: Any) -> ArrowColumn:
    encoded = [str(entry).encode("utf-8", "backslashreplace") for entry in entries]
    return _bytes(encoded, present, na.string(), na.large_string())


def _bytes(
    entries: list[Any], present: NDArray[np.bool_] | None, small: Any, large: Any
) -> ArrowColumn:
    """Return entries of any length: where each begins, and all of them together."""
    held = [b"" if entry is None else bytes(entry) for entry in entries]
    ends = np.cumsum([0, *map(len, held)])
    fits = ends[-1] < 2**31
    offsets = ends.astype(np.int32 if fits else np.int64)
    return ArrowColumn(small if fits else large, [offsets, b"".join(held)], present)
