# SPDX-License-Identifier: MIT
"""A workload: linear queries that are known in advance, and their errors before any data."""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp.releases._terms import losses_by_noise, read_terms, terms_of
from cydp.releases._unit import UnitName
from cydp.workloads._cell_ranges import read_cells, read_ranges
from cydp.workloads._queries import Queries, RangeQueries, read_matrix
from cydp.workloads._strategies import StrategyError, errors_of, strategies_of

__all__ = ["Workload"]


class Workload:
    """Linear queries on the counts of cells: sums with public weights.

    Parameters
    ----------
    matrix : array_like of real numbers, shape (queries, cells)
        The weights of each query. With integers, noise can be added to the answers themselves.

    Raises
    ------
    TypeError, ValueError
        Unless matrix has two dimensions, both above 0, and finite numbers.

    References
    ----------
    .. [1] Li, Hay, Rastogi, Miklau, McGregor, "Optimizing linear counting queries under
       differential privacy", 2010.

    Examples
    --------
    >>> Workload([[1, 1, 0, 0], [0, 0, 1, 1]])
    Workload(queries=2, cells=4)
    >>> Workload.prefixes(2**16)
    Workload(queries=65536, cells=65536)

    """

    __slots__ = ("_queries",)

    def __init__(self, matrix: Any) -> None:
        self._queries: Queries = read_matrix(matrix)

    @classmethod
    def ranges(cls, lows: Any, highs: Any, cells: Integer) -> Workload:
        """Return the workload of ranges of cells, without a matrix.

        Parameters
        ----------
        lows, highs : array_like of int, shape (n,)
            A range is of the cells lo, ..., hi - 1.
        cells : int
            The number of cells.

        Raises
        ------
        TypeError, ValueError
            Unless 0 <= lo <= hi <= cells.

        Examples
        --------
        >>> Workload.ranges([0, 10], [20, 30], 100)
        Workload(queries=2, cells=100)

        """
        number = read_cells(cells, "cells")
        first, last, _ = read_ranges(lows, highs, number)
        if len(first) == 0:
            raise ValueError("lows and highs must have at least one range")
        made = cls.__new__(cls)
        made._queries = RangeQueries(first, last, number)
        return made

    @classmethod
    def prefixes(cls, cells: Integer) -> Workload:
        """Return the workload of the sums of the first 1, 2, ..., cells cells, without a matrix.

        Raises
        ------
        TypeError, ValueError
            If cells is no integer from 1 to 2**26.

        Examples
        --------
        >>> Workload.prefixes(10)
        Workload(queries=10, cells=10)

        """
        number = read_cells(cells, "cells")
        return cls.ranges(np.zeros(number, np.int64), np.arange(1, number + 1), number)

    @property
    def queries(self) -> int:
        """The number of queries."""
        return self._queries.count

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self._queries.cells

    @explain_arguments
    def errors(
        self,
        *,
        branching: Integer | None = None,
        levels: Integer | None = None,
        epsilon: Number | None = None,
        rho: Number | None = None,
        delta: Number | None = None,
        noise: str | None = None,
        relation: str = "add-remove",
        user: Any = None,
        unit: UnitName | None = None,
        max_partitions: Integer | None = None,
        max_rows_per_partition: Integer | None = None,
        max_rows_per_unit: Integer | None = None,
    ) -> dict[str, StrategyError]:
        """Return the error of each strategy, without data; parameters as in `linear_queries`.

        Returns
        -------
        dict of StrategyError
            By strategy, the least total variance first: `linear_queries` chooses it.

        Raises
        ------
        TypeError, ValueError
            If a parameter is not allowed.

        Examples
        --------
        >>> errors = Workload.prefixes(1024).errors(epsilon=1)
        >>> [(name, round(each.total / 1024)) for name, each in errors.items() if not each.why_not]
        [('tents', 100), ('tree', 133), ('identity', 944), ('workload', 2097152)]

        """
        privacy, protected = read_terms(terms_of(locals(), "partitions"), "partitions")
        found = [
            errors_of(self._queries, each)
            for loss in losses_by_noise(privacy, noise)
            for each in strategies_of(self._queries, loss, protected, branching, levels)
        ]
        best: dict[str, StrategyError] = {}
        for each in sorted(found, key=lambda each: each.total):
            best.setdefault(each.strategy, each)
        return best

    def __repr__(self) -> str:
        return f"Workload(queries={self.queries}, cells={self.cells})"
