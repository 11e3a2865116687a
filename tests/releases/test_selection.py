"""releases/_group_rows.py: keys that are not public are selected by users, within delta."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samplers.goodness_of_fit import LIMIT
from scipy.stats import binom

import cydp
from cydp.releases import _group_rows
from cydp.testing import SeededGenerator

DELTA = 0.01
# Partitions of a user, relation, rows of each user in each key.
SETTINGS = [(1, "add-remove", 1), (3, "add-remove", 5), (3, "change-one", 5)]


def singletons(partitions: int, rows: int, n_keys: int) -> dict[str, Any]:
    """Each key has one user, and each user has this many keys."""
    key = np.repeat(np.arange(n_keys), rows)
    return {"key": key, "user": key // partitions}


def released(partitions: int, relation: str, rows: int, n_keys: int, seed: int) -> int:
    release = cydp.group_by(
        singletons(partitions, rows, n_keys), "key", count=False, user="user",
        max_partitions=partitions, max_rows_per_partition=rows, epsilon=1, delta=DELTA,
        relation=relation, rng=SeededGenerator(seed),
    )  # fmt: skip
    return len(release)


def tails(found: int, n_keys: int, chance: float) -> float:
    return float(2 * min(binom.cdf(found, n_keys, chance), binom.sf(found - 1, n_keys, chance)))


@pytest.mark.parametrize("n_keys", [30_000, pytest.param(10**6, marks=pytest.mark.long)])
@pytest.mark.parametrize(("partitions", "relation", "rows"), SETTINGS)
def test_a_key_of_one_user_is_released_within_delta(
    partitions: int, relation: str, rows: int, n_keys: int
) -> None:
    """All keys of a user together are released with a probability of delta at most."""
    reached = partitions * (2 if relation == "change-one" else 1)
    n_keys -= n_keys % 3
    found = released(partitions, relation, rows, n_keys, 1)
    assert tails(found, n_keys, DELTA / reached) > LIMIT
    assert found < n_keys / reached * DELTA * 2


@pytest.mark.parametrize("setting", SETTINGS[1:])
def test_rows_counted_as_users_are_seen(setting: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    partitions, relation, rows = setting
    bound = _group_rows.bound_rows
    monkeypatch.setattr(_group_rows, "bound_rows", lambda *given, max_rows=None: bound(*given))
    reached = partitions * (2 if relation == "change-one" else 1)
    found = released(partitions, relation, rows, 30_000, 1)
    assert tails(found, 30_000, DELTA / reached) < LIMIT


def test_keys_of_a_user_beyond_the_limit_count_for_nobody() -> None:
    """Each user has ten keys, of which one counts."""
    keys = 30_000
    table = {"key": np.arange(keys), "user": np.arange(keys) // 10}
    release = cydp.group_by(
        table, "key", count=False, user="user", max_partitions=1, epsilon=1, delta=DELTA,
        rng=SeededGenerator(2),
    )  # fmt: skip
    assert tails(len(release), keys // 10, DELTA) > LIMIT
    assert len(set((release.keys // 10).tolist())) == len(release)


@pytest.mark.parametrize("rows", [[], ["a"], [None], ["a", None]])
@pytest.mark.parametrize("unit", [{}, {"user": "user", "max_partitions": 2}])
def test_no_key_makes_an_empty_table(unit: Any, rows: Any) -> None:
    """Whether any key is selected changes no error and no dtype."""
    n = len(rows)
    table = {
        "key": np.array(rows, object), "x": np.arange(n, dtype=float), "user": np.arange(n)
    }  # fmt: skip
    for seed in range(5):
        release = cydp.group_by(
            table, "key", sums={"x": (0, 1)}, means={"x": (0, 1)}, quantiles={"x": (0.5, (0, 1))},
            epsilon=1, delta=1e-9, rng=SeededGenerator(seed), **unit,
        )  # fmt: skip
        assert len(release) == 0
        assert [release[name].shape for name in release.columns] == [(0,)] * 4
        dtypes = [release[name].dtype for name in release.columns]
        assert dtypes == [np.int64, np.float64, np.float64, np.float64]
        assert "0 keys" in repr(release)
    counts = cydp.value_counts(table["key"], epsilon=1, delta=1e-9)
    assert counts.counts.shape == (0,)
