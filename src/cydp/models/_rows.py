# SPDX-License-Identifier: MIT
"""The rows of a table from which a model is made: declared before the charge, read after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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

_ROWS = 2**16  # that are transformed at once: they stay in the cache


class ModelRows:
    """Several columns of numbers of a table, and the users whose rows they are.

    Parameters
    ----------
    table : table
    columns : sequence of ModelColumn
        The features, and last the target.
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
        self._records = _declare(opened, columns[:-1], columns[-1:])
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
            Returns the answers of a query from what `transform` returns of up to `_ROWS` rows.
        query : Query
        generator : Generator
            Draws which rows of a user count.

        """
        key = sample_key(self._users, generator)

        def read() -> Totals:
            columns, present = _read(self._records)
            if self._users is not None:
                present = stay_within(self._unit, self._users, ~present, generator, key)
            totals: Totals = []
            for start in range(0, max(len(present), 1), _ROWS):
                piece = slice(start, start + _ROWS)
                values = _side_by_side(each[piece] for each in columns)[present[piece]]
                found = exact(query, self._transform(values))
                totals = [a + b for a, b in zip(totals, found, strict=True)] if start else found
            return totals

        return add_pieces(read, self._records, self._users)


def read_features(table: Any, columns: Sequence[ModelColumn]) -> NDArray[np.float64]:
    """Return columns of a table, shape (n, columns), with NaN where a number is missing."""
    found, present = _read(_declare(open_table(table), columns))
    values = _side_by_side(found)
    values[~present] = np.nan
    return values


def _declare(
    table: Table, features: Sequence[ModelColumn], target: Sequence[ModelColumn] = ()
) -> list[Records]:
    """Return columns of a table; of a relation, all are taken before one is read."""
    found = [table.column(each.name, f"features[{each.name!r}]") for each in features]
    found += [table.column(each.name, f"target[{each.name!r}]") for each in target]
    names = [repr(each.name) for each in (*features, *target)]
    return [Records(column, name) for column, name in zip(found, names, strict=True)]


def _read(records: Sequence[Records]) -> tuple[list[Any], NDArray[np.bool_]]:
    """Return the values of columns, and in which rows no number is missing."""
    columns = [each.read() for each in records]
    if any(len(column) != len(columns[0]) for column in columns):
        raise ValueError("table must have columns of one length")
    present = np.ones(len(columns[0]), np.bool_)
    for column in columns:
        present &= ~is_absent(column)
    return columns, present


def _side_by_side(columns: Iterable[Any]) -> NDArray[np.float64]:
    """Return columns as one array of shape (n, columns)."""
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        return np.stack([np.ma.getdata(each).astype(np.float64) for each in columns], axis=1)
