"""Randomized response and partition selection beside what a user would write with numpy."""

from typing import Any

import in_turn
import numpy as np
import numpy_reference
import pytest

import cydp
from cydp import _threads as threads

N = 10**7
RNG = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give no rival two threads; bench_threads alone asks for more."""
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def check(m: cydp.RandomizedResponse, codes: Any, reports: Any) -> None:
    """Hold reports to the share of truths, within eight standard errors."""
    p = float(m.p_truth)
    assert reports.dtype == codes.dtype
    assert abs((reports == codes).mean() - p) < 8 * np.sqrt(p * (1 - p) / len(codes))
    assert reports.max() < m.n_categories


@pytest.mark.parametrize("dtype", ["uint8", "int64"])
@pytest.mark.parametrize("k", [2, 10, 200])
def bench_reports(benchmark: Any, k: int, dtype: str) -> None:
    benchmark.group = f"randomized response, 10^7 {dtype} codes, {k} categories"
    codes = RNG.integers(0, k, N, dtype=dtype)
    m, fixed = cydp.RandomizedResponse(epsilon=1, n_categories=k), cydp.Generator(fixed_work=True)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: m.release(codes),
            "cydp, fixed work": lambda: m.release(codes, rng=fixed),
            "numpy": lambda: numpy_reference.randomized_response(codes, k, float(m.epsilon), RNG),
            "a copy": codes.copy,
        },
        rounds=15,
    )
    for way, reports in answers.items():
        if way != "a copy":
            check(m, codes, reports)


def bench_threads(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = "randomized response, 10^7 uint8 codes, 2 categories, two threads"
    codes, m = RNG.integers(0, 2, N, dtype=np.uint8), cydp.RandomizedResponse(epsilon=1)

    def shared(number: int) -> Any:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return m.release(codes)

    ways = {"two threads": lambda: shared(2), "one thread": lambda: shared(1)}
    for reports in in_turn.measure(benchmark, ways, rounds=15).values():
        check(m, codes, reports)


def bench_estimate(benchmark: Any) -> None:
    benchmark.group = "estimate, 10^7 uint8 reports, 10 categories"
    m = cydp.RandomizedResponse(epsilon=1, n_categories=10)
    codes = RNG.integers(0, 10, N, dtype=np.uint8)
    reports = m.release(codes)
    ways = {"cydp": lambda: m.estimate(reports).counts, "bincount": lambda: np.bincount(reports)}
    answers = in_turn.measure(benchmark, ways, rounds=7)
    assert np.abs(answers["cydp"] - np.bincount(codes)).max() < 10**5


def bench_one(benchmark: Any) -> None:
    benchmark.group = "1,000 times one"
    m, s, p = (
        cydp.RandomizedResponse(epsilon=1),
        cydp.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1),
        np.exp(1) / (1 + np.e),
    )
    ways = {
        "report": lambda: [m.release(1) for _ in range(1000)],
        "selection": lambda: [s.release(10) for _ in range(1000)],
        "numpy's report": lambda: [1 if RNG.random() < p else 0 for _ in range(1000)],
    }
    answers = in_turn.measure(benchmark, ways)
    assert 600 < sum(answers["report"]) < 850


def bench_selection(benchmark: Any) -> None:
    benchmark.group = "partition selection, 10^6 counts"
    counts = RNG.geometric(0.1, 10**6)
    m = cydp.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)
    chances = m.probability(np.arange(100))
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: m.release(counts),
            "numpy": lambda: RNG.random(10**6) < chances[np.minimum(counts, 99)],
        },
    )
    for kept in answers.values():
        assert abs(kept.mean() - m.probability(counts).mean()) < 0.01
