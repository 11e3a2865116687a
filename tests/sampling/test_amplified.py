"""sampling/_amplified.py: the numbers, against mpmath, and the theorem, by enumeration."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from scipy.stats import binom

import cydp
from cydp import (
    ApproxDP,
    DiscreteLaplace,
    PureDP,
    count,
)
from cydp.sampling import Sampled, amplified, loss_on_sample

EPSILONS = [Fraction(text) for text in ("1e-100", "1e-12", "1/3", "1", "1.5", "20", "5000", "1e9")]
SHARES = [Fraction(text) for text in ("1e-250", "1e-30", "1/1000", "1/10", "2/3", "0.999", "1")]


def true_epsilon(epsilon: Fraction, q: Fraction) -> mpf:
    return mpmath.log1p(exact(q) * mpmath.expm1(exact(epsilon)))


def exact(number: Fraction) -> mpf:
    return mpf(number.numerator) / number.denominator


def test_epsilon_is_rounded_up_by_little_and_the_inverse_down() -> None:
    for epsilon, q in product(EPSILONS, SHARES):
        inverse = loss_on_sample(PureDP(epsilon), q)
        with mpmath.workdps(600):
            found, true = exact(amplified(PureDP(epsilon), q).epsilon), true_epsilon(epsilon, q)
            past = 1 + mpf(10) ** -150
            assert true <= found * past <= true * (1 + mpf("1.1e-5")), (epsilon, q)
            back = mpmath.log1p(mpmath.expm1(exact(epsilon)) / exact(q))
            below = exact(inverse.epsilon)
            assert back * (1 - mpf("3e-5")) <= below <= back * past, (epsilon, q)
        whole = amplified(inverse, q)
        assert whole <= PureDP(epsilon, relation="add-remove"), (epsilon, q)
        assert whole.relation == inverse.relation == "add-remove"
        assert amplified(PureDP(0), q).epsilon == loss_on_sample(PureDP(0), q).epsilon == 0


def test_delta_is_exact() -> None:
    loss = amplified(ApproxDP(1, "1e-6"), "1/3")
    assert loss.delta == Fraction(1, 3 * 10**6)
    assert loss_on_sample(loss, "1/3").delta == Fraction(1, 10**6)
    assert amplified(DiscreteLaplace(epsilon=1, sensitivity=1), 1).epsilon == 1


def hockey_stick(p: Any, q: Any, epsilon: float) -> float:
    """The least delta of two distributions at an epsilon."""
    return float(np.maximum(np.asarray(p) - math.exp(epsilon) * np.asarray(q), 0).sum())


@pytest.mark.parametrize(
    ("epsilon", "share"), [("1/10", "1/2"), ("1", "1/10"), ("1", "9/10"), ("4", "1/10")]
)
def test_counts_of_a_sample_keep_to_the_loss_and_reach_it(epsilon: str, share: str) -> None:
    """Noisy counts of a sample of n and of n + 1 rows, by enumeration.

    Mutants: the unamplified epsilon times the share, and 1 % less than the right epsilon.
    """
    q, noise = float(Fraction(share)), DiscreteLaplace(epsilon=epsilon, sensitivity=1)
    loss = amplified(noise, share)
    reach = int(50 / float(Fraction(epsilon)))
    outputs = np.arange(-reach, reach + 10)

    def law(rows: int) -> np.ndarray[Any, Any]:
        chances = binom.pmf(np.arange(rows + 1), rows, q)
        masses: Any = sum(c * noise.pmf(outputs, value=j) for j, c in enumerate(chances))
        return np.concatenate([masses, [1 - masses.sum()]]).clip(0)

    for rows in (0, 1, 5):
        fewer, more = law(rows), law(rows + 1)
        for one, other in ((fewer, more), (more, fewer)):
            assert hockey_stick(one, other, float(loss.epsilon)) < 1e-12
    fewer, more = law(0), law(1)
    assert np.log(more[:-1] / fewer[:-1]).max() == pytest.approx(float(loss.epsilon), rel=2e-5)
    for mutant in (float(Fraction(epsilon)) * q, 0.99 * float(loss.epsilon)):
        assert hockey_stick(more, fewer, mutant) > 1e-5


@pytest.mark.parametrize("share", ["1/10", "2/3"])
def test_the_worst_approximate_mechanism_reaches_delta(share: str) -> None:
    """Randomized response that tells the truth for certain with probability delta.

    Mutants: delta without the share, and the squared share.
    """
    epsilon, delta, q = 1.0, 0.01, float(Fraction(share))
    high, low = (1 - delta) / (1 + math.exp(-epsilon)), (1 - delta) / (1 + math.exp(epsilon))
    with_row, without = np.array([delta, high, low, 0]), np.array([0, low, high, delta])
    assert hockey_stick(with_row, without, epsilon) == pytest.approx(delta)
    sampled = (1 - q) * without + q * with_row
    loss = amplified(ApproxDP(1, "0.01"), share)
    both = [
        hockey_stick(*pair, float(loss.epsilon))
        for pair in ((sampled, without), (without, sampled))
    ]
    assert max(both) <= float(loss.delta) * (1 + 1e-9)
    assert max(both) == pytest.approx(float(loss.delta), rel=1e-3)
    assert max(both) < delta * 0.7
    assert max(both) > delta * q**2 * 1.3


def test_under_change_one_the_bound_does_not_hold() -> None:
    """Why `amplified` refuses it: a mechanism that shows whether its only row was sampled.

    It is (1, 0)-DP under change-one, where all tables have as many rows, and stays as bad.
    """
    empty, of_a = np.array([1.0, 0, 0]), np.array([0, 0.25, 0.75])
    of_b = np.array([0, 0.25 * math.e, 1 - 0.25 * math.e])
    before = np.abs(np.log(of_b[1:] / of_a[1:]))
    first, second = (0.5 * of_row + 0.5 * empty for of_row in (of_a, of_b))
    after = np.abs(np.log(second[1:] / first[1:]))
    assert after == pytest.approx(before)
    assert max(before) > 0.99 > 1.5 * float(amplified(PureDP(1), "1/2").epsilon)


def test_a_row_alone_is_sampled_as_often_as_the_share_says() -> None:
    """A user of three rows is in a sample of a tenth with probability 0.271."""
    truth = math.log1p((1 - 0.9**3) * math.expm1(1))
    stated = count([1, 2, 3], user=[1, 1, 1], max_rows=3, epsilon=1).loss
    assert amplified(stated, "1/10").epsilon < truth / 2
    for cost in (count([1, 2], epsilon=1), count([1, 2], max_rows_per_unit=1, epsilon=1)):
        assert Sampled(cost, "1/10").loss == amplified(PureDP(1), "1/10")
    of_rows = cydp.value_counts(["a", "b"], ["a", "b"], epsilon=1).nonnegative()
    assert amplified(of_rows, "1/2") == amplified(of_rows.loss, "1/2")
