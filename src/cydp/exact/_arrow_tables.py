# SPDX-License-Identifier: MIT
"""Tables of numbers to and from Arrow, with a description in their metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import import_nanoarrow
from cydp._columns.numbers import read_named_columns, read_numbers
from cydp._columns.pandas import is_frame

__all__ = ["export", "read"]

_KEY = "cydp"


def export(
    columns: Mapping[str, NDArray[Any]], about: Mapping[str, Any], requested_schema: object
) -> object:
    """Return a stream capsule of a table of columns of one length."""
    na = import_nanoarrow("a table")
    types = {name: getattr(na, values.dtype.name)() for name, values in columns.items()}
    schema = na.c_schema(na.struct(types)).modify(metadata={_KEY: json.dumps(about)})
    children = [
        na.c_array_from_buffers(schema.child(i), len(values), [None, np.array(values)])
        for i, values in enumerate(columns.values())
    ]
    rows = len(next(iter(columns.values())))
    array = na.c_array_from_buffers(schema, rows, [None], children=children)
    stream = na.c_array_stream(array)
    return stream.__arrow_c_stream__(requested_schema)


def read(table: Any, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the columns of a table without nulls, and its description if it has one."""
    if is_frame(table):
        return _own_columns(table, name), {}
    columns, metadata = read_named_columns(table, name)
    try:
        about = json.loads(metadata.get(_KEY.encode(), b"{}"))
    except ValueError:
        about = None
    if not isinstance(about, dict):
        raise ValueError(f"{name} must have the metadata that it was exported with")
    return columns, about


def _own_columns(frame: Any, name: str) -> dict[str, NDArray[Any]]:
    """Return the columns of a pandas frame, its index left out."""
    if not frame.columns.is_unique:
        raise ValueError(f"{name} must have columns of different names")
    columns = {label: read_numbers(x, name) for label, x in frame.items()}
    if any(isinstance(values, np.ma.MaskedArray) for values in columns.values()):
        raise ValueError(f"{name} must have no nulls")
    return columns
