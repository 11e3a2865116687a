# SPDX-License-Identifier: MIT
"""Public keys: labels of any kind, of one column or of several together, prepared once.

docs/columns.md, "Labels".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.canonical import digest_labels
from cydp._columns.column_keys import ColumnKeys, KeyPlaces, as_strings
from cydp._columns.declared import Labels
from cydp._columns.label_types import type_of_entries
from cydp._columns.sources import open_source
from cydp._columns.table import Table
from cydp._columns.tables import open_table
from cydp._columns.truncated import DateTrunc

__all__ = ["Keys", "compared_with", "digest_keys"]


_DENSE = 2**22  # the largest table with an entry for each pair that could be


_MOST_KEYS = 2**32 - 4


_REPEATED = "keys must be distinct: some are given more than once"


class _PairTable:
    """Distinct pairs of places, each known by its place among them.

    Parameters
    ----------
    pairs : ndarray of int64
        The distinct pairs as numbers: first * width + second.
    width : int
        The number of seconds, plus one for anything else.
    size : int
        The number of firsts, plus one for anything else, times the width.

    """

    __slots__ = ("_codes", "_count", "_size", "_table", "_width")

    def __init__(self, pairs: NDArray[np.int64], width: int, size: int) -> None:
        self._count, self._width, self._size = len(pairs), np.int64(width), size
        self._codes: NDArray[np.uint32] | None = None
        self._table: KeyPlaces | None = None
        if size <= _DENSE:
            self._codes = np.full(size, len(pairs), np.uint32)
            self._codes[pairs] = np.arange(len(pairs), dtype=np.uint32)
        else:
            self._table = KeyPlaces(pairs, None)

    @classmethod
    def of(
        cls,
        first: NDArray[np.uint32],
        second: NDArray[np.uint32],
        seconds: int,
        *,
        keep_order: bool,
    ) -> tuple[_PairTable, NDArray[np.uint32]]:
        """Return the table of given pairs, and the place of each pair in it.

        Parameters
        ----------
        first, second : ndarray of uint32
            The pairs, each as a place among the firsts and one among the seconds.
        seconds : int
            How many places the second may have.
        keep_order : bool
            Whether the places follow the order of the pairs, if they are distinct.

        """
        width = seconds + 1
        pairs = first.astype(np.int64) * np.int64(width) + second
        size = (int(first.max()) + 2) * width
        distinct, places = np.unique(pairs, return_inverse=True)
        if keep_order and len(distinct) == len(pairs):
            return cls(pairs, width, size), np.arange(len(pairs), dtype=np.uint32)
        return cls(distinct, width, size), places.astype(np.uint32)

    def __len__(self) -> int:
        return self._count

    def fill(
        self, first: NDArray[np.uint32], second: NDArray[np.uint32], threads: int, codes: Any
    ) -> None:
        """Set codes to the places of pairs, and to the number of pairs for others."""
        pairs = first * self._width + second
        if self._table is not None:
            self._table.fill(as_strings(pairs), 0, None, threads, codes)
        elif self._codes is not None:
            np.take(self._codes, pairs, out=codes, mode="clip")


class Keys:
    """Public keys to look labels up among: labels of one column, or of several together.

    They are prepared once for any number of columns and releases. Any number of threads may use
    them, and they can be pickled.

    Parameters
    ----------
    keys : array_like, mapping, table, Keys, or release of keys
        Distinct. Without `by`, the labels of one column, in a list, an array or a column. With
        `by`, a list of tuples, or a table with columns of these names: a key is a row. A dict has
        the labels of each column: all combinations are keys, and the first column varies slowest.
    by : sequence of hashables, or str, optional
        The names of the columns; a text is one name. Prepared keys are known by theirs.

    Attributes
    ----------
    arrays : tuple of ndarray
        The keys of each column, in the order given, read-only.
    columns : tuple of ColumnKeys
        The distinct labels of each column.
    pairs : tuple of tables
        The tables that combine the places of the first columns with the places of the next one; the
        last table has the places of the keys.

    Raises
    ------
    TypeError, ValueError
        For keys that are missing, not hashable, or given more than once.

    Examples
    --------
    >>> from cydp.exact import value_counts
    >>> keys = Keys(["a", "b"])
    >>> [value_counts(piece, keys).tolist() for piece in (["b", "b"], ["a", "z"])]
    [[0, 2], [1, 0]]
    >>> Keys([("f", 30), ("m", 30)], by=("sex", "age"))
    <Keys: 2 of 2 columns>
    >>> Keys({"sex": ["f", "m"], "age": [30, 31, 32]}, by=("sex", "age"))
    <Keys: 6 of 2 columns>

    """

    __slots__ = ("arrays", "by", "columns", "pairs")

    arrays: tuple[NDArray[Any], ...]

    def __init__(self, keys: Any, by: Sequence[Any] | None = None) -> None:
        self.by = None if by is None else (by,) if isinstance(by, str) else tuple(by)
        if self.by is not None and len(set(self.by)) < len(self.by):
            raise ValueError("by must name each column once")
        if (found := getattr(keys, "key_columns", None)) is not None:
            keys = _of_release(found, keys.key_names)
        if isinstance(keys, Keys):
            if not (self.by and keys.by and self.by != keys.by):
                self._take(keys)
                return
            if set(self.by) != set(keys.by):
                raise ValueError(
                    f"keys must be of the columns {_names(self.by)}, and these are of "
                    f"{_names(keys.by)}"
                )
            keys = _table_of(keys.by, keys.arrays)  # in another order
        given = [_entries(keys)] if self.by is None else _several(keys, self.by)
        if not 1 <= len(given[0]) <= _MOST_KEYS:
            raise ValueError(f"keys must be 1 to 2**32 - 4 keys, not {len(given[0])}")
        found = [ColumnKeys.of(entries) for entries in given]
        self.columns = tuple(keys for keys, _ in found)
        places = found[0][1]
        pairs = []
        for i in range(1, len(found)):
            last = i == len(found) - 1
            table, places = _PairTable.of(
                places, found[i][1], len(self.columns[i]), keep_order=last
            )
            pairs.append(table)
        self.pairs = tuple(pairs)
        distinct = len(self.pairs[-1]) if pairs else len(self.columns[0])
        if distinct < len(given[0]):
            raise ValueError(_REPEATED)
        self.arrays = tuple(map(_read_only, given))

    def _take(self, prepared: Keys) -> None:
        """Share the tables of keys that were prepared before."""
        given, wanted = len(prepared.columns), 1 if self.by is None else len(self.by)
        if self.by is not None and given != wanted:
            raise ValueError(f"keys must be of {wanted} columns, and these are of {given}")
        self.by = prepared.by if self.by is None else self.by
        self.arrays, self.columns, self.pairs = prepared.arrays, prepared.columns, prepared.pairs

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.arrays, self.by)  # tables of the C core cannot be pickled

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __repr__(self) -> str:
        columns = "one column" if self.by is None else f"{len(self.by)} columns"
        return f"<Keys: {len(self)} of {columns}>"

    def check(self, columns: Sequence[Labels]) -> None:
        """Check, before a charge, that each column can hold its keys, by its type.

        Raises
        ------
        TypeError
            If a key of a column is of another kind than its labels.
        ValueError
            For another number of columns.

        """
        if len(columns) != len(self.columns):
            raise ValueError(
                f"keys must have a label for each of {len(columns)} columns, not "
                f"{len(self.columns)}"
            )
        several = self.by is not None and len(columns) > 1
        names = (
            [f"keys of {name!r}" for name in self.by or ()] if several else ["keys"] * len(columns)
        )
        for column, keys, name in zip(columns, self.columns, names, strict=True):
            keys.check(column, name)


def compared_with(keys: Keys, columns: Sequence[Labels]) -> list[Labels]:
    """Return columns as they are compared with keys, checked as by `Keys.check`.

    A column that declares no type, of a CSV file, holds what its keys are.
    """
    if len(columns) == len(keys.columns):
        both = zip(columns, keys.columns, strict=True)
        columns = [own.compared(column) for column, own in both]
    keys.check(columns)
    for column, own in zip(columns, keys.columns, strict=True):
        column.text_as = own.uses(column)
    return list(columns)


def _made(arrays: tuple[NDArray[Any], ...], by: tuple[Any, ...] | None) -> Keys:
    """Return the keys that were pickled."""
    if by is None:
        return Keys(arrays[0])
    places = tuple(range(len(by)))  # a column of rounded times has another name in a table
    made = Keys(_table_of(places, arrays), places)
    made.by = by
    return made


def _table_of(by: tuple[Any, ...], arrays: tuple[NDArray[Any], ...]) -> Table:
    """Return keys of several columns as a table, a row each."""
    return open_table(dict(zip(by, arrays, strict=True)), "keys")


def _of_release(columns: tuple[NDArray[Any], ...], names: Sequence[Any]) -> Keys:
    """Return the keys of a release, whose names may be unknown if there is one column."""
    return Keys(columns[0]) if len(columns) == 1 else _made(columns, tuple(names))


def _names(by: Iterable[Any]) -> str:
    return ", ".join(map(str, by))


def _entries(keys: Any) -> NDArray[Any] | list[Any]:
    """Return labels of one column as an array of numbers or times, or as a list."""
    if isinstance(keys, Mapping):
        raise TypeError(
            f"keys of one column must be a list, not a {type(keys).__name__}: "
            "group_by(table, by=[...], keys={...}) counts several columns"
        )
    if isinstance(keys, set | frozenset):
        raise TypeError(f"keys must be in an order: a list, not a {type(keys).__name__}")
    if isinstance(keys, str):
        raise TypeError(
            "keys must be a list, an array or a column, not text: the name of a column is "
            "column='...' or by='...', a single key is ['...'], and keys in a file are a column of "
            "it, such as polars.read_csv('...')['...']"
        )
    column = open_source(keys, "keys")
    dtype = getattr(column.x, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "biufMm" and dtype.itemsize <= 8:
        array = column.held()
        if type(array) is np.ndarray and array.ndim == 1:
            return array
    if isinstance(column.x, np.ndarray) and column.x.ndim != 1:
        raise ValueError(f"keys must have one dimension, not {column.x.ndim}")
    return column.entries()


def _several(keys: Any, by: tuple[Any, ...]) -> list[NDArray[Any] | list[Any]]:
    """Return the labels of each column."""
    if not by:
        raise ValueError("by must name a column")
    if isinstance(keys, list | tuple):
        return _columns_of_tuples(keys, len(by))
    if isinstance(keys, Mapping):
        return _combinations(keys, by)
    table = open_table(keys, "keys")
    if not set(by) <= set(table.names):
        raise ValueError(f"keys must be of the columns {_names(by)}, not {_names(table.names)}")
    columns = [table.column(name, "by") for name in by]
    given = [_entries(column) for column in columns]
    if len(set(map(len, given))) > 1:
        raise ValueError("keys must have columns of one length")
    return given


def _combinations(labels: Mapping[Any, Any], by: tuple[Any, ...]) -> list[NDArray[Any] | list[Any]]:
    """Return the columns of all combinations of labels; the first column varies slowest."""
    rounded = {each.column: each for each in by if isinstance(each, DateTrunc)}
    named = {name if name in by else rounded.get(name, name): each for name, each in labels.items()}
    if set(named) != set(by) or len(named) < len(labels):
        raise ValueError(f"keys must be of the columns {_names(by)}, not {_names(labels)}")
    arrays = [_array_of(_entries(named[name])) for name in by]
    sizes = [len(ColumnKeys.of(array)[0]) for array in arrays]
    if any(len(array) > size for array, size in zip(arrays, sizes, strict=True)):
        raise ValueError(f"{_REPEATED}; a dict has the labels of each column, not the keys")
    if not 1 <= (size := math.prod(sizes)) <= _MOST_KEYS:
        raise ValueError(f"keys must be 1 to 2**32 - 4 keys, not {size}")
    grid = np.indices(sizes).reshape(len(arrays), -1)
    return [array[places] for array, places in zip(arrays, grid, strict=True)]


def _columns_of_tuples(keys: Sequence[Any], columns: int) -> list[NDArray[Any] | list[Any]]:
    if not set(map(type, keys)) <= {tuple} and not all(isinstance(key, tuple) for key in keys):
        raise TypeError(
            "keys of several columns must be tuples, with a label for each column of by, a table "
            "with these columns, or a dict of the labels of each: all combinations are keys"
        )
    if set(map(len, keys)) - {columns}:
        raise ValueError(f"keys must be tuples of {columns} labels, one for each column of by")
    return [list(column) for column in zip(*keys, strict=True)] if keys else [[]] * columns


def _array_of(entries: NDArray[Any] | list[Any]) -> NDArray[Any]:
    """Return labels as an array of int64, uint64, float64, bool, times or objects."""
    if isinstance(entries, np.ndarray):
        return _widened(entries)
    dtype = type_of_entries(set(map(type, entries))).dtype
    for known in (dtype, np.dtype(np.uint64)) if dtype.kind == "i" else (dtype,):
        try:
            return _objects(entries) if dtype.kind == "O" else np.array(entries, known)
        except OverflowError:
            continue
    return _objects(entries)


def _widened(array: NDArray[Any]) -> NDArray[Any]:
    kind = array.dtype.kind
    if kind in "iu":
        return array.astype(np.uint64 if array.dtype == np.uint64 else np.int64)
    return array.astype(np.float64 if kind == "f" else array.dtype.newbyteorder("="))


def _objects(entries: Sequence[Any]) -> NDArray[Any]:
    array = np.empty(len(entries), object)
    array[:] = entries
    return array


def _read_only(entries: NDArray[Any] | list[Any]) -> NDArray[Any]:
    array = _array_of(entries)
    array.flags.writeable = False
    return array


def digest_keys(public: Keys | None) -> list[str] | None:
    """Return a digest of each column of public keys; None without keys.

    Raises
    ------
    TypeError
        For keys of a class that is not known.

    >>> digest_keys(None) is None
    True
    """
    if public is None:
        return None
    return [digest_labels(column, "keys") for column in public.arrays]
