"""Accumulators of parts of a table, for the processes of a pool, which import it by name."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np

from cydp.exact import GroupedAccumulator, HistogramAccumulator

SUMS: dict[str, Any] = {"income": (0, 1000), "loss": (-3, 2)}
STEP = {"loss": Fraction(1, 64)}


def table(rows: int, seed: int = 1) -> dict[str, np.ndarray]:
    """Codes, some of them outside of 0 to 9, and two columns of numbers, one with NaN."""
    rng = np.random.default_rng(seed)
    income = rng.normal(500, 400, rows)
    income[rng.random(rows) < 0.1] = np.nan
    codes = rng.integers(-1, 12, rows)
    return {"codes": codes, "income": income, "loss": rng.normal(0, 3, rows).astype("float32")}


def partial_aggregates(seed: int) -> bytes:
    """Two accumulators of a part of the rows, pickled."""
    rows = table(500, seed)
    both = (
        GroupedAccumulator(10, SUMS, step=STEP).update(**rows),
        HistogramAccumulator(9, (0, 900)).update(rows["income"]),
    )
    return pickle.dumps(both)
