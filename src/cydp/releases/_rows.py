# SPDX-License-Identifier: MIT
"""The columns of a release: declared before the charge, read and bounded after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._arguments import Column
from cydp._columns.declared import Records
from cydp._columns.labels import Labels
from cydp._columns.numbers import is_real_array
from cydp._columns.pieces import Totals, add_pieces
from cydp._columns.source import open_source
from cydp._columns.tables import Table, is_table, open_table
from cydp._threads import threads_for
from cydp.exact._contributions import bound_users
from cydp.exact._label_sets import LabelSets
from cydp.releases._missing import count_present, is_absent, present_labels
from cydp.releases._unit import Unit

__all__ = [
    "Codes",
    "Key",
    "NumberRows",
    "PresentRows",
    "Rows",
    "bound_rows",
    "check_lengths",
    "count_codes",
    "declare_users",
    "join_codes",
    "open_columns",
    "stay_within",
]


Key: TypeAlias = NDArray[np.uint64] | None
"""The secret key, shape (2,), by which the rows of users are chosen; None without users."""


Codes: TypeAlias = NDArray[np.uint32]


def open_columns(x: Any, column: Any, **others: Any) -> tuple[Any, dict[str, Any]]:
    """Return x, or its column of that name, and further columns by name or as they are.

    Parameters
    ----------
    x : column, or table if `column` is given
    column : name of a column, or None
    **others : column, name or None, by the name of the argument
        Names in a list or a tuple, and the columns in a dict, are several columns.

    Returns
    -------
    (column, dict)
        The dict has a list of columns, or None, for each of `others`.

    Raises
    ------
    TypeError, ValueError
        For a name without a table, or one that the table does not have.

    """
    if column is not None:
        table = open_table(x, "x")

        def find(each: Any, name: str) -> list[Any] | None:
            if each is None:
                return None
            names = each if isinstance(each, list | tuple) else [each]
            return [table.column(one, name) for one in names]

        return table.column(column, "column"), {
            name: find(each, name) for name, each in others.items()
        }
    for name, each in others.items():
        if isinstance(each, str):
            raise TypeError(
                f"{name} must be a column, unless x is a table: then give the names of its "
                "columns, column=... as well"
            )
    return x, {
        name: None if each is None else list(each.values()) if isinstance(each, dict) else [each]
        for name, each in others.items()
    }


def declare_users(columns: list[Any] | None) -> Labels | None:
    """Return the column of users, declared, if there is one.

    Raises
    ------
    TypeError
        For several columns, and for a type that holds no users.

    """
    if columns is None:
        return None
    if len(columns) != 1:
        raise TypeError("user must be one column")
    return Labels(columns[0], "user")


def check_lengths(first: Records | Labels, second: Labels | None) -> None:
    """Raise a ValueError if two columns are known to have different lengths."""
    known = None if second is None else second.length
    if None not in (known, first.length) and known != first.length:
        raise ValueError("all columns must have an entry for each record: their lengths differ")


class Rows(ABC):
    """The rows of a release: columns that were declared, and are read after the charge.

    Attributes
    ----------
    users : Labels or None
        Whose row each one is.
    sampled : ndarray of bool, shape (n,), or None
        Which rows are in a secret sample; the others are read, and do not count. None: all rows.

    """

    __slots__ = ("sampled", "users")

    def __init__(self, users: Labels | None) -> None:
        self.users = users
        self.sampled: NDArray[np.bool_] | None = None

    @property
    @abstractmethod
    def length(self) -> int | None:
        """The number of rows; None for a relation of DuckDB, whose query would run."""

    def in_sample(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return those of the rows' values that are in the sample."""
        return values if self.sampled is None else values[self.sampled]


class NumberRows(Rows):
    """Numbers, and the users whose rows they are.

    Parameters
    ----------
    x, column, user
        As in a release.

    Raises
    ------
    TypeError, ValueError
        For columns of other types, or of lengths that are known to differ.

    """

    __slots__ = ("_records",)

    def __init__(self, x: Column, column: Any, user: Any) -> None:
        found: dict[str, Any] = {"user": None}
        if user is not None or column is not None:
            x, found = open_columns(x, column, user=user)
        super().__init__(declare_users(found["user"]))
        self._records = Records(x)
        check_lengths(self._records, self.users)

    @property
    def length(self) -> int | None:
        """The number of rows; None for a relation of DuckDB, whose query would run."""
        return self._records.length

    def read(self, unit: Unit, key: Key, *, absent_count: bool = False) -> NDArray[Any]:
        """Return the numbers that count, masked where they are null.

        Parameters
        ----------
        unit : Unit
            How many rows of a user count.
        key : ndarray of uint64 or None
            As in `bound_users`.
        absent_count : bool
            Whether rows without a number count among the rows of their user.

        """
        values = self._records.read()
        if self.users is None:
            return self.in_sample(values)
        outside = np.zeros(len(values), np.bool_) if absent_count else is_absent(values)
        return values[stay_within(unit, self.users, outside, key)]

    def add(self, exact: Callable[[Any, NDArray[Any]], Totals], query: Any, key: Key) -> Totals:
        """Return exact answers that add up over the numbers, which are read in pieces.

        Parameters
        ----------
        exact : callable
            Returns the answers of a query from numbers that `read` returns.
        query : Query
            Its `filled` says whether rows without a number count.
        key : ndarray of uint64 or None
            As in `bound_users`.

        """
        if self.users is None and self._records.length is not None:
            # most often, and the quickest way
            return exact(query, self.in_sample(self._records.read()))
        filled = query.filled is not None
        return add_pieces(
            lambda: exact(query, self.read(query.unit, key, absent_count=filled)),
            [self._records],
            self.users,
        )


class PresentRows(Rows):
    """Entries of any kind, and the users whose rows they are.

    Parameters
    ----------
    x, column, user
        As in `count`.

    Raises
    ------
    TypeError, ValueError
        For columns of types that hold no numbers or labels, for bool, and for lengths that are
        known to differ.

    """

    __slots__ = ("_records",)

    def __init__(self, x: Column, column: Any, user: Any) -> None:
        self._records: Records | Labels | Table
        if column is None and is_table(x):
            self._records = table = open_table(x, "x")
            super().__init__(declare_users(None if user is None else [table.column(user, "user")]))
            return
        found: dict[str, Any] = {"user": None}
        if user is not None or column is not None:
            x, found = open_columns(x, column, user=user)
        super().__init__(declare_users(found["user"]))
        if is_real_array(x) and x.dtype.kind != "b":  # most often, and the quickest way
            self._records = Records(x)
            check_lengths(self._records, self.users)
            return
        source = open_source(x, "x").kept()
        kind, dtype = source.label_type().kind, source.entry_dtype()
        if dtype.kind == "b":
            raise TypeError(
                "x must not be bool, of which True and False would be counted alike: pass the "
                "records that have the property, as x[mask], or use cydp.sum(x, (0, 1), ...)"
            )
        is_numbers = dtype.kind in "iuf" and kind in ("numbers", "objects")
        self._records = Records(source) if is_numbers else Labels(source, "x")
        check_lengths(self._records, self.users)

    @property
    def length(self) -> int | None:
        """The number of rows; None for a relation of DuckDB, whose query would run."""
        return self._records.length

    def count(self, unit: Unit, key: Key) -> int:
        """Return how many entries count that are not missing."""
        if isinstance(self._records, Table) and self.users is None and self.sampled is None:
            return self._records.count_rows()
        if self._records.length is not None:
            if self.users is None and isinstance(self._records, Records):
                # most often, and the quickest way
                return count_present(self.in_sample(self._records.read()))
            return self._count(unit, key)
        columns = [] if isinstance(self._records, Table) else [self._records]
        (total,) = add_pieces(lambda: [self._count(unit, key)], columns, self.users)
        return int(total)

    def _count(self, unit: Unit, key: Key) -> int:
        if isinstance(self._records, Records):
            absent = is_absent(self._records.read())
        elif isinstance(self._records, Table):
            known = self._records.length
            if known is None:
                assert self.users is not None
                known = len(self.users.read())
            absent = np.zeros(known, np.bool_)
        else:
            absent = ~present_labels(self._records)
        if self.users is None:
            return int(np.count_nonzero(self.in_sample(~absent)))
        return int(np.count_nonzero(stay_within(unit, self.users, absent, key)))


def stay_within(
    unit: Unit, users: Labels, outside: NDArray[np.bool_], key: Key
) -> NDArray[np.bool_]:
    """Return which rows stay, at most `max_rows` of each user; those outside do not count."""
    assert key is not None
    return bound_users(
        users, outside.astype(np.uint32), 1, key, max_partitions=1,
        max_rows_per_partition=unit.max_rows,
    )  # fmt: skip


def join_codes(outer: Codes, n_outer: int, inner: Codes, n_inner: int) -> Codes:
    """Return the partition of each row: an outer one, such as a key, and one within, such as a bin.

    Parameters
    ----------
    outer, inner : ndarrays of uint32, shape (n,)
        Codes; those of n_outer and n_inner or more are outside.
    n_outer, n_inner : int
        Their product is below 2**32.

    Returns
    -------
    ndarray of uint32, shape (n,)
        outer * n_inner + inner; n_outer * n_inner if either is outside.

    Examples
    --------
    >>> join_codes(np.array([0, 1, 2], np.uint32), 2, np.array([1, 0, 0], np.uint32), 3)
    array([1, 3, 6], dtype=uint32)

    """
    joined = outer * np.uint32(n_inner)  # what wraps is outside
    joined += inner
    joined[(outer >= n_outer) | (inner >= n_inner)] = n_outer * n_inner
    return joined


def bound_rows(
    codes: Codes,
    keys: int | LabelSets,
    unit: Unit,
    users: Labels,
    key: Key,
    *,
    max_rows: int | None = None,
) -> Codes:
    """Return codes, outside for the rows that do not count: those beyond the bounds of a user.

    Parameters
    ----------
    codes : ndarray of uint32, shape (n,)
        Rows that are outside before do not count toward the bounds.
    keys : int or LabelSets
        How many codes there are, or the labels that they stand for.
    unit : Unit
    users : Labels
        They are read here.
    key : ndarray of uint64 or None
        As in `bound_users`.
    max_rows : int, optional
        The most rows of a user that stay in each partition. Default: those of the unit.

    """
    assert key is not None
    stays = bound_users(
        users, codes, keys, key, max_partitions=unit.max_partitions or 1,
        max_rows_per_partition=max_rows or unit.max_rows,
    )  # fmt: skip
    return np.where(stays, codes, np.uint32(keys if isinstance(keys, int) else len(keys)))


def count_codes(codes: Codes, n_codes: int) -> NDArray[np.int64]:
    """Return how many rows have each code from 0 to n_codes - 1."""
    counts = np.zeros(n_codes, np.int64)
    if n_codes > 0:  # of keys that are selected there may be none
        _core.bincount(codes, counts, threads_for(len(codes)))
    return counts
