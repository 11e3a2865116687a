# SPDX-License-Identifier: MIT
"""A result as an Arrow stream, by nanoarrow alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.arrow import import_nanoarrow
from cydp.releases.output._arrow_columns import column_of
from cydp.releases.output._frame import columns_of
from cydp.releases.output._sheet import Sheet

__all__ = ["stream_of"]


def stream_of(sheet: Sheet, requested_schema: object, *, intervals: bool = False) -> object:
    """Return an Arrow stream capsule of the columns of a sheet."""
    na = import_nanoarrow("a release")
    columns = {
        name: column_of(values, na)
        for name, values in columns_of(sheet, intervals=intervals).items()
    }
    schema = na.c_schema(na.struct({name: column.type for name, column in columns.items()}))
    children = [
        na.c_array_from_buffers(
            schema.child(i), sheet.cells, [_bits_of(column.present), *column.buffers],
            null_count=0 if column.present is None else int((~column.present).sum()),
        )
        for i, column in enumerate(columns.values())
    ]  # fmt: skip
    table = na.c_array_from_buffers(schema, sheet.cells, [None], children=children)
    capsule: object = na.c_array_stream(table).__arrow_c_stream__(requested_schema)
    return capsule


def _bits_of(present: NDArray[np.bool_] | None) -> Any:
    return None if present is None else np.packbits(present, bitorder="little")
