# SPDX-License-Identifier: MIT
"""The columns of a release of one number: declared before the charge, read and bounded after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.declared import Records
from cydp._columns.label_types import type_of_entries
from cydp._columns.labels import Labels
from cydp._columns.numbers import is_real_array
from cydp._columns.pieces import Totals, add_pieces
from cydp._columns.tables import Table, is_column, is_table, open_table
from cydp._generator import Generator
from cydp.exact._contributions import bound_users, sample_key
from cydp.releases._presence import count_present, is_absent, present_labels
from cydp.releases._unit import Unit

__all__ = [
    "AddedRows",
    "NumberRows",
    "PresentRows",
    "by_names",
    "check_lengths",
    "declare_users",
    "key_names",
    "known_names",
    "open_columns",
    "stay_within",
]


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


def by_names(by: Any, column: Any) -> tuple[Any, ...] | None:
    """Return the names of several columns of labels; None for a single column."""
    if isinstance(by, dict):
        return tuple(by)
    return tuple(by) if column is not None and isinstance(by, list | tuple) else None


def known_names(columns: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of columns, "" for a column that was given without one; () if none has one.

    >>> known_names(["age", [31, 64]]), known_names([None])
    (('age', ''), ())
    """
    names = tuple(each if isinstance(each, str) else "" for each in columns)
    return names if any(names) else ()


def key_names(columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return the names of columns of keys; of columns that were given without one, numbers or None.

    What is in a column is no name.

    >>> key_names(["age", [31, 64]]), key_names([[31, 64]])
    (('age', 'key1'), (None,))
    """
    unnamed = "key{}" if len(columns) > 1 else None
    return tuple(
        each if not is_column(each) else unnamed and unnamed.format(i)
        for i, each in enumerate(columns)
    )


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


class AddedRows(Protocol):
    """Rows over which exact answers add up."""

    def add(
        self,
        exact: Callable[[Any, NDArray[Any]], Totals],
        query: Any,
        generator: Generator,
    ) -> Totals:
        """Return the exact answers of all rows, as `NumberRows.add` does."""


class NumberRows:
    """Numbers, and the users whose rows they are.

    Parameters
    ----------
    x, column, user
        As in a release.
    unit : Unit

    Raises
    ------
    TypeError, ValueError
        For columns of other types, or of lengths that are known to differ.

    """

    __slots__ = ("_records", "_unit", "_users")

    def __init__(self, x: Column, column: Any, user: Any, unit: Unit) -> None:
        self._unit = unit
        self._users: Labels | None = None
        if user is not None or column is not None:
            x, found = open_columns(x, column, user=user)
            self._users = declare_users(found["user"])
        self._records = Records(x)
        check_lengths(self._records, self._users)

    def read(
        self,
        generator: Generator,
        *,
        absent_count: bool = False,
        key: NDArray[np.uint64] | None = None,
    ) -> NDArray[Any]:
        """Return the numbers that count, masked where they are null.

        Parameters
        ----------
        generator : Generator
            Draws which rows of a user count.
        absent_count : bool
            Whether rows without a number count among the rows of their user.
        key : ndarray of uint64, optional
            As in `bound_users`.

        """
        values = self._records.read()
        if self._users is None:
            return values
        outside = np.zeros(len(values), np.bool_) if absent_count else is_absent(values)
        return values[stay_within(self._unit, self._users, outside, generator, key)]

    def add(
        self,
        exact: Callable[[Any, NDArray[Any]], Totals],
        query: Any,
        generator: Generator,
    ) -> Totals:
        """Return exact answers that add up over the numbers, which are read in pieces.

        Parameters
        ----------
        exact : callable
            Returns the answers of a query from numbers that `read` returns.
        query : Query
            Its `filled` says whether rows without a number count.
        generator : Generator

        """
        if self._users is None and self._records.length is not None:
            return exact(query, self._records.read())  # most often, and the quickest way
        key = sample_key(self._users, generator)
        filled = query.filled is not None
        return add_pieces(
            lambda: exact(query, self.read(generator, absent_count=filled, key=key)),
            [self._records],
            self._users,
        )


class PresentRows:
    """Entries of any kind, and the users whose rows they are.

    Parameters
    ----------
    x, column, user
        As in `count`.
    unit : Unit

    Raises
    ------
    TypeError, ValueError
        For columns of types that hold no numbers or labels, for bool, and for lengths that are
        known to differ.

    """

    __slots__ = ("_records", "_unit", "_users")

    def __init__(self, x: Column, column: Any, user: Any, unit: Unit) -> None:
        self._unit = unit
        self._users: Labels | None = None
        self._records: Records | Labels | Table
        if column is None and is_table(x):
            self._records = open_table(x, "x")
            self._users = declare_users(
                None if user is None else [self._records.column(user, "user")]
            )
            return
        if user is not None or column is not None:
            x, found = open_columns(x, column, user=user)
            self._users = declare_users(found["user"])
        if is_real_array(x) and x.dtype.kind != "b":  # most often, and the quickest way
            self._records = Records(x)
            check_lengths(self._records, self._users)
            return
        labels = Labels(x, "x")
        dtype = (
            type_of_entries(set(map(type, x))).dtype
            if isinstance(x, list | tuple)
            else labels.dtype
        )
        if dtype.kind == "b":
            raise TypeError(
                "x must not be bool, of which True and False would be counted alike: pass the "
                "records that have the property, as x[mask], or use cydp.sum(x, (0, 1), ...)"
            )
        is_numbers = dtype.kind in "iuf" and labels.type.kind in ("numbers", "objects")
        self._records = Records(x) if is_numbers else labels
        check_lengths(self._records, self._users)

    def count(self, generator: Generator) -> int:
        """Return how many entries count that are not missing."""
        if self._records.length is not None:
            if self._users is None and isinstance(self._records, Records):
                return count_present(self._records.read())  # most often, and the quickest way
            return self._count(generator, None)
        if isinstance(self._records, Table) and self._users is None:
            return self._records.count_rows()
        key = sample_key(self._users, generator)
        columns = [] if isinstance(self._records, Table) else [self._records]
        (total,) = add_pieces(lambda: [self._count(generator, key)], columns, self._users)
        return int(total)

    def _count(self, generator: Generator, key: NDArray[np.uint64] | None) -> int:
        if isinstance(self._records, Records):
            values = self._records.read()
            if self._users is None:
                return count_present(values)
            absent = is_absent(values)
        elif isinstance(self._records, Table):
            if self._users is None:
                return self._records.count_rows()
            known = self._records.length
            absent = np.zeros(len(self._users.read()) if known is None else known, np.bool_)
        else:
            absent = ~present_labels(self._records)
            if self._users is None:
                return absent.size - int(np.count_nonzero(absent))
        stays = stay_within(self._unit, self._users, absent, generator, key)
        return int(np.count_nonzero(stays))


def stay_within(
    unit: Unit,
    users: Labels,
    outside: NDArray[np.bool_],
    generator: Generator,
    key: NDArray[np.uint64] | None,
) -> NDArray[np.bool_]:
    """Return which rows stay, at most `max_rows` of each user; those outside do not count."""
    return bound_users(
        users, outside.astype(np.uint32), 1, max_partitions=1,
        max_rows_per_partition=unit.max_rows, rng=generator, key=key,
    )  # fmt: skip
