# SPDX-License-Identifier: MIT
"""Strings and bytes in the layouts that kernels read: one behind the other, views, or fixed width.

docs/columns.md, "Factorize: ids and hashes".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.arrow import ArrowColumn, Chunk
from cydp._columns.dtypes import ARROW_OFFSETS, ARROW_VIEWS
from cydp._columns.masks import Mask, both_present, concatenate_masks, spread_present

__all__ = [
    "Strings",
    "arrow_strings",
    "concatenate",
    "fixed_width",
    "join_bytes",
]

_INLINE = 12  # bytes of a string that stand in its view


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """Strings one behind the other, or Arrow's views of strings.

    Attributes
    ----------
    data : ndarray of uint8
        The bytes, or views of 16 bytes each.
    offsets : ndarray of int64, one more than strings, or None for views
        The i-th string begins at offsets[i].
    rows : ndarray of int, or None
        The place of each row's string among the strings; None: row i has string i.
    buffers : tuple of ndarray of uint8
        The bytes that views point into. The view of a null row may be anything.
    integers : tuple of int or None, or None
        The integers, if the strings are their hexadecimal digits: integers of a list that pass 64
        bits, or stand beside other labels, which are None. 0 for null.

    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64] | None
    rows: NDArray[np.int64] | None = None
    buffers: tuple[NDArray[np.uint8], ...] = ()
    integers: tuple[int | None, ...] | None = None

    def __len__(self) -> int:
        return self.count if self.rows is None else len(self.rows)

    @property
    def count(self) -> int:
        """How many strings there are; with a dictionary there may be more rows, or fewer."""
        return len(self.data) // 16 if self.offsets is None else len(self.offsets) - 1

    def blank(self, present: Mask) -> Strings:
        """Return the strings with empty views for null rows, so that every view may be read."""
        if present is None or self.offsets is not None or self.rows is not None:
            return self
        views = self.data.reshape(-1, 16).copy()
        views[~present] = 0
        return replace(self, data=views.reshape(-1))

    def kernel(self) -> _core.Strings:
        """Return the strings for a kernel; this object must live as long."""
        if self.offsets is not None:
            return _core.Strings(self.count, self.data, self.offsets)
        addresses = np.array([buffer.ctypes.data for buffer in self.buffers] or [0], np.uint64)
        return _core.Strings(self.count, self.data, addresses=addresses)


_NO_BYTES = np.empty(0, np.uint8)
_NO_STRINGS = Strings(_NO_BYTES, np.zeros(1, np.int64))
# One empty string, for the indices of an empty dictionary, which are all null.
_EMPTY = Strings(_NO_BYTES, np.zeros(2, np.int64))
_EMPTY_VIEW = Strings(np.zeros(16, np.uint8), None)


def fixed_width(values: NDArray[Any]) -> _core.Strings:
    """Return an array of numpy's strings or bytes for a kernel."""
    native = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    width = native.dtype.itemsize
    data = native.view(np.uint8) if width else _NO_BYTES
    return _core.Strings(len(native), data, width=width)


def join_bytes(entries: Sequence[bytes], present: Mask) -> tuple[Strings, Mask]:
    """Return the entries that are present one behind the other, and empty strings for the rest."""
    lengths = spread_present(np.fromiter(map(len, entries), np.int64, len(entries)), present)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return Strings(np.frombuffer(b"".join(entries), np.uint8), offsets), present


def arrow_strings(column: ArrowColumn, name: str) -> tuple[Strings, Mask]:
    """Return the strings of a column of a format of strings, and which entries are not null."""
    parts = [_chunk_strings(chunk, name) for chunk in column.chunks]
    if not parts:
        return _NO_STRINGS, None
    if len(parts) == 1:
        return parts[0]
    return concatenate([strings for strings, _ in parts]), concatenate_masks(parts)


def _chunk_strings(chunk: Chunk, name: str) -> tuple[Strings, Mask]:
    dictionary = chunk.dictionary
    if dictionary is None:
        return _plain_strings(chunk)
    places, present = chunk.indices(dictionary, name)
    if dictionary.rows == 0:  # and so every index is null
        strings = _EMPTY_VIEW if dictionary.format in ARROW_VIEWS else _EMPTY
        return replace(strings, rows=places), present
    strings, known = _plain_strings(dictionary)
    rows = replace(strings.blank(known), rows=places)
    return rows, both_present(present, None if known is None else known[places])


def _plain_strings(chunk: Chunk) -> tuple[Strings, Mask]:
    """Return the strings of a chunk without a dictionary."""
    if chunk.format in ARROW_VIEWS:
        views = chunk.buffer(1, np.uint8)[16 * chunk.first :][: 16 * chunk.rows]
        # The last buffer has the sizes of those before it.
        buffers = [chunk.buffer(i, np.uint8) for i in range(2, chunk.view.n_buffers - 1)]
        return Strings(views, None, buffers=tuple(buffers)), chunk.present()
    ends = chunk.buffer(1, ARROW_OFFSETS[chunk.format])[chunk.first :][: chunk.rows + 1]
    data = chunk.buffer(2, np.uint8)
    return Strings(data, ends.astype(np.int64, copy=False)), chunk.present()


def concatenate(parts: Sequence[Strings]) -> Strings:
    """Return the strings of all parts; their dictionaries may differ."""
    rows = None
    if any(part.rows is not None for part in parts):
        firsts = np.cumsum([0, *(part.count for part in parts[:-1])])
        rows = np.concatenate(
            [
                first + (np.arange(part.count) if part.rows is None else part.rows)
                for first, part in zip(firsts, parts, strict=True)
            ]
        )
    if parts[0].offsets is None:
        return _concatenate_views(parts, rows)
    data, offsets, first = [], [], 0
    for part in parts:
        ends = cast("NDArray[np.int64]", part.offsets)
        data.append(part.data[ends[0] : ends[-1]])
        offsets.append(ends[:-1] - ends[0] + first)
        first += len(data[-1])
    return Strings(np.concatenate(data), np.concatenate([*offsets, [first]]), rows)


def _concatenate_views(parts: Sequence[Strings], rows: NDArray[np.int64] | None) -> Strings:
    views: list[NDArray[np.uint8]] = []
    buffers: list[NDArray[np.uint8]] = []
    for part in parts:
        # A view is the length, four bytes, and the index and the offset of a buffer; or the bytes.
        fields = part.data.view(np.int32).reshape(-1, 4).copy()
        fields[fields[:, 0] > _INLINE, 2] += len(buffers)
        views.append(fields.view(np.uint8).reshape(-1))
        buffers.extend(part.buffers)
    return Strings(np.concatenate(views), None, rows, tuple(buffers))
