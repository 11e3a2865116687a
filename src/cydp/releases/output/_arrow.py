# SPDX-License-Identifier: MIT
"""A result as columns of equal length: a frame, or an Arrow stream by nanoarrow alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import import_nanoarrow
from cydp._columns.moments import zone_text
from cydp._extras import import_extra
from cydp._numbers.rational import float_of
from cydp.releases.output._sheet import Sheet

__all__ = ["Stream", "columns_of", "frame_of", "stream_of"]


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PANDAS_TIMES = ("s", "ms", "us", "ns")


_TIMES = ("s", "ms", "us", "ns")

_LONGER = {"h": "s", "m": "s"}  # units that Arrow lacks, and longer ones that hold them exactly

_DAYS = ("Y", "M", "W", "D")


_DTYPES: dict[type, str] = {
    bool: "?",
    int: "i8",
    float: "f8",
    date: "M8[D]",
    datetime: "M8[us]",
    timedelta: "m8[us]",
}


def columns_of(sheet: Sheet, *, intervals: bool) -> dict[str, NDArray[Any]]:
    """Return labels and numbers by their names, each an array with an entry for each cell."""
    found = {_escaped(name): _with_whole_text(keys) for name, keys in sheet.labels().items()}
    found |= {name: np.full(sheet.cells, value) for name, value in sheet.parameters.items()}
    for column in sheet.columns:
        name = _escaped(column.name)
        found[name] = np.ravel(column.values)
        if intervals and column.lower is not None and column.upper is not None:
            found[f"{name}_lower"] = np.ravel(column.lower)
            found[f"{name}_upper"] = np.ravel(column.upper)
        elif intervals and column.bound is not None:
            bound = np.broadcast_to(column.bound, np.shape(column.values))
            found[_escaped(column.error_name)] = np.ravel(bound)
    return found


def _with_whole_text(keys: NDArray[Any]) -> NDArray[Any]:
    """Return keys with halves of surrogate pairs escaped, which no encoding of text has."""
    if keys.dtype.kind not in "OUT":
        return keys
    entries = keys.tolist()
    try:
        "".join(entry for entry in entries if isinstance(entry, str)).encode()
    except UnicodeEncodeError:
        escaped = np.empty(len(entries), object)
        escaped[:] = [_escaped(entry) if isinstance(entry, str) else entry for entry in entries]
        return escaped
    return keys


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def frame_of(sheet: Sheet, intervals: bool) -> Any:
    """Return the columns as a DataFrame."""
    pandas = import_extra("pandas", "to_pandas")
    columns = columns_of(sheet, intervals=intervals)
    return pandas.DataFrame({name: _plain(column) for name, column in columns.items()})


def _plain(column: NDArray[Any]) -> Any:
    """Return an array that pandas can hold: a copy, with times in one of its units."""
    if column.dtype.kind in "Mm" and np.datetime_data(column.dtype)[0] not in _PANDAS_TIMES:
        return _in_seconds(column)
    return column.astype(object) if column.dtype.kind in "USTV" else column.copy()


def _in_seconds(times: NDArray[Any]) -> NDArray[Any]:
    """Return times in seconds; as text if that would change them."""
    seconds = times.astype(f"{times.dtype.kind}8[s]")
    same = (seconds.astype(times.dtype) == times) | np.isnat(times)
    return seconds if same.all() else times.astype(str).astype(object)


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """Columns as every library takes them that knows Arrow streams.

    Attributes
    ----------
    table : nanoarrow.c_array.CArray
        The columns, as a struct: a library may ask for the stream more than once.
    facts : mapping of str
        What the metadata of the schema says.

    """

    table: Any
    facts: Mapping[str, str]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a capsule with the stream."""
        na = import_nanoarrow("a release")
        capsule: object = na.c_array_stream(self.table).__arrow_c_stream__(requested_schema)
        return capsule


def stream_of(sheet: Sheet, intervals: bool, costs: Mapping[str, str]) -> Stream:
    """Return the stream of a sheet, with its facts by the names that JSON has for them.

    Parameters
    ----------
    sheet : Sheet
    intervals : bool
    costs : mapping of str
        "epsilon", "delta" and "rho", as exact texts.

    """
    facts = {
        "title": sheet.title,
        **costs,
        "relation": sheet.relation,
        "protects": sheet.protects,
        "noise": sheet.noise,
        "notes": "\n".join(sheet.notes),
    }
    if intervals:
        facts["confidence"] = repr(float_of(sheet.confidence))
        facts["intervals"] = "all cells together" if sheet.simultaneous else "each cell"
    facts = {name: _escaped(text) for name, text in facts.items()}
    return Stream(_table_of(sheet, intervals, facts), facts)


def _table_of(sheet: Sheet, intervals: bool, facts: Mapping[str, str]) -> Any:
    na = import_nanoarrow("a release")
    columns = {
        name: _column_of(values, na)
        for name, values in columns_of(sheet, intervals=intervals).items()
    }
    kind = na.c_schema(na.struct({name: column.type for name, column in columns.items()}))
    schema = kind.modify(metadata={name: text.encode() for name, text in facts.items()})
    children = [
        na.c_array_from_buffers(
            schema.child(i),
            sheet.cells,
            [_bits_of(column.present), *column.buffers],
            null_count=0 if column.present is None else int((~column.present).sum()),
        )
        for i, column in enumerate(columns.values())
    ]
    return na.c_array_from_buffers(schema, sheet.cells, [None], children=children)


def _bits_of(present: NDArray[np.bool_] | None) -> Any:
    return None if present is None else np.packbits(present, bitorder="little")


@dataclass(frozen=True, slots=True, eq=False)
class ArrowColumn:
    """A column: its type, its buffers but for the first, and which entries are not null."""

    type: Any
    buffers: list[Any]
    present: NDArray[np.bool_] | None = None


def _column_of(values: NDArray[Any], na: Any) -> ArrowColumn:
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
        return ArrowColumn(na.bool_(), [_bits_of(values)])
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
    kinds = {_kind_of(each) for each in {*map(type, entries)} - {type(None)}}
    kind = kinds.pop() if len(kinds) == 1 else str
    if kind is datetime:
        has_zone = {entry.tzinfo is not None for entry in entries if entry is not None}
        if has_zone == {True}:
            return _instants(entries, present, na)
        kind = str if True in has_zone else kind  # an instant is no local time
    if kind is bytes:
        return _bytes(entries, present, na.binary(), na.large_binary())
    if kind is int and not all(-(2**63) <= entry < 2**63 for entry in entries if entry is not None):
        kind = str
    if kind in _DTYPES:
        empty: Any = np.zeros(1, _DTYPES[kind])[0]
        filled = np.array(
            [empty if entry is None else entry for entry in entries], dtype=_DTYPES[kind]
        )
        column = _column_of(filled, na)
        return ArrowColumn(column.type, column.buffers, present)
    return _text(["" if entry is None else str(entry) for entry in entries], present, na)


def _instants(entries: list[Any], present: NDArray[np.bool_] | None, na: Any) -> ArrowColumn:
    """Return times with a zone as timestamps of it; of several zones, or some without, as text."""
    known = [entry for entry in entries if entry is not None]
    try:
        zones = {zone_text(entry.tzinfo, "labels") for entry in known if entry.tzinfo}
    except ValueError:  # a zone without a name
        zones = set()
    if len(zones) != 1 or not all(entry.tzinfo for entry in known):
        return _text(["" if each is None else each.isoformat() for each in entries], present, na)
    microseconds = [
        0 if each is None else (each - _EPOCH) // timedelta(microseconds=1) for each in entries
    ]
    return ArrowColumn(na.timestamp("us", *zones), [np.array(microseconds, np.int64)], present)


def _kind_of(label: type) -> type:
    """Return the kind of labels of a class; str if Arrow has them as text."""
    kinds: tuple[tuple[Any, type], ...] = (
        (bool | np.bool_, bool), (datetime, datetime), (bytes, bytes), (int | np.integer, int),
        (float | np.floating, float), (date, date), (timedelta, timedelta),
    )  # fmt: skip
    return next((kind for types, kind in kinds if issubclass(label, types)), str)


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
