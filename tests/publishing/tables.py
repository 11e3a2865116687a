"""Published tables for tests: of seeded noise, on real or made-up rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.publishing import ContingencyTables, contingency_tables
from cydp.testing import SeededGenerator
from cydp.workloads._consistency import marginal

__all__ = ["DOMAINS", "PEOPLE", "TABLES", "disagreements", "exact_table", "publish", "rows_of"]

PEOPLE: Any = np.genfromtxt(
    Path(__file__).parents[2] / "examples" / "data" / "pums.csv",
    delimiter=",", names=True, dtype=None,
)  # fmt: skip
DOMAINS: dict[str, Any] = {
    "sex": [0, 1], "age": (10, (0, 100)), "educ": list(range(1, 17)), "married": [0, 1],
    "race": list(range(1, 7)),
}  # fmt: skip
TABLES = [("sex", "age"), ("age", "educ"), ("educ", "married"), ("race", "married")]


def publish(tables: Any = TABLES, seed: int = 1, **parameters: Any) -> ContingencyTables:
    """Publish tables of the people, with their columns only."""
    names = {name for each in tables for name in (each if isinstance(each, tuple) else (each,))}
    domains = {name: each for name, each in DOMAINS.items() if name in names}
    given = parameters or {"epsilon": 1}
    return contingency_tables(PEOPLE, domains, tables, rng=SeededGenerator(seed), **given)


def rows_of(table: Any, columns: Any, domains: Any = DOMAINS) -> NDArray[np.int64]:
    """Count rows of a table in cells, by numpy alone."""
    edges = []
    for name in columns:
        domain = domains[name]
        if isinstance(domain, tuple):
            edges.append(np.linspace(*domain[1], domain[0] + 1))
        else:
            edges.append(np.array([*domain, domain[-1] + 1]) - 0.5)
    counted, _ = np.histogramdd([np.asarray(table[name]) for name in columns], edges)
    return counted.astype(np.int64)


def exact_table(columns: Any) -> NDArray[np.int64]:
    """Return the exact counts of the people, who all lie in the domains."""
    return rows_of(PEOPLE, columns)


def disagreements(published: Any, total: int | None = None) -> Iterator[str]:
    """Say which tables differ in what they share, or in the total, or are negative."""
    wanted = published.total if total is None else total
    tables = [
        (tuple(columns), np.asarray(published.tables[name].counts))
        for columns, name in zip(published.query.columns, published.query.names, strict=True)
        if columns
    ]
    for columns, counts in tables:
        if counts.dtype != np.int64 or (counts < 0).any():
            yield f"{columns} are no counts"
        if counts.sum() != wanted:
            yield f"{columns} sum to {counts.sum()}, not {wanted}"
    for (ours, one), (theirs, two) in combinations(tables, 2):
        shared = tuple(name for name in ours if name in theirs)
        if not np.array_equal(marginal(one, ours, shared), marginal(two, theirs, shared)):
            yield f"{ours} and {theirs} disagree"
