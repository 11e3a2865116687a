# SPDX-License-Identifier: MIT
"""Public domains of columns, and the place of each row in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Records
from cydp._columns.digests import digest_argument
from cydp._columns.label_keys import LabelKeys
from cydp._columns.labels import Labels
from cydp._columns.pieces import add_pieces
from cydp._columns.tables import Table, open_table
from cydp.exact._bins import public_bins
from cydp.exact._cell_codes import cell_codes
from cydp.exact._label_codes import match_labels
from cydp.releases._reads import digest_keys
from cydp.releases._rows import (
    Key,
    Rows,
    bound_rows,
    check_lengths,
    count_codes,
    declare_users,
    join_codes,
)
from cydp.releases._unit import Unit
from cydp.releases.output._sheet import Axis, bins_of, keys_of

__all__ = ["Domain", "DomainRows", "Places", "axes_of", "labels_of", "read_domains"]


_FLOATS = np.dtype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The public values of one column or of several together: labels, or bins.

    Attributes
    ----------
    names : tuple
        The names of the columns.
    keys : LabelKeys or None
        The labels; None for bins.
    bins, range
        As in `histogram`, for bins.
    size : int
        How many labels or bins there are.

    """

    names: tuple[Any, ...]
    keys: LabelKeys | None
    bins: Any = None
    range: Any = None
    size: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        """The names of the columns as text."""
        return tuple(map(str, self.names))

    def digest(self) -> Any:
        """Return what a ledger compares: a digest of labels, or of edges."""
        if self.keys is not None:
            return digest_keys(self.keys)
        return digest_argument(public_bins(self.bins, self.range, _FLOATS).edges)


def read_domains(domains: Any) -> list[Domain]:
    """Return the domain of each column.

    Raises
    ------
    TypeError, ValueError
        Unless it is a dict of labels, or pairs (bins, range), by column.

    Examples
    --------
    >>> [each.size for each in read_domains({"sex": ["f", "m"], "age": (10, (0, 100))})]
    [2, 10]

    """
    if isinstance(domains, list) and domains and all(isinstance(each, Domain) for each in domains):
        return domains  # which were read before
    if not isinstance(domains, Mapping):
        raise TypeError(
            "domains must be a dict by column of public labels, or of a tuple (bins, range), such "
            f"as {{'sex': ['f', 'm'], 'age': (10, (0, 100))}}, not {type(domains).__name__}"
        )
    if not domains:
        raise ValueError("domains must name a column")
    if len(set(map(str, domains))) < len(domains):
        raise ValueError("domains must have column names that differ as text")
    return [_read_domain(name, given) for name, given in domains.items()]


def _read_domain(name: Any, given: Any) -> Domain:
    if not isinstance(given, tuple):
        try:
            keys = LabelKeys(given)
        except (TypeError, ValueError) as error:
            raise type(error)(f"the domain of {name}: {error}") from None
        return Domain((name,), keys, size=len(keys))
    if len(given) != 2 or (given[1] is not None and np.ndim(given[1]) == 0):
        raise ValueError(
            f"the domain of {name} must be a list of labels, or a tuple (bins, range) with range "
            "None for edges; a tuple of labels is neither"
        )
    bins, ends = given
    if ends is not None and np.ndim(bins) != 0:
        raise ValueError(f"the domain of {name}: range must be None if bins are edges")
    try:
        grid = public_bins(bins, ends, _FLOATS)
    except (TypeError, ValueError) as error:
        raise type(error)(f"the domain of {name}: {error}") from None
    return Domain((name,), None, bins, ends, len(grid.edges) - 1)


class Places:
    """The columns of a domain, declared, and the place of each row in it.

    Parameters
    ----------
    table : Table
    domain : Domain
    argument : str
        What names the columns, for an error.

    Raises
    ------
    TypeError, ValueError
        For a column that the table does not have, or of a type that is not in the domain.

    """

    __slots__ = ("_grid", "_keys", "axis", "declared", "size")

    def __init__(self, table: Table, domain: Domain, argument: str) -> None:
        columns = [table.column(name, argument) for name in domain.names]
        self._keys, self._grid, self.size = domain.keys, None, domain.size
        self.declared: Sequence[Labels] | Sequence[Records]
        if domain.keys is not None:
            labels = [Labels(each, str(domain.names[i])) for i, each in enumerate(columns)]
            domain.keys.check(labels)
            self.declared = labels
            self.axis: Axis = keys_of(domain.keys.arrays, domain.names)
        else:
            records = Records(columns[0], domain.words[0])
            self.declared = [records]
            self._grid = public_bins(domain.bins, domain.range, records.dtype)
            self.axis = bins_of(self._grid.edges, domain.words[0])

    def read(self) -> NDArray[np.uint32]:
        """Return the place of each row; `size` for a row that is outside."""
        if self._keys is not None:
            return match_labels(self.declared, self._keys)  # type: ignore[arg-type]
        (records,) = self.declared
        return cell_codes([self._grid], [records.read()])  # type: ignore[list-item]


def labels_of(column: Places) -> NDArray[Any]:
    """Return the labels, or the edges of the bins, of a domain of one column."""
    axis = column.axis
    return axis.keys[0] if axis.edges is None else axis.edges


def axes_of(
    names: Sequence[str], labels: Sequence[NDArray[Any]], binned: Sequence[bool]
) -> tuple[Axis, ...]:
    """Return the axes of columns, from what `labels_of` returns.

    >>> [len(axis) for axis in axes_of(["age"], [np.array([0, 18, 99])], [True])]
    [2]
    """
    return tuple(
        bins_of(each, name) if has_bins else keys_of((each,), (name,))
        for name, each, has_bins in zip(names, labels, binned, strict=True)
    )


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
