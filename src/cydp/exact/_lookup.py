# SPDX-License-Identifier: MIT
"""The place of each row's labels among public keys, and how often each key occurs.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._arguments import Column
from cydp._call_errors import explain_arguments
from cydp._columns import blocks
from cydp._columns.canonical import RAW, canonical_block
from cydp._columns.column_keys import ColumnKeys, KeyPlaces, as_strings
from cydp._columns.declared import Labels
from cydp._columns.dense_keys import DensePlaces
from cydp._columns.keys import Keys
from cydp._columns.label_values import LabelValues, check_lengths
from cydp._columns.strings import Strings, fixed_width
from cydp._columns.tables import open_table

__all__ = ["count_labels", "label_blocks", "match_keys", "match_labels", "value_counts"]

_CHUNK_ROWS = 2**18  # rows for each thread: their codes stay in the cache
_RAW = RAW | {bool, float}  # a dict finds these as they are; it never finds NaN


@explain_arguments
def match_keys(x: Any, keys: Column | Keys) -> NDArray[np.uint32]:
    """Return the index of each value among the keys. NOT private.

    Parameters
    ----------
    x : array_like, shape (n,), or table if the keys are of several columns
        Labels of any kind: numbers, text, bytes, dates, times, and in a list or an array of objects
        anything that can be hashed. Each category of a categorical or dictionary column is looked
        up once.
    keys : array_like, or Keys
        Public, distinct labels, of the kind that the type of the column holds. `Keys` prepares
        them once for many calls, and may be of several columns.

    Returns
    -------
    ndarray of uint32, shape (n,)
        Indices from 0 on, or len(keys) if a label is missing or is not one of the keys.

    Raises
    ------
    TypeError, ValueError
        If the keys are not distinct, or if x or keys has a type that is not allowed.

    See Also
    --------
    value_counts : Counts each key, and makes no array of indices.

    Examples
    --------
    >>> match_keys(["b", "z", None, "a"], ["a", "b"])
    array([1, 2, 2, 0], dtype=uint32)

    """
    return match_labels(*_declare(x, keys))


@explain_arguments
def value_counts(x: Any, keys: Column | Keys) -> NDArray[np.int64]:
    """Count how often each key occurs. NOT private.

    Parameters
    ----------
    x, keys : array_like, table, Keys
        As in `match_keys`.

    Returns
    -------
    ndarray of int64, shape (len(keys),)
        The counts, in the order of the keys. Values that are missing or not one of the keys are
        left out.

    Raises
    ------
    TypeError, ValueError
        As in `match_keys`.

    Examples
    --------
    >>> value_counts(["b", "z", None, "a", "b"], ["a", "b"])
    array([1, 2])

    """
    return count_labels(*_declare(x, keys))


def count_labels(columns: Sequence[Labels], keys: Keys) -> NDArray[np.int64]:
    """Return how many rows have each key, as `match_labels` and `bincount` do. NOT private.

    Examples
    --------
    >>> count_labels([Labels([2.0, None, [], "a", 2])], Keys(["a", 2]))
    array([1, 2])

    """
    counts = np.zeros(len(keys) + 1, np.int64)
    for codes, _ in label_blocks(columns, keys, [], len(counts)):
        _core.bincount(codes, counts, _threads.threads_for(len(codes)))
    return counts[:-1]


def label_blocks(
    columns: Sequence[Labels], keys: Keys, beside: Sequence[NDArray[Any]], counts: int
) -> Iterator[tuple[NDArray[np.uint32], list[NDArray[Any]]]]:
    """Yield what `match_labels` returns for some rows, and these rows of other arrays.

    So until all rows are done; there is one block at least. The codes are in one array, which
    stays in the cache. Whoever gets them may pass over so many counts each time.

    Raises
    ------
    ValueError
        Also if the other arrays have other lengths.

    Examples
    --------
    >>> columns, x = [Labels(["b", "z", "a"])], np.array([5, 6, 7])
    >>> [*label_blocks(columns, Keys(["a", "b"]), [x], 2)]
    [(array([1, 2, 0], dtype=uint32), [array([5, 6, 7])])]

    """
    lookup = _Lookup(columns, keys)
    if any(len(array) != lookup.rows for array in beside):
        raise ValueError("columns must have the same length: one entry for each row")
    block_rows = max(lookup.chunk_rows, 4 * counts)
    codes = np.empty(min(block_rows, lookup.rows), np.uint32)
    for first in range(0, max(lookup.rows, 1), block_rows):
        block = codes[: min(block_rows, lookup.rows - first)]
        lookup.fill(block, first)
        yield block, [array[first : first + block_rows] for array in beside]


def match_labels(columns: Sequence[Labels], keys: Keys) -> NDArray[np.uint32]:
    """Return the place of each row's labels among the keys. NOT private.

    Parameters
    ----------
    columns : sequence of Labels
        As many as the keys have; they are read here.
    keys : Keys

    Returns
    -------
    ndarray of uint32, shape (n,)
        Places from 0 on, or len(keys) for a row with a label that is missing, cannot be hashed,
        or is not one of the keys.

    Raises
    ------
    ValueError
        If a column is not what it declared, or the columns have different lengths.

    Examples
    --------
    >>> match_labels([Labels([2.0, None, [], "a"])], Keys(["a", 2]))
    array([1, 2, 2, 0], dtype=uint32)

    """
    lookup = _Lookup(columns, keys)
    codes = np.empty(lookup.rows, np.uint32)
    lookup.fill(codes, 0)
    return codes


def _declare(x: Any, keys: Column | Keys) -> tuple[list[Labels], Keys]:
    """Return the columns that are looked up, declared, and the keys."""
    known = keys if isinstance(keys, Keys) else Keys(keys)
    if known.by is None:
        columns = [Labels(x, "x")]
    else:
        table = open_table(x, "x")
        columns = [Labels(table.column(name, "keys"), str(name)) for name in known.by]
    known.check(columns)
    return columns, known


class _Lookup:
    """Columns to look up among keys, as many rows at a time as are asked for."""

    def __init__(self, columns: Sequence[Labels], keys: Keys) -> None:
        values = [column.read() for column in columns]
        check_lengths(values)
        self.rows, self._pairs = len(values[0]), keys.pairs
        self.threads = _threads.threads_for(self.rows)
        self.chunk_rows = _CHUNK_ROWS * self.threads
        both = zip(values, keys.columns, strict=True)
        self._columns = [_ColumnLookup(held, labels, self.threads) for held, labels in both]

    def fill(self, codes: NDArray[np.uint32], first: int) -> None:
        """Set codes to the places of the rows from `first` on."""
        leading, *others = self._columns
        more = np.empty(min(len(codes), self.chunk_rows) if others else 0, np.uint32)
        for rows in _chunks(len(codes), self.chunk_rows):
            chunk = codes[rows]
            leading.fill(chunk, first + rows.start)
            for column, table in zip(others, self._pairs, strict=True):
                second = more[: len(chunk)]
                column.fill(second, first + rows.start)
                table.fill(chunk, second, self.threads, chunk)


class _ColumnLookup:
    """A column to look up among the labels of keys."""

    def __init__(self, values: LabelValues, keys: ColumnKeys, threads: int) -> None:
        self._values, self._keys, self._threads = values, keys, threads
        self._missing = len(keys)
        self._table: KeyPlaces | DensePlaces | None = None
        self._stored: Any = None  # the values, as the table takes them
        if not values.is_objects():
            self._prepare()
        self._code_of_category: NDArray[np.uint32] | None = None
        if values.rows is not None:  # categories are looked up once
            held = values.values
            codes = np.empty(held.count if isinstance(held, Strings) else len(held), np.uint32)
            self._fill_values(codes, 0)
            self._code_of_category = codes

    def fill(self, codes: NDArray[np.uint32], first: int) -> None:
        """Set codes to the places of the rows from `first` on."""
        if self._code_of_category is None:
            self._fill_values(codes, first)
        else:
            rows = slice(first, first + len(codes))
            self._values.code_chunk(self._code_of_category, self._missing, rows, codes)

    def _prepare(self) -> None:
        """Find the table for the values of the column."""
        held, kind = self._values.values, self._values.type
        encoding = ""
        if isinstance(held, Strings):
            encoding, self._stored = "utf-8", held.kernel()
        elif kind.kind in ("text", "bytes"):
            assert isinstance(held, np.ndarray)
            encoding = "utf-32-le" if kind.kind == "text" else "bytes"
            self._stored = fixed_width(held)
        self._table = self._keys.table(kind, encoding)
        if not encoding:
            assert isinstance(held, np.ndarray)
            if held.dtype.kind == "S":  # decimals, and bytes of one length
                self._stored = fixed_width(held)
                return
            integers = self._values.integers()
            is_array = isinstance(self._table, DensePlaces)
            self._stored = integers if is_array else as_strings(integers)

    def _fill_values(self, codes: NDArray[np.uint32], first: int) -> None:
        if self._values.is_objects():
            self._fill_entries(codes, first)
        elif self._table is None:
            codes[:] = self._missing
        else:
            rows = slice(first, first + len(codes))
            present = self._values.present
            part = None if present is None else present[rows]
            if isinstance(self._table, DensePlaces):
                self._table.fill(self._stored[rows], part, self._threads, codes)
            else:
                self._table.fill(self._stored, first, part, self._threads, codes)

    def _fill_entries(self, codes: NDArray[np.uint32], first: int) -> None:
        place: Callable[..., int] = self._keys.places.get
        for rows in _chunks(len(codes), blocks.BLOCK_ROWS):
            chunk = slice(first + rows.start, first + rows.stop)
            entries, types = self._values.entries(chunk)
            labels = entries
            if not types <= _RAW:
                labels = [*canonical_block(entries, types, self._keys.others)]
            found = map(place, labels, repeat(self._missing))
            codes[rows] = np.fromiter(found, np.uint32, rows.stop - rows.start)


def _chunks(rows: int, step: int) -> Iterator[slice]:
    for first in range(0, rows, step):
        yield slice(first, min(first + step, rows))
