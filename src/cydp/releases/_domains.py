# SPDX-License-Identifier: MIT
"""Public domains of columns, and the place of each row in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.canonical import digest_argument
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp._columns.table import Table
from cydp._columns.tables import open_table
from cydp.releases._cells import (
    BinnedColumns,
    CellAxis,
    CellRows,
    KeyedColumns,
    open_binned,
    public_edges,
)
from cydp.releases._reads import digest_keys
from cydp.releases._rows import users_of
from cydp.releases.output._sheet import Axis, bins_of, keys_of

__all__ = ["Domain", "axes_of", "axis_of", "domain_rows", "labels_of", "read_domains"]


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """The public values of one column or of several together: labels, or bins.

    Attributes
    ----------
    names : tuple
        The names of the columns.
    keys : Keys or None
        The labels; None for bins.
    bins, range
        As in `histogram`, for bins.
    size : int
        How many labels or bins there are.

    """

    names: tuple[Any, ...]
    keys: Keys | None
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
        return digest_argument(public_edges(self.bins, self.range))


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
            keys = Keys(given)
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
        edges = public_edges(bins, ends)
    except (TypeError, ValueError) as error:
        raise type(error)(f"the domain of {name}: {error}") from None
    return Domain((name,), None, bins, ends, len(edges) - 1)


def axis_of(table: Table, domain: Domain, argument: str) -> CellAxis:
    """Return the columns of a domain, declared, and the place of each row in it.

    Parameters
    ----------
    table : Table
    domain : Domain
    argument : str
        The argument that names the columns, for an error.

    Raises
    ------
    TypeError, ValueError
        For a column that the table does not have, or of a type that is not in the domain.

    """
    columns = [table.column(name, argument, is_named=True) for name in domain.names]
    if domain.keys is not None:
        named = zip(columns, domain.names, strict=True)
        return KeyedColumns([Labels(each, str(name)) for each, name in named], domain.keys)
    records, grid = open_binned(columns[0], domain.bins, domain.range, domain.words[0])
    return BinnedColumns([records], [grid])


def domain_rows(table: Any, domains: Sequence[tuple[Domain, str]], user: Any) -> CellRows:
    """Return the rows of a table, with an axis for each domain.

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
    opened = open_table(table)
    axes = [axis_of(opened, *each) for each in domains]
    return CellRows(axes, users_of(opened, user))


def labels_of(axis: CellAxis) -> NDArray[Any]:
    """Return the labels, or the edges of the bins, of a domain of one column."""
    found: NDArray[Any] = (
        axis.keys.arrays[0] if isinstance(axis, KeyedColumns) else axis.grids[0].edges
    )
    return found


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
