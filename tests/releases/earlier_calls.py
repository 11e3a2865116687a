"""Releases by a charge id, as they were written into `earlier.ledger`.

That file was made by `make` with the version before queries had dictionaries: 0.1.0.dev0, November
2026. It is a ledger of rows with a budget PureDP(100).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cydp
from cydp import BudgetLedger, PureDP, models, publishing, teach, workloads

FILE = Path(__file__).with_name("earlier.ledger")

TABLE: dict[str, list[Any]] = {
    "x": [0.5, 3, 9, 7.25], "y": [1, 2, 3, 4], "s": ["a", "b", "a", "c"]
}  # fmt: skip
E: dict[str, Any] = {"epsilon": 1}
X: dict[str, Any] = E | {"column": "x"}
DOMAINS: dict[str, Any] = {"s": ["a", "b"], "x": (2, (0, 10))}
CALLS: dict[str, Callable[[Any], Any]] = {
    "count": lambda b: cydp.count(TABLE, **X, budget=b),
    "count of rows": lambda b: cydp.count(TABLE, **E, budget=b),
    "sum": lambda b: cydp.sum([1.5, 2], (0, 4), **E, budget=b),
    "mean": lambda b: cydp.mean(TABLE, (0, 10), split={"sum": 1}, **X, budget=b),
    "quantile": lambda b: cydp.quantile(
        TABLE, [0.25, 0.5], (0, 10), method="independent", **X, budget=b
    ),
    "median": lambda b: cydp.median(TABLE, (0, 10), **X, budget=b),
    "halving": lambda b: teach.median_by_halving(TABLE, (0, 8), rounds=2, **X, budget=b),
    "histogram": lambda b: cydp.histogram(TABLE, 4, (0, 10), **X, budget=b),
    "histogram by": lambda b: cydp.histogram(
        TABLE, [0, 5, 10], by="s", by_keys=["a", "b"], **X, budget=b
    ),
    "histogramdd": lambda b: cydp.histogramdd(
        TABLE, 2, [(0, 10), (0, 4)], columns=["x", "y"], **E, budget=b
    ),
    "value_counts": lambda b: cydp.value_counts(TABLE, ["a", "b"], column="s", **E, budget=b),
    "group_by": lambda b: cydp.group_by(
        TABLE, "s", keys=["a", "b"], means={"x": (0, 10)}, **E, budget=b
    ),
    "top_k": lambda b: cydp.top_k(TABLE, 1, ["a", "b"], column="s", **E, budget=b),
    "bounds": lambda b: cydp.bounds(TABLE, **X, budget=b),
    "range_counts": lambda b: workloads.range_counts(TABLE, 4, (0, 10), **X, budget=b),
    "linear_queries": lambda b: workloads.linear_queries(
        TABLE, [[1, 1, 0, 0]], 4, (0, 10), **X, budget=b
    ),
    "marginals": lambda b: workloads.marginals(
        TABLE, DOMAINS, ["s", ("s", "x")], strategy="tables", **E, budget=b
    ),
    "contingency": lambda b: publishing.contingency_tables(
        TABLE, DOMAINS, [("s", "x")], **E, budget=b
    ),
    "hierarchy": lambda b: publishing.hierarchy(TABLE, ["s"], ["a", "b"], **E, budget=b),
    "regression": lambda b: models.linear_regression(
        TABLE, {"x": (0, 10)}, {"y": (0, 4)}, **E, budget=b
    ),
    "on_sample": lambda b: cydp.sampling.on_sample(
        cydp.histogram, TABLE, 2, (0, 10), share="1/2", **X, budget=b
    ),
    "noise": lambda b: cydp.DiscreteLaplace(epsilon=1, sensitivity=1).release([3, 4], budget=b),
}


def make(path: Path) -> None:
    """Write a ledger with a charge for each call."""
    with BudgetLedger.create(path, PureDP(100), privacy_unit="row") as ledger:
        for name, call in CALLS.items():
            call(ledger.scope(charge_id=name, data_version="1"))
