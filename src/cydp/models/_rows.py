# SPDX-License-Identifier: MIT
"""The rows of a table from which a model is made: declared before the charge, read after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Records
from cydp._columns.pieces import Totals
from cydp._columns.tables import Table, open_table
from cydp.models._linear_function import ModelColumn
from cydp.releases._missing import is_absent
from cydp.releases._rows import Key, Rows, users_of
from cydp.releases._unit import Unit

__all__ = ["ModelRows", "read_features"]

_ROWS = 2**16  # that are transformed at once, so that they stay in the cache


class ModelRows(Rows):
    """Several columns of numbers of a table, and the user of each row.

    Parameters
    ----------
    table : table
    columns : sequence of ModelColumn
        The features, and last the target.
    user : column, its name, or None

    Raises
    ------
    TypeError, ValueError
        For anything that is no table of these columns, and for columns of other types.

    """

    __slots__ = ()

    def __init__(self, table: Any, columns: Sequence[ModelColumn], user: Any) -> None:
        opened = open_table(table)
        super().__init__(_declare(opened, columns[:-1], columns[-1:]), users_of(opened, user))

    def add_present(
        self, exact: Callable[[NDArray[np.float64]], Totals], unit: Unit, key: Key
    ) -> Totals:
        """Return exact answers that add up over the rows in which no number is missing.

        Parameters
        ----------
        exact : callable
            Returns answers from the numbers of up to `_ROWS` rows, shape (n, columns).
        unit : Unit
            How many rows of a user count.
        key : ndarray of uint64 or None
            As in `bound_users`.

        """

        def read() -> Totals:
            columns, present = _read(self.columns)
            present = self.stay(~present, unit, key)
            totals: Totals = []
            for start in range(0, max(len(present), 1), _ROWS):
                piece = slice(start, start + _ROWS)
                found = exact(_side_by_side(each[piece] for each in columns)[present[piece]])
                totals = [a + b for a, b in zip(totals, found, strict=True)] if start else found
            return totals

        return self.add(read)


def read_features(table: Any, columns: Sequence[ModelColumn]) -> NDArray[np.float64]:
    """Return columns of a table, shape (n, columns), with NaN where a number is missing."""
    found, present = _read(_declare(open_table(table), columns))
    values = _side_by_side(found)
    values[~present] = np.nan
    return values


def _declare(
    table: Table, features: Sequence[ModelColumn], target: Sequence[ModelColumn] = ()
) -> list[Records]:
    """Return columns of a table; all columns of a relation are taken before one is read."""
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
