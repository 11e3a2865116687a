# SPDX-License-Identifier: MIT
"""Private answers of any workload of linear queries, by the best of three strategies."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import BinsLike, Column, Integer, Number, RangeLike
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp.mechanisms._charge_and_draw import Budget
from cydp.releases._histogram import HistogramRows
from cydp.releases._privacy import read_privacy
from cydp.releases._run import run
from cydp.releases._unit import UnitName, read_unit, user_key
from cydp.workloads._linear_release import LinearRelease
from cydp.workloads._queries import Queries
from cydp.workloads._range_counts import declare_bins
from cydp.workloads._strategies import (
    STRATEGIES,
    LinearQuery,
    StrategyError,
    errors_of,
    squares_of,
    strategies_of,
)
from cydp.workloads._workload import read_workload

__all__ = ["linear_queries"]


@explain_arguments
def linear_queries(
    x: Column,
    workload: Any,
    bins: BinsLike,
    range: RangeLike | None = None,
    *,
    strategy: str | None = None,
    branching: Integer | None = None,
    levels: Integer | None = None,
    column: Hashable = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    delta: Number | None = None,
    relation: str = "add-remove",
    user: Any = None,
    unit: UnitName | None = None,
    max_partitions: Integer | None = None,
    max_rows_per_partition: Integer | None = None,
    max_rows_per_unit: Integer | None = None,
    budget: Budget | None = None,
    rng: Generator | None = None,
) -> LinearRelease:
    """Answer many linear queries on the counts of bins, with noise in what costs least error.

    Parameters
    ----------
    x, bins, range, column
        As in `cydp.histogram`. The cells of the workload are the bins.
    workload : Workload, or array_like of real numbers, shape (queries, bins)
        The weights of each query.
    strategy : {"identity", "tree", "workload"}, optional
        What has noise: the counts of bins; those of a tree's nodes, as in `range_counts`; or the
        answers themselves, which must have integer weights. Default: that with the least sum of
        variances, which depends on no data.
    branching, levels : int, optional
        Those of the tree, as in `range_counts`.
    epsilon, rho, delta, relation, user, unit, max_partitions, max_rows_per_partition
        As in `cydp.histogram`. A partition is a bin.
    max_rows_per_unit, budget, rng
        As in `cydp.histogram`.

    Returns
    -------
    LinearRelease
        `answers`, with the variance of each.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed, or the strategy cannot be used. Then nothing is charged and
        no data is read.
    PrivacyError
        If the budget refuses, or protects another unit. Then nothing is charged and no data is
        read.

    References
    ----------
    .. [1] Li, Hay, Rastogi, Miklau, McGregor, "Optimizing linear counting queries under
       differential privacy", 2010.

    Examples
    --------
    >>> under_20_and_over_60 = [[1, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1, 1, 1]]
    >>> ages = [18, 25, 31, 64]
    >>> release = linear_queries(ages, under_20_and_over_60, 10, (0, 100), epsilon=1)
    >>> release.query.strategy, release.answers.shape, release.error_bound()
    ('workload', (2,), array([3., 3.]))

    """
    queries = read_workload(workload)
    if strategy is not None and strategy not in STRATEGIES:
        raise ValueError(f"strategy must be one of {', '.join(STRATEGIES)}, not {strategy!r}")
    rows = declare_bins(x, bins, range, column, user)
    if rows.cells != queries.cells:
        raise ValueError(
            f"workload must have a cell for each bin: it has {queries.cells}, and there are "
            f"{rows.cells} bins"
        )
    protected = read_unit(
        relation, user_key(user), unit, max_partitions=max_partitions,
        max_rows_per_partition=max_rows_per_partition, max_rows_per_unit=max_rows_per_unit,
        by_partition=True,
    )  # fmt: skip
    privacy = read_privacy(epsilon, rho, delta, relation)
    made = strategies_of(queries, privacy, protected, branching, levels)
    query = _choose(queries, list(made), strategy)
    edges = rows.grid.edges
    noisy, payment = run(
        query, partial(_draw, query, queries, rows), budget, rng,
        arguments=lambda: {"edges": edges, "workload": _digest(queries)}, columns=[column, user],
        nbytes=8 * max(query.tree.nodes, queries.count),
    )  # fmt: skip
    return LinearRelease(
        query=query,
        noisy=noisy,
        answers=_answer(query, queries, noisy),
        squares=squares_of(queries, query),
        largest=np.ones(queries.count) if query.strategy == "workload" else queries.largest(),
        payment=payment,
    )


def _choose(
    queries: Queries, made: list[LinearQuery | StrategyError], strategy: str | None
) -> LinearQuery:
    if strategy is None:
        chosen = min(made, key=lambda each: errors_of(queries, each).total)
    else:
        chosen = made[STRATEGIES.index(strategy)]
    if isinstance(chosen, StrategyError):
        raise ValueError(f"strategy cannot be {chosen.strategy!r}: {chosen.why_not}")
    return chosen


def _draw(
    query: LinearQuery, queries: Queries, rows: HistogramRows, generator: Generator
) -> NDArray[np.int64]:
    """Return what has noise; the data is read here."""
    exact = rows.count(query, generator)
    if query.strategy == "workload":
        exact = queries.answer(exact)
    elif query.strategy == "tree":
        exact = query.tree.count_nodes(exact)
    return query.part.noise.release(exact, rng=generator)


def _answer(query: LinearQuery, queries: Queries, noisy: NDArray[np.int64]) -> NDArray[Any]:
    if query.strategy == "workload":
        return noisy
    cells = query.tree.fit(noisy) if query.strategy == "tree" else noisy.astype(np.float64)
    return queries.answer(cells)


def _digest(queries: Queries) -> str:
    """Return a digest of a workload, as a ledger compares it."""
    digest = sha256(type(queries).__name__.encode())
    for each in queries.weights():
        digest.update(f"{each.dtype.str}{each.shape}".encode())
        digest.update(each.tobytes())
    return digest.hexdigest()
