# SPDX-License-Identifier: MIT
"""Tables of non-negative integers, closest to estimates, with given totals; and their order.

docs/publishing.md, "Integers".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._core import project_nonnegative
from cydp.releases.postprocessing._steps import read_totals

__all__ = [
    "MOST",
    "Columns",
    "Step",
    "junction_order",
    "project_slices",
    "read_total",
    "round_counts",
]

Columns: TypeAlias = tuple[int, ...]
"""The columns of a table, by their places in the domains, in the order of its axes."""

MOST = 2**62
"""No total is larger, so that sums of cells stay in int64."""


def round_counts(estimates: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the nearest integers, within 2**62.

    >>> round_counts(np.array([1.4, -0.6, 1e300])).tolist()
    [1, -1, 4611686018427387904]
    """
    rounded: NDArray[np.int64] = np.rint(np.clip(estimates, -MOST, MOST)).astype(np.int64)
    return rounded


def project_slices(estimates: NDArray[np.float64], totals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the closest non-negative integers to rounded estimates, with a total for each row.

    Parameters
    ----------
    estimates : ndarray of float64, shape (slices, cells)
    totals : ndarray of int64, shape (slices,)
        From 0 to 2**62.

    Returns
    -------
    ndarray of int64, of the shape of estimates

    Examples
    --------
    >>> project_slices(np.array([[4.2, -3, 1], [0, 0, 0]]), np.array([4, 2]))
    array([[4, 0, 0],
           [0, 1, 1]])

    """
    counts = np.ascontiguousarray(round_counts(estimates))
    out = np.empty(counts.shape, np.int64)
    words = np.zeros((len(totals), 2), np.uint64)  # low, high
    words[:, 0] = totals
    project_nonnegative(counts, words, out)
    return out


def read_total(total: Any) -> int | None:
    """Return a total that is given; None if there is none. A released one below 0 counts as 0.

    Raises
    ------
    TypeError, ValueError
        If it is no released count and no integer from 0 to 2**62.

    """
    if total is None:
        return None
    given = read_totals(total, False, 1, 0, "total")
    assert isinstance(given, int)  # one table, one total
    found = int(given)
    if hasattr(total, "query"):  # noise decided it
        return min(max(found, 0), MOST)
    if not 0 <= found <= MOST:
        raise ValueError(f"total must be from 0 to 2**62, not {found}")
    return found


@dataclass(frozen=True, slots=True)
class Step:
    """One table in the order of a junction tree.

    Attributes
    ----------
    table : int
    parent : int or None
        The table before it that has the columns that they share; None for the first of a component.
    shared : tuple of int
        The columns that it shares with all tables before it.
    start : tuple of int
        For the first table of a component: the columns of the marginal that is made integer before.

    """

    table: int
    parent: int | None
    shared: Columns
    start: Columns = ()


def junction_order(tables: Sequence[Columns]) -> list[Step] | None:
    """Return the tables in an order in which each shares columns with one table before it.

    Returns
    -------
    list of Step, or None
        None if there is no such order: the tables overlap in a cycle.

    Examples
    --------
    >>> [step.table for step in junction_order([(0, 1), (2, 3), (1, 2)])]
    [0, 2, 1]
    >>> junction_order([(0, 1), (1, 2), (0, 2)]) is None
    True

    """
    left, before = list(range(len(tables))), set[int]()
    order: list[Step] = []
    while left:
        # A spanning tree of the largest overlaps: a junction tree, if there is one.
        table = max(left, key=lambda i: (_most_shared(tables, order, i), -i))
        shared = tuple(sorted(set(tables[table]) & before))
        parents = [step.table for step in order if set(shared) <= set(tables[step.table])]
        if shared and not parents:
            return None
        start = () if shared else _start(tables, tables[table])
        order.append(Step(table, parents[0] if shared else None, shared, start))
        before |= set(tables[table])
        left.remove(table)
    return order


def _most_shared(tables: Sequence[Columns], order: Sequence[Step], i: int) -> int:
    return max((len(set(tables[i]) & set(tables[step.table])) for step in order), default=0)


def _start(tables: Sequence[Columns], first: Columns) -> Columns:
    """Return the columns that most other tables share with the first: the fewest, in a tie."""
    shared = Counter(tuple(sorted(set(each) & set(first))) for each in tables if each is not first)
    del shared[()]
    if not shared:
        return ()
    return min(shared, key=lambda each: (-shared[each], len(each), each))
