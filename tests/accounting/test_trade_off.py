"""The privacy profile and the trade-off curve, as arrays."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import binom

from cydp import ZCDP, ApproxDP, DiscreteLaplace, Gaussian, Plan, PureDP
from cydp.accounting import RocBound, privacy_profile, roc_of, trade_off_curve

RATES = np.array([0.0, 1e-6, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0])
NORMAL = NormalDist()


def test_the_curve_of_gaussian_noise_is_close_and_never_above() -> None:
    for sigma, count in ((1, 1), (10, 100), (4, 3)):
        noise = Gaussian(sigma=sigma, sensitivity=1)
        mu = count**0.5 / sigma
        true = np.array(
            [1 - NORMAL.cdf(NORMAL.inv_cdf(x) + mu) if 0 < x < 1 else 1 - x for x in RATES]
        )
        found = trade_off_curve(Plan([(noise, count)]), RATES)
        assert (found <= true + 1e-12).all()
        assert (found >= true - 3e-3).all()
        assert (np.diff(found) <= 0).all()


def test_the_curve_of_a_pure_loss_is_exact() -> None:
    """A test of two outputs reaches it; a mutant with twice the epsilon is lower."""
    epsilon = 1.0
    true = np.maximum(1 - np.exp(epsilon) * RATES, np.exp(-epsilon) * (1 - RATES))
    for cost in (PureDP(1), DiscreteLaplace(epsilon=1, sensitivity=1)):
        found = trade_off_curve(cost, RATES)
        assert (found <= true).all()
        assert (found >= true - 1e-5).all()
    assert (trade_off_curve(PureDP(2), [0.1, 0.5]) < found[[3, 5]] - 0.05).all()


def test_tests_of_counts_do_not_beat_the_curve() -> None:
    """Of 50 reports by randomized response: all thresholds of the count of ones."""
    p = float(np.e / (1 + np.e))
    tops = np.arange(-1, 51)
    rates, missed = binom.sf(tops, 50, 1 - p), binom.cdf(tops, 50, p)
    found = trade_off_curve(Plan([(PureDP(1), 50)]), rates)
    assert (found <= missed + 1e-9).all()
    assert np.abs(found - missed).max() < 0.05


def test_a_delta_that_is_never_less_leaves_the_curve() -> None:
    """As of a selection of keys: the epsilon at smaller deltas is unknown."""
    for delta in (1e-6, 0.05):
        found = trade_off_curve(ApproxDP(1, delta), RATES)
        true = np.maximum(1 - delta - np.e * RATES, (1 - delta - RATES) / np.e)
        assert (found <= np.maximum(true, 0) + 1e-12).all()
        assert (found >= true - 1e-5).all()
    noise = Gaussian(sigma=1, sensitivity=1)
    with_delta = trade_off_curve(Plan([(noise, 1), (ApproxDP("0.1", 1e-9), 1)]), RATES[2:4])
    assert (with_delta > trade_off_curve(noise, RATES[2:4]) - 0.1).all()


def test_the_profile_is_what_plans_say() -> None:
    plan = Plan([(PureDP("0.1"), 30), (Gaussian(sigma=4, sensitivity=1), 2)])
    epsilons = np.array([[0, 1], [2, 5]])
    found = privacy_profile(plan, epsilons)
    assert found.shape == (2, 2)
    assert found.tolist() == [[plan.delta(each) for each in row] for row in epsilons.tolist()]
    assert privacy_profile(ApproxDP(1, 1e-6), [0.5, 1]).tolist()[1] == 1e-6
    assert privacy_profile(ZCDP(0), [0.0]).tolist() == [0.0]
    assert trade_off_curve(ZCDP(0), [0.25]).tolist() == [0.75]
    assert trade_off_curve(PureDP(10**6), [0.25]).tolist() == [0.0]


def test_what_is_no_number_is_refused() -> None:
    for call, error, words in (
        (lambda: privacy_profile(PureDP(1), ["1"]), TypeError, "epsilons must be numbers"),
        (lambda: privacy_profile(PureDP(1), [-1]), ValueError, "epsilon must be at least 0"),
        (lambda: privacy_profile(PureDP(1), [np.nan]), ValueError, "epsilon must be finite"),
        (lambda: privacy_profile(1, [1]), TypeError, "loss"),  # type: ignore[arg-type]
        (lambda: trade_off_curve(PureDP(1), [1.5]), ValueError, "from 0 to 1, not 1.5"),
        (lambda: trade_off_curve(PureDP(1), [True]), TypeError, "must be numbers"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_the_bound_of_a_group_is_that_of_steps_one_after_another() -> None:
    """A step's largest rate is the next one's rate of false positives."""
    loss = ApproxDP("0.3", "0.01")
    bound = roc_of(loss)
    for x in (Fraction(0), Fraction(1, 100), Fraction(1, 10)):
        rate = x
        for k in range(1, 5):
            rate = bound.most(rate)
            assert bound.group(k).most(x) == rate
    grouped = bound.group(3).pairs[0]
    assert grouped.factor == bound.pairs[0].factor ** 3
    assert grouped.delta <= loss.group(3).delta <= grouped.delta * Fraction("1.00001")
    assert roc_of(ApproxDP(5, "0.5")).group(3) == RocBound(())
    with pytest.raises(ValueError, match="k must be from 1"):
        bound.group(0)


def test_both_of_two_bounds_hold() -> None:
    pure, approximate = roc_of(PureDP(2)), roc_of(ApproxDP(1, "0.05"))
    both = pure & approximate
    for x in (Fraction(0), Fraction(1, 50), Fraction(1, 3)):
        assert both.most(x) == min(pure.most(x), approximate.most(x))
    assert both.factor == pure.factor
    assert both.chance == min(pure.chance, approximate.chance)
    assert RocBound(()).most(Fraction(0)) == 1
