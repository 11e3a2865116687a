"""exact.bound_contributions beside numpy's lexsort and a window query of DuckDB."""

from typing import Any

import duckdb
import in_turn
import numpy as np
import pytest
from numpy.typing import NDArray

from cydp import _threads as threads
from cydp import exact

ROWS, USERS, MOST = 10**7, 10**6, 3


def by_lexsort(users: NDArray[Any], groups: NDArray[Any], rng: Any) -> NDArray[np.bool_]:
    """Sort by user, then by a random priority of the pair; numpy's generator is no cipher."""
    secret = rng.integers(0, 2**63, 2)
    # No real hash, but a fast one.
    priority = (users * secret[0] + groups * secret[1]) * np.int64(-7046029254386353131)
    order = np.lexsort((rng.random(len(users)), groups, priority, users))
    u, g = users[order], groups[order]
    new_user = np.r_[True, u[1:] != u[:-1]]
    new_pair = new_user | np.r_[True, g[1:] != g[:-1]]
    pairs = np.cumsum(new_pair)
    rank = pairs - np.repeat(pairs[new_user], np.diff(np.r_[np.flatnonzero(new_user), len(u)]))
    stays = np.zeros(len(users), bool)
    stays[order[new_pair & (rank < MOST)]] = True
    return stays


def by_window(users: NDArray[Any], groups: NDArray[Any]) -> int:
    """A row of each pair and MOST pairs of each user, at random; DuckDB, one thread."""
    rows = {"u": users, "g": groups}  # noqa: F841  (DuckDB reads it by name)
    ((found,),) = duckdb.sql(
        f"""SELECT count(*) FROM (
              SELECT row_number() OVER (PARTITION BY u ORDER BY r) AS place
              FROM (SELECT u, g, random() AS r FROM rows GROUP BY u, g)) WHERE place <= {MOST}"""
    ).fetchall()
    return int(found)


@pytest.mark.parametrize("groups", [3, 1000])
def bench_bound_contributions(benchmark: Any, groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = f"bound_contributions, 10^7 rows, 10^6 users, {MOST} of {groups} groups"
    monkeypatch.setattr(threads, "NUM_THREADS", 1)
    duckdb.sql("SET threads = 1")
    rng = np.random.default_rng(1)
    u, g = rng.integers(0, USERS, ROWS), rng.integers(0, groups, ROWS)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: exact.bound_contributions(u, g, max_partitions=MOST),
            "numpy": lambda: by_lexsort(u, g, rng),
            "DuckDB": lambda: by_window(u, g),
        },
        rounds=3,
    )
    assert answers["cydp"].sum() == answers["numpy"].sum() == answers["DuckDB"]
