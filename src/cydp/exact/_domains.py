# SPDX-License-Identifier: MIT
"""Public domains of columns, and the place of each row in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cydp._call_errors import explain_arguments
from cydp._columns.canonical import digest_argument
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys, digest_keys
from cydp._columns.table import Table
from cydp._columns.tables import open_table
from cydp.exact._cell_axes import (
    BinnedColumns,
    CellAxis,
    KeyedColumns,
    open_binned,
    public_edges,
)

__all__ = ["Domain", "axis_of", "match_domains", "read_domains"]

_EDGES = "a list holds labels, and edges are given as a tuple, (edges, None)"


@explain_arguments
def match_domains(
    table: Any, *domains: Mapping[Any, Any]
) -> list[tuple[list[Any], tuple[int, ...]]]:
    """Return the place of each row in public domains of columns: labels, or bins. NOT private.

    Parameters
    ----------
    table : table
        Of pandas, polars, pyarrow, DuckDB or Spark, CSV or Parquet files, or a dict of columns.
    *domains : dict by column
        Public labels, or a tuple (bins, range) as in `histogram`. All dicts, which may have columns
        in common, are read from the table at once.

    Returns
    -------
    list of (codes, shape)
        For each dict, in the order of its columns: arrays of shape (rows,) and the sizes of the
        domains. A row's code is from 0 on; it is the size where the row is in none of the bins or
        labels, or has no value.

    Raises
    ------
    TypeError, ValueError
        For anything but such dicts, for columns that the table does not have or whose type is not
        that of their domain, and for columns of different lengths.

    See Also
    --------
    match_keys : Looks up one column, or several together.
    histogramdd : Counts the cells of several columns of numbers.

    Examples
    --------
    >>> people = {"sex": ["f", "m", "f"], "age": [31, 64, 120]}
    >>> [(codes, shape)] = match_domains(people, {"sex": ["f", "m"], "age": (2, (0, 100))})
    >>> codes, shape
    ([array([0, 1, 0], dtype=uint32), array([0, 1, 2], dtype=uint32)], (2, 2))

    """
    groups = [read_domains(each) for each in domains]
    opened = open_table(table)
    axes = [[axis_of(opened, each, "each key of a dict") for each in group] for group in groups]
    codes = [[axis.read() for axis in group] for group in axes]
    if len({len(each) for group in codes for each in group}) > 1:
        raise ValueError("table must have columns of one length")
    shapes = (tuple(each.size for each in group) for group in groups)
    return list(zip(codes, shapes, strict=True))


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

    @property
    def notes(self) -> tuple[str, ...]:
        """A note if labels may be meant as edges: three or more numbers that rise, but not by 1."""
        found = np.empty(0) if self.keys is None else self.keys.arrays[0]
        labels = found.tolist()  # times are among them, as integers
        are_numbers = found.dtype.kind not in "mM" and {*map(type, labels)} <= {int, float}
        if len(labels) < 3 or not are_numbers:
            return ()
        pairs = list(pairwise(labels))
        if any(a >= b for a, b in pairs) or all(a + 1 == b for a, b in pairs):
            return ()
        return (f"{self.words[0]} must be one of {len(labels)} numbers, its labels: {_EDGES}",)

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
        if math.inf in (labels := keys.arrays[0].tolist()) or -math.inf in labels:
            raise ValueError(f"the domain of {name} must have finite labels: {_EDGES}")
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
