# SPDX-License-Identifier: MIT
"""How far one unit can change the answers of a workload. docs/workloads.md, "Linear queries"."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.releases._unit import Change, Unit, root_above
from cydp.workloads._queries import Queries, sum_of_largest

__all__ = ["change_answers"]


def change_answers(queries: Queries, unit: Unit) -> Change:
    """Return how far one unit can change the exact answers of all queries together.

    Parameters
    ----------
    queries : Queries
        Of integer weights.
    unit : Unit
        Its partitions are cells.

    """
    rows, cells = unit.max_rows, min(unit.max_partitions or 1, queries.cells)
    becomes = unit.rows_may_become_others
    l1, square = _most(queries, cells, becomes)
    # Each of k promised rows may be in a cell of its own.
    either = cells * (2 if becomes else 1) * (rows if unit.promised else 1)
    reached = min(int(sum_of_largest(queries.holding(), either)), queries.count)
    return Change(Fraction(rows * l1), rows * root_above(Fraction(square)), reached, unit.relation)


def _most(queries: Queries, cells: int, becomes: bool) -> tuple[int, int]:
    """Return the most that one row in each of so many cells does: L1 and the squared L2 norm."""
    # Where rows may become others, a row comes for each that goes: a pair changes two cells.
    of_one, square_of_one = queries.change(becomes)
    if cells == 1:
        return of_one, square_of_one
    either = 2 * cells if becomes else cells
    reaches = queries.reaches(cells, becomes)
    columns = sum_of_largest(queries.columns(), either)
    l1 = min(cells * of_one, int(columns), int(reaches.sum()))
    squares = [cells**2 * square_of_one, _sum_of_squares(reaches)]
    products = queries.products()
    if products is not None:
        minus = 0 if not becomes else sum_of_largest((-products).clip(0), cells)
        each = sum_of_largest(products.clip(0), cells) + minus
        squares.append(int(sum_of_largest(each, either)))
    return l1, min(squares)


def _sum_of_squares(values: NDArray[Any]) -> int:
    """Return the sum of the squares, which may be beyond int64."""
    each, counts = np.unique(values, return_counts=True)
    return sum(n * value**2 for value, n in zip(each.tolist(), counts.tolist(), strict=True))
