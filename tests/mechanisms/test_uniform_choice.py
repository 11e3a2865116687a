"""mechanisms/_selection.py: the distribution, and the votes of the course."""

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


@pytest.mark.parametrize(
    ("count", "classes", "dtype"), [(12, 12, np.uint8), (3 * 2**60, 3, np.uint64)]
)
def test_all_candidates_are_equally_likely(count: int, classes: int, dtype: Any) -> None:
    """Mutants reduce a byte, or 64 bits, modulo the count."""
    each, n, rng = count // classes, 20_000, SeededGenerator(22)
    uniform = UniformChoice(count=count)
    drawn = [uniform.release(rng=rng) // each for _ in range(n)]
    assert not rejected(np.bincount(drawn, minlength=classes), 1 / classes)
    words = np.frombuffer(SeededGenerator(22).bytes(1_000_000), dtype).astype(np.uint64)
    reduced = words % np.uint64(count) // np.uint64(each)
    assert rejected(np.bincount(reduced.astype(int), minlength=classes), 1 / classes)


def test_the_ends_of_count() -> None:
    assert UniformChoice(count=1).release() == 0
    assert 0 <= UniformChoice(count=2**62).release() < 2**62
