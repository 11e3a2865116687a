# SPDX-License-Identifier: MIT
"""Types of labels: a column of any library declares its labels by one.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from cydp._columns.dtypes import (
    ARROW_DTYPES,
    ARROW_OFFSETS,
    ARROW_VIEWS,
    DUCKDB_DTYPES,
    decimal_form,
    describe_dtype,
    describe_format,
)
from cydp._columns.entries import is_integer, null_types

__all__ = [
    "NANOSECONDS",
    "LabelType",
    "stored_integers",
    "type_of_dtype",
    "type_of_entries",
    "type_of_relation",
    "type_of_schema",
]

NANOSECONDS = {
    "W": 604_800 * 10**9, "D": 86_400 * 10**9, "h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9,
    "ms": 10**6, "us": 10**3, "ns": 1,
}  # fmt: skip
"""How many nanoseconds a unit of numpy's datetime64 has."""

_OBJECT = np.dtype(object)
_ARROW_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}

_DUCKDB_TIMES = {
    "date": "D", "timestamp": "us", "timestamp_s": "s", "timestamp_ms": "ms", "timestamp_ns": "ns",
}  # fmt: skip
_DUCKDB_KINDS = {
    "varchar": "text", "enum": "text", "uuid": "text", "blob": "bytes", "bit": "bytes",
    "decimal": "decimals", "hugeint": "decimals", "uhugeint": "decimals", "time": "times of day",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelType:
    """The type of labels that a column declares.

    Attributes
    ----------
    kind : str
        "numbers", "decimals", "text", "bytes", "times", "instants" (times with a zone), "time
        spans", "times of day", "periods" and "intervals" of pandas, "objects" of any kind, or
        "nulls". Labels of different kinds differ, but decimals are numbers, and objects may be
        equal to labels of any kind.
    dtype : dtype
        The dtype of labels that are found in the column, in a result.
    storage : dtype, or None
        How the column stores each entry, if in a fixed number of bytes.
    nanoseconds : int
        In how many nanoseconds times are counted.
    scale : int
        How many digits of decimals stand behind the point.

    """

    kind: str
    dtype: np.dtype[Any] = _OBJECT
    storage: np.dtype[Any] | None = None
    nanoseconds: int = 1
    scale: int = 0


def type_of_dtype(dtype: np.dtype[Any], name: str) -> LabelType:
    """Return the type of labels in an array of a dtype.

    Raises
    ------
    TypeError
        For a dtype that holds no labels.

    """
    if dtype.kind == "O":
        return LabelType("objects")
    if dtype.kind in "UT":
        return LabelType("text", storage=dtype if dtype.kind == "U" else None)
    if dtype.kind == "S":
        return LabelType("bytes", storage=dtype)
    if dtype.kind in "biuf" and dtype.itemsize <= 8:
        return _numbers(dtype)
    if dtype.kind in "Mm":
        unit, count = np.datetime_data(dtype)
        if unit in NANOSECONDS:
            step = count * NANOSECONDS[unit]
            kind = "times" if dtype.kind == "M" else "time spans"
            return LabelType(kind, dtype.newbyteorder("="), dtype, step)
        raise _refused(name, f"{dtype}, whose steps have no fixed length: take days, [D]")
    raise _refused(name, describe_dtype(dtype))


def type_of_schema(schema: Any, name: str) -> LabelType:
    """Return the type of labels in a column of an Arrow schema.

    Raises
    ------
    TypeError
        For a type that holds no labels.

    """
    if schema.dictionary is not None:
        return type_of_schema(schema.dictionary, name)
    metadata = schema.metadata
    if metadata and b"ARROW:extension:name" in dict(metadata.items()):
        raise _refused(
            name, "an extension type: cast it to what it stores, x.cast(x.type.storage_type)"
        )
    arrow_format = schema.format
    if arrow_format == "n":
        return LabelType("nulls")
    if arrow_format in ARROW_DTYPES:
        return _numbers(np.dtype(ARROW_DTYPES[arrow_format]))
    if arrow_format in ARROW_OFFSETS or arrow_format in ARROW_VIEWS:
        return LabelType("text" if arrow_format in ("u", "U", "vu") else "bytes")
    if (found := _of_format(arrow_format)) is None:
        raise _refused(name, describe_format(arrow_format).partition(":")[0])
    return found


def type_of_relation(column: Any, name: str) -> LabelType:
    """Return the type of labels in a relation of one column; its query does not run.

    Raises
    ------
    TypeError
        For a type that holds no labels.

    """
    kind = str(column.types[0].id).strip('"')  # without what a composite type holds
    if kind == "null":
        return LabelType("nulls")
    if kind in DUCKDB_DTYPES:
        return _numbers(np.dtype(DUCKDB_DTYPES[kind]))
    if kind in _DUCKDB_TIMES:
        return _times("times", "M8", _DUCKDB_TIMES[kind])
    if kind == "timestamp with time zone":
        return _times("instants", "M8", "us")
    if kind in _DUCKDB_KINDS:
        return LabelType(_DUCKDB_KINDS[kind])
    raise _refused(name, kind.upper())


def stored_integers(storage: np.dtype[Any]) -> np.dtype[Any]:
    """Return the integers that bool, integers, floats or times are stored as, bit for bit.

    >>> stored_integers(np.dtype(bool)), stored_integers(np.dtype("M8[s]"))
    (dtype('uint8'), dtype('int64'))
    """
    kinds = {"b": "u", "f": "u", "M": "i", "m": "i"}
    return np.dtype(f"{kinds.get(storage.kind, storage.kind)}{storage.itemsize}")


def type_of_entries(types: set[type]) -> LabelType:
    """Return the type of labels in a list, by the types of its entries, which are public.

    >>> type_of_entries({int, type(None)}).dtype, type_of_entries({int, str}).dtype
    (dtype('int64'), dtype('O'))
    """
    types = types - null_types(types)
    if types and all(issubclass(kind, bool | np.bool) for kind in types):
        return LabelType("objects", np.dtype(bool))
    if types and all(is_integer(kind) or issubclass(kind, bool | np.bool) for kind in types):
        return LabelType("objects", np.dtype(np.int64))
    if types and all(issubclass(kind, float | np.float16 | np.float32) for kind in types):
        return LabelType("objects", np.dtype(np.float64))
    if types and all(issubclass(kind, date) and not issubclass(kind, datetime) for kind in types):
        return LabelType("objects", np.dtype("M8[D]"))
    return LabelType("objects")


def _numbers(dtype: np.dtype[Any]) -> LabelType:
    if dtype.kind == "b" or dtype == np.uint64:
        return LabelType("numbers", dtype.newbyteorder("="), dtype)
    return LabelType("numbers", np.dtype(np.float64 if dtype.kind == "f" else np.int64), dtype)


def _times(kind: str, dtype: str, unit: str, storage: Any = np.int64) -> LabelType:
    return LabelType(kind, np.dtype(f"{dtype}[{unit}]"), np.dtype(storage), NANOSECONDS[unit])


def _of_format(arrow_format: str) -> LabelType | None:
    """Return the type for a format with parameters: times, decimals and bytes of one length."""
    start, unit = arrow_format[:2], _ARROW_UNITS.get(arrow_format[2:3], "")
    if arrow_format == "tdD":
        return _times("times", "M8", "D", np.int32)
    if arrow_format == "tdm":
        return _times("times", "M8", "ms")
    if start == "ts":
        return _times("instants" if arrow_format[4:] else "times", "M8", unit)
    if start == "tD":
        return _times("time spans", "m8", unit)
    if start == "tt":
        storage = np.dtype(np.int32 if unit in ("s", "ms") else np.int64)
        return LabelType("times of day", storage=storage, nanoseconds=NANOSECONDS[unit])
    scale, bits = decimal_form(arrow_format) or (0, 0)
    if bits >= 128:  # nanoarrow does not read shorter ones
        return LabelType("decimals", storage=np.dtype(f"S{bits // 8}"), scale=scale)
    if start == "w:":
        return LabelType("bytes of one length", storage=np.dtype(f"S{arrow_format[2:]}"))
    return None


def _refused(name: str, given: str) -> TypeError:
    return TypeError(
        f"{name} must hold labels: numbers, text, bytes, dates, times or objects, not {given}"
    )
