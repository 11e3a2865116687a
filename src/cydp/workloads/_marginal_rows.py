# SPDX-License-Identifier: MIT
"""The columns of marginals: declared before the charge, and counted after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Records
from cydp._columns.label_keys import LabelKeys
from cydp._columns.labels import Labels
from cydp._columns.pieces import add_pieces
from cydp._columns.tables import open_table
from cydp._generator import Generator
from cydp.exact._bins import Bins, public_bins
from cydp.exact._cell_codes import cell_codes
from cydp.exact._contributions import sample_key
from cydp.exact._label_codes import match_labels
from cydp.releases._keys import digest_keys
from cydp.releases._partitions import Codes, bound_rows, count_codes, join_codes
from cydp.releases._rows import check_lengths, declare_users
from cydp.workloads._marginals_query import MarginalsQuery

__all__ = ["Domains", "MarginalRows"]

_FLOATS = np.dtype(np.float64)


class Domain:
    """The public domain of a column: keys, or bins.

    Parameters
    ----------
    given : list of labels, LabelKeys, or tuple (bins, range)
    name : str
        The name of the column, for errors.

    """

    __slots__ = ("_bins", "keys")

    def __init__(self, given: Any, name: str) -> None:
        self.keys: LabelKeys | None = None
        self._bins: tuple[Any, Any] | None = None
        if not isinstance(given, tuple):
            self.keys = given if isinstance(given, LabelKeys) else LabelKeys(given)
            if self.keys.by is not None:
                raise TypeError(f"domains must have keys of one column for {name}")
            return
        if len(given) != 2 or (given[1] is not None and np.ndim(given[1]) == 0):
            raise ValueError(
                f"domains must have a list of keys for {name}, or a tuple (bins, range): a number "
                "and (lo, hi), or edges and None; a tuple of keys is neither"
            )
        bins, ends = given
        if ends is not None and np.ndim(bins) != 0:
            raise ValueError(f"domains must have None beside the edges of {name}")
        self._bins = bins, ends

    def bins(self, dtype: np.dtype[Any] = _FLOATS) -> Bins:
        """Return the bins for data of a dtype."""
        assert self._bins is not None
        return public_bins(*self._bins, dtype)


class Domains:
    """The public domains of columns, by name."""

    __slots__ = ("by_name",)

    def __init__(self, given: Any) -> None:
        if not isinstance(given, Mapping):
            raise TypeError(f"domains must be a dict by column, not {type(given).__name__}")
        if not all(isinstance(name, str) for name in given):
            raise TypeError("domains must have the names of columns, which are text")
        self.by_name = {name: Domain(each, name) for name, each in given.items()}

    def sizes(self, sets: Sequence[tuple[str, ...]]) -> dict[str, int]:
        """Return how many keys or bins each column of the sets has."""
        used = {name for columns in sets for name in columns}
        return {
            name: len(domain.bins().edges) - 1 if domain.keys is None else len(domain.keys)
            for name, domain in self.by_name.items()
            if name in used
        }


class MarginalRows:
    """The columns of a table, with their domains.

    Raises
    ------
    TypeError, ValueError
        For columns of other types, or of lengths that are known to differ.

    """

    __slots__ = ("_columns", "_users", "grids")

    def __init__(self, table: Any, domains: Domains, sizes: Mapping[str, int], user: Any) -> None:
        opened = open_table(table)
        self._users = declare_users(None if user is None else [opened.column(user, "user")])
        self._columns: dict[str, tuple[Records, Bins] | tuple[Labels, LabelKeys]] = {}
        self.grids: dict[str, Any] = {}  # of each column: edges, or keys
        for name in sizes:
            column, domain = opened.column(name, "domains"), domains.by_name[name]
            if domain.keys is None:
                records = Records(column, name)
                grid = domain.bins(records.dtype)
                self._columns[name], self.grids[name] = (records, grid), grid.edges
            else:
                labels = Labels(column, name)
                domain.keys.check([labels])
                self._columns[name], self.grids[name] = (labels, domain.keys), domain.keys
        declared = [column for column, _ in self._columns.values()]
        for other in declared[1:]:
            check_lengths(declared[0], other)  # type: ignore[arg-type]
        check_lengths(declared[0], self._users)

    def digests(self) -> dict[str, Any]:
        """Return the public domains, as a ledger compares them."""
        return {
            name: digest_keys(grid) if isinstance(grid, LabelKeys) else grid
            for name, grid in self.grids.items()
        }

    def count(self, query: MarginalsQuery, generator: Generator) -> list[NDArray[np.int64]]:
        """Return the exact counts of each table."""
        key = sample_key(self._users, generator)
        declared = [column for column, _ in self._columns.values()]
        return add_pieces(lambda: self._count(query, generator, key), declared, self._users)

    def _count(
        self, query: MarginalsQuery, generator: Generator, key: NDArray[np.uint64] | None
    ) -> list[NDArray[np.int64]]:
        codes = {name: self._codes(name) for name in self._columns}
        sizes = dict(query.sizes)
        outside = np.zeros(len(next(iter(codes.values()))), np.uint32)
        for name, each in codes.items():
            outside[each >= sizes[name]] = 1
        if self._users is not None:
            outside = bound_rows(outside, 1, query.unit, self._users, generator, key=key)
        tables = []
        for columns in query.sets:
            joined, cells = outside, 1
            for name in columns:
                joined = join_codes(joined, cells, codes[name], sizes[name])
                cells *= sizes[name]
            tables.append(count_codes(joined, cells))
        return tables

    def _codes(self, name: str) -> Codes:
        column, grid = self._columns[name]
        if isinstance(column, Labels):
            assert isinstance(grid, LabelKeys)
            return match_labels([column], grid)
        assert isinstance(grid, Bins)
        return cell_codes([grid], [column.read()])
