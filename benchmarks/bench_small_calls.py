"""Small calls with parameters that were seen before, beside what numpy takes for the same.

A machine that is twice as slow is so for both: the ratios say how small a small call is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy_reference
import pytest
from harness import in_turn

import cydp
from cydp import exact

CALLS = 200  # in a round
RNG = np.random.default_rng(1)
X, CODES, FEW = RNG.uniform(0, 100, 100), RNG.integers(0, 10, 100), RNG.integers(0, 10, 10)
ROWS, KEYS = RNG.uniform(0, 100, 1000), RNG.integers(0, 10, 1000)
EDGES = np.array([0, *np.sort(RNG.uniform(0, 100, 9)), 100])
LOSSES = {
    "PureDP": (cydp.PureDP(10**9), cydp.PureDP("0.001")),
    "ApproxDP": (cydp.ApproxDP(10**9, "0.9"), cydp.ApproxDP("0.001", "1e-12")),
    "ZCDP": (cydp.ZCDP(10**9), cydp.ZCDP("0.001")),
}
Call = Callable[[], Any]

# The call, and numpy's; both give the same.
EXACT: dict[str, tuple[Call, Call]] = {
    "exact.histogram, 100 rows, 10 equal bins": (
        lambda: exact.histogram(X, 10, (0, 100))[0],
        lambda: numpy_reference.histogram_counts(X, 10, (0, 100)),
    ),
    "exact.histogram, 100 rows, 10 given bins": (
        lambda: exact.histogram(X, EDGES)[0],
        lambda: numpy_reference.histogram_counts(X, EDGES),
    ),
    "exact.bincount, 10 codes": (
        lambda: exact.bincount(FEW, 10),
        lambda: numpy_reference.counts(FEW, 10),
    ),
    "exact.bincount, 100 codes": (
        lambda: exact.bincount(CODES, 10),
        lambda: numpy_reference.counts(CODES, 10),
    ),
    "exact.clamped_sum, 100 rows": (
        lambda: float(exact.clamped_sum(X, (0, 100)).value),
        lambda: numpy_reference.clamped_sum(X, 0, 100),
    ),
}

# The call, numpy's, what both should give, and how far they may be off.
NOISY: dict[str, tuple[Call, Call, Any, float]] = {
    "count, 1,000 rows": (
        lambda: cydp.count(ROWS, epsilon=1).value,
        lambda: len(ROWS) + RNG.laplace(),
        1000, 100,
    ),
    "sum, 1,000 rows": (
        lambda: cydp.sum(ROWS, bounds=(0, 100), epsilon=1).value,
        lambda: numpy_reference.private_sum(ROWS, 0, 100, 1, RNG),
        ROWS.sum(), 10_000,
    ),
    "mean, 1,000 rows": (
        lambda: cydp.mean(ROWS, bounds=(0, 100), epsilon=1).value,
        lambda: numpy_reference.private_mean(ROWS, 0, 100, 1, RNG),
        ROWS.mean(), 15,
    ),
    "median, 1,000 rows": (
        lambda: cydp.median(ROWS, bounds=(0, 100), epsilon=1).value,
        lambda: numpy_reference.private_quantile(ROWS, 0.5, 0, 100, 1, RNG),
        np.median(ROWS), 20,
    ),
    "histogram, 1,000 rows, 10 bins": (
        lambda: cydp.histogram(ROWS, 10, (0, 100), epsilon=1).counts,
        lambda: numpy_reference.private_histogram(ROWS, 10, (0, 100), 1.0, RNG),
        np.histogram(ROWS, 10, (0, 100))[0], 100,
    ),
    "counts of 10 known keys, 1,000 rows": (
        lambda: cydp.value_counts(KEYS, keys=range(10), epsilon=1).counts,
        lambda: numpy_reference.private_counts(KEYS, 10, 1.0, RNG),
        np.bincount(KEYS), 100,
    ),
}  # fmt: skip


def often(call: Call) -> Call:
    def calls() -> Any:
        for _ in range(CALLS):
            answer = call()
        return answer

    return calls


@pytest.mark.parametrize("name", EXACT)
def bench_exact(benchmark: Any, name: str) -> None:
    benchmark.group = f"small call: {name}"
    ours, numpys = EXACT[name]
    ways = {"cydp": often(ours), "numpy": often(numpys)}
    answers = in_turn.measure(benchmark, ways, rounds=51, per=CALLS)
    np.testing.assert_allclose(answers["cydp"], answers["numpy"], rtol=1e-6)


@pytest.mark.parametrize("name", NOISY)
def bench_release(benchmark: Any, name: str) -> None:
    benchmark.group = f"small call: {name}"
    ours, numpys, right, off = NOISY[name]
    ways = {"cydp": often(ours), "numpy": often(numpys)}
    for answer in in_turn.measure(benchmark, ways, rounds=31, per=CALLS).values():
        assert np.abs(answer - right).max() < off


@pytest.mark.parametrize("name", LOSSES)
def bench_charge(benchmark: Any, name: str) -> None:
    benchmark.group = f"small call: PrivacyFilter.charge, {name}"
    most, each = LOSSES[name]
    budget = cydp.PrivacyFilter(most)
    ways = {"cydp": often(lambda: budget.charge(each))}
    in_turn.measure(benchmark, ways, rounds=51, per=CALLS)
    name = "rho" if isinstance(each, cydp.ZCDP) else "epsilon"
    charges = getattr(budget.spent, name) / getattr(each, name)
    assert charges >= 2 * CALLS  # a turn before the first round, and the rounds
    assert charges % CALLS == 0


def bench_loss_of_text(benchmark: Any) -> None:
    benchmark.group = "small call: PureDP of text"
    ways = {"cydp": often(lambda: cydp.PureDP("0.001"))}
    answers = in_turn.measure(benchmark, ways, rounds=51, per=CALLS)
    assert answers["cydp"] == cydp.PureDP("0.001")
