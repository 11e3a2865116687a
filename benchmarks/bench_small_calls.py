"""Small calls with parameters that were seen before, beside a bare call of numpy.

A machine that is twice as slow is so for both: the ratios say how small a small call is.
"""

from collections.abc import Callable
from typing import Any

import in_turn
import numpy as np
import pytest

import cydp
from cydp import exact

CALLS = 200  # in a round
RNG = np.random.default_rng(1)
X, CODES, FEW = RNG.uniform(0, 100, 100), RNG.integers(0, 10, 100), RNG.integers(0, 10, 10)
EDGES = np.array([0, *np.sort(RNG.uniform(0, 100, 9)), 100])
NOISE = cydp.DiscreteLaplace(epsilon=1, sensitivity=1)
LOSS = cydp.PureDP("0.001")
BUDGETS = [
    cydp.PrivacyFilter(most)
    for most in (cydp.PureDP(10**9), cydp.ApproxDP(10**9, "0.9"), cydp.ZCDP(10**9))
]
LOSSES = [LOSS, cydp.ApproxDP("0.001", "1e-12"), cydp.ZCDP("0.001")]

SMALL: dict[str, Callable[[], Any]] = {
    "exact.histogram, 100 rows": lambda: exact.histogram(X, 10, (0, 100))[0],
    "exact.histogram, given edges": lambda: exact.histogram(X, EDGES)[0],
    "exact.bincount, 100 codes": lambda: exact.bincount(CODES, 10),
    "exact.clamped_sum, 100 rows": lambda: exact.clamped_sum(X, (0, 100)),
    "DiscreteLaplace.release(5)": lambda: NOISE.release(5),
    "PrivacyFilter.charge": lambda: BUDGETS[0].charge(LOSSES[0]),
    "PrivacyFilter.charge, approximate": lambda: BUDGETS[1].charge(LOSSES[1]),
    "PrivacyFilter.charge, zCDP": lambda: BUDGETS[2].charge(LOSSES[2]),
    "PureDP of text": lambda: cydp.PureDP("0.001"),
    "discrete_laplace(10)": lambda: cydp.discrete_laplace(10),
}


def right(name: str, answer: Any) -> bool:
    if name == "exact.histogram, 100 rows":
        return np.array_equal(answer, np.histogram(X, 10, (0, 100))[0])
    if name == "exact.histogram, given edges":
        return np.array_equal(answer, np.histogram(X, EDGES)[0])
    if name.startswith("exact.bincount"):
        return np.array_equal(answer, np.bincount(CODES, minlength=10))
    if name.startswith("exact.clamped_sum"):
        return abs(float(answer.value) - X.sum()) < 1e-4
    if name == "PureDP of text":
        return bool(answer == LOSS)
    return answer is None if "charge" in name else type(answer) is int


def often(call: Callable[[], Any]) -> Callable[[], Any]:
    def calls() -> Any:
        for _ in range(CALLS):
            answer = call()
        return answer

    return calls


@pytest.mark.parametrize("name", list(SMALL))
def bench_small_call(benchmark: Any, name: str) -> None:
    benchmark.group = f"{CALLS} times {name}"
    ways = {
        name: often(SMALL[name]),
        "np.bincount of 10 codes": often(lambda: np.bincount(FEW)),
        "rng.laplace()": often(RNG.laplace),
    }
    if "histogram" in name:
        given: Any = (10, (0, 100)) if "100 rows" in name else (EDGES,)
        ways["np.histogram"] = often(lambda: np.histogram(X, *given))
    answers = in_turn.measure(benchmark, ways, rounds=51)
    assert right(name, answers[name])


def bench_out(benchmark: Any) -> None:
    """What it saves to write the result where the caller says."""
    benchmark.group = "DiscreteLaplace.release of 10^6 integers"
    value, out = np.arange(10**6), np.zeros(10**6, np.int64)
    answers = in_turn.measure(
        benchmark,
        {
            "out=": lambda: NOISE.release(value, out=out),
            "a new array": lambda: NOISE.release(value),
        },
        rounds=15,
    )
    assert all(np.abs(answer - value).max() < 100 for answer in answers.values())
