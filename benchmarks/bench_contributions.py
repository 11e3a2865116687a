"""exact.bound_contributions beside numpy's sorts and a window query of DuckDB."""

from typing import Any

import numpy as np
import numpy_reference
import pytest
import rivals
from harness import in_turn
from harness.sizes import size, tolerance
from numpy.typing import NDArray

from cydp import _threads as threads
from cydp import exact

ROWS, USERS, MOST = size(10**7), size(10**6), 3


def window(users: NDArray[Any], groups: NDArray[Any]) -> Any:
    """A row of each pair and MOST pairs of each user, at random; DuckDB, one thread."""
    duckdb = rivals.here("DuckDB")
    if duckdb is None:
        return None
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("visits", {"u": users, "g": groups})
    query = f"""SELECT count(*) FROM (
                  SELECT row_number() OVER (PARTITION BY u ORDER BY r) AS place
                  FROM (SELECT u, g, random() AS r FROM visits GROUP BY u, g))
                WHERE place <= {MOST}"""
    return lambda: int(connection.execute(query).fetchone()[0])


def check(stays: NDArray[np.bool_], users: NDArray[Any], groups: NDArray[Any]) -> None:
    """Hold kept rows to one of each pair, and to MOST pairs of each user, or all, at random."""
    number = int(groups.max()) + 1
    pairs = users * number + groups
    kept = pairs[stays]
    assert len(np.unique(kept)) == len(kept)
    there = np.bincount(np.unique(pairs) // number)
    assert np.array_equal(np.bincount(kept // number), np.minimum(there, MOST))
    # A user's groups have no order: the mean group is the middle, within eight standard errors.
    assert abs(groups[stays].mean() - (number - 1) / 2) < number / 12**0.5 * tolerance(len(kept), 8)


@pytest.mark.parametrize("groups", [3, 1000])
def bench_bound_contributions(benchmark: Any, groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = f"contribution bounding, 10^7 rows, 10^6 users, {MOST} of {groups} groups"
    monkeypatch.setattr(threads, "NUM_THREADS", 1)
    rng = np.random.default_rng(1)
    u, g = rng.integers(0, USERS, ROWS), rng.integers(0, groups, ROWS)
    ways = {
        "cydp": lambda: exact.bound_contributions(u, g, max_partitions=MOST),
        "DuckDB": window(u, g),
        "numpy, packed keys": lambda: numpy_reference.bounded_by_packed_keys(u, g, MOST, rng),
    }
    if groups == 1000:  # ten seconds, whatever the groups
        ways["numpy"] = lambda: numpy_reference.bounded_contributions(u, g, MOST, rng)
    answers = in_turn.measure(benchmark, ways, rounds=5, moved=u.nbytes + g.nbytes + ROWS)
    rows = answers.pop("DuckDB", answers["cydp"].sum())  # DuckDB says only how many
    for stays in answers.values():
        check(stays, u, g)
        assert stays.sum() == rows


def bench_text_users(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Users as text of up to 12 bytes, in Arrow's form."""
    arrow = pytest.importorskip("pyarrow")
    benchmark.group = "contribution bounding, 10^7 rows, 10^6 users of text"
    monkeypatch.setattr(threads, "NUM_THREADS", 1)
    rng = np.random.default_rng(1)
    u, g = rng.integers(0, USERS, ROWS), rng.integers(0, 1000, ROWS)
    names = arrow.array([f"user-{i}" for i in range(USERS)])
    text = names.take(arrow.array(u))
    ways = {
        "cydp, text": lambda: exact.bound_contributions(text, g, max_partitions=MOST),
        "cydp, integers": lambda: exact.bound_contributions(u, g, max_partitions=MOST),
    }
    answers = in_turn.measure(benchmark, ways, rounds=5, moved=u.nbytes + g.nbytes + ROWS)
    for stays in answers.values():
        check(stays, u, g)


def bench_two_threads(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = "two threads: contribution bounding, 10^7 rows, 10^6 users"
    rng = np.random.default_rng(1)
    u, g = rng.integers(0, USERS, ROWS), rng.integers(0, 1000, ROWS)

    def on(number: int) -> Any:
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        return exact.bound_contributions(u, g, max_partitions=MOST)

    ways = {"cydp, two threads": lambda: on(2), "cydp, one thread": lambda: on(1)}
    moved = u.nbytes + g.nbytes + ROWS
    answers = in_turn.measure(benchmark, ways, rounds=5, moved=moved, threads=2)
    for stays in answers.values():
        check(stays, u, g)
