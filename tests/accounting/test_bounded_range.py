"""The pair of a bounded range: it dominates the exponential mechanism, and is composed from above.

The proof is in docs/accounting/dominating_pairs.md, 8.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

import cydp
from cydp import DiscreteGaussian, ExponentialMechanism, PermuteAndFlip, Plan, PureDP
from cydp.accounting._dominating_pairs import (
    BoundedRangePair,
    LaplacePair,
    SampledPair,
    pairs_of,
)
from cydp.accounting._loss_profile import LossProfile
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.sampling import Sampled

EPSILONS = [Fraction(text) for text in ("1/100", "1", "5", "40")]


def closed_form(epsilon: float, at: float) -> float:
    """Return the delta of the pair."""
    return float((-np.expm1((at - epsilon) / 2)) ** 2 / -np.expm1(-epsilon))


def of_a_choice(epsilon: float, top: float, at: float) -> float:
    """Return the delta of two outputs: losses of `top` and of `top - epsilon`."""
    q = -math.expm1(top - epsilon) / (math.exp(top) - math.exp(top - epsilon))
    return max(q * (math.exp(top) - math.exp(at)), 0.0)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_closed_form_is_the_worst_of_all_choices(epsilon: Fraction) -> None:
    """No losses of that range have a larger delta, and some have the same one."""
    most = float(epsilon)
    tops = np.linspace(0, most, 2001)
    for at in np.linspace(0, 0.999 * most, 20):
        found = max(of_a_choice(most, top, at) for top in tops)
        assert found <= closed_form(most, at) * (1 + 1e-9)
        assert found >= closed_form(most, at) * 0.99


def test_choices_by_scores_are_dominated() -> None:
    """Exponential mechanisms with three candidates; permute-and-flip has no bounded range."""
    random, worst = np.random.default_rng(3), {}
    for kind in (ExponentialMechanism, PermuteAndFlip):
        mechanism, over = kind(epsilon=2, sensitivity=1), 0.0
        for _ in range(300):
            scores = random.integers(-4, 5, 3).astype(float)
            moved = scores + random.integers(-1, 2, 3)
            p, q = mechanism.probabilities(scores), mechanism.probabilities(moved)
            for at in (0.0, 0.5, 1.0, 1.5):
                delta = np.maximum(p - math.exp(at) * q, 0).sum()
                over = max(over, delta / closed_form(2.0, at))
        worst[kind] = over
    assert 0.9 < worst[ExponentialMechanism] <= 1 + 1e-9
    assert worst[PermuteAndFlip] > 1.1
    assert pairs_of(ExponentialMechanism(epsilon=2, sensitivity=1)) == {BoundedRangePair(2): 1}
    assert pairs_of(QuantileMechanism(epsilon=2, sensitivity=1, q="1/2")) == {
        BoundedRangePair(2): 1
    }
    assert pairs_of(PermuteAndFlip(epsilon=2, sensitivity=1)) is None


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_pair_is_its_closed_form(epsilon: Fraction) -> None:
    profile = LossProfile({BoundedRangePair(epsilon): 1})
    for share in (0, 0.2, 0.5, 0.9, 0.99, 0.999):
        at = Fraction(share) * epsilon
        true = closed_form(float(epsilon), float(at))
        assert true <= float(profile.delta(at)) <= true * 1.0005
        if true < 0.9:  # where it tells the epsilon
            found = profile.epsilon(Fraction(true))
            assert found is not None
            assert float(at) <= found <= float(at) + 2e-5 * float(epsilon)


def lower_delta(epsilon: float, count: int, at: float, points: int = 2000) -> float:
    """Return less than the delta of several: losses are rounded down, and merged."""
    edges = np.linspace(-epsilon, epsilon, points + 1)
    above = -np.expm1((edges - epsilon) / 2) / -math.expm1(-epsilon)
    each = above[:-1] - above[1:]
    total = np.ones(1)
    for _ in range(count):
        total = np.convolve(total, each)
    losses = np.arange(len(total)) * (2 * epsilon / points) - count * epsilon
    return float((total * np.maximum(-np.expm1(at - losses), 0)).sum())


@pytest.mark.parametrize(("epsilon", "count"), [(1, 2), (1, 7), (Fraction(1, 10), 30)])
def test_several_are_never_too_low(epsilon: Fraction, count: int) -> None:
    profile, most = LossProfile({BoundedRangePair(Fraction(epsilon)): count}), float(epsilon)
    for at in np.linspace(0, 0.7 * count * most, 6):
        found = float(profile.delta(Fraction(at)))
        assert lower_delta(most, count, at) <= found
        # Losses were rounded down by less than a thousandth of epsilon each.
        assert found <= lower_delta(most, count, at - count * most / 1000) * 1.001


def test_plans_of_exponential_mechanisms() -> None:
    each = ExponentialMechanism(epsilon=1, sensitivity=1)
    found = Plan([(each, 10)]).epsilon_by_method(1e-6)
    assert found["pld"] == 8.11592
    assert found["pld"] < 0.93 * found["zcdp"]
    mixed = [(each, 3), (DiscreteGaussian(rho="1/10", sensitivity=1), 5)]
    as_responses = [(PureDP(1), 3), mixed[1]]
    assert Plan(mixed).epsilon(1e-6) < 0.9 * Plan(as_responses).epsilon(1e-6)
    sampled = Sampled(each, "1/100")
    assert sampled._pairs == {SampledPair(LaplacePair(Fraction(1)), Fraction(1, 100)): 1}
    assert Plan([(sampled, 9)]).epsilon(1e-6) <= Plan([(each, 9)]).epsilon(1e-6)
    noisy = cydp.quantile([1, 2], "1/2", (0, 9), epsilon=1)
    assert Plan([(noisy.query.mechanisms["q0"], 10)]).epsilon(1e-6) == found["pld"]
