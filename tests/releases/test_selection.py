"""releases/_group_rows.py: keys that are not public are selected by users, within delta."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from samplers.goodness_of_fit import LIMIT
from scipy.stats import binom

import cydp
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


def check_keys_of_one_user(n_keys: int) -> None:
    """All keys of a user together are released with a probability of delta at most."""
    for partitions, relation, rows in SETTINGS:
        reached = partitions * (2 if relation == "change-one" else 1)
        found = released(partitions, relation, rows, n_keys, 1)
        assert tails(found, n_keys, DELTA / reached) > LIMIT, (partitions, relation, rows)
        assert found < n_keys / reached * DELTA * 2


def test_a_key_of_one_user_is_released_within_delta() -> None:
    check_keys_of_one_user(30_000)


@pytest.mark.long
def test_a_key_of_one_user_is_released_within_delta_of_a_million() -> None:
    check_keys_of_one_user(999_999)


def test_keys_of_a_user_beyond_the_limit_count_for_nobody() -> None:
    """Each user has ten keys, and one of them counts."""
    keys = 30_000
    table = {"key": np.arange(keys), "user": np.arange(keys) // 10}
    release = cydp.group_by(
        table, "key", count=False, user="user", max_partitions=1, epsilon=1, delta=DELTA,
        rng=SeededGenerator(2),
    )  # fmt: skip
    assert tails(len(release), keys // 10, DELTA) > LIMIT
    assert len(set((release.keys // 10).tolist())) == len(release)


ASKED: list[dict[str, Any]] = [
    {},
    {"sums": {"x": (0, 5)}},
    {"means": {"x": (0, 5)}},
    {"means": {"x": (0, 5)}, "missing": 1},
    {"quantiles": {"x": ([0.5, 0.1], (0, 5))}},
    {"sums": {"x": (0, 1)}, "means": {"x": (0, 1)}, "quantiles": {"x": (0.5, (0, 1))}},
]
UNITS: list[dict[str, Any]] = [
    {},
    {"user": "who", "max_partitions": 2},
    {"user": "who", "max_partitions": 2, "max_rows_per_partition": 3},
]


def test_no_key_makes_an_empty_table() -> None:
    """Whether any key is selected changes no error and no dtype, which a record could decide."""
    for place, (asked, unit) in enumerate(product(ASKED, UNITS)):
        seen = set()
        for keys in ([], ["a"], [None], ["a", None], ["a", "b", "c"]):
            n = len(keys)
            table = {
                "key": np.array(keys, object), "x": np.arange(n, dtype=float), "who": np.arange(n)
            }  # fmt: skip
            release = cydp.group_by(
                table, "key", epsilon=1, delta=1e-12, **asked, **unit,
                relation=("add-remove", "change-one")[place % 2],
            )  # fmt: skip
            columns = [release[name] for name in release.columns]
            assert len(release) == len(release.keys) == 0
            seen.add(tuple((each.dtype, each.shape) for each in columns))
            assert "0 keys" in repr(release)
        assert len(seen) == 1, (asked, unit)
        assert all(shape[0] == 0 for _, shape in seen.pop())
    assert cydp.top_k(["a", "b"], 1, epsilon=1, delta=1e-12).counts.shape == (0,)
    assert cydp.value_counts(["a", "b"], epsilon=1, delta=1e-12).counts.shape == (0,)
