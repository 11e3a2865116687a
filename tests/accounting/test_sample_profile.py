"""accounting/_sample_profile.py: one release on a sample has the exact delta of the mixture."""

import math
from fractions import Fraction

import mpmath
import pytest
from accounting.exact_profiles import exact_delta, number

from cydp import ApproxDP, Gaussian, Plan, calibrate
from cydp.accounting._composed_pairs import ComposedPairs, releases_of
from cydp.accounting._dominating_pairs import GaussianPair, LaplacePair, Pair, SampledPair
from cydp.accounting._loss_profile import LossProfile
from cydp.accounting._normal_profile import NormalProfile
from cydp.accounting._sample_profile import SampleProfile
from cydp.sampling import Sampled

SHARES = [Fraction(1, 10**4), Fraction(1, 3), Fraction(99, 100)]


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize(
    "pair", [LaplacePair(Fraction(2)), LaplacePair(Fraction(3), 4), GaussianPair(Fraction(2), 2)]
)
def test_both_directions_of_discrete_noise(pair: Pair, share: Fraction) -> None:
    """The sum over all outputs, of a row that goes and of one that comes, is between both ends."""
    profile = SampleProfile(LossProfile({pair: 1}), share)
    for epsilon in map(Fraction, ("0", "1e-6", "0.01", "0.3", "1.5")):
        exact = exact_delta({SampledPair(pair, share): 1}, epsilon)
        least, most = number(profile.least_delta(epsilon)), number(profile.delta(epsilon))
        assert least <= exact * (1 + mpmath.mpf(10) ** -50)
        assert exact <= most * (1 + mpmath.mpf(10) ** -50)
        assert most <= least * (1 + 1e-9) + 1e-30
    for delta in (Fraction(1, 20), Fraction(1, 10**9)):
        low, high = profile.least_epsilon(delta), profile.epsilon(delta)
        assert high is not None
        at_high = exact_delta({SampledPair(pair, share): 1}, Fraction(high))
        assert at_high <= number(delta)
        assert high * (1 - 1e-4) <= low <= high


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("delta", [Fraction(1, 10**5), Fraction(1, 10**20), Fraction(1, 10**200)])
def test_normal_noise(share: Fraction, delta: Fraction) -> None:
    """By 300 digits; a mutant that forgets to undo the sampling is far off."""
    rho = Fraction(1, 18)
    profile, mu = SampleProfile(NormalProfile(rho), share), mpmath.sqrt(2 * number(rho))

    def exact(epsilon: float) -> mpmath.mpf:
        q = number(share)
        at = mpmath.log1p(mpmath.expm1(mpmath.mpf(epsilon)) / q)
        u = at / mu - mu / 2
        return q * (mpmath.ncdf(-u) - mpmath.exp(at) * mpmath.ncdf(-u - mu))

    low, high = profile.least_epsilon(delta), profile.epsilon(delta)
    assert high is not None
    with mpmath.workdps(300):
        assert exact(high) <= number(delta) <= exact(low)
        assert low <= high <= low * (1 + 1e-6)
        at = Fraction(high)
        assert number(profile.least_delta(at)) <= exact(high) <= number(profile.delta(at))


def test_a_delta_of_at_least_the_share_costs_nothing() -> None:
    """With all other chance the sample does not have the row."""
    profile = SampleProfile(NormalProfile(Fraction(100)), Fraction(1, 100))
    assert profile.epsilon(Fraction(1, 100)) == profile.least_epsilon(Fraction(1, 100)) == 0
    assert profile.delta(Fraction(0)) <= Fraction(1, 100)
    assert profile.least_delta(Fraction(10**20)) == 0
    assert 0 < profile.delta(Fraction(10**20)) < Fraction(1, 10**300)


def test_plans_of_one_sample_use_it() -> None:
    """Also of several rows that a sample may have, and of a loss with a delta beside."""
    one = Sampled(Gaussian(sigma=3, sensitivity=1), "1e-4")
    composed = ComposedPairs.of(releases_of([(one, 1)]))
    assert composed is not None
    assert isinstance(composed._profile, SampleProfile)
    low, high = Plan([(one, 1)]).epsilon_between("1e-20")
    assert low == pytest.approx(high, rel=1e-5)
    assert high == pytest.approx(0.00133476)
    two = ComposedPairs.of(releases_of([(one, 2)]))
    assert two is not None
    assert isinstance(two._profile, LossProfile)


@pytest.mark.parametrize(("delta", "rho"), [("5e-5", 10.7378), ("1e-5", 6.11232)])
def test_noise_on_a_sample_is_calibrated_at_a_delta_near_the_share(delta: str, rho: float) -> None:
    found = calibrate(
        lambda rho: Sampled(Gaussian(rho=rho, sensitivity=1), "1e-4"), ApproxDP(1, delta)
    )
    assert float(found.mechanism.rho) == pytest.approx(rho)
    assert Plan([(found, 1)]).epsilon(delta) <= 1
    assert math.isclose(Plan([(found, 1)]).epsilon(delta), 1, rel_tol=1e-4)


def test_any_noise_fits_a_delta_of_the_share() -> None:
    found = calibrate(
        lambda rho: Sampled(Gaussian(rho=rho, sensitivity=1), "1e-4"), ApproxDP(1, "1e-4")
    )
    assert found.mechanism.rho > 10**6
