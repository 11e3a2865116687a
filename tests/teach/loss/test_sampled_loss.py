# SPDX-License-Identifier: MIT
"""The privacy loss of a mechanism on a Poisson sample, beside exact ones."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from teach.looks import closed

from cydp import ApproxDP, DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace, Plan, PureDP
from cydp.sampling import Sampled
from cydp.teach import privacy_loss

PHI = NormalDist().cdf
NORMAL = Gaussian(sigma=1, sensitivity=1)


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


def test_sampled_normal_noise_has_the_delta_of_the_mixture() -> None:
    for share, sigma in (("0.01", 1), ("0.5", 2), ("0.9", 1)):
        loss = privacy_loss(Sampled(Gaussian(sigma=sigma, sensitivity=1), share))
        for epsilon in (0.001, 0.3, 1.0):
            exact = normal_deltas(1 / sigma, float(share), epsilon)
            sides = loss.delta(epsilon), loss.reverse().delta(epsilon)
            for found, true in zip(sides, exact, strict=True):
                assert true - 1e-14 <= found <= true * (1 + 1e-5) + 1e-7 * epsilon
        assert 0 < loss.rounding == loss.reverse().rounding < 1e-3
        assert loss.supremum == math.inf
        assert loss.reverse().supremum == pytest.approx(-math.log1p(-float(share)))


def test_a_sampled_loss_is_at_most_the_amplified_one() -> None:
    for noise in (DiscreteLaplace, Laplace):
        loss = privacy_loss(Sampled(noise(epsilon=1, sensitivity=1), "1/10"))
        assert loss.supremum == pytest.approx(math.log1p(0.1 * math.expm1(1)), rel=1e-12)
        least = math.log1p(0.1 * math.expm1(-1))
        assert loss.reverse().supremum == pytest.approx(-least, rel=1e-12)


@pytest.mark.parametrize(
    "mechanism",
    [
        DiscreteLaplace(epsilon=1, sensitivity=2),
        DiscreteGaussian(rho="1/2", sensitivity=1),
        PureDP(40),  # its mixture is computed in another way
        ApproxDP(1, "0.01"),
    ],
    ids=["Laplace", "Gaussian", "large loss", "delta"],
)
def test_a_sample_of_a_table_is_a_mixture_of_outputs(mechanism: Any) -> None:
    whole, q = privacy_loss(mechanism), 0.1
    loss = privacy_loss(Sampled(mechanism, q))
    p = q * whole.p + (1 - q) * whole.q
    for side, one, other in ((loss, p, whole.q), (loss.reverse(), whole.q, p)):
        for epsilon in (0, 0.02, 0.09, 0.2, 30):
            exact = np.maximum(one - math.exp(epsilon) * other, 0).sum()
            assert side.delta(epsilon) == pytest.approx(exact, abs=1e-12)
    assert loss.delta(0.1) < whole.delta(0.1)
    assert loss.stated == Sampled(mechanism, q).loss


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
    for noise in (DiscreteLaplace(epsilon=1, sensitivity=1), Laplace(epsilon=1, sensitivity=1)):
        assert privacy_loss(Sampled(noise, 1)).delta(0.5) == privacy_loss(noise).delta(0.5)
        assert "0.1" in repr(privacy_loss(Sampled(noise, "0.1")))


@pytest.mark.parametrize("mechanism", [NORMAL, PureDP(1)], ids=["continuous", "table"])
def test_a_share_that_is_no_float_counts_as_a_larger_one(mechanism: Any) -> None:
    larger = privacy_loss(Sampled(mechanism, "1e-300"))
    for share in (1e-320, "1e-400"):
        loss = privacy_loss(Sampled(mechanism, share))
        assert loss.supremum == larger.supremum > 0
        assert loss.delta(0) == larger.delta(0) > 0
    nearly = privacy_loss(Sampled(mechanism, 1 - Fraction(1, 10**20)))
    assert nearly.delta(1) == privacy_loss(mechanism).delta(1)


def test_continuous_noise_is_drawn_by_its_loss_without_sampling() -> None:
    """Outputs reach as far as the losses of the whole; the sample's losses are close to 0."""
    with closed():
        ax = privacy_loss(Sampled(NORMAL, "0.01")).plot_delta(0.3)
        assert ax.get_xlabel() == "output (by its loss without sampling, in nats)"
        assert ax.get_xlim()[0] < -2


def test_the_largest_loss_that_floats_hold_is_sampled() -> None:
    """Probabilities below the least float would be missing from a delta."""
    loss = privacy_loss(Sampled(Gaussian(sigma="1/30", sensitivity=1), "1/10"))
    assert loss.reverse().delta(0.01) == pytest.approx(1 - 0.9 * math.exp(0.01), abs=1e-12)


def test_the_grid_of_small_shares_is_small() -> None:
    for share, count in (("1e-3", 2), ("1e-4", 100)):
        sample = Sampled(NORMAL, share)
        loss = privacy_loss(Plan([(sample, count)]))
        assert len(loss.p) < 2**20
        alone = privacy_loss(sample).delta(0.01)
        assert alone <= loss.delta(0.01) <= 2 * count * alone


@pytest.mark.long
@pytest.mark.parametrize(("share", "count"), [("1e-3", 2), ("1e-4", 100), ("1e-9", 1000)])
def test_the_grid_of_small_shares_is_as_tight_as_the_plan(share: str, count: int) -> None:
    plan = Plan([(Sampled(NORMAL, share), count)])
    exact = plan.delta(0.01)
    assert 0.999 * exact - 1e-10 <= privacy_loss(plan).delta(0.01) <= 1.2 * exact


@pytest.mark.long
def test_a_plan_of_samples_is_as_tight_as_their_loss() -> None:
    plan = Plan([(Sampled(NORMAL, "0.1"), 10)])
    loss = privacy_loss(plan)
    most = max(loss.epsilon(1e-6), loss.reverse().epsilon(1e-6))
    assert most == pytest.approx(plan.epsilon_by_method(1e-6)["pld"], rel=1e-4)
