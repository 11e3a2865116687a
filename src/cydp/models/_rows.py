# SPDX-License-Identifier: MIT
"""The rows of a table from which a model is made: declared before the charge, read after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Records
from cydp._columns.pieces import Totals, add_pieces
from cydp._columns.tables import Table, open_table
from cydp._generator import Generator
from cydp.exact._contributions import sample_key
from cydp.models._linear_function import ModelColumn
from cydp.releases._presence import is_absent
from cydp.releases._rows import declare_users, stay_within
from cydp.releases._unit import Unit

__all__ = ["ModelRows", "read_features"]


class ModelRows:
    """Several columns of numbers of a table, and the users whose rows they are.

    Parameters
    ----------
    table : table
    columns : sequence of ModelColumn
    user : column, its name, or None
    unit : Unit
    transform : callable
        Returns what is added up, from an array of shape (n, columns) without missing numbers.

    Raises
    ------
    TypeError, ValueError
        For anything that is no table of these columns, and for columns of other types.

    """

    __slots__ = ("_records", "_transform", "_unit", "_users")

    def __init__(
        self,
        table: Any,
        columns: Sequence[ModelColumn],
        user: Any,
        unit: Unit,
        transform: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    ) -> None:
        opened = open_table(table)
        self._records = _declare(opened, columns)
        self._users = declare_users(None if user is None else [opened.column(user, "user")])
        self._unit, self._transform = unit, transform

    def add(
        self,
        exact: Callable[[Any, NDArray[np.float64]], Totals],
        query: Any,
        generator: Generator,
    ) -> Totals:
        """Return exact answers that add up over the rows in which no number is missing.

        Parameters
        ----------
        exact : callable
            Returns the answers of a query from what `transform` returns.
        query : Query
        generator : Generator
            Draws which rows of a user count.

        """
        key = sample_key(self._users, generator)

        def read() -> Totals:
            values, present = _read(self._records)
            if self._users is not None:
                present = stay_within(self._unit, self._users, ~present, generator, key)
            return exact(query, self._transform(values[present]))

        return add_pieces(read, self._records, self._users)


def read_features(table: Any, columns: Sequence[ModelColumn]) -> NDArray[np.float64]:
    """Return columns of a table, shape (n, columns), with NaN where a number is missing."""
    values, present = _read(_declare(open_table(table), columns))
    values[~present] = np.nan
    return values


def _declare(table: Table, columns: Sequence[ModelColumn]) -> list[Records]:
    """Return columns of a table; of a relation, all are taken before one is read."""
    found = [table.column(column.name, "features and target") for column in columns]
    names = [repr(column.name) for column in columns]
    return [Records(column, name) for column, name in zip(found, names, strict=True)]


def _read(records: Sequence[Records]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the columns side by side, and in which rows no number is missing."""
    columns = [each.read() for each in records]
    n = len(columns[0])
    if any(len(column) != n for column in columns):
        raise ValueError("table must have columns of one length")
    values, present = np.empty((n, len(columns))), np.ones(n, np.bool_)
    for j, column in enumerate(columns):
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            values[:, j] = np.ma.getdata(column)
        present &= ~is_absent(column)
    return values, present
