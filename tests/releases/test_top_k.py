"""releases/_top_k.py: the most frequent keys."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.testing import SeededGenerator

KEYS = ["a", "b", "c"]
ROWS = ["a"] * 3 + ["b"] * 2 + ["c"]
RUNS = 4000


def distribution(scores: list[int], rate: float, k: int) -> dict[tuple[int, ...], float]:
    """The probability of each sequence of k places: the exponential mechanism, k times."""
    found = {}
    for chosen in permutations(range(len(scores)), k):
        left, probability = set(range(len(scores))), 1.0
        for place in chosen:
            total = sum(math.exp(rate * scores[i]) for i in left)
            probability *= math.exp(rate * scores[place]) / total
            left.remove(place)
        found[chosen] = probability
    return found


def log_likelihood_gap(rate: float, epsilon: Any) -> float:
    """By how much the observed order is less likely than expected, in standard deviations."""
    rng = SeededGenerator(5)
    seen = Counter(
        tuple(KEYS.index(key) for key in cydp.top_k(ROWS, 2, KEYS, epsilon=epsilon, rng=rng).keys)
        for _ in range(RUNS)
    )
    expected = distribution([3, 2, 1], rate, 2)
    chi2 = sum((seen[order] - RUNS * p) ** 2 / (RUNS * p) for order, p in expected.items())
    return (chi2 - 5) / math.sqrt(10)  # 6 orders, 5 degrees of freedom


def test_keys_are_selected_as_the_exponential_mechanism_selects() -> None:
    # Counts grow with records, so each of the 2 selections has the rate epsilon / 2.
    assert abs(log_likelihood_gap(0.5, 1)) < 5
    assert log_likelihood_gap(1.0, 1) > 20  # a mutant that spends epsilon on each
    assert log_likelihood_gap(0.25, 1) > 20  # and one that takes counts to be not monotonic


@pytest.mark.parametrize(
    ("given", "scale"),
    [
        ({"epsilon": 1}, 2),
        ({"epsilon": 1, "relation": "change-one"}, 4),
        ({"epsilon": 1, "relation": "add-remove-or-change"}, 4),
        ({"epsilon": 1, "user": "u", "max_rows_per_partition": 3}, 6),
        ({"epsilon": 1, "user": "u", "unit": ("household", "person")}, 4),
        ({"epsilon": 1, "max_rows_per_unit": 5}, 10),
        ({"rho": 1}, 1 / 2),  # epsilon**2 / 8 = 1 / 2 for each
        ({"epsilon": 1, "delta": 1e-9}, 2),
    ],
)
def test_the_scale_follows_from_the_privacy(given: dict[str, Any], scale: float) -> None:
    table = {"x": ROWS, "u": list(range(6))}
    release = cydp.top_k(table, 2, KEYS, column="x", **given)
    assert float(release.mechanism.scale) == pytest.approx(scale, rel=1e-5)
    assert release.mechanism.scale >= scale * (1 - 1e-15)


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


@pytest.mark.parametrize("k", [0, 4, -1])
def test_k_is_from_1_to_the_number_of_keys(k: int) -> None:
    with pytest.raises(ValueError, match="k must be from 1 to the number of keys, 3"):
        cydp.top_k(ROWS, k, KEYS, epsilon=1)


def test_no_number_is_released() -> None:
    release = cydp.top_k(np.array(ROWS), 1, KEYS, epsilon=1)
    assert release.variance is None
    with pytest.raises(TypeError, match="no number"):
        release.interval()
