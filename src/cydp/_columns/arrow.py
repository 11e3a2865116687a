# SPDX-License-Identifier: MIT
"""Columns that speak Arrow: chunks, null bitmaps, offsets, dictionaries; copied only to be joined.

The Arrow PyCapsule protocol, read by nanoarrow:
https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.foreign import one_column, opened, speaks_arrow
from cydp._columns.type_names import NUMBERS, of_format

__all__ = [
    "Mask",
    "Strings",
    "columns_of",
    "identities",
    "nanoarrow",
    "numbers",
    "numbers_dtype",
    "table_numbers",
]

Mask: TypeAlias = NDArray[np.bool_] | None  # of the entries that are present; None: all

_NUMBERS = {
    "c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32, "I": np.uint32,
    "l": np.int64, "L": np.uint64, "e": np.float16, "f": np.float32, "g": np.float64,
}  # fmt: skip
_OFFSETS = {"u": np.int32, "z": np.int32, "U": np.int64, "Z": np.int64}
_VIEWS = {"vu", "vz"}
_KNOWN = {"+s", "b", *_NUMBERS, *_OFFSETS, *_VIEWS}  # what has buffers that are read
_INLINE = 12  # bytes of a string that stand in its view


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """Strings one behind the other, or Arrow's views of them.

    Attributes
    ----------
    text : ndarray of uint8
        The bytes, or views of 16 bytes each.
    offsets : ndarray of int64, one more than strings, or None for views
        The i-th string begins at offsets[i].
    rows : ndarray of int64, or None
        Which string each row holds; None: row i the i-th.
    buffers : tuple of ndarray of uint8
        What views point into. The view of a null row may be anything.
    integers : tuple of int, or None
        What the strings stand for, in decimal digits, if integers of a list pass 64 bits; 0 for
        null.

    """

    text: NDArray[np.uint8]
    offsets: NDArray[np.int64] | None
    rows: NDArray[np.int64] | None = None
    buffers: tuple[NDArray[np.uint8], ...] = ()
    integers: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return self.count if self.rows is None else len(self.rows)

    @property
    def count(self) -> int:
        """How many strings there are, rows aside."""
        return len(self.text) // 16 if self.offsets is None else len(self.offsets) - 1

    def without(self, present: Mask) -> Strings:
        """Return the strings with empty views for null rows, so that all may be read."""
        if present is None or self.offsets is not None or self.rows is not None:
            return self
        views = self.text.reshape(-1, 16).copy()
        views[~present] = 0
        return replace(self, text=views.reshape(-1))

    def kernel(self) -> _core.Strings:
        """Return the strings for a kernel; this object must live as long."""
        if self.offsets is not None:
            return _core.Strings(self.count, self.text, self.offsets)
        addresses = np.array([buffer.ctypes.data for buffer in self.buffers] or [0], np.uint64)
        return _core.Strings(self.count, self.text, addresses=addresses)


def numbers(x: Any, name: str) -> tuple[NDArray[Any], Mask]:
    """Return a column of numbers and which of them are not null.

    Raises
    ------
    TypeError
        For what holds no numbers.

    """
    schema, chunks = _column(x, name)
    return _joined_numbers(schema, chunks, name)


def numbers_dtype(schema: Any, name: str) -> np.dtype[Any]:
    """Return the dtype of the numbers in a column, or in a table of one, of this schema.

    Raises
    ------
    TypeError
        For a schema of anything else.

    """
    dtype: np.dtype[Any] = np.dtype(_dtype(_only(schema, name), name))
    return dtype


def table_numbers(x: Any, name: str) -> list[tuple[NDArray[Any], Mask]]:
    """Return each column of a table as `numbers` does one."""
    schema, arrays = _arrays(x, name)
    if schema.format != "+s":
        raise TypeError(f"{name} must be a table")
    columns = []
    for i in range(schema.n_children):
        child = schema.child(i)
        chunks = [_child(array, i) for array in arrays]
        columns.append(_joined_numbers(child, chunks, name))
    return columns


def _joined_numbers(schema: Any, chunks: list[_Chunk], name: str) -> tuple[NDArray[Any], Mask]:
    dtype = _dtype(schema, name)
    parts = [_numbers(chunk, name) for chunk in chunks if chunk.rows]
    if not parts:
        return np.empty(0, dtype), None
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([values for values, _ in parts]), _joined(parts)


def identities(x: Any, name: str) -> tuple[Strings | NDArray[Any], Mask]:
    """Return a column of integers, strings or bytes, and which are not null.

    Raises
    ------
    TypeError
        For what holds neither.

    """
    schema, chunks = _column(x, name)  # once: a stream may be read only once
    form = (schema.dictionary or schema).format
    chunks = [chunk for chunk in chunks if chunk.rows]
    if not chunks and _is_text(form):
        return Strings(_NOTHING, np.zeros(1, np.int64)), None
    if form not in _IDENTITIES and not _is_text(form):
        raise TypeError(f"{name} must hold integers or text, not {of_format(form)}")
    if not _is_text(form):
        values, present = _joined_numbers(schema, chunks, name)
        return values.astype(np.int64) if form == "n" else values, present
    texts = [_strings(chunk, name) for chunk in chunks]
    if len(texts) == 1:
        return texts[0]
    return _one([part for part, _ in texts]), _joined(texts)


_IDENTITIES = "bcCsSiIlLn"  # formats of integers, and that of nothing
_NOTHING = np.empty(0, np.uint8)
# One string, for null indices.
_EMPTY = Strings(_NOTHING, np.zeros(2, np.int64))
_EMPTY_VIEW = Strings(np.zeros(16, np.uint8), None)


@dataclass(frozen=True, slots=True, eq=False)
class _Chunk:
    """Rows of an array of nanoarrow's, from `first` on."""

    array: Any
    view: Any  # None if there are no values
    first: int
    rows: int
    outer: Mask = None  # what a table or struct says of its rows

    @property
    def form(self) -> str:
        form: str = self.array.schema.format
        return form

    def buffer(self, i: int, dtype: Any) -> NDArray[Any]:
        """Return a buffer, whole."""
        return np.frombuffer(self.view.buffer(i), dtype)

    def values(self, dtype: Any) -> NDArray[Any]:
        """Return the entries of a type of fixed width."""
        return self.buffer(1, dtype)[self.first : self.first + self.rows]

    def present(self) -> Mask:
        """Return which entries are not null."""
        if self.form == "n":
            return np.zeros(self.rows, np.bool_)
        if self.array.null_count == 0 or self.view.buffer(0).size_bytes == 0:
            return self.outer
        return _both(self.bits(0), self.outer)

    def bits(self, i: int) -> NDArray[np.bool_]:
        """Return the bits of a buffer that are those of the rows."""
        first, end = self.first // 8, (self.first + self.rows + 7) // 8
        bits = np.unpackbits(self.buffer(i, np.uint8)[first:end], bitorder="little")
        return bits[self.first % 8 :][: self.rows].view(np.bool_)

    def dictionary(self) -> _Chunk | None:
        """Return the values of a dictionary."""
        values = self.array.dictionary
        return None if values is None else _whole(values)

    def indices(self, words: _Chunk, name: str) -> tuple[NDArray[Any], Mask]:
        """Return the places in the dictionary, 0 for null."""
        present = self.present()
        places = self.values(_NUMBERS[self.form])
        if present is not None:
            places = np.where(present, places, places.dtype.type(0))
        most = words.rows - 1
        if words.rows == 0 and present is not None and not present.any():
            most = 0
        if places.min(initial=0) < 0 or places.max(initial=0) > most:
            raise ValueError(f"{name} must have indices that are in its dictionary")
        return places, present


def _whole(array: Any, first: int = 0, rows: int | None = None) -> _Chunk:
    view = array.view() if array.schema.format in _KNOWN else None
    return _Chunk(array, view, first + array.offset, len(array) if rows is None else rows)


def nanoarrow(name: str) -> Any:
    """Return the module, which cydp depends on but imports only where it is needed."""
    try:
        import nanoarrow
    except ImportError:
        raise ImportError(
            f"{name} is read through Arrow, which needs nanoarrow: pip install nanoarrow"
        ) from None
    return nanoarrow


def _arrays(x: Any, name: str) -> tuple[Any, list[Any]]:
    """Return the schema and the arrays of a column or table.

    What the other library says of a failure may show data.
    """
    if not speaks_arrow(opened(x, name)):
        raise TypeError(f"{name} must be a table that exports Arrow, not {type(x).__name__}")
    na = nanoarrow(name)
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
        said = f"{name} could not be read: its query or its conversion to Arrow failed"
        raise ValueError(said) from None


def _child(array: Any, i: int) -> _Chunk:
    outer = _whole(array).present() if array.null_count else None
    return replace(_whole(array.child(i), array.offset, len(array)), outer=outer)


def _column(x: Any, name: str) -> tuple[Any, list[_Chunk]]:
    """Return the schema and the chunks of a column, or of a table's only one."""
    schema, arrays = _arrays(x, name)
    if schema.format != "+s":
        return schema, [_whole(array) for array in arrays]
    return _only(schema, name), [_child(array, 0) for array in arrays]


def _only(schema: Any, name: str) -> Any:
    """Return the schema of a column, or that of the only column in a table's schema."""
    if schema.format != "+s":
        return schema
    if schema.n_children != 1:
        raise TypeError(one_column(name, schema.n_children))
    return schema.child(0)


def columns_of(x: Any, name: str) -> tuple[dict[str, NDArray[Any]], dict[bytes, bytes]]:
    """Return the columns of a table, of numbers without nulls, and its metadata.

    Raises
    ------
    TypeError, ValueError
        For another table.

    """
    schema, arrays = _arrays(x, name)
    if schema.format != "+s":
        raise TypeError(f"{name} must be a table")
    columns = {}
    for i in range(schema.n_children):
        child = schema.child(i)
        values, present = _joined_numbers(child, [_child(array, i) for array in arrays], name)
        if present is not None and not present.all():
            raise ValueError(f"{name} must have no nulls")
        columns[child.name] = values
    if len(columns) != schema.n_children:
        raise ValueError(f"{name} must have columns of different names")
    return columns, dict(schema.metadata.items()) if schema.metadata else {}


def _numbers(chunk: _Chunk, name: str) -> tuple[NDArray[Any], Mask]:
    if (words := chunk.dictionary()) is not None:
        places, present = chunk.indices(words, name)
        if words.rows:
            values, known = _numbers(words, name)
        else:  # and so every index is null
            values, known = np.zeros(1, _dtype(words.array.schema, name)), None
        return values[places], _both(present, None if known is None else known[places])
    dtype = _dtype(chunk.array.schema, name)
    if chunk.form == "n":
        return np.zeros(chunk.rows, dtype), chunk.present()
    return chunk.bits(1) if chunk.form == "b" else chunk.values(dtype), chunk.present()


def _dtype(schema: Any, name: str) -> Any:
    """Return the dtype of numbers; the type without values, null, counts as bool.

    So it becomes every other dtype, and a column of codes may have it.
    """
    if schema.dictionary is not None:
        return _dtype(schema.dictionary, name)
    about = schema.metadata
    if about and b"ARROW:extension:name" in dict(about.items()):
        raise TypeError(f"{name} must hold plain numbers, not an extension type")
    if schema.format in ("n", "b"):
        return np.bool_
    if schema.format not in _NUMBERS:
        raise TypeError(f"{name} must hold {NUMBERS}, not {of_format(schema.format)}")
    return _NUMBERS[schema.format]


def _is_text(form: str) -> bool:
    return form in _OFFSETS or form in _VIEWS


def _strings(chunk: _Chunk, name: str) -> tuple[Strings, Mask]:
    words = chunk.dictionary()
    if words is None:
        return _text(chunk)
    places, present = chunk.indices(words, name)
    if words.rows:
        text, known = _text(words)
        text = text.without(known)
    else:  # and so every index is null
        text, known = _EMPTY_VIEW if words.form in _VIEWS else _EMPTY, None
    rows = Strings(text.text, text.offsets, places, text.buffers)
    return rows, _both(present, None if known is None else known[places])


def _text(chunk: _Chunk) -> tuple[Strings, Mask]:
    """Return strings that are no dictionary's."""
    if chunk.form in _VIEWS:
        return _viewed(chunk), chunk.present()
    ends = chunk.buffer(1, _OFFSETS[chunk.form])[chunk.first : chunk.first + chunk.rows + 1]
    return Strings(chunk.buffer(2, np.uint8), ends.astype(np.int64, copy=False)), chunk.present()


def _viewed(chunk: _Chunk) -> Strings:
    views = chunk.buffer(1, np.uint8)[16 * chunk.first :][: 16 * chunk.rows]
    # The last buffer has the sizes of those before it.
    buffers = [chunk.buffer(i, np.uint8) for i in range(2, chunk.view.n_buffers - 1)]
    return Strings(views, None, None, tuple(buffers))


def _one(parts: Sequence[Strings]) -> Strings:
    """Join chunks, whose dictionaries may differ."""
    counts = np.cumsum([0, *(part.count for part in parts)])
    rows = None
    if any(part.rows is not None for part in parts):
        rows = np.concatenate(
            [
                first + (np.arange(part.count) if part.rows is None else part.rows)
                for first, part in zip(counts, parts, strict=False)
            ]
        )
    if parts[0].offsets is None:
        return _joined_views(parts, rows)
    texts, offsets, shift = [], [], 0
    for part in parts:
        ends = cast("NDArray[np.int64]", part.offsets)
        texts.append(part.text[ends[0] : ends[-1]])
        offsets.append(ends[:-1] - ends[0] + shift)
        shift += len(texts[-1])
    return Strings(np.concatenate(texts), np.concatenate([*offsets, [shift]]), rows)


def _joined_views(parts: Sequence[Strings], rows: NDArray[np.int64] | None) -> Strings:
    views: list[NDArray[np.uint8]] = []
    buffers: list[NDArray[np.uint8]] = []
    for part in parts:
        words = part.text.view(np.int32).reshape(-1, 4).copy()
        words[words[:, 0] > _INLINE, 2] += len(buffers)
        views.append(words.view(np.uint8).reshape(-1))
        buffers.extend(part.buffers)
    return Strings(np.concatenate(views), None, rows, tuple(buffers))


def _both(one: Mask, other: Mask) -> Mask:
    return other if one is None else one if other is None else one & other


def _joined(parts: Sequence[tuple[Any, Mask]]) -> Mask:
    if all(present is None for _, present in parts):
        return None
    return np.concatenate(
        [np.ones(len(part), np.bool_) if present is None else present for part, present in parts]
    )
