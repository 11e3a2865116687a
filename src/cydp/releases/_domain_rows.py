# SPDX-License-Identifier: MIT
"""Rows in public domains: declared before the charge, bounded and counted after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.pieces import add_pieces
from cydp._columns.tables import open_table
from cydp._generator import Generator
from cydp.exact._contributions import sample_key
from cydp.releases._domains import Domain, Places
from cydp.releases._partitions import bound_rows, count_codes, join_codes
from cydp.releases._rows import check_lengths, declare_users
from cydp.releases._unit import Unit

__all__ = ["DomainRows"]


class DomainRows:
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

    __slots__ = ("_users", "columns")

    def __init__(self, table: Any, domains: Sequence[tuple[Domain, str]], user: Any) -> None:
        opened = open_table(table)
        self.columns = [Places(opened, *each) for each in domains]
        self._users = declare_users(None if user is None else [opened.column(user, "user")])
        for each in self.columns:
            for declared in each.declared:
                check_lengths(declared, self._users)

    def count(
        self, tables: Sequence[Sequence[int]], unit: Unit, generator: Generator
    ) -> list[NDArray[np.int64]]:
        """Return the exact counts of tables, flat; the data is read here.

        Parameters
        ----------
        tables : sequence of sequences of int
            The columns of each table, by their places in `columns`; of none it is the number of
            rows.
        unit : Unit
        generator : Generator

        """
        key = sample_key(self._users, generator)
        declared = [each for column in self.columns for each in column.declared]
        return add_pieces(lambda: self._count(tables, unit, generator, key), declared, self._users)

    def _count(
        self, tables: Sequence[Sequence[int]], unit: Unit, generator: Generator, key: Any
    ) -> list[NDArray[np.int64]]:
        places = [each.read() for each in self.columns]
        outside = np.zeros(len(places[0]), np.uint32)
        for codes, column in zip(places, self.columns, strict=True):
            outside |= codes >= column.size
        if self._users is not None:
            outside = bound_rows(outside, 1, unit, self._users, generator, key=key)
        found = []
        for table in tables:
            joined, cells = outside, 1
            for i in table:
                size = self.columns[i].size
                joined = join_codes(joined, cells, places[i], size)
                cells *= size
            found.append(count_codes(joined, cells))
        return found
