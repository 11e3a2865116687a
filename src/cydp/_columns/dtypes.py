# SPDX-License-Identifier: MIT
"""Types of columns: the dtype that stands for each, and its name in an error."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np

__all__ = [
    "ARROW_DTYPES",
    "ARROW_OFFSETS",
    "ARROW_VIEWS",
    "DUCKDB_DTYPES",
    "DUCKDB_NUMBERS",
    "FOR_LABELS",
    "FOR_TIMES",
    "NUMBERS",
    "TIMES",
    "check_one_column",
    "check_real",
    "decimal_form",
    "describe_dtype",
    "describe_entry",
    "describe_format",
    "not_numbers",
]

# Arrow's formats of numbers -> numpy's dtypes:
# https://arrow.apache.org/docs/format/CDataInterface.html#format-strings
# The type of nulls, "n", has no values; as bool it becomes every other dtype without a change.
ARROW_DTYPES = {
    "n": np.bool_, "b": np.bool_, "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16,
    "i": np.int32, "I": np.uint32, "l": np.int64, "L": np.uint64, "e": np.float16,
    "f": np.float32, "g": np.float64,
}  # fmt: skip

# Arrow's formats of strings and bytes -> the dtypes of their offsets; views have no offsets.
ARROW_OFFSETS = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64}
ARROW_VIEWS = frozenset({"vu", "vz"})

# DuckDB's ids of types of numbers -> the dtypes of what they are exported to.
DUCKDB_DTYPES = {
    "null": np.bool_, "boolean": np.bool_, "tinyint": np.int8, "utinyint": np.uint8,
    "smallint": np.int16, "usmallint": np.uint16, "integer": np.int32, "uinteger": np.uint32,
    "bigint": np.int64, "ubigint": np.uint64, "float": np.float32, "double": np.float64,
}  # fmt: skip
# With what becomes floats; HUGEINT is exported as decimals.
DUCKDB_NUMBERS = DUCKDB_DTYPES | {"decimal": np.float64, "hugeint": np.float64}

NUMBERS = "numbers (bool, integers, decimals, or floats of at most 64 bits)"
FOR_LABELS = (
    "convert it to numbers first, or count it as labels: group_by counts labels, and "
    "histogram(by=..., by_keys=...) numbers for each label"
)

_FOR_OBJECTS = "convert them to numbers first, as astype(float) does in pandas"
FOR_TIMES = "histograms and quantiles take these, with edges, a range or bounds that are dates"
"""What takes a column of dates or times."""
TIMES = "dates or times"
"""What a column holds that should hold numbers, for an error."""

_KINDS = {
    "U": "text", "T": "text", "S": "bytes", "M": TIMES, "m": "time spans",
    "c": "complex numbers", "O": "objects", "V": "records", "b": "bool",
}  # fmt: skip

_DECIMALS = "decimals of 32 or 64 bits, or of a scale outside 0 to 76"  # others are read
# The first letters of Arrow's formats.
_FORMATS = {
    "vu": "text", "u": "text", "U": "text", "vz": "bytes", "z": "bytes", "Z": "bytes", "w": "bytes",
    "tdD": TIMES, "tdm": TIMES, "ts": TIMES, "tt": "times", "tD": "time spans",
    "ti": "time spans", "d": _DECIMALS, "_": "integers of more than 64 bits", "+l": "lists",
    "+L": "lists", "+vl": "lists", "+vL": "lists", "+w": "lists", "+s": "structs", "+m": "maps",
    "+u": "unions", "+r": "runs of values", "b": "bool",
    "e": "floats", "f": "floats", "g": "floats",
}  # fmt: skip
_INT128 = ("d", "_")  # decimals that are not read, and Int128 of polars
_ENTRIES = {
    str: "text", bytes: "bytes", bytearray: "bytes", date: TIMES, np.datetime64: TIMES,
}  # fmt: skip


def check_real(dtype: np.dtype[Any], name: str) -> None:
    """Raise a TypeError unless a dtype is bool, int, uint, or float of at most 64 bits."""
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise not_numbers(name, describe_dtype(dtype))


def not_numbers(name: str, given: str, wanted: str = NUMBERS) -> TypeError:
    """Return the error for a column that holds something else than numbers.

    >>> str(not_numbers("x", "lists", "numbers"))
    'x must hold numbers, not lists'
    """
    hints = {TIMES: f": {FOR_TIMES}", "text": f": {FOR_LABELS}", "objects": f": {_FOR_OBJECTS}"}
    return TypeError(f"{name} must hold {wanted}, not {given}{hints.get(given, '')}")


def check_one_column(columns: int, name: str) -> None:
    """Raise a TypeError for a table that has another number of columns than one."""
    if columns != 1:
        raise TypeError(
            f"{name} must be one column, not a table of {columns}: choose one by its name, "
            "column='...' in a release and table['...'] elsewhere"
        )


def decimal_form(arrow_format: str) -> tuple[int, int] | None:
    """Return the scale and the bits of a format of decimals; None for another one.

    >>> decimal_form("d:9,2"), decimal_form("d:50,3,256"), decimal_form("g")
    ((2, 128), (3, 256), None)
    """
    if not arrow_format.startswith("d:"):
        return None
    scale, bits = (*arrow_format[2:].split(","), "128")[1:3]
    return int(scale), int(bits)


def describe_dtype(dtype: np.dtype[Any]) -> str:
    """Return the name of entries of a dtype.

    >>> describe_dtype(np.dtype("U3")), describe_dtype(np.dtype(float))
    ('text', 'floats')
    """
    if dtype.kind in "iuf":
        kind = "floats" if dtype.kind == "f" else "integers"
        return f"{kind} of more than 64 bits" if dtype.itemsize > 8 else kind
    return _KINDS.get(dtype.kind, dtype.name)


def describe_format(arrow_format: str) -> str:
    """Return the name of entries of one of Arrow's formats.

    >>> describe_format("u"), describe_format("tdD")
    ('text', 'dates or times')
    """
    starts = (arrow_format[:n] for n in (3, 2, 1))
    kind = next((_FORMATS[start] for start in starts if start in _FORMATS), "another type")
    if arrow_format.startswith(_INT128):
        return f"{kind}: cast them to floats, or to integers of at most 64 bits"
    return kind


def describe_entry(kind: type) -> str:
    """Return the name of an entry of a list, by its type.

    >>> describe_entry(str), describe_entry(complex)
    ('text', 'complex')
    """
    return next((word for base, word in _ENTRIES.items() if issubclass(kind, base)), kind.__name__)
