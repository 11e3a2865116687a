"""mechanisms/_propose_test_release.py: parameters, the distribution of outputs."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from cydp import ApproxDP, DiscreteLaplace, sensitivity
from cydp.mechanisms import ProposeTestRelease
from cydp.testing import SeededGenerator


def outputs(counts: tuple[int, ...], threshold: int, noise: DiscreteLaplace) -> dict[Any, float]:
    """The distribution of the output, written anew."""
    first = counts.index(max(counts))
    lead = counts[first] - max(c for i, c in enumerate(counts) if i != first)
    passes = noise.sf(threshold - lead - 1)
    return {first: passes, None: 1 - passes}


def worst_delta(one: ProposeTestRelease, threshold: int, relation: str) -> float:
    """The largest hockey-stick divergence of neighbours with counts up to 3, of 3 candidates."""
    noise = DiscreteLaplace(epsilon=one.epsilon, sensitivity=one.sensitivity)
    factor, worst = math.exp(float(one.epsilon)), 0.0
    units = np.eye(3, dtype=int)
    changes = [tuple(e) for e in units] if relation == "add-remove" else [
        tuple(a - b) for a, b in product(units, units)
    ]  # fmt: skip
    for counts in product(range(4), repeat=3):
        for change in changes:
            other = tuple(int(c + d) for c, d in zip(counts, change, strict=True))
            if min(other) < 0:
                continue
            laws = outputs(counts, threshold, noise), outputs(other, threshold, noise)
            for p, q in (laws, laws[::-1]):
                excess = sum(max(p[o] - factor * q.get(o, 0.0), 0.0) for o in p)
                worst = max(worst, excess)
    return worst


@pytest.mark.parametrize(("relation", "delta"), [("add-remove", "0.001"), ("change-one", "0.1")])
def test_the_loss_holds_and_a_threshold_less_by_one_breaks_it(relation: Any, delta: str) -> None:
    one = ProposeTestRelease(
        epsilon=1, delta=delta, sensitivity=sensitivity.histogram(relation=relation)
    )
    assert one.loss == ApproxDP(1, delta, relation=relation)
    assert worst_delta(one, one.threshold, relation) <= float(one.delta) + 1e-12
    assert worst_delta(one, one.threshold - 1, relation) > float(one.delta)


def test_the_threshold_is_the_least_that_delta_allows() -> None:
    for epsilon, delta, norm in product(("0.1", "1", "5"), ("1e-9", "0.01", "1/2"), (1, 2, "2.5")):
        one = ProposeTestRelease(epsilon=epsilon, delta=delta, sensitivity=norm)
        noise = DiscreteLaplace(epsilon=epsilon, sensitivity=norm)
        turned = math.floor(Fraction(norm))
        assert (
            one.probability(turned) <= float(Fraction(delta)) < noise.sf(one.threshold - turned - 2)
        )
        assert one.scale == noise.scale


def test_releases_follow_the_law() -> None:
    """Exact binomial tails. A mutant: the probability of a lead that is larger by 1."""
    one = ProposeTestRelease(epsilon="0.5", delta="0.01", sensitivity=1)
    rng, n, lead = SeededGenerator(22), 5000, one.threshold - 1
    found = [one.release([3, 3 + lead, 2], rng=rng) for _ in range(n)]
    assert set(found) == {1, None}
    passed = found.count(1)
    for chance, agrees in ((one.probability(lead), True), (one.probability(lead + 1), False)):
        tail = min(binom.cdf(passed, n, chance), binom.sf(passed - 1, n, chance))
        assert bool(tail > 1e-9) is agrees


def test_the_largest_of_any_integers() -> None:
    one = ProposeTestRelease(epsilon=100, delta="0.1", sensitivity=1)
    assert one.release(np.array([2**63 - 1, -(2**63)])) == 0
    assert one.release(np.array([0, 2**64 - 1], np.uint64)) == 1
    assert one.release([0, 9, None]) == 1
    assert one.release([7, 7, 0]) is None
