"""Releases of 10^7 rows: what a table costs beside OpenDP's, and beside its exact counts alone."""

import timeit
from collections.abc import Callable
from typing import Any

import in_turn
import numpy as np
import pytest
import rival_releases as rivals

import cydp
from cydp import exact

ROWS = 10**7
RNG = np.random.default_rng(1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_keys", [10**3, 10**6])
def bench_group_by_count(benchmark: Any, n_keys: int) -> None:
    """OpenDP takes two minutes for 10^6 keys: it takes one turn, after the others."""
    benchmark.group = f"counts of 1e7 rows by {n_keys:.0e} known keys"
    codes, keys = RNG.integers(0, n_keys, ROWS), np.arange(n_keys)
    ways: dict[str, Callable[[], Any]] = {
        "value_counts": lambda: cydp.value_counts(codes, keys, epsilon=1),
        "group_by": lambda: cydp.group_by({"k": codes}, "k", keys=keys, epsilon=1),
        "np.bincount": lambda: np.bincount(codes, minlength=n_keys),
    }
    counts = {name: np.array(answer if name == "np.bincount" else answer.counts)
              for name, answer in in_turn.measure(benchmark, ways, rounds=15).items()}  # fmt: skip
    if rivals.dp and rivals.pl:
        frame = rivals.pl.LazyFrame({"educ": codes})
        repeat = 1 if n_keys == 10**6 else 5

        def release() -> None:
            query = rivals.opendp_value_counts(frame, keys)
            counts["OpenDP"] = query.release().collect().sort("educ")["len"].to_numpy()

        seconds = timeit.repeat(release, number=1, repeat=repeat)
        mine = benchmark.stats.stats.median
        benchmark.extra_info["OpenDP"] = (
            f"{np.median(seconds):.3g} s ({min(seconds):.3g} to {max(seconds):.3g}), "
            f"x {np.median(seconds) / mine:.3g}"
        )
    for answer in counts.values():
        assert np.abs(answer - counts["np.bincount"]).max() < 60


def bench_histograms(benchmark: Any) -> None:
    benchmark.group = "1e4 histograms of 100 bins, 1e7 rows"
    keys, x = RNG.integers(0, 10**4, ROWS), RNG.uniform(0, 100, ROWS)
    joint, known = keys * 100 + x.astype(np.int64), np.arange(10**4)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.histogram(x, 100, (0, 100), by=keys, by_keys=known, epsilon=1),
            "np.bincount of the joint code": lambda: np.bincount(joint, minlength=10**6),
        },
        rounds=15,
    )
    counted = answers["np.bincount of the joint code"].reshape(-1, 100)
    assert np.abs(answers["cydp"].counts - counted).max() < 60


@pytest.mark.parametrize("sums", [False, True])
def bench_users(benchmark: Any, sums: bool) -> None:
    """What the release adds to the bounding of 1e6 users to 3 of 1e4 keys."""
    benchmark.group = "group_by of 1e7 rows with user=" + (", and sums" if sums else "")
    keys, users = RNG.integers(0, 10**4, ROWS), RNG.integers(0, 10**6, ROWS)
    table = {"k": keys, "user": users, "x": RNG.uniform(0, 100, ROWS)}
    given: dict[str, Any] = {"sums": {"x": (0, 100)}} if sums else {}
    answers = in_turn.measure(
        benchmark,
        {
            "group_by": lambda: cydp.group_by(
                table, "k", keys=np.arange(10**4), user="user", max_partitions=3, epsilon=1, **given
            ),
            "bounding alone": lambda: exact.bound_contributions(users, keys, max_partitions=3),
        },
        rounds=7,
    )
    kept = np.count_nonzero(answers["bounding alone"])
    assert abs(answers["group_by"].counts.sum() - kept) < 30 * 10**4


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


@pytest.mark.parametrize("name", list(SMALL))
def bench_small(benchmark: Any, name: str) -> None:
    """Parameters that were seen before."""
    benchmark.group = f"{CALLS} times {name} of 1000 rows"

    def often(call: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [call() for _ in range(CALLS)][-1]

    ways = {name: often(SMALL[name]), "rng.laplace()": often(RNG.laplace)}
    answer = in_turn.measure(benchmark, ways)[name]
    near = {
        "count": 1000,
        "sum": X.sum(),
        "mean": X.mean(),
        "variance": X.var(),
        "median": np.median(X),
        "histogram": np.histogram(X, 10, (0, 100))[0],
    }[name]
    assert np.allclose(answer, near, atol=40, rtol=0.9)


def bench_median(benchmark: Any) -> None:
    benchmark.group = "median of 1e6 rows"
    x = RNG.lognormal(10, 1, 10**6)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.median(x, (0, 200_000), epsilon=1).value,
            "np.median": lambda: np.median(x),
        },
    )
    assert abs(answers["cydp"] - answers["np.median"]) < 100
