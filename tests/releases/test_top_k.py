"""releases/_top_k.py: the most frequent keys."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest

import cydp

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
