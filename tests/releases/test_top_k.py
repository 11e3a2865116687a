"""releases/_top_k.py: the most frequent keys."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.releases._top_k import TopQuery

KEYS = ["a", "b", "c"]
ROWS = ["a"] * 3 + ["b"] * 2 + ["c"]


def test_keys_are_selected_as_the_exponential_mechanism_selects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every choice of both selections is forced in turn, and its probability is computed.

    Counts grow with records, so each of the 2 selections has the rate epsilon / 2.
    """
    for order in permutations(range(3), 2):
        left, chances, wanted = [0, 1, 2], list[float](), list(order)

        def choose(mechanism: Any, counts: Any, **_: Any) -> int:
            assert counts.tolist() == [3 - place for place in left]  # noqa: B023
            place = left.index(wanted.pop(0))  # noqa: B023
            chances.append(float(mechanism.probabilities(counts)[place]))  # noqa: B023
            left.pop(place)  # noqa: B023
            return place

        monkeypatch.setattr(cydp.ExponentialMechanism, "release", choose)
        released = cydp.top_k(ROWS, 2, KEYS, epsilon=1)
        assert released.keys.tolist() == [KEYS[place] for place in order]
        rest, expected = {0, 1, 2}, []
        for place in order:
            weights = {each: math.exp((3 - each) / 2) for each in rest}
            expected.append(weights[place] / sum(weights.values()))
            rest.remove(place)
        assert chances == pytest.approx(expected)


SCALES: list[tuple[dict[str, Any], float]] = [
    ({"epsilon": 1}, 2),
    ({"epsilon": 1, "relation": "change-one"}, 4),
    ({"epsilon": 1, "relation": "add-remove-or-change"}, 4),
    ({"epsilon": 1, "user": "u", "max_rows_per_partition": 3}, 6),
    ({"epsilon": 1, "user": "u", "unit": ("household", "person")}, 4),
    ({"epsilon": 1, "max_rows_per_unit": 5}, 10),
    ({"rho": 1}, 1 / 2),  # epsilon**2 / 8 = 1 / 2 for each
    ({"epsilon": 1, "delta": 1e-9}, 2),
]


def test_the_scale_follows_from_the_privacy() -> None:
    table = {"x": ROWS, "u": list(range(6))}
    for given, scale in SCALES:
        release = cydp.top_k(table, 2, KEYS, column="x", **given)
        assert float(release.mechanism.scale) == pytest.approx(scale, rel=1e-5), given
        assert release.mechanism.scale >= scale * (1 - 1e-15), given


def worst_path(k: int, n_keys: int, changes: Iterable[tuple[int, ...]], query: TopQuery) -> float:
    """The largest logarithm of a ratio of the chances of all k keys, counts being far apart."""

    def log_chance(counts: Any, path: tuple[int, ...]) -> float:
        left, found = dict(enumerate(np.array(counts) / float(query.selection.scale))), 0.0
        for key in path:
            found += left[key] - float(np.logaddexp.reduce([*left.values()]))
            del left[key]
        return found

    return max(
        abs(log_chance(counts, path) - log_chance(np.add(counts, change), path))
        for counts, change in product(product((0, 90, 180), repeat=n_keys), changes)
        for path in permutations(range(n_keys), k)
    )


def changes_of(n_keys: int, relation: str, protected: str) -> set[tuple[int, ...]]:
    """How the counts of keys change by one row, or by a user of two rows for each key."""
    if protected == "user":
        return set(product((0, 2) if relation == "add-remove" else (-2, 0, 2), repeat=n_keys))
    cells = np.eye(n_keys + 1, n_keys, dtype=int)  # the last one is outside of all keys
    goes = cells if relation == "change-one" else 0 * cells[:1]
    return {tuple((one - other).tolist()) for one in cells for other in goes}


def test_all_selections_cost_together_what_is_charged() -> None:
    """Exactly. A row that changes moves two counts: of k selections, one alone reads both ends.

    In pure DP it costs (k + 1) / (2 k) of what is charged, and a user in all keys costs all.
    """
    for n_keys, relation, protected in product(
        (2, 3), ("add-remove", "change-one"), ("row", "user")
    ):
        user = {"user": "u" if protected == "user" else None, "unit": None}
        rows = {"max_rows_per_partition": 2 if protected == "user" else None}
        for k in range(1, n_keys + 1):
            query = cydp.explain(
                cydp.top_k, k, n_keys, epsilon=1, relation=relation, **user, **rows
            ).query
            worst = worst_path(k, n_keys, changes_of(n_keys, relation, protected), query)
            choices = min(k, n_keys - 1)
            overstated = protected == "row" and relation == "change-one"
            expected = (choices + 1) / (2 * choices) if overstated else 1
            assert worst <= 1 + 1e-12
            assert worst == pytest.approx(expected, rel=1e-3), (n_keys, k, relation, protected)


def test_many_selections_are_cheaper_with_a_delta() -> None:
    keys = list(range(200))
    pure = cydp.top_k([1], 100, keys, epsilon=1)
    approximate = cydp.top_k([1], 100, keys, epsilon=1, delta=1e-6)
    assert approximate.mechanism.scale < pure.mechanism.scale / 2
    assert approximate.loss == cydp.ApproxDP(1, 1e-6, relation="add-remove")


def test_all_keys_are_selected_once() -> None:
    release = cydp.top_k(ROWS, 3, KEYS, epsilon=1)
    assert sorted(release.keys) == KEYS
    assert len(release) == 3
    assert cydp.top_k(ROWS, 3, KEYS, epsilon=1000).keys.tolist() == KEYS


def test_rows_of_a_user_are_bounded() -> None:
    table = {"x": ["a"] * 1000 + ["b"] * 5, "u": [0] * 1000 + [1, 2, 3, 4, 5]}
    release = cydp.top_k(
        table, 1, ["a", "b"], column="x", user="u", max_rows_per_partition=1, epsilon=100
    )
    assert release.keys.tolist() == ["b"]
    assert "at most 1 row in each partition" in release.unit
    assert release.variance is None  # no number is released
