"""accounting/_loss_profile.py: never below the exact delta, and close to it, at every delta."""

import math
import random
from decimal import Decimal
from fractions import Fraction

import pytest
from accounting.exact_profiles import exact_delta, number

from cydp.accounting._dominating_pairs import (
    GaussianPair,
    LaplacePair,
    NormalPair,
    Pair,
    Pairs,
    SampledPair,
)
from cydp.accounting._loss_profile import LossProfile
from cydp.accounting._optimal_composition import delta_of, epsilon_of
from cydp.mechanisms._gaussian_delta import normal_delta

TINY = Fraction(1, 10**300)


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


def check(pairs: Pairs, seed: int) -> None:
    """Compare with the sum over all outcomes."""
    rng, profile = random.Random(seed), LossProfile(pairs)
    for _ in range(3):
        epsilon = Fraction(round(rng.uniform(0, 3) * float(sum(pairs.values())) ** 0.5, 4))
        exact = exact_delta(pairs, epsilon)
        bound = number(profile.delta(epsilon))
        assert exact <= bound
        if exact > 1e-300:
            assert bound <= exact * 1.02 + 1e-300, (pairs, epsilon)
    delta = Fraction(1, 10 ** rng.randint(1, 60))
    found = profile.epsilon(delta)
    assert found is not None
    assert exact_delta(pairs, Fraction(found)) <= number(delta)
    if found:
        lower = Fraction(found) * Fraction(9999, 10_000)
        assert exact_delta(pairs, lower) > number(delta)


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(10), id="10"),
        pytest.param(range(10, 1010), marks=pytest.mark.long, id="long"),
    ],
)
def test_all_outcomes_of_random_plans(seeds: range) -> None:
    for seed in seeds:
        check(plan_of(seed), seed)


@pytest.mark.parametrize(
    ("share", "epsilon", "goes_is_larger"),
    [("1/100", "0.3", True), ("9/10", "1", False)],
)
def test_both_directions_count(share: str, epsilon: str, goes_is_larger: bool) -> None:
    pairs = {SampledPair(LaplacePair(Fraction(3)), Fraction(share)): 2}
    profile, at = LossProfile(pairs), Fraction(epsilon)
    goes, comes = (math.exp(side.log_delta(float(at))) for side in profile._sides)
    assert (goes > 1.01 * comes) == goes_is_larger
    assert number(profile.delta(at)) >= exact_delta(pairs, at)
