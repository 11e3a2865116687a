# SPDX-License-Identifier: MIT
"""Tables of counts and numbers to and from Arrow, with a description in their metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import import_nanoarrow
from cydp._columns.reading import read_named_columns

__all__ = ["check_counts", "export", "read", "total_of"]

_KEY = "cydp"


def export(
    columns: Mapping[str, NDArray[Any] | list[bytes]],
    description: Mapping[str, Any],
    requested_schema: object,
) -> object:
    """Return an Arrow stream capsule of a table; its columns have one length."""
    na = import_nanoarrow("a table")
    types = {
        name: na.binary() if isinstance(values, list) else getattr(na, values.dtype.name)()
        for name, values in columns.items()
    }
    schema = na.c_schema(na.struct(types)).modify(metadata={_KEY: json.dumps(description)})
    children = [
        na.c_array(values, na.binary())
        if isinstance(values, list)
        else na.c_array_from_buffers(schema.child(i), len(values), [None, np.array(values)])
        for i, values in enumerate(columns.values())
    ]
    rows = len(next(iter(columns.values())))
    array = na.c_array_from_buffers(schema, rows, [None], children=children)
    stream = na.c_array_stream(array)
    return stream.__arrow_c_stream__(requested_schema)


def read(table: Any, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the columns of a table without nulls, and its description, or an empty one."""
    columns, metadata = read_named_columns(table, name)
    try:
        description = json.loads(metadata.get(_KEY.encode(), b"{}"))
    except ValueError:
        description = None
    if not isinstance(description, dict):
        raise ValueError(f"{name} must have the metadata that it was exported with")
    return columns, description


def check_counts(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return imported counts, or raise a ValueError if they are not int64."""
    if values.dtype != np.int64:
        raise ValueError(f"counts must be of int64, not {values.dtype.name}")
    return values


def total_of(counts: NDArray[np.int64]) -> int:
    """Return the sum of counts that are not negative; it may need more than 64 bits."""
    return (int((counts >> 32).sum()) << 32) + int((counts & (2**32 - 1)).sum())
