# SPDX-License-Identifier: MIT
"""The rows of a count: entries of any kind, of which some are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cydp._arguments import Column
from cydp._columns.declared import Labels, Records
from cydp._columns.numbers import is_real_array
from cydp._columns.sources import open_source
from cydp._columns.table import Table, called
from cydp._columns.tables import is_table, is_tabular, open_table
from cydp.exact._contributions import MOST_ROWS, count_user_rows
from cydp.releases._missing import count_present, is_absent, present_labels
from cydp.releases._rows import Key, Rows, declare_users, open_columns, users_of
from cydp.releases._unit import Unit

__all__ = ["PresentRows"]


class PresentRows(Rows):
    """Entries of any kind, or the rows of a table, and the user of each row.

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

    __slots__ = ()

    def __init__(self, x: Column, column: Any, user: Any) -> None:
        if column is None and (is_table(x) or (isinstance(user, str) and is_tabular(x))):
            table = open_table(x, "x")
            super().__init__([table], users_of(table, user))
            return
        if column is None and user is None and isinstance(x, Mapping):
            (x,) = x.values()  # the only column, as of a frame
        found: dict[str, Any] = {"user": None}
        if user is not None or column is not None:
            x, found = open_columns(x, column, user=user)
        super().__init__([_entries_of(x, called(column, "x"))], declare_users(found["user"]))

    def count(self, unit: Unit, key: Key, left_out: int | None = None) -> list[int]:
        """Return how many entries count that are not missing, and how many are left out.

        Parameters
        ----------
        unit : Unit
        key : ndarray of uint64 or None
            As in `bound_users`.
        left_out : int, optional
            The most entries of a user that are counted as left out. Default: none is counted.

        """
        (entries,) = self.columns
        if self.users is None:
            if isinstance(entries, Table):
                if self.sample is None:
                    return [entries.count_rows()]
                return self._count(unit, key, None)
            if isinstance(entries, Records) and entries.length is not None:
                # most often, and the quickest way
                return [count_present(self.in_sample(entries.read()))]
        return [int(total) for total in self.add(lambda: self._count(unit, key, left_out))]

    def _count(self, unit: Unit, key: Key, left_out: int | None) -> list[int]:
        (entries,) = self.columns
        if isinstance(entries, Records):
            absent = is_absent(entries.read())
        elif isinstance(entries, Labels):
            absent = ~present_labels(entries)
        else:
            rows = entries.count_rows() if self.users is None else len(self.users.read())
            absent = np.zeros(rows, np.bool_)
        if self.users is None:
            return [int(np.count_nonzero(self.stay(absent, unit, key, ())))]
        assert key is not None
        rows = count_user_rows(self.users, ~absent, key)
        stay = np.minimum(rows, min(unit.max_rows, MOST_ROWS))
        found = [int(stay.sum(dtype=np.int64))]
        if left_out is not None:
            rows -= stay
            found.append(int(np.minimum(rows, min(left_out, MOST_ROWS)).sum(dtype=np.int64)))
        return found


def _entries_of(x: Any, name: str) -> Records | Labels:
    """Return the column to count in, declared."""
    if is_real_array(x) and x.dtype.kind != "b":  # most often, and the quickest way
        return Records(x, name)
    source = open_source(x, name).as_labels().kept()
    kind, dtype = source.label_type().kind, source.entry_dtype()
    if dtype.kind == "b":
        raise TypeError(
            f"{name} must not be bool, of which True and False would be counted alike: pass the "
            "records that have the property, as x[mask], or use cydp.sum(x, (0, 1), ...)"
        )
    is_numbers = dtype.kind in "iuf" and kind in ("numbers", "objects")
    return Records(source, name) if is_numbers else Labels(source, name)
