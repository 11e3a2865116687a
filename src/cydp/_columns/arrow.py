# SPDX-License-Identifier: MIT
"""Columns that speak Arrow: a schema, and chunks of rows, which are copied only to be joined.

The Arrow PyCapsule protocol, read by nanoarrow:
https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.dtypes import (
    ARROW_DTYPES,
    ARROW_OFFSETS,
    ARROW_VIEWS,
    check_one_column,
    decimal_form,
    describe_format,
    not_numbers,
)
from cydp._columns.masks import Mask, both_present, concatenate_masks
from cydp._columns.shared import SharedColumn, unread

__all__ = ["ArrowColumn", "Chunk", "declared_in", "import_nanoarrow", "read_arrow", "read_table"]

_TABLE = "+s"  # the format of a struct; a table is a struct of its columns
# The formats with buffers that are read.
_READ = {_TABLE, *ARROW_DTYPES, *ARROW_OFFSETS, *ARROW_VIEWS} - {"n"}
_MOST_SCALE = 76  # of the digits that 256 bits hold
_BLOCK_ROWS = 2**16  # that are integers of Python together
_MOST_EXACT = 22  # 10**22 is the last power of ten that a float holds


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Rows of an array of nanoarrow.

    Attributes
    ----------
    array : nanoarrow.c_array.CArray
    view : nanoarrow.c_array.CArrayView, or None
        Its buffers; None for a format that is not read.
    first, rows : int
        Where the rows begin, and how many there are.
    outer : mask
        Which rows the table or struct around the column says are present.

    """

    array: Any
    view: Any
    first: int
    rows: int
    outer: Mask = None

    @property
    def format(self) -> str:
        """The format of the entries, or of the indices of a dictionary."""
        arrow_format: str = self.array.schema.format
        return arrow_format

    @property
    def dictionary(self) -> Chunk | None:
        """The values of a dictionary."""
        values = self.array.dictionary
        return None if values is None else _chunk_of(values)

    def buffer(self, i: int, dtype: Any) -> NDArray[Any]:
        """Return all of a buffer, with what lies before and after the rows."""
        return np.frombuffer(self.view.buffer(i), dtype)

    def values(self, dtype: Any) -> NDArray[Any]:
        """Return the entries of a type of fixed width."""
        return self.buffer(1, dtype)[self.first : self.first + self.rows]

    def bits(self, i: int) -> NDArray[np.bool_]:
        """Return the bits of the rows in a buffer of bits."""
        first, end = self.first // 8, (self.first + self.rows + 7) // 8
        bits = np.unpackbits(self.buffer(i, np.uint8)[first:end], bitorder="little")
        return bits[self.first % 8 :][: self.rows].view(np.bool_)

    def present(self) -> Mask:
        """Return which entries are not null."""
        if self.format == "n":
            return np.zeros(self.rows, np.bool_)
        if self.array.null_count == 0 or self.view.buffer(0).size_bytes == 0:
            return self.outer
        return both_present(self.bits(0), self.outer)

    def indices(self, dictionary: Chunk, name: str) -> tuple[NDArray[Any], Mask]:
        """Return the place of each entry in the dictionary, 0 for null, and which are not null.

        Raises
        ------
        ValueError
            If an index is outside the dictionary.

        """
        present = self.present()
        places = self.values(ARROW_DTYPES[self.format])
        if present is not None:
            places = np.where(present, places, places.dtype.type(0))
        last = dictionary.rows - 1
        if dictionary.rows == 0 and present is not None and not present.any():
            last = 0
        if places.min(initial=0) < 0 or places.max(initial=0) > last:
            raise ValueError(f"{name} must have indices that are in its dictionary")
        return places, present

    def numbers(self, name: str) -> tuple[NDArray[Any], Mask]:
        """Return the entries as numbers, and which are not null."""
        dtype = _dtype_of(self.array.schema, name)
        if (dictionary := self.dictionary) is not None:
            places, present = self.indices(dictionary, name)
            if dictionary.rows == 0:  # and so every index is null
                return np.zeros(1, dtype)[places], present
            values, known = dictionary.numbers(name)
            return values[places], both_present(present, None if known is None else known[places])
        if self.format == "n":
            return np.zeros(self.rows, dtype), self.present()
        if (scale := _scale_of(self.format)) is not None:
            return self.decimals(scale), self.present()
        return self.bits(1) if self.format == "b" else self.values(dtype), self.present()

    def decimals(self, scale: int) -> NDArray[np.float64]:
        """Return the floats that are nearest to decimals with so many digits behind the point."""
        words = self.values(np.dtype(("<i8", self.view.buffer(1).itemsize // 8)))
        low, power = words[:, 0], 10**scale
        is_word = (words[:, 1:] == (low >> 63)[:, np.newaxis]).all(axis=1)
        # Then the integer and the power are floats, and their quotient is rounded once.
        is_exact = is_word & (low >= -(2**53)) & (low <= 2**53) & (scale <= _MOST_EXACT)
        numbers = low / float(power)
        others = np.flatnonzero(~is_exact)
        for first in range(0, len(others), _BLOCK_ROWS):
            rows = others[first : first + _BLOCK_ROWS]
            *lower, units = words[rows].T.tolist()
            for word in reversed(lower):
                units = [
                    (unit << 64) + each % 2**64 for unit, each in zip(units, word, strict=True)
                ]
            numbers[rows] = [unit / power for unit in units]
        return numbers

    def fixed(self, dtype: np.dtype[Any], name: str) -> tuple[NDArray[Any], Mask]:
        """Return entries of a fixed number of bytes as a dtype, and which are not null."""
        if (dictionary := self.dictionary) is None:
            return self.values(dtype), self.present()
        places, present = self.indices(dictionary, name)
        if dictionary.rows == 0:  # and so every index is null
            return np.zeros(1, dtype)[places], present
        values, known = dictionary.fixed(dtype, name)
        return values[places], both_present(present, None if known is None else known[places])


@dataclass(frozen=True, slots=True, eq=False)
class ArrowColumn:
    """A column that was read: its schema, and its chunks that have rows."""

    schema: Any
    chunks: list[Chunk]

    def numbers(self, name: str) -> tuple[NDArray[Any], Mask]:
        """Return the entries as numbers, and which are not null.

        Raises
        ------
        TypeError
            For a column of anything else, even if it has no entries.

        """
        dtype = _dtype_of(self.schema, name)
        parts = [chunk.numbers(name) for chunk in self.chunks]
        if not parts:
            return np.empty(0, dtype), None
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([values for values, _ in parts]), concatenate_masks(parts)

    def fixed(self, dtype: np.dtype[Any], name: str) -> tuple[NDArray[Any], Mask]:
        """Return entries of a fixed number of bytes as a dtype, and which are not null."""
        parts = [chunk.fixed(dtype, name) for chunk in self.chunks]
        if not parts:
            return np.empty(0, dtype), None
        return np.concatenate([values for values, _ in parts]), concatenate_masks(parts)


def import_nanoarrow(name: str) -> Any:
    """Return the module, which cydp depends on but imports only where it is needed."""
    try:
        import nanoarrow
    except ImportError:
        raise ImportError(
            f"{name} is read through Arrow, which needs nanoarrow: pip install nanoarrow"
        ) from None
    return nanoarrow


def declared_in(schema: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of the numbers in a column, or in a table of one column, of this schema.

    Raises
    ------
    TypeError
        For a schema of anything else.

    """
    dtype: np.dtype[Any] = np.dtype(_dtype_of(_column_schema(schema, name), name))
    return dtype


def read_arrow(x: Any, name: str) -> ArrowColumn:
    """Return an opened column that speaks Arrow, or the only column of such a table."""
    schema, arrays = _read_arrays(x, name)
    if schema.format != _TABLE:
        return _column_of(schema, [_chunk_of(array) for array in arrays])
    column_schema = _column_schema(schema, name)
    return _column_of(column_schema, [_child_of(array, 0) for array in arrays])


def read_table(x: Any, name: str) -> tuple[list[tuple[str, ArrowColumn]], dict[bytes, bytes]]:
    """Return the columns of a table that exports Arrow with their names, and its metadata.

    Raises
    ------
    TypeError
        For a column.

    """
    schema, arrays = _read_arrays(x, name)
    if schema.format != _TABLE:
        raise TypeError(f"{name} must be a table")
    columns = []
    for i in range(schema.n_children):
        child = schema.child(i)
        columns.append((child.name, _column_of(child, [_child_of(array, i) for array in arrays])))
    return columns, dict(schema.metadata.items()) if schema.metadata else {}


def _read_arrays(x: Any, name: str) -> tuple[Any, list[Any]]:
    """Return the schema and the arrays of a column or table; a stream can be read only once.

    The other library's message of a failure may show data, and is not repeated.
    """
    na = import_nanoarrow(name)
    if isinstance(x, SharedColumn):
        return x.arrays()
    try:
        if hasattr(x, "__arrow_c_array__"):
            array = na.c_array(x)
            return array.schema, [array]
        stream = na.c_array_stream(x)  # DuckDB's query runs here
        return stream.get_schema(), list(stream)
    except (ImportError, MemoryError):
        raise
    except TypeError:
        raise TypeError(f"{name} must be of a type that Arrow can express") from None
    except Exception:
        raise unread(name, "read it") from None


def _column_schema(schema: Any, name: str) -> Any:
    """Return the schema of a column, or of the only column of a table."""
    if schema.format != _TABLE:
        return schema
    check_one_column(schema.n_children, name)
    return schema.child(0)


def _column_of(schema: Any, chunks: list[Chunk]) -> ArrowColumn:
    return ArrowColumn(schema, [chunk for chunk in chunks if chunk.rows])


def _chunk_of(array: Any, first: int = 0, rows: int | None = None) -> Chunk:
    view = array.view() if array.schema.format in _READ or _is_fixed(array.schema) else None
    return Chunk(array, view, first + array.offset, len(array) if rows is None else rows)


def _is_fixed(schema: Any) -> bool:
    """Whether entries are times, decimals, or bytes of one length."""
    arrow_format: str = schema.format
    return arrow_format.startswith(("td", "ts", "tt", "tD", "d:", "w:"))


def _child_of(table: Any, i: int) -> Chunk:
    """Return the rows of a table's column."""
    outer = _chunk_of(table).present() if table.null_count else None
    return replace(_chunk_of(table.child(i), table.offset, len(table)), outer=outer)


def _scale_of(arrow_format: str) -> int | None:
    """Return the scale of decimals that are read as numbers: nanoarrow has no shorter ones."""
    scale, bits = decimal_form(arrow_format) or (-1, 0)
    return scale if bits in (128, 256) and 0 <= scale <= _MOST_SCALE else None


def _dtype_of(schema: Any, name: str) -> Any:
    if schema.dictionary is not None:
        return _dtype_of(schema.dictionary, name)
    metadata = schema.metadata
    if metadata and b"ARROW:extension:name" in dict(metadata.items()):
        raise TypeError(f"{name} must hold plain numbers, not an extension type")
    if _scale_of(schema.format) is not None:
        return np.float64
    if schema.format not in ARROW_DTYPES:
        raise not_numbers(name, describe_format(schema.format))
    return ARROW_DTYPES[schema.format]
