"""Plan.epsilon_between and delta_between: the exact value is between both, and 0 where unknown."""

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from accounting.exact_profiles import exact_delta, number

from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Plan,
    PureDP,
)
from cydp._numbers.gaussian_delta import least_normal_delta, normal_delta
from cydp.accounting._composed_pairs import ComposedPairs, probability_of_any_delta, releases_of
from cydp.accounting._dominating_pairs import LaplacePair, NormalPair, SampledPair
from cydp.accounting._loss_profile import LossProfile
from cydp.accounting._normal_profile import NormalProfile
from cydp.accounting._pair_losses import PairLoss, _share_near


@pytest.mark.parametrize("delta", [Fraction(1, 3), Fraction(1, 10**5), Fraction(1, 10**300)])
@pytest.mark.parametrize("rho", ["1e-6", "0.5", "2000"])
def test_normal_noise_from_below(rho: str, delta: Fraction) -> None:
    profile, mu = NormalProfile(Fraction(rho)), mpmath.sqrt(2 * number(Fraction(rho)))

    def exact(epsilon: Fraction) -> mpmath.mpf:
        u = number(epsilon) / mu - mu / 2
        return mpmath.ncdf(-u) - mpmath.exp(number(epsilon)) * mpmath.ncdf(-u - mu)

    least, most = profile.least_epsilon(delta), profile.epsilon(delta)
    assert least <= most <= least * (1 + 1e-9) + 1e-11
    with mpmath.workdps(1000):
        assert least == 0 or exact(Fraction(least)) >= number(delta)
        for at in (Fraction(0), Fraction(least), Fraction(most)):
            found = number(profile.least_delta(at))
            assert found <= exact(at) <= found * (1 + 1e-5)


def test_both_bounds_of_normal_deltas_are_close() -> None:
    for u in map(Decimal, ("-40", "-3", "-1e-9", "0", "0.5", "2", "30")):
        for epsilon in map(Fraction, ("1e-12", "1e-3", "1", "1e4")):
            most, least = normal_delta(u, epsilon), least_normal_delta(u, epsilon)
            assert 0 < least <= most <= least * (1 + Decimal("1e-6"))


def test_a_share_is_rounded_to_the_side_that_is_asked_for() -> None:
    for share in map(Fraction, ("1/3", "1/10", "9/10")):
        assert Fraction(_share_near(share, True)) < share or share == Fraction(float(share))
        assert Fraction(_share_near(share, False)) > share or share == Fraction(float(share))
        assert abs(Fraction(_share_near(share, True)) - share) < Fraction(1, 2**53)


def test_a_move_is_rounded_to_the_side_that_is_asked_for() -> None:
    for rho in map(Fraction, ("1/3", "1/10", "7e-9", "4999")):
        up, down = (PairLoss(NormalPair(rho), False, is_lower=each)._move for each in (False, True))
        assert Fraction(down) ** 2 < 2 * rho < Fraction(up) ** 2
        assert up < down * (1 + 1e-14)


def test_a_unit_is_rounded_to_the_side_that_is_asked_for() -> None:
    """Losses of one kind of discrete noise are exact multiples: nothing else is moved."""
    pair = LaplacePair(Fraction(1, 3))
    unit = PairLoss(pair, False, is_lower=True).unit
    assert unit is not None
    assert Fraction(unit) < Fraction(1, 3)
    profile, at = LossProfile({pair: 40}), Fraction(2)
    least, most = number(profile.least_delta(at)), number(profile.delta(at))
    exact = exact_delta({pair: 40}, at)
    assert least <= exact <= most <= least * (1 + 1e-9)


@pytest.mark.parametrize(
    ("items", "delta", "width"),
    [
        ([(DiscreteGaussian(sigma2=400, sensitivity=1), 100)], "1e-5", 1e-5),
        ([(Gaussian(sigma=10, sensitivity=1), 100)], "1e-5", 1e-5),
        ([(PureDP("0.1"), 300)], "1e-6", 1e-5),
        ([(DiscreteLaplace(epsilon="0.1", sensitivity=3), 300)], "1e-6", 1e-4),
        ([(ExponentialMechanism(epsilon=1, sensitivity=1), 10)], "1e-6", 1e-4),
        ([(PureDP(3), 2), (DiscreteGaussian(sigma2=4, sensitivity=1), 3)], "1e-6", 1e-3),
    ],
)
def test_ends_are_close(items: list[tuple[object, int]], delta: str, width: float) -> None:
    plan = Plan(items)  # type: ignore[arg-type]
    low, high = plan.epsilon_between(delta)
    assert high == plan.epsilon(delta)
    assert high * (1 - width) <= low <= high
    least, most = plan.delta_between(high)
    assert most == plan.delta(high)
    assert 0.9 * most <= least <= most


def test_steps_of_stochastic_gradient_descent() -> None:
    """14,062 steps on samples of 256 of 60,000 rows: exactly between 2.3810 and 2.3817."""
    pairs = {
        SampledPair(NormalPair(Fraction(1, 2) / Fraction("1.21")), Fraction(256, 60000)): 14062
    }
    profile, delta = LossProfile(pairs), Fraction(1, 10**5)
    high = profile.epsilon(delta)
    assert high is not None
    assert high * (1 - 5e-4) < profile.least_epsilon(delta) < high


def test_a_delta_that_stands_beside_comes_true_at_least_so_often() -> None:
    for delta, count in (("1e-8", 300), ("1e-20", 7), ("0.01", 5)):
        parts = releases_of([(ApproxDP("0.1", delta), count)])
        composed = ComposedPairs.of(parts)
        assert composed is not None
        exact = 1 - (1 - Fraction(delta)) ** count
        assert composed._least_any_delta < exact <= probability_of_any_delta(parts)
        least = composed.least_delta(Fraction(count, 10))  # the largest loss: nothing else is left
        assert exact * (1 - Fraction(1, 10**11)) < least < exact


def test_where_nothing_is_known_from_below() -> None:
    """A rho says nothing of pairs; zCDP knows more of exponential mechanisms than their pair."""
    assert Plan([(ZCDP("0.1"), 3)]).epsilon_between(1e-6)[0] == 0
    many = Plan([(ExponentialMechanism(epsilon="0.1", sensitivity=1), 1000)])
    assert many.epsilon_by_method(1e-5)["zcdp"] < many.epsilon_by_method(1e-5)["pld"]
    assert many.epsilon_between(1e-5) == (0.0, many.epsilon(1e-5))
    assert Plan([]).epsilon_between(0) == Plan([]).delta_between(0) == (0.0, 0.0)


def test_at_delta_0() -> None:
    low, high = Plan([(PureDP("0.1"), 3)]).epsilon_between(0)
    assert 0.2999 < low < high == 0.3
    assert Plan([(PureDP("0.1"), 3)]).delta_between("0.3") == (0.0, 0.0)


def test_a_huge_epsilon_has_no_delta_from_below() -> None:
    plan = Plan([(DiscreteGaussian(sigma2=4, sensitivity=1), 3)])
    assert plan.delta_between(1e300)[0] == 0
    assert math.isfinite(plan.delta_between(50)[0])
