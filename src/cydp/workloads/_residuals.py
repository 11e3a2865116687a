# SPDX-License-Identifier: MIT
"""Marginals by their residuals: what each set of columns adds to its subsets.

docs/workloads.md, "Residuals", has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rounding import decimal_above
from cydp.releases._unit import Change, Unit, root_above
from cydp.workloads._consistency import Floats, along
from cydp.workloads._tables_query import TOTAL, Columns

__all__ = [
    "Residual",
    "best_shares",
    "cost_together",
    "residuals_of",
    "spread_of",
    "tables_of",
    "why_no_residuals",
]

_MOST_SETS = 2**12
_MOST_SCALE = 2**20  # counts of 2**42 records, times the cells, stay in int64
_DIGITS = 10**4  # of the root in a weight
_MOST_COLUMNS = 12  # for all cases of equal and other values
_FLOATS = 1 + Fraction(1, 2**30)  # above the relative error of sums in doubles


@dataclass(frozen=True)
class Residual:
    """The deviations of a marginal from all that its subsets of columns tell.

    Attributes
    ----------
    columns : tuple of str
    sizes : tuple of int
        How many places each column has.

    """

    columns: Columns
    sizes: tuple[int, ...]

    @property
    def name(self) -> str:
        """The names of the columns."""
        # Quoted, as columns may be called "total" or "a, b".
        return ", ".join(map(repr, self.columns)) or TOTAL

    @property
    def cells(self) -> int:
        """How many cells the marginal has: counts are multiplied by it, and so are its means."""
        return math.prod(self.sizes)

    @property
    def share(self) -> Fraction:
        """The square of the deviations of a table with one record."""
        return math.prod((Fraction(size - 1, size) for size in self.sizes), start=Fraction(1))

    def change(self, unit: Unit) -> Change:
        """Return how far one unit can change the deviations, in shares of 1 / cells of a record."""
        becomes, rows, scale = unit.rows_may_become_others, unit.max_rows, self.cells
        square = self.most if becomes else self.share
        l1 = Fraction(rows * scale * (2 if becomes else 1))
        return Change(l1, rows * root_above(scale**2 * square), scale, unit.relation)

    @property
    def most(self) -> Fraction:
        """The largest square of the distance of the deviations of two tables, if a row moves."""
        return max(self.share, 2 * (self.share - self._least_product))

    @property
    def _least_product(self) -> Fraction:
        """The least inner product of the deviations of two records."""
        factors = [(Fraction(size - 1, size), Fraction(-1, size)) for size in self.sizes]
        return min(math.prod(each, start=Fraction(1)) for each in product(*factors))

    def differences(self, noisy: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the differences from the first place of each column: of deviations alone."""
        found = noisy.reshape(self.sizes)
        for axis in range(found.ndim):
            first = np.take(found, [0], axis)
            found = np.delete(found, 0, axis) - first
        return found

    def deviations(self, differences: NDArray[np.int64]) -> Floats:
        """Return the deviations, in records."""
        found = differences.astype(np.float64) / self.cells
        for axis in range(found.ndim):
            found = np.insert(found, 0, 0.0, axis)
            found -= found.mean(axis, keepdims=True)
        return found


def residuals_of(
    columns: Sequence[Columns], shapes: Sequence[tuple[int, ...]]
) -> tuple[Residual, ...]:
    """Return the residuals of all sets of columns that tables have, small sets first.

    A column of one place has no deviations.

    >>> [each.name for each in residuals_of([("a", "b"), ("c",)], [(2, 3), (1,)])]
    ['total', "'a'", "'b'", "'a', 'b'"]
    """
    sizes = {
        name: size
        for names, shape in zip(columns, shapes, strict=True)
        for name, size in zip(names, shape, strict=True)
        if size > 1
    }
    place = {name: i for i, name in enumerate(sizes)}
    found: set[Columns] = set()
    for names in columns:
        ordered = sorted((name for name in names if name in sizes), key=place.__getitem__)
        for many in range(len(ordered) + 1):
            found |= set(combinations(ordered, many))
    ordered_sets = sorted(found, key=lambda each: (len(each), [place[name] for name in each]))
    return tuple(Residual(each, tuple(sizes[name] for name in each)) for each in ordered_sets)


def why_no_residuals(columns: Sequence[Columns], shapes: Sequence[tuple[int, ...]]) -> str:
    """Return why tables are not released by their residuals; empty if they can be."""
    if sum(2 ** len(each) for each in columns) > _MOST_SETS:
        return "the tables have more than 2**12 subsets of columns"
    if any(math.prod(shape) * 2 ** len(shape) > _MOST_SCALE for shape in shapes):
        return "a table has so many cells that sums of its counts could leave int64"
    return ""


def spread_of(residual: Residual, columns: Columns, shape: tuple[int, ...]) -> int:
    """Return over how many cells of a table each deviation is spread; 0 if it is none of its."""
    if not set(residual.columns) <= set(columns):
        return 0
    return math.prod(shape) // residual.cells


def best_shares(
    residuals: Sequence[Residual],
    columns: Sequence[Columns],
    shapes: Sequence[tuple[int, ...]],
    weights: Sequence[Fraction],
) -> list[Fraction]:
    """Return the weights of residuals in rho for the least weighted sum of variances of tables.

    >>> pair = residuals_of([("a",)], [(2,)])
    >>> [str(each) for each in best_shares(pair, [("a",)], [(2,)], [Fraction(1)])]
    ['1/2', '1/2']
    """
    found = []
    for each in residuals:
        square = Fraction(0)
        for names, shape, weight in zip(columns, shapes, weights, strict=True):
            spread = spread_of(each, names, shape)
            square += weight / spread**2 if spread else 0
        # A variance of share * v / spread**2 in each table, at a cost of share / v.
        root = Fraction(math.sqrt(square)).limit_denominator(_DIGITS)
        found.append(each.share * max(root, Fraction(1, _DIGITS)))
    return found


def cost_together(residuals: Sequence[Residual], shares: Sequence[Fraction]) -> Fraction:
    """Return the largest cost of a row that moves, as a part of the sum of the largest of each.

    Two records have equal values in some columns and others in the rest: all cases are tried.
    """
    names = sorted({name for each in residuals for name in each.columns})
    if len(names) > _MOST_COLUMNS:
        return Fraction(1)
    equal = np.array([*product((True, False), repeat=len(names))])
    total, moves, leaves = float(sum(shares)), np.zeros(len(equal)), 0.0
    for each, share in zip(residuals, shares, strict=True):
        inner = np.ones(len(equal))
        for name, size in zip(each.columns, each.sizes, strict=True):
            inner *= np.where(equal[:, names.index(name)], 1 - 1 / size, -1 / size)
        weight = float(share / each.most)
        moves += weight * 2 * (float(each.share) - inner)
        leaves += weight * float(each.share)
    largest = max(float(moves.max()), leaves) / total
    return min(decimal_above(Fraction(largest) * _FLOATS), Fraction(1))


def tables_of(
    residuals: Sequence[Residual],
    differences: Sequence[NDArray[np.int64]],
    columns: Sequence[Columns],
    shapes: Sequence[tuple[int, ...]],
) -> list[Floats]:
    """Return the tables with these deviations, which agree."""
    deviations = [
        each.deviations(found) for each, found in zip(residuals, differences, strict=True)
    ]
    made = []
    for names, shape in zip(columns, shapes, strict=True):
        table = np.zeros(shape)
        for each, deviation in zip(residuals, deviations, strict=True):
            if spread := spread_of(each, names, shape):
                table += along(deviation, each.columns, names) / spread
        made.append(table)
    return made
