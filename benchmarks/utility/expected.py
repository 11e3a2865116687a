"""What error to expect of cydp by epsilon and the number of rows: the table of a page in docs.

An error is a share of what is asked for, such as the true count or the range of the numbers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from utility import ours
from utility.errors import RANKS, RMS, Measure, error_of

from cydp.testing import SeededGenerator

EPSILONS, ROWS = (0.1, 1), (100, 1000, 10_000, 100_000)
RUNS, FEW = 300, 3
KEYS = np.arange(10)
RELEASES = {  # title: kind, what it is given besides x, what the error is a share of
    "`count`": ("count", {}, "the count"),
    "`histogram`, `value_counts`: 10 cells": ("known_keys", {"keys": KEYS}, "a cell's count"),
    "`sum`": ("sum", {"bounds": (0, 1)}, "the sum"),
    "`mean`": ("mean", {"bounds": (0, 1)}, "the range"),
    "`variance`": ("variance", {"bounds": (0, 1)}, "the largest variance"),
    "`median`": ("quantiles", {"qs": [0.5], "bounds": (0, 1), "step": None}, "the rows"),
    "`quantile`, 9 at once": (
        "quantiles", {"qs": [k / 10 for k in range(1, 10)], "bounds": (0, 1), "step": None},
        "the rows",
    ),
    "`quantile`, 99 at once": (
        "quantiles", {"qs": [k / 100 for k in range(1, 100)], "bounds": (0, 1), "step": None},
        "the rows",
    ),
    "`group_by` means: 10 keys": (
        "means_by_key", {"keys": KEYS, "bounds": (0, 1)}, "the range",
    ),
}  # fmt: skip


def measure(few: bool) -> list[dict[str, Any]]:
    """Return the error of each release by epsilon and the number of rows."""
    return [
        {"release": title, "epsilon": epsilon, "rows": rows, **error(title, epsilon, rows, few)}
        for title in RELEASES
        for epsilon in EPSILONS
        for rows in ROWS
    ]


def error(title: str, epsilon: float, rows: int, few: bool) -> dict[str, Any]:
    """Return the error of one cell, as a share."""
    kind, public, of = RELEASES[title]
    x = np.random.default_rng(rows).random(rows)
    given, exact, whole = ASKED[kind](x)
    measure: Measure = RANKS if kind == "quantiles" else RMS
    if kind == "quantiles":
        exact = np.sort(x), np.array(public["qs"]) * rows
    draw = getattr(ours, kind)(SeededGenerator(rows), **given, **public, epsilon=epsilon)
    losses = [measure.loss(draw(), exact) for _ in range(FEW if few else RUNS)]
    return {"share": error_of(measure, losses).value / whole, "of": of}


def cells(x: Any) -> Any:
    """Return the key of each row: as many rows have each."""
    return np.arange(len(x)) % len(KEYS)


ASKED: dict[str, Callable[[Any], tuple[dict[str, Any], Any, float]]] = {
    "count": lambda x: ({"rows": np.ones(len(x))}, len(x), len(x)),
    "known_keys": lambda x: ({"x": cells(x)}, len(x) / len(KEYS), len(x) / len(KEYS)),
    "sum": lambda x: ({"x": x}, x.sum(), x.sum()),
    "mean": lambda x: ({"x": x}, x.mean(), 1),
    "variance": lambda x: ({"x": x}, x.var(), 1 / 4),
    "quantiles": lambda x: ({"x": x}, None, len(x)),
    "means_by_key": lambda x: (
        {"x": x, "by": cells(x)}, [x[cells(x) == key].mean() for key in KEYS], 1
    ),
}  # fmt: skip
