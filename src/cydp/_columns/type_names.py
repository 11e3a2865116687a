# SPDX-License-Identifier: MIT
"""What a column's type is called in an error: in words, whatever library declares it."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["NUMBERS", "of_dtype", "of_entry", "of_format"]

NUMBERS = "numbers (bool, integers, or floats of at most 64 bits)"

_KINDS = {
    "U": "text", "T": "text", "S": "bytes", "M": "dates", "m": "time spans",
    "c": "complex numbers", "O": "objects", "V": "records", "b": "bool",
}  # fmt: skip

# The first letters of Arrow's formats, the longest first.
_FORMATS = {
    "vu": "text", "u": "text", "U": "text", "vz": "bytes", "z": "bytes", "Z": "bytes", "w": "bytes",
    "tdD": "dates", "tdm": "dates", "ts": "timestamps", "tt": "times", "tD": "time spans",
    "ti": "time spans", "d": "decimals", "_": "integers of more than 64 bits", "+l": "lists",
    "+L": "lists", "+vl": "lists", "+vL": "lists", "+w": "lists", "+s": "structs", "+m": "maps",
    "+u": "unions", "+r": "runs of values", "b": "bool",
    "e": "floats", "f": "floats", "g": "floats",
}  # fmt: skip
_WIDE = ("d", "_")  # decimals, which DuckDB's HUGEINT is too, and polars' Int128
_TYPES = {str: "text", bytes: "bytes", bytearray: "bytes"}


def of_dtype(dtype: np.dtype[Any]) -> str:
    """Return what entries of a dtype are called.

    >>> of_dtype(np.dtype("U3")), of_dtype(np.dtype(float))
    ('text', 'floats')
    """
    if dtype.kind in "iuf":
        kind = "floats" if dtype.kind == "f" else "integers"
        return f"{kind} of more than 64 bits" if dtype.itemsize > 8 else kind
    return _KINDS.get(dtype.kind, dtype.name)


def of_format(form: str) -> str:
    """Return what entries of one of Arrow's formats are called.

    >>> of_format("tdD"), of_format("d:38,0")
    ('dates', 'decimals: cast them to floats, or to integers of at most 64 bits')
    """
    found = next((_FORMATS[form[:n]] for n in (3, 2, 1) if form[:n] in _FORMATS), "another type")
    wide = form.startswith(_WIDE)
    return f"{found}: cast them to floats, or to integers of at most 64 bits" if wide else found


def of_entry(of: type) -> str:
    """Return what an entry of a list is called, by its type.

    >>> of_entry(str), of_entry(complex)
    ('text', 'complex')
    """
    return next((word for base, word in _TYPES.items() if issubclass(of, base)), of.__name__)
