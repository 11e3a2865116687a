# SPDX-License-Identifier: MIT
"""The order in which overlapping tables are made integer. docs/publishing.md, "Integers"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cydp.publishing._least_squares import Columns

__all__ = ["Step", "junction_order"]


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
        Of the first table of a component: the columns whose marginal is made integer before.

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
    """Return what most other tables share with the first: the fewest columns of several."""
    shared = Counter(tuple(sorted(set(each) & set(first))) for each in tables if each is not first)
    del shared[()]
    if not shared:
        return ()
    return min(shared, key=lambda each: (-shared[each], len(each), each))
