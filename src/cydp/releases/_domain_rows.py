# SPDX-License-Identifier: MIT
"""Rows in public domains: declared before the charge, bounded and counted after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.pieces import add_pieces
from cydp._columns.tables import open_table
from cydp.releases._domains import Domain, Places
from cydp.releases._partitions import bound_rows, count_codes, join_codes
from cydp.releases._rows import Key, Rows, check_lengths, declare_users
from cydp.releases._unit import Unit

__all__ = ["DomainRows"]


class DomainRows(Rows):
    """The rows that lie in all domains, of each user at most `max_rows`.

    The same rows are in all tables, so that exact tables agree.

    Parameters
    ----------
    table : table
    domains : sequence of (Domain, name of the argument)
    user : name, column or None

    Raises
    ------
    TypeError, ValueError
        For columns of other types, or of lengths that are known to differ.

    """

    __slots__ = ("columns",)

    def __init__(self, table: Any, domains: Sequence[tuple[Domain, str]], user: Any) -> None:
        opened = open_table(table)
        self.columns = [Places(opened, *each) for each in domains]
        super().__init__(declare_users(None if user is None else [opened.column(user, "user")]))
        for each in self.columns:
            for declared in each.declared:
                check_lengths(declared, self.users)

    @property
    def length(self) -> int | None:
        """The number of rows; None for a relation of DuckDB, whose query would run."""
        return self.columns[0].declared[0].length

    def count(
        self, tables: Sequence[Sequence[int]], unit: Unit, key: Key
    ) -> list[NDArray[np.int64]]:
        """Return the exact counts of tables, flat; the data is read here.

        Parameters
        ----------
        tables : sequence of sequences of int
            The columns of each table, by their places in `columns`; of none it is the number of
            rows.
        unit : Unit
        key : ndarray of uint64 or None
            As in `bound_users`.

        """
        declared = [each for column in self.columns for each in column.declared]
        return add_pieces(lambda: self._count(tables, unit, key), declared, self.users)

    def _count(
        self, tables: Sequence[Sequence[int]], unit: Unit, key: Key
    ) -> list[NDArray[np.int64]]:
        places = [each.read() for each in self.columns]
        outside = np.zeros(len(places[0]), np.uint32)
        for codes, column in zip(places, self.columns, strict=True):
            outside |= codes >= column.size
        if self.sampled is not None:
            outside |= ~self.sampled
        if self.users is not None:
            outside = bound_rows(outside, 1, unit, self.users, key)
        found = []
        for table in tables:
            joined, cells = outside, 1
            for i in table:
                size = self.columns[i].size
                joined = join_codes(joined, cells, places[i], size)
                cells *= size
            found.append(count_codes(joined, cells))
        return found
