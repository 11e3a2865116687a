"""mechanisms/_selection.py: scores that float64 does not hold, drawn exactly."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from numpy.typing import NDArray
from samplers.goodness_of_fit import LIMIT, REJECTED
from scipy.stats import chisquare

from cydp import ExponentialMechanism, PermuteAndFlip
from cydp.mechanisms import _selection as selection

each = pytest.mark.parametrize("kind", [ExponentialMechanism, PermuteAndFlip])

TOP = 2**60 + 1  # no float64
QUICK = [(PermuteAndFlip, 1), (ExponentialMechanism, "0.1"), (ExponentialMechanism, 2)]


@each
def test_probabilities_do_not_depend_on_types(kind: Any) -> None:
    m = kind(epsilon=1, sensitivity=2)
    near = m.probabilities([0, -1, -3, -7]).tolist()

    def agree(scores: Any, expected: list[Any]) -> bool:
        return np.allclose(m.probabilities(scores), expected, rtol=1e-14, atol=0)

    for top in (TOP, 2**60, 2**64, 2**62):
        scores = [top, top - 1, top - 3, top - 7]
        assert agree(scores, near)
        for last in (0.5, -math.inf, math.nan, -(2**70), -(10**400)):
            assert agree([*scores, last], [*near, 0])
    assert agree([[TOP, 0.5], [1, 1.0]], [[1, 0], [0.5, 0.5]])
    assert agree([TOP, math.inf, 0.5, math.inf], [0, 0.5, 0, 0.5])
    assert agree([[TOP, 0.5], [-math.inf, math.nan]], [[1, 0], [0.5, 0.5]])
    assert agree([10**400, math.inf], [0, 1])
    assert agree([2**60, 2.0**60, 0.5], [0.5, 0.5, 0])
    assert agree([2**70, 2**63, 5], [1, 0, 0])


@pytest.mark.parametrize(
    ("kind", "epsilon", "sensitivity"),
    [
        pytest.param(
            kind, epsilon, norm, marks=() if (kind, epsilon) in QUICK else pytest.mark.long
        )
        for kind in (ExponentialMechanism, PermuteAndFlip)
        for epsilon, norm in ((1, 1), ("0.1", "1/3"), (2, 2**59))
    ],
)
def test_wide_draws_follow_the_probabilities(
    seeded: Seeded, kind: Any, epsilon: Any, sensitivity: Any
) -> None:
    """And not the other mechanism's."""
    m, n = kind(epsilon=epsilon, sensitivity=sensitivity), 3000
    (other,) = {ExponentialMechanism, PermuteAndFlip} - {kind}
    step = max(1, int(m.scale))
    scores = [TOP, TOP - step, 0.5 if step > 2**50 else 2.0**60 - 2**10, TOP - 2 * step, 0.25]
    rows = [scores] * n
    drawn = m.release(rows, rng=seeded(21))
    assert drawn.dtype == np.int64
    seen = np.bincount(drawn, minlength=5)

    def p_value(probabilities: NDArray[np.float64]) -> float:
        likely = probabilities * n > 1e-6
        assert (seen[~likely] == 0).all()
        return float(chisquare(seen[likely], probabilities[likely] * n).pvalue)

    assert p_value(m.probabilities(scores)) > LIMIT
    assert p_value(other(epsilon=epsilon, sensitivity=sensitivity).probabilities(scores)) < REJECTED


@each
def test_wide_rows_have_shapes_and_ends(kind: Any) -> None:
    m = kind(epsilon=100, sensitivity=1)
    assert m.release([TOP, 0.5]) == 0
    assert type(m.release([0.5, 2**70])) is int
    assert m.release([[[TOP, 0.5], [0.5, TOP]], [[1, 0], [1, math.inf]]]).tolist() == [
        [0, 1], [0, 1],
    ]  # fmt: skip
    assert m.release([TOP, math.nan, -math.inf, 0.5]) == 0
    assert {m.release([TOP, math.inf, 0.5, math.inf]) for _ in range(60)} == {1, 3}
    rows = m.release([[TOP, 0.5]] + [[math.nan, -math.inf]] * 60)
    assert set(rows[1:].tolist()) == {0, 1}
    assert kind(epsilon=Fraction(1, 2**4000), sensitivity=1).release([TOP, 5e-324]) in (0, 1)
    assert kind(epsilon=Fraction(2**4000), sensitivity=1).release([2**60, TOP, 5e-324]) == 1


def test_the_exact_coins(seeded: Seeded) -> None:
    """Words at, below and above each digit of p, and coins of probability exp(-x)."""

    class Words:
        def __init__(self, *words: int) -> None:
            self.words = list(words)

        def bytes(self, n: int) -> bytes:
            assert n == 8
            return self.words.pop(0).to_bytes(8, "little")

    third = 2**64 // 3
    for words, below in [
        ((third - 1,), True), ((third + 1,), False), ((third, third - 1), True),
        ((third, third, third + 1), False), ((0,), True), ((2**64 - 1,), False),
    ]:  # fmt: skip
        assert selection.draw_bernoulli(Fraction(1, 3), Words(*words)) is below  # type: ignore[arg-type]
    assert selection.draw_bernoulli(Fraction(1), Words(2**64 - 1))  # type: ignore[arg-type]
    assert not selection.draw_bernoulli(Fraction(0), Words(1))  # type: ignore[arg-type]
    assert not selection.draw_bernoulli(Fraction(1, 2), Words(2**63, 0, 1))  # type: ignore[arg-type]
    rng, n = seeded(4), 8_000
    for x in (Fraction(0), Fraction(3, 10), Fraction(1), Fraction(5, 2)):
        seen = sum(selection.draw_exp(x, rng) for _ in range(n))
        p = math.exp(-x)
        assert abs(seen - n * p) <= 5 * math.sqrt(n * p * (1 - p))
        q = math.exp(-x * 1.3)  # a mutant
        assert x == 0 or abs(seen - n * q) > 3 * math.sqrt(n * q * (1 - q))


def test_who_is_asked_first_is_uniform(seeded: Seeded) -> None:
    rng, n = seeded(6), 4_000
    assert selection.draw_below(1, rng) == 0
    for m in (2, 3, 5, 8):
        seen = np.bincount([selection.draw_below(m, rng) for _ in range(n)], minlength=m)
        assert len(seen) == m
        assert chisquare(seen).pvalue > LIMIT


def test_probabilities_of_permute_and_flip_where_one_is_far_ahead() -> None:
    """Of two, the worse one is chosen if it is asked first and accepted; for each gap."""
    m = PermuteAndFlip(epsilon=2, sensitivity=1)
    for gap in np.linspace(0, 700, 1401):
        worse, better = m.probabilities([-gap, 0]).tolist()
        assert worse == pytest.approx(math.exp(-gap) / 2, rel=1e-9)
        assert worse + better == pytest.approx(1, rel=1e-12)
