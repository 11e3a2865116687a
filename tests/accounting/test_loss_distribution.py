"""LossDistribution: losses of one's own, as exact as the accountant's pairs."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from accounting.exact_profiles import exact_delta, number, outcomes

from cydp import Gaussian, Plan
from cydp.accounting import LossDistribution
from cydp.accounting._dominating_pairs import GaussianPair, LaplacePair
from cydp.accounting._optimal_composition import delta_of, epsilon_of


def response(epsilon: Fraction) -> LossDistribution:
    truth = 1 / (1 + math.exp(-epsilon))
    return LossDistribution(0, [1 - truth, truth], step=2 * epsilon, offset=-epsilon)


@pytest.mark.parametrize(("epsilon", "count"), [("1/7", 60), ("0.01", 20_000), ("0.001", 10**6)])
def test_responses_compose_as_is_optimal(epsilon: str, count: int) -> None:
    """At each scale; the mutant forgets an offset."""
    each = Fraction(epsilon)
    found = count * response(each)
    for at in map(Fraction, ("0", "0.5", "3", "8")):
        exact = float(delta_of(each, count, at))
        assert exact * (1 - 1e-9) <= found.delta(at) <= exact * 1.001 + 1e-300
    for delta in (Fraction(1, 100), Fraction(1, 10**9), Fraction(1, 10**200)):
        exact = float(epsilon_of(each, count, delta))
        assert exact * (1 - 1e-9) <= found.epsilon(delta) <= exact * (1 + 1e-5)
    largest = float(each * count)
    assert found.epsilon(0) == pytest.approx(largest)
    assert found.delta(each * count * 2) == 0


def test_the_sum_is_listed_within_its_error() -> None:
    """Beside the sum of all outcomes, with 60 digits."""
    pair, count = LaplacePair(Fraction(1, 2), 2), 6
    each = [float(p) for _, p in outcomes(pair, False)][::-1]
    found = count * LossDistribution(-1, each, step="1/2")
    exact = np.ones(1)
    for _ in range(count):
        exact = np.convolve(exact, each)
    assert found.first == -count
    assert found.losses == pytest.approx(np.arange(-count, count + 1) / 2)
    assert float(np.abs(found.probabilities - exact).sum()) <= found.error < 1e-13
    assert found.probabilities == pytest.approx(exact, rel=1e-12)


def test_losses_of_a_long_sum_are_listed_within_their_error() -> None:
    """The probability of each number of truths is a binomial one."""
    count, each = 20_000, Fraction(1, 100)
    found = count * response(each)
    truth = 1 / (1 + math.exp(-0.01))
    k = np.rint((found.losses + 200) / 0.02).astype(int)
    logs = [
        math.lgamma(count + 1) - math.lgamma(n + 1) - math.lgamma(count - n + 1)
        + n * math.log(truth) + (count - n) * math.log1p(-truth)
        for n in k.tolist()
    ]  # fmt: skip
    assert float(np.abs(found.probabilities - np.exp(logs)).sum()) <= found.error + 1e-8
    assert 0 < found.error < 1e-10


def test_different_losses_of_one_step_are_added() -> None:
    pairs = {LaplacePair(Fraction(1, 2), 2): 3, GaussianPair(Fraction(2)): 2}
    sums = []
    for (pair, times), step in zip(pairs.items(), ("1/2", "1/4"), strict=True):
        table = sorted(
            (round(float(loss / number(Fraction(step)))), p) for loss, p in outcomes(pair, False)
        )
        masses = np.zeros(table[-1][0] - table[0][0] + 1)
        for at, p in table:
            masses[at - table[0][0]] += float(p)
        sums.append((times, table[0][0], masses))
    fine = np.zeros(2 * len(sums[0][2]) - 1)
    fine[::2] = sums[0][2]  # in quarters
    found = 3 * LossDistribution(2 * sums[0][1], fine, step="1/4")
    found = found + 2 * LossDistribution(sums[1][1], sums[1][2], step="1/4")
    for epsilon in map(Fraction, ("0", "1", "4")):
        exact = float(exact_delta(pairs, epsilon))
        assert exact * (1 - 1e-12) <= found.delta(epsilon) <= exact * (1 + 1e-4)


def test_other_losses_are_moved_up_by_little() -> None:
    """Normal noise of one's own costs what that of the library does, and no less."""
    z, width = np.linspace(-12, 12, 20_001, retstep=True)
    masses = np.exp(-(z**2) / 2) * width / math.sqrt(2 * math.pi)
    losses = 0.1 * z + 0.005
    one = LossDistribution.on_grid(losses, masses / masses.sum(), step=2**-12)
    plan = Plan([(Gaussian(sigma=10, sensitivity=1), 100)])
    found = (100 * one).epsilon("1e-5")
    assert plan.epsilon_between("1e-5")[0] <= found <= plan.epsilon("1e-5") * 1.001


def test_infinite_losses_come_true() -> None:
    one = LossDistribution(-1, [0.2, 0, 0.7], step=1, infinite="0.1")
    both = one + one
    assert both.infinite == pytest.approx(0.19)
    assert (2 * one).infinite == pytest.approx(0.19)
    assert both.delta(2) == pytest.approx(0.19)
    assert both.epsilon("0.18") == math.inf
    assert 0 < both.epsilon("0.5") < 2
    always = LossDistribution(0, [], step=1, infinite=1)
    assert (3 * always).delta(5) == 1
    assert always.epsilon("0.5") == math.inf


def test_a_loss_that_is_constant() -> None:
    one = LossDistribution(1, [1.0], step="1/2")
    assert (2 * one).delta(0) == pytest.approx(-math.expm1(-1))
    assert (2 * one).epsilon("1e-9") == pytest.approx(1.0)
    nothing = LossDistribution(0, [1.0], step=1)
    assert (nothing.delta(0), nothing.epsilon(0)) == (0, 0)


def test_it_says_what_it_is() -> None:
    assert repr(10 * response(Fraction(1, 10))) == "<LossDistribution of 10 releases, up to 1 nats>"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"probabilities": [0.5, -0.1]}, "probabilities must be numbers"),
        ({"probabilities": [[0.5]]}, "one dimension"),
        ({"probabilities": [0.9, 0.9]}, "add up to 1"),
        ({"infinite": 2}, "infinite must be from 0 to 1"),
        ({"infinite": "0.6", "probabilities": [0.5]}, "add up to 1"),
        ({"probabilities": [0.5, 0.4]}, "such as those of a tail, count as infinite"),
        ({"probabilities": []}, "add up to 1"),
        ({"step": 0}, "step must be"),
        ({"first": 0.5}, "first must be"),
    ],
)
def test_what_is_refused(change: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"first": 0, "step": 1, "probabilities": [1.0]}
    with pytest.raises((TypeError, ValueError), match=words):
        LossDistribution(**(given | change))


def test_what_cannot_be_added() -> None:
    one, other = LossDistribution(0, [1], step=1), LossDistribution(0, [1], step=2)
    with pytest.raises(ValueError, match="one step"):
        one + other
    with pytest.raises(ValueError, match="count must be"):
        0 * one
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]
    with pytest.raises(ValueError, match="losses must be finite"):
        LossDistribution.on_grid([1.0, 2.0], [0.5], step=1)
