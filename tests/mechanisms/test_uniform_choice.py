"""mechanisms/_uniform_choice.py: the distribution, and the votes of the course."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from cydp import ExponentialMechanism
from cydp.mechanisms import UniformChoice
from cydp.testing import SeededGenerator

VOTES = [27, 23, 9, 0]


def test_the_votes_of_the_course() -> None:
    """The slide prints 0.11 for the last candidate at epsilon 0.1, so that its sum is 1."""
    assert UniformChoice(count=len(VOTES)).probabilities().tolist() == [0.25] * 4
    small, one = (
        ExponentialMechanism(epsilon=epsilon, sensitivity=1).probabilities(VOTES)
        for epsilon in (0.1, 1)
    )
    assert small.round(2).tolist() == [0.40, 0.33, 0.16, 0.10]
    assert one[:2].round(2).tolist() == [0.88, 0.12]
    assert [f"{p:.0e}" for p in one[2:]] == ["1e-04", "1e-06"]
    weights = np.exp(0.05 * np.array(VOTES))
    assert small == pytest.approx(weights / weights.sum(), rel=1e-12)
    nearly_none = ExponentialMechanism(epsilon=1e-9, sensitivity=1).probabilities(VOTES)
    assert nearly_none == pytest.approx([0.25] * 4, abs=1e-8)


def rejected(counts: np.ndarray[Any, Any], share: float) -> bool:
    """Whether a count is too far from its share: each tail has at most 1e-9, exactly."""
    n = int(counts.sum())
    tails = [min(binom.cdf(c, n, share), binom.sf(c - 1, n, share)) for c in counts]
    return min(tails) < 1e-9


def test_all_candidates_are_equally_likely() -> None:
    """A mutant that reduces a byte modulo the count favours the first four by 3 %."""
    count, rng = 10, SeededGenerator(22)
    uniform = UniformChoice(count=count)
    drawn = [uniform.release(rng=rng) for _ in range(20_000)]
    assert not rejected(np.bincount(drawn, minlength=count), 1 / count)
    biased = np.frombuffer(SeededGenerator(22).bytes(1_000_000), np.uint8) % 12
    assert rejected(np.bincount(biased, minlength=12), 1 / 12)


def test_counts_that_no_power_of_two_has() -> None:
    """A mutant that reduces 64 bits modulo the count favours the first third by an eighth."""
    uniform, rng = UniformChoice(count=3 * 2**60), SeededGenerator(22)
    thirds = [uniform.release(rng=rng) >> 60 for _ in range(20_000)]
    assert not rejected(np.bincount(thirds, minlength=3), 1 / 3)
    words = np.frombuffer(SeededGenerator(22).bytes(160_000), np.uint64) % np.uint64(3 * 2**60)
    assert rejected(np.bincount((words >> np.uint64(60)).astype(int), minlength=3), 1 / 3)


def test_the_ends_of_count() -> None:
    assert UniformChoice(count=1).release() == 0
    assert 0 <= UniformChoice(count=2**62).release() < 2**62
