"""Selections beside numpy's noisy argmax, which is not private; answers are checked."""

from typing import Any

import keystream
import numpy as np
import numpy_reference
import pytest
from harness import in_turn
from harness.sizes import size
from numpy.typing import NDArray

import cydp
from cydp import _threads as threads

N, ROWS = size(10**6), size(10**5)
RNG = np.random.default_rng(1)
EXPONENTIAL = cydp.ExponentialMechanism(epsilon=2, sensitivity=1)
FLIP = cydp.PermuteAndFlip(epsilon=2, sensitivity=1)
SCORES = {
    "10^6 scores, equal": lambda: np.zeros(N),
    "10^6 scores, normal": lambda: np.random.default_rng(2).normal(size=N),
    "10^6 scores, Cauchy": lambda: np.random.default_rng(3).standard_cauchy(N) * 1e3,
    "10^6 scores, int64": lambda: np.random.default_rng(4).integers(-100, 100, N),
    "10^5 rows of 100 scores, normal": lambda: np.random.default_rng(5).normal(size=(ROWS, 100)),
    "10^5 rows of 100 scores, equal": lambda: np.zeros((ROWS, 100)),
    "10^6 rows of 2 scores, normal": lambda: np.random.default_rng(6).normal(size=(N, 2)),
}
NORMAL = ["10^6 scores, normal", "10^5 rows of 100 scores, normal"]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def check(chosen: Any, scores: NDArray[Any]) -> None:
    """Hold the mean chosen score to what it is expected to be, or a single one to its bound.

    The expectation is the exponential mechanism's; permute-and-flip is better where scores differ.
    """
    if scores.ndim == 1:
        bound = EXPONENTIAL.error_bound(1 - 1e-9, candidates=len(scores))
        assert scores[chosen] >= scores.max() - bound
        return
    some = scores[:2000]
    mean = np.take_along_axis(some, np.asarray(chosen)[:2000, None], 1).mean()
    chances = np.array([EXPONENTIAL.probabilities(row) for row in some])
    expected = (chances * some).sum(axis=1)
    variance = (chances * np.square(some)).sum(axis=1) - np.square(expected)
    assert abs(mean - expected.mean()) < 8 * max(variance.sum(), 1e-12) ** 0.5 / len(some)


@pytest.mark.parametrize("name", SCORES)
def bench_exponential(benchmark: Any, name: str) -> None:
    benchmark.group = f"exponential mechanism, {name}"
    scores = SCORES[name]()
    ways = {
        "cydp": lambda: EXPONENTIAL.release(scores),
        "numpy": lambda: numpy_reference.noisy_argmax(scores, RNG.gumbel),
    }
    answers = in_turn.measure(
        benchmark, ways, moved=scores.nbytes, keystream=keystream.of_scores(scores.size)
    )
    for chosen in answers.values():
        check(chosen, scores)


@pytest.mark.parametrize("name", NORMAL)
def bench_permute_and_flip(benchmark: Any, name: str) -> None:
    """Its rival's noise is exponential: numpy draws it in a third of the time of Gumbel noise."""
    benchmark.group = f"permute-and-flip, {name}"
    scores = SCORES[name]()
    ways = {
        "cydp": lambda: FLIP.release(scores),
        "numpy": lambda: numpy_reference.noisy_argmax(scores, RNG.exponential),
    }
    answers = in_turn.measure(
        benchmark, ways, moved=scores.nbytes, keystream=keystream.of_scores(scores.size)
    )
    if scores.ndim == 1:
        for chosen in answers.values():
            check(chosen, scores)
    else:
        ours, numpys = (np.take_along_axis(scores, c[:, None], 1) for c in answers.values())
        off = 8 * np.std(ours - numpys) / len(scores) ** 0.5
        assert abs((ours - numpys).mean()) < off


@pytest.mark.parametrize("name", NORMAL)
def bench_threads(benchmark: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = f"two threads: exponential mechanism, {name}"
    scores = SCORES[name]()

    def with_threads(number: int) -> Any:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return EXPONENTIAL.release(scores)

    ways = {
        "cydp, two threads": lambda: with_threads(2),
        "cydp, one thread": lambda: with_threads(1),
    }
    answers = in_turn.measure(
        benchmark, ways, moved=scores.nbytes, keystream=keystream.of_scores(scores.size), threads=2
    )
    for chosen in answers.values():
        check(chosen, scores)


def bench_small(benchmark: Any) -> None:
    benchmark.group = "exponential mechanism, one choice among 4"
    scores, calls = np.array([27.0, 23, 9, 0]), 100
    ways = {
        "cydp": lambda: [EXPONENTIAL.release(scores) for _ in range(calls)],
        "numpy": lambda: [numpy_reference.noisy_argmax(scores, RNG.gumbel) for _ in range(calls)],
    }
    for chosen in in_turn.measure(benchmark, ways, per=calls).values():
        assert np.mean(np.array(chosen) < 2) > 0.9
