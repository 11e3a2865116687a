"""accounting/_loss_profile.py: the exact delta lies between both ends, and they are close."""

import math
import random
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from accounting.exact_profiles import exact_delta, number

from cydp import Gaussian, Plan, RandomizedResponse
from cydp._numbers.gaussian_delta import normal_delta
from cydp.accounting._dominating_pairs import (
    GaussianPair,
    LaplacePair,
    NormalPair,
    Pair,
    Pairs,
    ResponsePair,
    SampledPair,
)
from cydp.accounting._loss_profile import LossProfile
from cydp.accounting._normal_profile import NormalProfile
from cydp.accounting._optimal_composition import delta_of, epsilon_of
from cydp.accounting._sample_profile import SampleProfile

TINY = Fraction(1, 10**300)


@pytest.mark.parametrize("delta", ["0.9", "0.01", "1e-6", "1e-300", "1e-1000"])
def test_normal_noise_alone_has_its_formula(delta: str) -> None:
    """By integrals of 60 digits; the mutant forgets that a mechanism is used several times."""
    at = Fraction(delta)
    for rho in (Fraction(1, 1000), Fraction(1, 2), Fraction(100)):
        first, second = Gaussian(rho=rho / 5, sensitivity=1), Gaussian(rho=rho / 10, sensitivity=3)
        found = Fraction(Plan([(first, 3), (second, 4)])._epsilons(at)["pld"])
        mu = mpmath.sqrt(2 * number(rho))

        def exact(epsilon: Fraction, mu: Any = mu) -> Any:
            u = number(epsilon) / mu - mu / 2
            return mpmath.ncdf(-u) - mpmath.exp(number(epsilon)) * mpmath.ncdf(-u - mu)

        with mpmath.workdps(60 + abs(at.numerator.bit_length() - at.denominator.bit_length())):
            assert exact(found) <= number(at)
            assert found == 0 or exact(
                found * (1 - Fraction(1, 10**9)) - Fraction(3, 10**12)
            ) > number(at)


def delta_of_normal(rho: Fraction, epsilon: float) -> Fraction:
    mu = math.sqrt(2 * rho)
    return Fraction(normal_delta(Decimal(epsilon / mu - mu / 2), Fraction(epsilon)))


@pytest.mark.parametrize("delta", [Fraction(1, 100), Fraction(1, 10**6), TINY])
@pytest.mark.parametrize("count", [1, 3, 12_345, 10**6])
def test_normal_noise(count: int, delta: Fraction) -> None:
    """Its sum is known. The mutant has one release less."""
    for rho in (Fraction(1, 100), Fraction(1, 2), Fraction(20)):
        found = LossProfile({NormalPair(rho / count): count}).epsilon(delta)
        assert found is not None
        assert delta_of_normal(rho, found) <= delta
        assert delta < delta_of_normal(rho, found * (1 - 1e-5))
        profile = LossProfile({NormalPair(rho / count): count})
        least = profile.least_epsilon(delta)
        assert delta_of_normal(rho, least) > delta
        assert least > found * (1 - 1e-3)
        assert profile.least_delta(Fraction(found)) < delta_of_normal(rho, found)
        if count == 3:
            mutant = LossProfile({NormalPair(rho / count): count - 1}).epsilon(delta)
            assert mutant is not None
            assert delta_of_normal(rho, mutant) > delta


@pytest.mark.parametrize("delta", [Fraction(1, 20), Fraction(1, 10**6), TINY])
@pytest.mark.parametrize(
    ("each", "count"),
    [("5", 1), ("1", 3), ("0.0685", 144), ("0.01362", 1919), ("0.0017", 30_000), ("0.001", 10**6)],
)
def test_randomized_responses(each: str, count: int, delta: Fraction) -> None:
    """Optimal composition is exact, but for a share of 1e-10 that it adds."""
    loss = Fraction(each)
    profile, exact = LossProfile({LaplacePair(loss): count}), epsilon_of(loss, count, delta)
    found = profile.epsilon(delta)
    assert found is not None
    assert exact * (1 - Fraction(2, 10**10)) <= found <= exact * (1 + Fraction(1, 10**5))
    for epsilon in (Fraction(0), exact / 2, exact * Fraction(99, 100)):
        least, bound = delta_of(loss, count, epsilon), profile.delta(epsilon)
        assert least * (1 - Fraction(1, 10**9)) <= bound <= least * (1 + Fraction(2, 100))
        lower_end = profile.least_delta(epsilon)
        assert least * Fraction(95, 100) <= lower_end <= least * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("count", [50, 1000])
def test_a_lower_end_holds_at_every_tilt(count: int) -> None:
    """Far from the loss that a tilt is for, the rounding of transforms is all that there is."""
    rho, nothing_left = Fraction(1, 2), 0
    [side] = LossProfile({NormalPair(rho / count): count})._lower_sides(0.0)
    for tilt in (0.5, 8.0, 40.0):
        for epsilon in (0.01, 1.0, 5.0, 20.0):
            found = side._composed(tilt).log_delta(epsilon)
            assert found <= math.log(delta_of_normal(rho, epsilon)) + 1e-12
            nothing_left += found == -math.inf
    assert 0 < nothing_left < 12


def pair_of(rng: random.Random) -> tuple[Pair, int, int]:
    """Return a pair, how often it is used, and how many outcomes that has."""
    epsilon, kind = Fraction(round(10 ** rng.uniform(-2, 0.8), 3)), rng.randrange(3)
    count = rng.randint(1, 3)
    pair: Pair
    if kind == 0:
        count = rng.randint(1, 150)
        pair, outcomes = LaplacePair(epsilon), count + 1
    elif kind == 1:
        steps = rng.randint(2, 5)
        pair, outcomes = LaplacePair(epsilon, steps), (steps + 1) ** count
    else:
        sigma2 = rng.choice([Fraction(1, 3), Fraction(1), Fraction(2)])
        pair = GaussianPair(sigma2, rng.randint(1, 2))
        outcomes = (36 + 34 * math.ceil(float(sigma2) ** 0.5)) ** count
    if rng.random() < 0.6:
        pair = SampledPair(pair, Fraction(rng.choice(["1/1000", "1/10", "1/2", "9/10"])))
    return pair, count, outcomes


def plan_of(seed: int) -> dict[Pair, int]:
    rng, pairs, budget = random.Random(seed), {}, 1
    while True:
        pair, count, outcomes = pair_of(rng)
        if budget * outcomes > 20_000 or pair in pairs:
            return pairs or plan_of(seed + 10**6)
        budget, pairs[pair] = budget * outcomes, count


ORACLE = Fraction(1, 10**50)  # more than the rounding of sums of 60 digits
LEFT_OUT = 1e-58  # more than what Gaussian noise has beyond the outcomes


def check(pairs: Pairs, seed: int) -> bool:
    """Compare with the sum over all outcomes; return whether both epsilons are close."""
    rng, profile = random.Random(seed), LossProfile(pairs)
    # A single rare loss may decide a tiny delta, where the bound is looser.
    of_gaussians = [each for each in pairs if isinstance(each, SampledPair)]
    is_rare = any(isinstance(each.pair, GaussianPair) for each in of_gaussians)
    for _ in range(3):
        epsilon = Fraction(round(rng.uniform(0, 3) * float(sum(pairs.values())) ** 0.5, 4))
        exact = exact_delta(pairs, epsilon)
        bound = number(profile.delta(epsilon))
        assert exact <= bound * (1 + number(ORACLE))
        least = number(profile.least_delta(epsilon))
        assert least <= exact * (1 + number(ORACLE)) + LEFT_OUT
        if exact > 1e-50:  # else the outcomes that are left out may count
            most = 2 if is_rare and exact < 1e-9 else 1.05
            assert bound <= exact * most + 1e-300, (pairs, epsilon)
    delta = Fraction(1, 10 ** rng.randint(1, 60))
    found = profile.epsilon(delta)
    assert found is not None
    assert exact_delta(pairs, Fraction(found)) <= number(delta)
    if found:
        lower = Fraction(found) * Fraction("0.97" if is_rare else "0.999")
        assert exact_delta(pairs, lower) > number(delta)
    least_epsilon = profile.least_epsilon(delta)
    if least_epsilon:
        assert exact_delta(pairs, Fraction(least_epsilon)) >= number(delta) - LEFT_OUT
    return is_rare or least_epsilon >= 0.999 * found


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(10), id="10"),
        pytest.param(range(10, 1010), marks=pytest.mark.long, id="long"),
    ],
)
def test_all_outcomes_of_random_plans(seeds: range) -> None:
    close = [check(plan_of(seed), seed) for seed in seeds]
    assert sum(close) >= 0.9 * len(close)


@pytest.mark.parametrize(
    ("share", "epsilon", "goes_is_larger"),
    [("1/100", "0.3", True), ("9/10", "1", False)],
)
def test_both_directions_count(share: str, epsilon: str, goes_is_larger: bool) -> None:
    pairs = {SampledPair(LaplacePair(Fraction(3)), Fraction(share)): 2}
    profile, at = LossProfile(pairs), Fraction(epsilon)
    assert profile._differ
    sides = profile._side(False), profile._side(True)
    goes, comes = (math.exp(side.log_delta(float(at))) for side in sides)
    assert (goes > 1.01 * comes) == goes_is_larger
    assert number(profile.delta(at)) >= exact_delta(pairs, at)


def delta_of_responses(epsilon: float, k: int, count: int, at: float) -> float:
    """Return the delta of reports for two categories: by how many are each of both, and others."""
    odds = math.exp(epsilon)
    p, q = odds / (odds + k - 1), 1 / (odds + k - 1)
    total = 0.0
    for own, other in product(range(count + 1), repeat=2):
        rest = count - own - other
        loss = epsilon * (own - other)
        if rest >= 0 and loss > at:
            ways = math.comb(count, own) * math.comb(count - own, other)
            total += ways * p**own * q**other * ((k - 2) * q) ** rest * -math.expm1(at - loss)
    return total


@pytest.mark.parametrize("k", [3, 10, 1000])
def test_responses_with_several_categories(k: int) -> None:
    """Beside sums over all reports; that of two categories is far above."""
    for each, count in ((Fraction(1), 8), (Fraction(1, 10), 20), (Fraction(5), 3)):
        profile = LossProfile({ResponsePair(each, k): count})
        for share in (0.0, 0.3, 0.6):
            at = share * count * float(each)
            true = delta_of_responses(float(each), k, count, at)
            found = float(profile.delta(Fraction(at)))
            assert true * (1 - 1e-9) <= found <= true * 1.001 + 1e-12
            assert found < float(LossProfile({LaplacePair(each): count}).delta(Fraction(at)))


def test_plans_of_reports_know_their_categories() -> None:
    found = [
        Plan([(RandomizedResponse(epsilon=1, n_categories=k), 30)]).epsilon(1e-6)
        for k in (2, 3, 10, 100)
    ]
    assert found == pytest.approx([29.9879, 27.89, 17.94, 6.94], abs=0.006)


def test_reports_of_a_code_outside_are_dominated() -> None:
    """They are uniform: closer to those of each category than two categories are."""
    for k in (3, 7):
        mechanism = RandomizedResponse(epsilon=2, n_categories=k)
        own, other, outside = (mechanism.probabilities(code) for code in (0, 1, k))
        for factor in (1.0, 2.0, 5.0):
            worst = np.maximum(own - factor * other, 0).sum()
            for one, two in ((own, outside), (outside, own)):
                assert np.maximum(one - factor * two, 0).sum() <= worst + 1e-12


@pytest.mark.parametrize(
    ("sigma", "share", "delta", "largest"),
    [(3, "1/10000", "1e-6", 1.01), (3, "1/1000", "1e-12", 1.3), (1, "1/10000", "1e-12", 1.2)],
)
def test_rare_losses_of_one_sample_are_left_out(
    sigma: int, share: str, delta: str, largest: float
) -> None:
    """The delta of one sample is a share of that of the noise, which is known."""
    rho, q = Fraction(1, 2 * sigma**2), Fraction(share)
    profile = LossProfile({SampledPair(NormalPair(rho), q): 1})
    found = profile.epsilon(Fraction(delta))
    assert found is not None
    at = math.log1p(math.expm1(found) / q)
    assert q * delta_of_normal(rho, at) <= Fraction(delta)
    less = math.log1p(math.expm1(found / largest) / q)
    assert q * delta_of_normal(rho, less) > Fraction(delta)
    assert float(profile.delta(Fraction(found))) <= float(delta) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("delta", "most"), [("1e-12", "0.00054"), ("1e-20", "0.0025"), ("1e-40", "0.012")]
)
def test_few_samples_at_tiny_deltas(delta: str, most: str) -> None:
    """Two samples cost no less than one, whose delta is known, and at most a few times as much."""
    rho, q = Fraction(1, 18), Fraction(1, 10**4)
    found = LossProfile({SampledPair(NormalPair(rho), q): 2}).epsilon(Fraction(delta))
    one = SampleProfile(NormalProfile(rho), q).least_epsilon(Fraction(delta))
    assert found is not None
    assert one < found < float(most)


def test_many_samples_at_a_tiny_delta() -> None:
    """A row that comes has losses of at most 1e-4 each; their sum is far from all of them."""
    profile = LossProfile({SampledPair(NormalPair(Fraction(1, 18)), Fraction(1, 10**4)): 100})
    high, low = profile.epsilon(Fraction(1, 10**20)), profile.least_epsilon(Fraction(1, 10**20))
    assert high is not None
    assert 0.0029 < low < high < 0.0033
