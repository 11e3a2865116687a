# SPDX-License-Identifier: MIT
"""The privacy loss of a mechanism on a Poisson sample, beside exact ones."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest
from teach.looks import closed

from cydp import DiscreteLaplace, Gaussian, Laplace, Plan, PureDP
from cydp.sampling import Sampled
from cydp.teach import privacy_loss

PHI = NormalDist().cdf


def normal_deltas(mu: float, q: float, epsilon: float) -> tuple[float, float]:
    """Return delta for a row that goes, and for one that comes, in closed form."""
    a = math.exp(epsilon)
    x = (math.log((a - 1 + q) / q) + mu**2 / 2) / mu
    goes = q * PHI(mu - x) - (a - 1 + q) * PHI(-x)
    c = 1 - a * (1 - q)
    if c <= 0:
        return goes, 0.0
    y = (math.log(c / (a * q)) + mu**2 / 2) / mu
    return goes, c * PHI(y) - a * q * PHI(y - mu)


@pytest.mark.parametrize("share", ["0.01", "0.5", "0.9"])
def test_sampled_normal_noise_has_the_delta_of_the_mixture(share: str) -> None:
    loss = privacy_loss(Sampled(Gaussian(sigma=1, sensitivity=1), share))
    for epsilon in (0.01, 0.3, 1.0):
        sides = loss.delta(epsilon), loss.reverse().delta(epsilon)
        for found, exact in zip(sides, normal_deltas(1.0, float(share), epsilon), strict=True):
            assert exact - 1e-14 <= found <= exact * (1 + 1e-5) + 1e-12
        lower = normal_deltas(1.0, float(share), epsilon - loss.rounding)
        assert sides[0] <= lower[0]
        assert sides[1] <= lower[1] + 1e-14
    assert 0 < loss.rounding == loss.reverse().rounding < 1e-3
    assert loss.supremum == math.inf
    assert loss.reverse().supremum == pytest.approx(-math.log1p(-float(share)))


@pytest.mark.parametrize("noise", [DiscreteLaplace, Laplace])
def test_a_sampled_loss_is_at_most_the_amplified_one(noise: type) -> None:
    loss = privacy_loss(Sampled(noise(epsilon=1, sensitivity=1), "1/10"))
    assert loss.supremum == pytest.approx(math.log1p(0.1 * math.expm1(1)), rel=1e-12)
    least = math.log1p(0.1 * math.expm1(-1))
    assert loss.reverse().supremum == pytest.approx(-least, rel=1e-12)


def test_composed_samples_have_the_delta_of_exact_sums() -> None:
    count, q, epsilon = 50, 0.1, 0.5
    truth = 1 / (1 + math.exp(-1))
    other = (1 - truth, truth)
    mixed = tuple((1 - q) * b + q * a for a, b in zip(other[::-1], other, strict=True))
    loss = privacy_loss(Plan([(Sampled(PureDP(1), "1/10"), count)]))
    for found, (p, r) in ((loss, (mixed, other)), (loss.reverse(), (other, mixed))):
        exact = sum(
            math.comb(count, k)
            * max(p[0]**k * p[1]**(count - k) - math.exp(epsilon) * r[0]**k * r[1]**(count - k), 0)
            for k in range(count + 1)
        )  # fmt: skip
        assert exact <= found.delta(epsilon) <= exact * 1.001
    whole = privacy_loss(Plan([(PureDP(1), count)]))
    assert whole.delta(epsilon) > 5 * loss.delta(epsilon)


def test_a_sample_of_all_rows_changes_nothing() -> None:
    noise = DiscreteLaplace(epsilon=1, sensitivity=1)
    assert privacy_loss(Sampled(noise, 1)).delta(0.5) == privacy_loss(noise).delta(0.5)
    assert "0.1" in repr(privacy_loss(Sampled(noise, "0.1")))


def test_continuous_noise_is_drawn_by_its_loss_without_sampling() -> None:
    """Outputs reach as far as the losses of the whole; those of the sample are close to 0."""
    with closed():
        ax = privacy_loss(Sampled(Gaussian(sigma=1, sensitivity=1), "0.01")).plot_delta(0.3)
        assert ax.get_xlabel() == "output (by its loss without sampling, in nats)"
        assert ax.get_xlim()[0] < -2


def test_losses_that_floats_do_not_hold_are_refused() -> None:
    """Probabilities below the least float would be missing from a delta."""
    loss = privacy_loss(Sampled(Gaussian(sigma="1/30", sensitivity=1), "1/10"))
    assert loss.reverse().delta(0.01) == pytest.approx(1 - 0.9 * math.exp(0.01), abs=1e-12)
    with pytest.raises(ValueError, match="must lose less where it is sampled"):
        privacy_loss(Sampled(Gaussian(sigma="1/40", sensitivity=1), "1/10"))


@pytest.mark.parametrize(("share", "count"), [("1e-3", 2), ("1e-4", 100), ("1e-9", 1000)])
def test_the_grid_of_small_shares_is_small(share: str, count: int) -> None:
    plan = Plan([(Sampled(Gaussian(sigma=1, sensitivity=1), share), count)])
    loss = privacy_loss(plan)
    assert len(loss.p) < 2**20
    exact = plan.delta(0.01)
    assert 0.999 * exact - 1e-10 <= loss.delta(0.01) <= 1.2 * exact
    alone = privacy_loss(Sampled(Gaussian(sigma=1, sensitivity=1), share)).delta(0.01)
    assert loss.delta(0.01) >= alone
