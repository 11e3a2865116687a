"""Releases of 10^7 rows: what a table costs beside OpenDP's, and beside its exact counts alone.

All use one thread, OpenDP's Polars too. Releases of 1,000 rows show what a small call costs.
"""

from collections.abc import Callable
from typing import Any

import moments
import numpy as np
import pytest
import rivals
from harness import in_turn
from harness.sizes import size

import cydp
from cydp import _threads as threads
from cydp import exact

ROWS = size(10**7)
LOSS = cydp.PureDP(1, relation="add-remove")
RNG = np.random.default_rng(1)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)


def check_noise(noise: Any) -> None:
    """Hold the noise of counts to epsilon 1: as much as it takes, in each; not less, not more."""
    moments.check_laplace(noise, 1)
    assert np.abs(noise).max() < 60  # e^-60 is the chance of one key


@pytest.mark.parametrize(
    "power",
    [3, 5, pytest.param(6, marks=pytest.mark.long)],  # Polars of OpenDP: two minutes for 10^6 keys
)
def bench_group_by_count(benchmark: Any, power: int) -> None:
    benchmark.group = f"release: counts of 10^7 rows by 10^{power} known keys"
    n_keys = size(10**power)
    codes, keys = RNG.integers(0, n_keys, ROWS), np.arange(n_keys)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.value_counts(codes, keys, epsilon=1).counts,
            "cydp, group_by": lambda: cydp.group_by({"k": codes}, "k", keys=keys, epsilon=1).counts,
            "OpenDP, Polars": rivals.way("OpenDP", "counts_of_keys", codes, n_keys),
            "OpenDP, numpy": rivals.way("OpenDP", "vector_counts_of_keys", codes, n_keys),
            "numpy, exact": lambda: np.bincount(codes, minlength=n_keys),
        },
        rounds=15,
        moved=8 * ROWS + 8 * n_keys,
    )
    counted = answers.pop("numpy, exact")
    for counts in answers.values():
        check_noise(counts - counted)


def bench_histograms(benchmark: Any) -> None:
    benchmark.group = "release: 10^4 histograms of 100 bins, 10^7 rows"
    n_keys = size(10**4)
    keys, x, known = RNG.integers(0, n_keys, ROWS), RNG.uniform(0, 100, ROWS), np.arange(n_keys)
    joint = keys * 100 + x.astype(np.int64)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.histogram(x, 100, (0, 100), by=keys, by_keys=known, epsilon=1),
            "numpy, exact, of the joint code": lambda: np.bincount(joint, minlength=100 * n_keys),
        },
        rounds=15,
        moved=16 * ROWS + 8 * 100 * n_keys,
    )
    counted = answers["numpy, exact, of the joint code"].reshape(-1, 100)
    assert answers["cydp"].loss == LOSS
    check_noise((answers["cydp"].counts - counted).ravel())


@pytest.mark.parametrize("sums", [False, True])
def bench_users(benchmark: Any, sums: bool) -> None:
    """What the release adds to the bounding of 10^6 users to 3 of 10^4 keys."""
    what = "counts and sums" if sums else "counts"
    benchmark.group = f"release: {what} of 10^7 rows of 10^6 users by 10^4 keys"
    n_keys = size(10**4)
    keys, users = RNG.integers(0, n_keys, ROWS), RNG.integers(0, size(10**6), ROWS)
    table = {"k": keys, "user": users, "x": RNG.uniform(0, 100, ROWS)}
    given: dict[str, Any] = {"sums": {"x": (0, 100)}} if sums else {}
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.group_by(
                table,
                "k",
                keys=np.arange(n_keys),
                user="user",
                max_partitions=3,
                epsilon=1,
                **given,
            ),
            "cydp, bounding alone": lambda: exact.bound_contributions(
                users, keys, max_partitions=3
            ),
        },
        rounds=7,
        moved=(24 if sums else 16) * ROWS,
    )
    release, stays = answers["cydp"], answers["cydp, bounding alone"]
    assert release.loss == LOSS
    scale = 6 if sums else 3  # of the noise of one key
    kept = np.bincount(keys[stays], minlength=n_keys)
    off = release.counts - kept
    assert abs(off.sum()) < 8 * scale * (2 * n_keys) ** 0.5
    # Both choose among the keys of a user by chance: the deviation of a key is at most this.
    deviation = (2 * kept.mean() + 2 * scale**2) ** 0.5
    assert 0 < np.median(np.abs(off)) < deviation


X = RNG.uniform(0, 100, 1000)
CALLS = 300
SMALL: dict[str, Callable[[], Any]] = {
    "count": lambda: cydp.count(X, epsilon=1),
    "sum": lambda: cydp.sum(X, (0, 100), epsilon=1),
    "mean": lambda: cydp.mean(X, (0, 100), epsilon=1),
    "variance": lambda: cydp.variance(X, (0, 100), epsilon=1),
    "median": lambda: cydp.median(X, (0, 100), epsilon=1),
    "histogram": lambda: cydp.histogram(X, 10, (0, 100), epsilon=1),
}
NEAR = {  # the exact answer, and 40 times the scale of the noise, or a rank that is as far away
    "count": (1000, 40),
    "sum": (X.sum(), 4000),
    "mean": (X.mean(), 8),
    "variance": (X.var(), 400),
    "median": (np.median(X), 20),
    "histogram": (np.histogram(X, 10, (0, 100))[0], 40),
}


@pytest.mark.parametrize("name", list(SMALL))
def bench_small(benchmark: Any, name: str) -> None:
    """Parameters that were seen before."""
    benchmark.group = f"latency: {name} of 1,000 rows"

    def often(call: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [call() for _ in range(CALLS)]

    ways = {"cydp": often(SMALL[name]), "yardstick, rng.laplace()": often(RNG.laplace)}
    releases = in_turn.measure(benchmark, ways, per=CALLS)["cydp"]
    assert all(release.loss == LOSS for release in releases)
    answers = np.array([np.asarray(release) for release in releases])
    near, off = NEAR[name]
    assert np.all(np.abs(answers - near) < off)
    assert np.any(answers != answers[0])


def bench_median(benchmark: Any) -> None:
    benchmark.group = "release: median of 10^6 rows"
    x = RNG.lognormal(10, 1, size(10**6))
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.median(x, (0, 200_000), epsilon=1),
            "numpy, exact": lambda: np.median(x),
        },
        moved=8 * len(x),
    )
    assert answers["cydp"].loss == LOSS
    rank = np.count_nonzero(
        x < answers["cydp"].value
    )  # e^-40 is the chance of 80 ranks and a tie more
    assert abs(rank - len(x) / 2) < 160
