"""All range counts of many cells: the time of a release, and its error beside what was predicted.

The error is the root of the mean square over all ranges, exactly.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import rivals
from harness import in_turn, sizes
from harness.sizes import size

import cydp
from cydp import explain
from cydp.testing import SeededGenerator
from cydp.workloads import range_counts

CELLS = size(2**20)
X = np.random.default_rng(1).integers(0, CELLS, size(10**6))
COUNTS = np.bincount(X, minlength=CELLS)
BRANCHING, LEVELS = 16, 1 + math.ceil(math.log(CELLS, 16) - 1e-9)  # OpenDP's tree has a root


def mean_square(counts: Any) -> float:
    """Return the mean squared error of all ranges, by sums over the ends of ranges."""
    ends = np.append(0.0, np.cumsum(counts - COUNTS))
    pairs = len(ends) * (len(ends) - 1) / 2
    return float((len(ends) * (ends**2).sum() - ends.sum() ** 2) / pairs)


def measured(release: Callable[[Any], Any], runs: int) -> float:
    random = SeededGenerator(1)
    return float(np.mean([mean_square(release(random)) for _ in range(runs)]))


def bench_range_counts(benchmark: Any) -> None:
    benchmark.group = "range counts of 2^20 cells, by a tree with consistency"
    tree = explain(range_counts, CELLS, (0, 1), epsilon=1).query
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: range_counts(X, CELLS, (0, CELLS), epsilon=1).counts,
            "cydp, flat histogram": lambda: cydp.histogram(X, CELLS, (0, CELLS), epsilon=1).counts,
            "OpenDP": rivals.way("OpenDP", "range_counts", COUNTS, BRANCHING, LEVELS),
        },
        rounds=9,
    )
    for name, counts in answers.items():
        assert abs(float(np.sum(counts)) - len(X)) < 100 * CELLS**0.5, name
    assert mean_square(answers["cydp"]) < 9 * tree.mean_variance
    if "OpenDP" in answers:
        plan = explain(
            range_counts, CELLS, (0, 1), branching=BRANCHING, levels=LEVELS, epsilon=1
        ).query
        assert mean_square(answers["OpenDP"]) < 9 * plan.mean_variance


@pytest.mark.parametrize("levels", [None, 1], ids=["tree", "flat"])
def bench_range_errors(benchmark: Any, levels: int | None) -> None:
    """The measured error is the predicted one, within 5 %, with this key."""
    benchmark.group = f"errors of range counts of 2^20 cells, {'flat' if levels else 'tree'}"
    plan = explain(range_counts, CELLS, (0, 1), levels=levels, epsilon=1).query
    runs = 100 if sizes.SMALL else 400
    given: dict[str, Any] = {"epsilon": 1, "levels": levels}

    def release(random: Any) -> Any:
        return range_counts(X, CELLS, (0, CELLS), rng=random, **given).counts

    in_turn.measure(benchmark, {"cydp": lambda: release(SeededGenerator(1))}, rounds=1)
    ratio = (measured(release, runs) / plan.mean_variance) ** 0.5
    print(f"{benchmark.group}: measured / predicted = {ratio:.4f}")
    assert abs(ratio - 1) < (0.15 if sizes.SMALL else 0.05)
