"""Losses of independent releases are added: exactly on a lattice, from above on a grid."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cydp import (
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    Plan,
    PureDP,
    RandomizedResponse,
    teach,
)
from cydp.accounting import _loss_grid
from cydp.accounting._optimal_composition import delta_of
from cydp.teach.loss import _compose

privacy_loss = teach.privacy_loss
EPSILONS = (0.0, 0.5, 1.0, 2.0)
STATED_MARGIN = 1e-9  # relative, of `delta_of`, which rounds up


def delta_by_force(tables: list[teach.PrivacyLoss], epsilon: float) -> float:
    """The sum over all outputs together, from the tables alone."""
    p, q = np.ones(1), np.ones(1)
    for loss in tables:
        p, q = np.multiply.outer(p, loss.p).ravel(), np.multiply.outer(q, loss.q).ravel()
        keep = (p > 1e-18) | (q > 1e-18)
        p, q = p[keep], q[keep]
    return float(np.maximum(p - math.exp(epsilon) * q, 0).sum())


@pytest.mark.parametrize(("epsilon", "times"), [("0.1", 3), ("1/7", 60), ("0.01", 20_000)])
def test_pure_losses_compose_as_is_optimal(epsilon: str, times: int) -> None:
    """20,000 losses go through the Fourier transform, the others through exact products."""
    loss = privacy_loss(PureDP(epsilon)) * times
    for at in EPSILONS:
        exact = float(delta_of(Fraction(epsilon), times, Fraction(at)))
        slack = loss.beyond
        assert loss.delta(at) == pytest.approx(exact, rel=STATED_MARGIN, abs=2 * slack)
        assert loss.delta(at) >= exact * (1 - STATED_MARGIN)
    assert loss.supremum == float(Fraction(epsilon) * times)
    assert loss.delta(loss.supremum) == 0
    assert loss.rounding == 0


def test_normal_noise_adds_up_to_normal_noise() -> None:
    loss = privacy_loss(
        Plan([(Gaussian(rho="0.1", sensitivity=1), 3), (Gaussian(rho="0.2", sensitivity=2), 1)])
    )
    one = privacy_loss(Gaussian(rho="1/2", sensitivity=1))
    assert loss.delta(1) == pytest.approx(one.delta(1), rel=1e-9)
    assert loss.rounding == loss.beyond == 0


TABLES = [
    privacy_loss(DiscreteLaplace(epsilon="0.4", sensitivity=3)),
    privacy_loss(RandomizedResponse(epsilon="0.3", n_categories=3)),
    privacy_loss(ExponentialMechanism(epsilon=1, sensitivity=1), scores=[3, 1], other=[2, 2]),
    privacy_loss(ApproxDP("0.2", "0.01")),
]


def join(losses: list[teach.PrivacyLoss]) -> teach.PrivacyLoss:
    total = losses[0]
    for loss in losses[1:]:
        total = total + loss
    return total


def test_a_lattice_is_exact() -> None:
    losses = [TABLES[0], TABLES[1], TABLES[3]]
    loss = join(losses)
    for one, many in ((loss, losses), (loss.reverse(), [each.reverse() for each in losses])):
        for epsilon in EPSILONS:
            assert one.delta(epsilon) == pytest.approx(delta_by_force(many, epsilon), abs=1e-14)
        assert one.rounding == 0
    assert loss.distinguishing == pytest.approx(0.01)


def test_a_grid_is_above_the_exact_sum_by_little() -> None:
    """As proved: at least delta(epsilon), and at most delta(epsilon - rounding)."""
    loss = join(TABLES)
    assert 0 < loss.rounding < 1e-3
    for epsilon in (0.1, 0.5, 1.0):
        exact, later = (delta_by_force(TABLES, each) for each in (epsilon, epsilon - loss.rounding))
        assert exact <= loss.delta(epsilon) <= later + 2 * loss.beyond
        assert loss.delta(epsilon) <= exact * (1 + 1e-5)
    back = loss.reverse()
    for epsilon in (0.1, 1.0):
        exact = delta_by_force([each.reverse() for each in TABLES], epsilon)
        assert exact <= back.delta(epsilon) <= exact * (1 + 1e-5)


def test_the_transform_agrees_with_products(monkeypatch: pytest.MonkeyPatch) -> None:
    def compute() -> tuple[teach.PrivacyLoss, teach.PrivacyLoss]:
        gaussian = privacy_loss(DiscreteGaussian(sigma2=9, sensitivity=2)) * 8
        return gaussian, gaussian + 5 * privacy_loss(DiscreteLaplace(epsilon="1/9", sensitivity=1))

    direct = compute()
    for name in ("_FEW", "_FEW_PRODUCTS"):
        monkeypatch.setattr(_loss_grid, name, 0)
    monkeypatch.setattr(_compose, "_MOST_DIRECT", 0)
    for one, other in zip(direct, compute(), strict=True):
        assert one.beyond == 0 < other.beyond < 1e-11
        for loss in (-1.0, 0.0, 0.5, 1.0, 2.0):
            assert abs(other.sf(loss) - one.sf(loss)) < other.beyond
        for epsilon in (*EPSILONS, 10, 30):
            assert one.delta(epsilon) <= other.delta(epsilon) <= one.delta(epsilon) * (1 + 1e-5)


PLANS = [
    [(DiscreteGaussian(rho="1/2", sensitivity=1), 1)],
    [
        (DiscreteGaussian(rho="0.02", sensitivity=1), 20),
        (DiscreteLaplace(epsilon="0.1", sensitivity=1), 10),
    ],
    [(DiscreteLaplace(epsilon="0.05", sensitivity=3), 40)],
    [(Gaussian(rho="0.01", sensitivity=1), 20), (Laplace(epsilon="0.1", sensitivity=1), 9)],
    [(PureDP("0.05"), 10), (ApproxDP("0.1", "1e-6"), 3)],
]


def test_sums_of_noise_have_the_moments_of_their_parts() -> None:
    parts = [privacy_loss(cost) for cost, _ in PLANS[3]]
    loss = privacy_loss(Plan(PLANS[3]))
    assert loss.mean == pytest.approx(20 * parts[0].mean + 9 * parts[1].mean)
    assert loss.variance == pytest.approx(20 * parts[0].variance + 9 * parts[1].variance)
    finite = np.isfinite(loss.losses)
    assert (loss.p * loss.losses)[finite].sum() == pytest.approx(loss.mean, rel=1e-4)
    assert loss.p.sum() == pytest.approx(1)
    assert loss.q.sum() == pytest.approx(1)


def test_no_releases_lose_nothing() -> None:
    for loss in (privacy_loss(Plan([])), 0 * TABLES[0], privacy_loss([PureDP(0), PureDP(0)])):
        assert loss.delta(0) == loss.mean == loss.supremum == 0


@pytest.mark.parametrize(
    "items", [PLANS[2], *(pytest.param(items, marks=pytest.mark.long) for items in PLANS)]
)
def test_it_agrees_with_the_bounds_of_plans(items: list[Any]) -> None:
    """A plan's delta is a bound of this one; where it knows all pairs, it is close."""
    plan = Plan(items)
    loss, is_close = privacy_loss(plan), "pld" in plan.epsilon_by_method(1e-6)
    for epsilon in EPSILONS:
        mine, stated = loss.delta(epsilon), plan.delta(epsilon)
        assert mine <= stated * (1 + 1e-4) + loss.beyond
        if is_close and mine > 1e-9:
            assert mine == pytest.approx(stated, rel=1e-3)


def test_a_list_is_a_plan_with_one_of_each() -> None:
    one, other = (cost for cost, _ in PLANS[1])
    found = privacy_loss([one, other])
    assert found.delta(1) == (privacy_loss(one) + privacy_loss(other)).delta(1)
    assert "2 releases" in found.name


def test_rounding_takes_no_delta_away() -> None:
    """Of a million releases the loss is above 0 but for e**-10,000; of 200 tails are cut."""
    many = Plan([(DiscreteGaussian(rho="1/50", sensitivity=1), 10**6)])
    assert privacy_loss(many).delta(0) == 1
    for times, epsilon in ((20_000, 2), (20_000, 9), (20_000, 50)):
        loss = privacy_loss(PureDP("0.01")) * times
        assert 0 < loss.beyond < 1e-10
        exact = float(delta_of(Fraction("0.01"), times, Fraction(epsilon)))
        assert exact * (1 - STATED_MARGIN) <= loss.delta(epsilon) <= exact * 1.001
        assert loss.epsilon(1e-100) > 30


def test_the_largest_loss_that_floats_hold_is_composed() -> None:
    """A larger one is refused."""
    assert privacy_loss([PureDP(300), Laplace(epsilon=1, sensitivity=1)]).mean > 300
    with pytest.raises(ValueError, match="lose less"):
        privacy_loss(Plan([(DiscreteGaussian(rho="1/2", sensitivity=1), 5 * 10**6)]))


def test_the_rounding_of_a_grid_is_said_for_all_releases_together() -> None:
    """Each loss may be one step too high, and steps are powers of 2."""
    for count in (3, 5, 7):
        rounding = (count * privacy_loss(Laplace(epsilon="1/3", sensitivity=1))).rounding
        assert rounding > 0
        assert math.log2(rounding / count).is_integer()
