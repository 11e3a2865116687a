"""Selections beside numpy's noisy argmax, which is not private; answers are checked."""

from typing import Any

import in_turn
import numpy as np
import numpy_reference
import pytest
from numpy.typing import NDArray

import cydp
from cydp import _threads as threads

N = 10**6
RNG = np.random.default_rng(1)
KINDS = {"exponential": cydp.ExponentialMechanism, "flip": cydp.PermuteAndFlip}
SCORES = {
    "10^6, equal": np.zeros(N),
    "10^6, normal": np.random.default_rng(2).normal(size=N),
    "10^6, Cauchy": np.random.default_rng(3).standard_cauchy(N) * 1e3,
    "10^6, int64": np.random.default_rng(4).integers(-100, 100, N),
    "10^5 rows of 100, normal": np.random.default_rng(5).normal(size=(N // 10, 100)),
    "10^5 rows of 100, equal": np.zeros((N // 10, 100)),
}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def check(chosen: Any, scores: NDArray[Any]) -> None:
    """Hold the mean chosen score to what it is expected to be, or a single one to its bound."""
    if scores.ndim == 1:
        bound = cydp.ExponentialMechanism(epsilon=2, sensitivity=1).error_bound(
            1 - 1e-9, count=len(scores)
        )
        assert scores[chosen] >= scores.max() - bound
        return
    mean = np.take_along_axis(scores, np.asarray(chosen)[:, None], 1).mean()
    expected = [
        row @ cydp.ExponentialMechanism(epsilon=2, sensitivity=1).probabilities(row)
        for row in scores[:2000]
    ]
    assert abs(mean - np.mean(expected)) < 0.06


@pytest.mark.parametrize("name", SCORES)
def bench_selection(benchmark: Any, name: str) -> None:
    benchmark.group = f"selection, {name}"
    scores = SCORES[name]
    ways = {
        "exponential mechanism": lambda: cydp.ExponentialMechanism(
            epsilon=2, sensitivity=1
        ).release(scores),
        "permute-and-flip": lambda: cydp.PermuteAndFlip(epsilon=2, sensitivity=1).release(scores),
        "numpy, Gumbel": lambda: numpy_reference.noisy_argmax(scores, RNG.gumbel),
        "numpy, exponential": lambda: numpy_reference.noisy_argmax(scores, RNG.exponential),
    }
    answers = in_turn.measure(benchmark, ways, rounds=11 if scores.ndim > 1 else 31)
    for way, chosen in answers.items():
        if scores.ndim == 1 or way in ("exponential mechanism", "numpy, Gumbel"):
            check(chosen, scores)


@pytest.mark.parametrize("name", ["10^6, normal", "10^5 rows of 100, normal"])
def bench_against_keystream(benchmark: Any, name: str) -> None:
    """A selection beside what it cannot do without: its words, and to read the scores."""
    scores, g = SCORES[name], cydp.Generator()
    benchmark.group = f"selection, {name}, and its keystream"

    def read() -> int:
        return len(g.bytes(4 * scores.size)) + int(scores.max() > np.inf)

    ways = {
        "select": lambda: cydp.ExponentialMechanism(epsilon=2, sensitivity=1).release(scores),
        "read": read,
    }
    answers = in_turn.measure(benchmark, ways, rounds=15)
    assert answers["read"] == 4 * scores.size
    check(answers["select"], scores)


@pytest.mark.parametrize("name", ["10^6, normal", "10^5 rows of 100, normal"])
def bench_selection_threads(benchmark: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = f"selection, {name}, two threads"
    scores = SCORES[name]

    def with_threads(number: int) -> Any:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return cydp.ExponentialMechanism(epsilon=2, sensitivity=1).release(scores)

    ways = {"two threads": lambda: with_threads(2), "one thread": lambda: with_threads(1)}
    for chosen in in_turn.measure(benchmark, ways, rounds=15).values():
        check(chosen, scores)


def bench_small(benchmark: Any) -> None:
    benchmark.group = "selection among 4, 100 times"
    scores = np.array([27.0, 23, 9, 0])
    m = cydp.ExponentialMechanism(epsilon=2, sensitivity=1)
    ways = {
        "cydp": lambda: [m.release(scores) for _ in range(100)],
        "numpy, Gumbel": lambda: [
            numpy_reference.noisy_argmax(scores, RNG.gumbel) for _ in range(100)
        ],
    }
    for chosen in in_turn.measure(benchmark, ways).values():
        assert np.mean(np.array(chosen) < 2) > 0.9
