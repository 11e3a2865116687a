# SPDX-License-Identifier: MIT
"""The place of each row's labels among given keys. docs/columns.md, "Labels"."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _threads
from cydp._columns.blocks import BLOCK_ROWS
from cydp._columns.canonical import RAW, Canonical, canonical
from cydp._columns.column_keys import ColumnKeys, KeyPlaces, as_strings, stored_integers
from cydp._columns.dense_keys import DensePlaces
from cydp._columns.label_keys import LabelKeys
from cydp._columns.label_values import LabelValues
from cydp._columns.labels import Labels
from cydp._columns.masks import Mask
from cydp._columns.strings import Strings, fixed_width

__all__ = [
    "canonical_block",
    "check_lengths",
    "code_categories",
    "entry_blocks",
    "integers_of_labels",
    "match_labels",
]

_CHUNK_ROWS = 2**18  # rows for each thread, whose codes stay in the cache
# Types whose entries can be hashed without calling anything of the user's; equal ones of one type
# are one label.
_SAFE = frozenset({bool, bytes, date, Fraction, timedelta})
_RAW = RAW | {bool, float}  # a dict finds them among canonical labels, and no NaN


def match_labels(columns: Sequence[Labels], keys: LabelKeys) -> NDArray[np.uint32]:
    """Return the place of each row's labels among the keys. NOT private.

    Parameters
    ----------
    columns : sequence of Labels
        As many as the keys have; they are read here.
    keys : LabelKeys

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
    >>> match_labels([Labels([2.0, None, [], "a"])], LabelKeys(["a", 2]))
    array([1, 2, 2, 0], dtype=uint32)

    """
    values = [column.read() for column in columns]
    check_lengths(values)
    codes = _match(values[0], keys.columns[0])
    threads = _threads.threads_for(len(codes))
    for i, table in enumerate(keys.pairs, 1):
        second = _match(values[i], keys.columns[i])
        for rows in _chunks(len(codes), threads):
            table.fill(codes[rows], second[rows], threads, codes[rows])
    return codes


def check_lengths(values: Sequence[LabelValues]) -> None:
    """Raise a ValueError for columns of different lengths."""
    if len(set(map(len, values))) > 1:
        raise ValueError("columns must have the same length: one label for each row")


def entry_blocks(values: LabelValues) -> Iterator[tuple[slice, list[Any], set[type]]]:
    """Yield the rows of a block of objects, the objects, and their types; None is no label."""
    for first in range(0, len(values.values), BLOCK_ROWS):
        rows = slice(first, first + BLOCK_ROWS)
        part = values.values[rows]  # type: ignore[index]
        entries = part.tolist() if isinstance(part, np.ndarray) else list(part)
        if values.present is not None:
            present = values.present[rows]
            entries = [
                entry if there else None for entry, there in zip(entries, present, strict=True)
            ]
        yield rows, entries, set(map(type, entries))


def canonical_block(
    entries: list[Any], types: set[type], others: frozenset[type] = frozenset()
) -> Iterable[Canonical | None]:
    """Return the canonical labels of entries, whose types are given."""
    if types <= RAW:
        return entries
    if len(types) == 1 and types <= _SAFE:  # each distinct entry once
        labels = {entry: canonical(entry) for entry in set(entries)}
        return map(labels.__getitem__, entries)
    return [canonical(entry, others) for entry in entries]


def integers_of_labels(values: LabelValues) -> NDArray[Any]:
    """Return numbers or times as integers, which are equal only for equal labels."""
    array: NDArray[Any] = np.ascontiguousarray(values.values)
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    if native.dtype.kind == "f":
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            native = native + native.dtype.type(0)  # -0 becomes 0
    return native.view(stored_integers(native.dtype))


def code_categories(codes: NDArray[np.uint32], missing: int, values: LabelValues) -> Any:
    """Return the code of each row, from those of the categories."""
    if values.rows is None:
        return codes
    if len(codes) == 0:
        return np.full(len(values.rows), missing, np.uint32)
    found = np.empty(len(values.rows), np.uint32)
    for rows in _chunks(len(found), 1):  # numpy converts the indices of a chunk
        np.take(codes, values.rows[rows], out=found[rows], mode="clip")
        if values.rows_present is not None:
            found[rows][~values.rows_present[rows]] = missing
    return found


def _match(values: LabelValues, keys: ColumnKeys) -> NDArray[np.uint32]:
    return np.asarray(code_categories(_match_values(values, keys), len(keys), values))


def _match_values(values: LabelValues, keys: ColumnKeys) -> NDArray[np.uint32]:
    held, kind = values.values, values.type.kind
    if isinstance(held, Strings):
        codes = _look_up(keys.table(values.type, "utf-8"), held, values.present, len(keys))
        if held.rows is None:
            return codes
        found = LabelValues(values.type, held, rows=held.rows, rows_present=values.present)
        return np.asarray(code_categories(codes, len(keys), found))
    if not isinstance(held, np.ndarray) or held.dtype.kind in "OT" or kind == "nulls":
        return _match_entries(values, keys)
    if kind == "text" or kind == "bytes":
        encoding = "utf-32-le" if kind == "text" else "bytes"
        return _look_up(keys.table(values.type, encoding), held, values.present, len(keys))
    stored = np.ascontiguousarray(held) if held.dtype.kind == "S" else integers_of_labels(values)
    return _look_up(keys.table(values.type, ""), stored, values.present, len(keys))


def _look_up(
    table: KeyPlaces | DensePlaces | None, held: NDArray[Any] | Strings, present: Mask, missing: int
) -> NDArray[np.uint32]:
    """Return the places of values, or of the strings of a dictionary, among all keys."""
    if isinstance(held, Strings):
        strings, size = held.kernel(), held.count
        if held.rows is not None:
            present = None  # they are the rows'
    else:
        strings = fixed_width(held) if held.dtype.kind in "US" else as_strings(held)
        size = len(held)
    if table is None:
        return np.full(size, missing, np.uint32)
    if isinstance(table, DensePlaces):
        assert isinstance(held, np.ndarray)  # only integers have such a table
        return table.look_up(held, present)
    codes = np.empty(size, np.uint32)
    threads = _threads.threads_for(size)
    for rows in _chunks(size, threads):
        part = None if present is None else present[rows]
        table.fill(strings, rows.start, part, threads, codes[rows])
    return codes


def _match_entries(values: LabelValues, keys: ColumnKeys) -> NDArray[np.uint32]:
    codes = np.empty(len(values.values), np.uint32)
    place: Callable[..., int] = keys.places.get
    missing = len(keys)
    for rows, entries, types in entry_blocks(values):
        labels = entries if types <= _RAW else canonical_block(entries, types, keys.others)
        codes[rows] = np.fromiter(map(place, labels, repeat(missing)), np.uint32, len(entries))
    return codes


def _chunks(rows: int, threads: int) -> Iterator[slice]:
    step = _CHUNK_ROWS * threads
    for first in range(0, rows, step):
        yield slice(first, min(first + step, rows))
