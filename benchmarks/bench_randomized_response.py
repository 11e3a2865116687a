"""Randomized response and partition selection beside what a user would write with numpy."""

from typing import Any

import keystream
import numpy as np
import numpy_reference
import pytest
from harness import in_turn
from harness.sizes import size, tolerance

import cydp
from cydp import _threads as threads

N, COUNTS = size(10**7), size(10**6)
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
    # Categories are as frequent among the reports as among the codes.
    k, codes_mean = m.n_categories, float(codes.mean())
    assert reports.max() < k
    middle = (k - 1) / 2
    expected = middle + (codes_mean - middle) * (p * k - 1) / (k - 1)
    assert abs(reports.mean() - expected) < k / 2 * tolerance(len(codes), 8)


@pytest.mark.parametrize(
    ("dtype", "k"),
    [*((dtype, k) for dtype in ("uint8", "int64") for k in (2, 10, 200)), ("int64", 10**4)],
)
def bench_reports(benchmark: Any, dtype: str, k: int) -> None:
    benchmark.group = f"randomized response, 10^7 {dtype} codes, {k} categories"
    codes = RNG.integers(0, k, N, dtype=dtype)
    m, fixed = cydp.RandomizedResponse(epsilon=1, n_categories=k), cydp.Generator(fixed_work=True)
    epsilon = float(m.epsilon)
    ways = {
        "cydp": lambda: m.release(codes),
        "cydp, fixed work": lambda: m.release(codes, rng=fixed),
        "numpy": lambda: numpy_reference.randomized_response(codes, k, epsilon, RNG),
    }
    if k == 2:
        ways["numpy, flips"] = lambda: numpy_reference.flipped(codes, epsilon, RNG)
    answers = in_turn.measure(
        benchmark,
        ways,
        rounds=15,
        moved=2 * codes.nbytes,
        keystream=keystream.of_reports(k, N),
    )
    for reports in answers.values():
        check(m, codes, reports)


def bench_threads(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = "two threads: randomized response, 10^7 uint8 codes, 2 categories"
    codes, m = RNG.integers(0, 2, N, dtype=np.uint8), cydp.RandomizedResponse(epsilon=1)

    def shared(number: int) -> Any:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return m.release(codes)

    ways = {"cydp, two threads": lambda: shared(2), "cydp, one thread": lambda: shared(1)}
    for reports in in_turn.measure(
        benchmark, ways, moved=2 * N, keystream=keystream.of_reports(2, N), threads=2
    ).values():
        check(m, codes, reports)


def bench_estimate(benchmark: Any) -> None:
    benchmark.group = "estimate of 10^7 uint8 reports, 10 categories"
    m = cydp.RandomizedResponse(epsilon=1, n_categories=10)
    codes = RNG.integers(0, 10, N, dtype=np.uint8)
    reports = m.release(codes)
    other = (1 - float(m.p_truth)) / 9  # the chance of each category that is not true
    ways = {
        "cydp": lambda: m.estimate(reports).counts,
        "numpy": lambda: (np.bincount(reports) - N * other) / (float(m.p_truth) - other),
    }
    answers = in_turn.measure(benchmark, ways, rounds=15, moved=N)
    np.testing.assert_allclose(answers["cydp"], answers["numpy"], rtol=1e-6, atol=1)
    deviation = 0.5 / (float(m.p_truth) - other)
    assert np.abs(answers["cydp"] - np.bincount(codes)).max() < 8 * deviation * N**0.5


def bench_one_report(benchmark: Any) -> None:
    benchmark.group = "RandomizedResponse.release, one bit"
    m, calls = cydp.RandomizedResponse(epsilon=1), 1000
    p = float(m.p_truth)
    ways = {
        "cydp": lambda: [m.release(1) for _ in range(calls)],
        "numpy": lambda: [1 if RNG.random() < p else 0 for _ in range(calls)],
    }
    for reports in in_turn.measure(benchmark, ways, rounds=15, per=calls).values():
        assert abs(np.mean(reports) - p) < tolerance(calls, 8) / 2


def bench_one_selection(benchmark: Any) -> None:
    benchmark.group = "PartitionSelection.release, one count"
    m, calls = cydp.mechanisms.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1), 1000
    chances = m.probability(np.arange(100))
    ways = {
        "cydp": lambda: [m.release(10) for _ in range(calls)],
        "numpy": lambda: [RNG.random() < chances[min(10, 99)] for _ in range(calls)],
    }
    for kept in in_turn.measure(benchmark, ways, rounds=15, per=calls).values():
        assert abs(np.mean(kept) - chances[10]) < tolerance(calls, 8) / 2


def bench_selection(benchmark: Any) -> None:
    benchmark.group = "partition selection, 10^6 counts"
    counts = RNG.geometric(0.1, COUNTS)
    m = cydp.mechanisms.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)
    chances = m.probability(np.arange(100))
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: m.release(counts),
            "numpy": lambda: numpy_reference.kept(counts, chances, RNG),
        },
        moved=9 * COUNTS,
        keystream=8 * COUNTS,  # 64 bits for each count
    )
    for kept in answers.values():
        assert abs(kept.mean() - m.probability(counts).mean()) < tolerance(COUNTS, 8) / 2
