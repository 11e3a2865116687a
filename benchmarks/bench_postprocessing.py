"""Post-processing of 10^7 released counts beside what a user would write with numpy."""

from typing import Any

import numpy as np
import numpy_reference as reference
import pytest
from harness import in_turn
from harness.sizes import size

import cydp
from cydp import _threads as threads
from cydp.releases import HistogramRelease

N = size(10**7)
TOTAL = 10 * N
RNG = np.random.default_rng(1)
KINDS = ["typical", "one huge", "every power of two", "all equal", "all negative"]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def counts_of(kind: str) -> np.ndarray:
    if kind == "all equal":
        return np.full(N, 7)
    noise = cydp.discrete_laplace(1, N)
    if kind == "typical":
        return RNG.geometric(0.1, N) - 1 + noise
    if kind == "all negative":
        return -np.abs(noise) - 1
    if kind == "one huge":
        noise[5] = 2**62
        return noise
    powers = (np.int64(1) << RNG.integers(0, 62, N)) * RNG.choice([-1, 1], N)
    return powers if reference.total(powers) > 0 else -powers


def released(counts: np.ndarray) -> HistogramRelease:
    like = cydp.histogram([0], 1, (0, 1), epsilon=1)
    return HistogramRelease(query=like.query, counts=counts, axes=(np.arange(N + 1.0),))


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        *(("nonnegative", kind) for kind in KINDS),
        *(
            (step, kind)
            for step in ("nonnegative and total", "with_total", "shares")
            for kind in ("typical", "every power of two")
        ),
    ],
)
def bench_post_processing(benchmark: Any, step: str, kind: str) -> None:
    """numpy's projection sorts, and its sums are doubles where counts are huge."""
    benchmark.group = f"{step} of 10^7 counts, {kind}"
    counts = counts_of(kind)
    release = released(counts)
    ways: dict[str, dict[str, Any]] = {
        "nonnegative": {
            "cydp": lambda: release.nonnegative().counts,
            "numpy": lambda: reference.nonnegative(counts, max(reference.total(counts), 0)),
        },
        "nonnegative and total": {
            "cydp": lambda: release.nonnegative().with_total(TOTAL).counts,
            "numpy": lambda: reference.nonnegative(counts, TOTAL),
        },
        "with_total": {
            "cydp": lambda: release.with_total(TOTAL).counts,
            "numpy": lambda: reference.with_total(counts, TOTAL),
        },
        "shares": {
            "cydp": lambda: release.normalized().shares,
            "numpy": lambda: counts / max(reference.total(counts), 1),
        },
    }
    answers = in_turn.measure(benchmark, ways[step], rounds=5, moved=2 * counts.nbytes)
    if step == "shares":
        assert np.allclose(answers["cydp"], answers["numpy"], rtol=1e-6, atol=0)
        return
    largest = max(float(np.abs(counts).max()), 1)
    assert np.abs(answers["cydp"] - answers["numpy"]).max() <= 1.001 + 1e-9 * largest
    if step != "nonnegative":
        assert answers["cydp"].sum() == TOTAL
