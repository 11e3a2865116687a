# SPDX-License-Identifier: MIT
"""Public domains of the columns of a release: its rows, what a ledger keeps, and its axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from cydp._columns.tables import open_table
from cydp.exact._cell_axes import CellAxis, KeyedColumns
from cydp.exact._domains import Domain, axis_of
from cydp.releases._cells import CellRows
from cydp.releases._rows import users_of
from cydp.releases.output._sheet import Axis, bins_of, keys_of

__all__ = ["axes_of", "domain_rows", "labels_of"]


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

    >>> import numpy as np
    >>> [len(axis) for axis in axes_of(["age"], [np.array([0, 18, 99])], [True])]
    [2]
    """
    return tuple(
        bins_of(each, name) if has_bins else keys_of((each,), (name,))
        for name, each, has_bins in zip(names, labels, binned, strict=True)
    )
