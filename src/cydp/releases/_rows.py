# SPDX-License-Identifier: MIT
"""The columns of a release: declared before the charge, read and bounded after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column
from cydp._columns.declared import Labels, Records
from cydp._columns.pieces import Totals, add_pieces
from cydp._columns.shared import SharedRows
from cydp._columns.table import Table, called
from cydp._columns.tables import open_table
from cydp._columns.truncated import TruncatedSource
from cydp.exact._contributions import (
    PairNumbers,
    bound_users,
    count_contributions,
)
from cydp.exact._label_hashes import mix_words
from cydp.exact._label_sets import LabelSets
from cydp.exact._time_grid import TimeGrid
from cydp.exact._user_identifiers import MOST
from cydp.releases._missing import is_absent
from cydp.releases._unit import Unit

__all__ = [
    "Codes",
    "Key",
    "NumberRows",
    "Rows",
    "declare_users",
    "open_columns",
    "users_of",
    "word_of",
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
            if isinstance(each, list | tuple):
                return [table.column(one, name) for one in each]
            return [table.column(each, name, is_named=True)]

        return table.column(column, "column", is_named=True), {
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
    if isinstance(columns[0], TruncatedSource):
        raise TypeError("user must be a column of users, not date_trunc of times")
    return Labels(columns[0], "user")


def users_of(table: Table, user: Any) -> Labels | None:
    """Return the column of users of a table, declared, if one is named."""
    return declare_users(None if user is None else [table.column(user, "user", is_named=True)])


class Rows:
    """The rows of a release: columns that were declared, and are read after the charge.

    Parameters
    ----------
    columns : sequence of Records, Labels or Table
    users : Labels or None
        The user of each row.

    Attributes
    ----------
    columns, users
        As the parameters.
    sample : callable or None
        Draws which of a number of rows are in a secret sample; the others are read, and do not
        count. None: all rows.
    told : list of ndarray of bool, or None
        Where it is a list, `bound` adds which rows are in partitions that count for their user, and
        keeps them all.

    Raises
    ------
    ValueError
        If the columns are known to have different lengths.

    """

    __slots__ = ("_sampled", "columns", "sample", "told", "users")

    def __init__(self, columns: Sequence[Any], users: Labels | None) -> None:
        self.columns, self.users = columns, users
        self.sample: Callable[[int], NDArray[np.bool_]] | None = None
        self.told: list[NDArray[np.bool_]] | None = None
        self._sampled: NDArray[np.bool_] | None = None  # of the rows that were read last
        if users is not None or len(columns) > 1:
            lengths = {each.length for each in (*columns, *(() if users is None else (users,)))}
            if len(lengths - {None}) > 1:
                raise ValueError(
                    "all columns must have an entry for each record: their lengths differ"
                )

    @property
    def length(self) -> int | None:
        """The number of rows; None for a query, such as a relation of DuckDB: it would run."""
        length: int | None = self.columns[0].length
        return length

    def check(self) -> None:
        """Raise a ValueError, before a charge, if rows in files cannot be read as they are."""
        for rows in self._queries():
            rows.check()

    @property
    def text_as(self) -> tuple[str, ...]:
        """What text of files is read as, such as "number", and what keys are compared with."""
        found = {what for each in self.columns if isinstance(each, Labels) for what in each.text_as}
        if self.length is None:
            found.update(*(rows.text_as for rows in self._queries()))
        return tuple(sorted(found))

    def _queries(self) -> set[SharedRows]:
        """Return the rows of queries that the columns are of."""
        found = {_rows_of(each) for each in (*self.columns, self.users)}
        return {rows for rows in found if rows is not None}

    def add(self, exact: Callable[[], Totals]) -> Totals:
        """Return exact answers that add up over the rows, which are read in pieces if they can be.

        Parameters
        ----------
        exact : callable
            Reads the columns, and returns the answers of the rows that they hold.

        """
        if self.columns[0].length is not None:  # most often, and the quickest way
            return exact()
        columns = [each for each in self.columns if not isinstance(each, Table)]

        def of_piece() -> Totals:
            self._sampled = None
            return exact()

        return add_pieces(of_piece, columns, self.users)

    def in_sample(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of the rows that are in the sample."""
        sampled = self._draw_sample(len(values))
        return values if sampled is None else values[sampled]

    def _draw_sample(self, rows: int) -> NDArray[np.bool_] | None:
        """Return which rows of a piece are in the sample: drawn once for all its columns."""
        if self._sampled is None and self.sample is not None:
            self._sampled = self.sample(rows)
        return self._sampled

    def stay(
        self, outside: NDArray[np.bool_], unit: Unit, key: Key, contents: Sequence[NDArray[Any]]
    ) -> NDArray[np.bool_]:
        """Return which rows count, as in `bound`; rows outside do not."""
        if self.users is None:
            sampled = self._draw_sample(len(outside))
            return ~outside if sampled is None else ~outside & sampled
        codes = self.bound(outside.astype(np.uint32), 1, unit, key, contents)
        found: NDArray[np.bool_] = codes == 0
        return found

    def bound(
        self,
        codes: Codes,
        keys: int | LabelSets,
        unit: Unit,
        key: Key,
        contents: Sequence[NDArray[Any]] = (),
        *,
        max_rows: int | None = None,
        pairs: PairNumbers | None = None,
    ) -> Codes:
        """Return the codes; a row that does not count gets a code outside.

        Such rows are outside the sample, or beyond the bounds of their user, who is read here.

        Parameters
        ----------
        codes : ndarray of uint32, shape (n,)
            Rows with a code outside do not count toward the bounds.
        keys : int or LabelSets
            How many codes there are, or the labels that they stand for.
        unit : Unit
        key : ndarray of uint64 or None
            As in `bound_users`.
        contents : sequence of ndarray, shape (n,)
            What the answers depend on beside users and codes: numbers, by which the rows of a user
            are chosen, whatever their order.
        max_rows : int, optional
            The most rows of a user that stay in each partition. Default: the unit's own bound.
        pairs : PairNumbers, optional
            As in `bound_users`; used with users alone.

        """
        stays = self._draw_sample(len(codes))
        if self.users is not None:
            assert key is not None
            in_all = unit.max_partitions is None and max_rows is None  # rows of any partitions
            keep_all = self.told is not None and not in_all
            stays = bound_users(
                self.users,
                codes,
                keys,
                key,
                max_partitions=None if in_all else unit.max_partitions or unit.max_rows,
                max_rows_per_partition=MOST if keep_all else max_rows or unit.max_rows,
                contents=mix_words([word_of(each) for each in contents]) if contents else None,
                pairs=pairs,
            )
            if self.told is not None:
                self.told.append(codes >= 0 if in_all else stays)
        if stays is None:
            return codes
        found = stays.astype(np.uint32)
        found -= np.uint32(1)  # no bit for rows that stay, all bits for others
        found |= codes
        return found

    def left_out(
        self, inside: NDArray[np.bool_], stays: NDArray[np.bool_], most: int, key: Key
    ) -> int:
        """Return how many rows with a user are left out, of each user `most` of them at most.

        Parameters
        ----------
        inside, stays : ndarray of bool, shape (n,)
            Which rows could count, and which of them do.
        most : int
        key : ndarray of uint64
            As in `bound_users`.

        """
        assert self.users is not None
        assert key is not None
        users = count_contributions(self.users, inside & ~stays, most, key)
        return int(np.arange(1, most + 1) @ users)


class NumberRows(Rows):
    """Numbers, or times in steps of a grid, and the user of each row.

    Parameters
    ----------
    x, column, user
        As in a release.
    grid : TimeGrid, optional
        The grid of times. Default: x holds numbers.

    Raises
    ------
    TypeError, ValueError
        For columns of other types, or of lengths that are known to differ.

    """

    __slots__ = ()

    def __init__(self, x: Column, column: Any, user: Any, grid: TimeGrid | None = None) -> None:
        found: dict[str, Any] = {"user": None}
        if user is not None or column is not None:
            x, found = open_columns(x, column, user=user)
        name = called(column, "x")
        records = Records(x, name) if grid is None else grid.open(x, name)
        super().__init__([records], declare_users(found["user"]))

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
        values: NDArray[Any] = self.columns[0].read()
        if self.users is None:
            return self.in_sample(values)
        return values[self.stay(_outside(values, absent_count), unit, key, [values])]

    def by_user(
        self, unit: Unit, key: Key, *, absent_count: bool
    ) -> tuple[PairNumbers, NDArray[Any]]:
        """Return a number for each row's user, as `pairs` of `bound`, and the values.

        All rows of each user have it, but those without a value unless `absent_count`.
        """
        values: NDArray[Any] = self.columns[0].read()
        outside, users = _outside(values, absent_count), PairNumbers(len(values))
        self.bound(outside.astype(np.uint32), 1, unit, key, max_rows=MOST, pairs=users)
        return users, values


def word_of(x: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a word for each number, the same one from a column of any type; one for missing."""
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        numbers, absent = np.ascontiguousarray(np.ma.getdata(x), np.float64), is_absent(x)
    return (np.where(absent, np.nan, numbers) if absent.any() else numbers).view(np.uint64)


def _outside(values: NDArray[Any], absent_count: bool) -> NDArray[np.bool_]:
    return np.zeros(len(values), np.bool_) if absent_count else is_absent(values)


def _rows_of(column: Records | Labels | Table | None) -> SharedRows | None:
    """Return the rows of a query that a column, or a table, is of; None if it is in memory."""
    if column is None or isinstance(column, Table):
        return None if column is None else column.rows
    return None if column.shared is None else column.shared.rows
