"""The privacy loss of one release: its delta as an area, computed in several ways."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    Plan,
    PureDP,
    RandomizedResponse,
    count,
    teach,
)
from cydp._numbers.gaussian_delta import discrete_delta
from cydp.accounting._optimal_composition import delta_of
from cydp.mechanisms import PartitionSelection
from cydp.teach import publish_share

privacy_loss = teach.privacy_loss
DISCRETE = privacy_loss(DiscreteGaussian(rho="1/2", sensitivity=1))
NORMAL = privacy_loss(Gaussian(rho="1/2", sensitivity=1))
LAPLACE = privacy_loss(Laplace(epsilon=1, sensitivity=1))
SELECT = PartitionSelection(epsilon=1, delta="0.01", max_partitions=2)
EXPONENTIAL = ExponentialMechanism(epsilon=1, sensitivity=1)
FLIP = PermuteAndFlip(epsilon=1, sensitivity=1)
SCORES = {"scores": [3, 2, 1], "other": [2, 3, 2]}

# Losses with a table of outputs, and all losses.
TABLES = {
    "discrete Gaussian": DISCRETE,
    "discrete Laplace": privacy_loss(DiscreteLaplace(epsilon="0.7", sensitivity=7)),
    "randomized response": privacy_loss(RandomizedResponse(epsilon=1, n_categories=4)),
    "exponential mechanism": privacy_loss(EXPONENTIAL, **SCORES),
    "permute and flip": privacy_loss(FLIP, **SCORES),
    "partitions": privacy_loss(SELECT, neighbours=(4, 3)),
    "first user": privacy_loss(SELECT, neighbours=(1, 0)),
    "PureDP": privacy_loss(PureDP("0.3")),
    "ApproxDP": privacy_loss(ApproxDP("0.3", "0.02")),
    "share": privacy_loss(publish_share([1, 2], "0.1", exposes_rows=True)),
    "nothing": privacy_loss(PureDP(0)),
}
ALL = TABLES | {
    "normal": NORMAL,
    "Laplace": LAPLACE,
    "ZCDP": privacy_loss(ZCDP("0.02")),
    "sum": TABLES["randomized response"] + DISCRETE,
}
EPSILONS = (0.0, 0.25, 0.7, 1.0, 2.5)


def sum_over_outputs(loss: teach.PrivacyLoss, epsilon: float) -> float:
    """The area between p and e**epsilon q, from the table alone."""
    gains = loss.p - math.exp(epsilon) * loss.q
    return float(gains[gains > 0].sum())


def area_of_density(loss: teach.PrivacyLoss, epsilon: float) -> float:
    gains = np.maximum(loss.p - math.exp(epsilon) * loss.q, 0)
    return float(np.trapezoid(gains, loss.outputs))


def test_the_two_areas_of_the_lectures() -> None:
    """0.1414 for the discrete Gaussian of rho 0.5 at epsilon 1, 0.1269 for the continuous one."""
    assert round(DISCRETE.delta(1), 4) == 0.1414
    assert sum_over_outputs(DISCRETE, 1) == pytest.approx(DISCRETE.delta(1), rel=1e-13)
    stated = Plan([(DiscreteGaussian(rho="1/2", sensitivity=1), 1)]).delta(1)
    assert DISCRETE.delta(1) <= stated <= DISCRETE.delta(1) + 1e-6

    assert round(NORMAL.delta(1), 4) == 0.1269
    formula = norm.cdf(-0.5) - math.e * norm.cdf(-1.5)
    assert NORMAL.delta(1) == pytest.approx(formula, rel=1e-9)
    assert area_of_density(NORMAL, 1) == pytest.approx(formula, rel=1e-5)


def test_sums_over_outputs_and_over_losses_agree() -> None:
    """In both directions; P(L > epsilon) is more than delta."""
    for name, loss in TABLES.items():
        assert (loss.p.sum(), loss.q.sum()) == pytest.approx((1, 1), abs=1e-12), name
        for epsilon in EPSILONS:
            delta = loss.delta(epsilon)
            assert sum_over_outputs(loss, epsilon) == pytest.approx(delta, abs=1e-13), name
            gains = loss.p * np.maximum(-np.expm1(epsilon - loss.losses), 0)
            assert gains.sum() == pytest.approx(delta, abs=1e-13), name
        both = (loss.p > 1e-280) & (loss.q > 1e-280)
        ratios = np.log(loss.p[both] / loss.q[both])
        np.testing.assert_allclose(ratios, loss.losses[both], atol=1e-10, err_msg=name)
        there = loss.p > 0
        mean = float((loss.p[there] * loss.losses[there]).sum())
        assert loss.mean == pytest.approx(mean, abs=1e-12), name  # Kullback and Leibler
        np.testing.assert_array_equal(loss.reverse().p, loss.q)
        np.testing.assert_array_equal(loss.reverse().losses, -loss.losses)
    for name, loss in ALL.items():
        for epsilon in EPSILONS:
            assert loss.delta(epsilon) <= loss.sf(epsilon) + 1e-12, name
        back = loss.reverse().reverse()
        assert back.delta(1) == pytest.approx(loss.delta(1), abs=1e-12), name
    first = TABLES["first user"]
    assert first.reverse().delta(1) == 0
    assert first.delta(1) > 0.0099
    assert (DISCRETE.mean, DISCRETE.variance) == pytest.approx((0.5, 1))
    assert (round(DISCRETE.sf(1), 4), round(NORMAL.sf(1), 4)) == (0.3005, 0.3085)


def test_epsilon_is_where_delta_is_reached() -> None:
    for name, loss in ALL.items():
        for delta in (0.4, 0.05, 1e-5):
            epsilon = loss.epsilon(delta)
            if 0 < epsilon < math.inf:
                assert loss.delta(epsilon) <= delta < loss.delta(epsilon * (1 - 1e-9)), name
            elif epsilon == 0:
                assert loss.delta(0) <= delta, name
            else:
                assert loss.distinguishing > delta, name


def test_pure_losses_end_at_epsilon() -> None:
    """Laplace noise stays within epsilon, and reaches it."""
    for mechanism in (
        DiscreteLaplace(epsilon=1, sensitivity=1), DiscreteLaplace(epsilon="0.5", sensitivity=7),
        Laplace(epsilon="0.3", sensitivity=1), RandomizedResponse(epsilon=2, n_categories=5),
        PureDP("1/3"),
    ):  # fmt: skip
        loss, epsilon = privacy_loss(mechanism), float(mechanism.epsilon)
        assert loss.supremum == epsilon == loss.epsilon(0)
        assert loss.delta(epsilon) == loss.sf(epsilon) == loss.distinguishing == 0
        assert loss.delta(epsilon * 0.999) > 0
        assert loss.sf(epsilon * 0.999) > 0.2
        assert loss.cdf(epsilon) == 1
        assert loss.cdf(-epsilon * 1.001) == 0


def test_the_delta_of_discrete_gaussian_noise_is_the_exact_sum() -> None:
    for sigma2, sensitivity in ((Fraction(1), 1), (Fraction(25), 3), (Fraction(1, 9), 1)):
        loss = privacy_loss(DiscreteGaussian(sigma2=sigma2, sensitivity=sensitivity))
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(7, 2)):
            exact = float(discrete_delta(sigma2, sensitivity, epsilon))
            assert loss.delta(epsilon) == pytest.approx(exact, rel=1e-10)
    with mpmath.workdps(30):
        total = mpmath.nsum(lambda k: mpmath.exp(-(k**2) / 2), [-mpmath.inf, mpmath.inf])
        exact = mpmath.nsum(
            lambda k: mpmath.exp(-(k**2) / 2) - mpmath.e * mpmath.exp(-((k + 1) ** 2) / 2),
            [1, mpmath.inf],
        )
        assert DISCRETE.delta(1) == pytest.approx(float(exact / total), rel=1e-13)


def test_normal_and_laplace_noise_have_their_closed_forms() -> None:
    for rho in ("0.0001", "1/2", "8"):
        loss, mu = privacy_loss(Gaussian(rho=rho, sensitivity=3)), math.sqrt(2 * Fraction(rho))
        for epsilon in (0.0, 0.3, 1.0, 6.0):
            exact = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.e**epsilon * mpmath.ncdf(
                -mu / 2 - epsilon / mu
            )
            assert loss.delta(epsilon) == pytest.approx(float(exact), rel=1e-9, abs=1e-14)
        assert loss.mean == loss.variance / 2 == pytest.approx(float(Fraction(rho)), rel=1e-9)
    for epsilon in (0.0, 0.25, 0.999):
        exact = 1 - math.exp((epsilon - 1) / 2)
        assert LAPLACE.delta(epsilon) == pytest.approx(exact, rel=1e-12)
        assert area_of_density(LAPLACE, epsilon) == pytest.approx(exact, rel=2e-3, abs=1e-5)
    assert LAPLACE.delta(1) == LAPLACE.sf(1) == 0
    calibrated = privacy_loss(Gaussian(epsilon=1, delta=1e-6, sensitivity=1)).delta(1)
    assert 0.99e-6 < calibrated <= 1e-6
    assert LAPLACE.sf(-1.01) == 1
    x = np.linspace(-40, 41, 162_001)
    losses, p = np.abs(x - 1) - np.abs(x), np.exp(-np.abs(x)) / 2
    mean = np.trapezoid(p * losses, x)
    assert LAPLACE.mean == pytest.approx(mean, rel=1e-6)
    assert LAPLACE.variance == pytest.approx(np.trapezoid(p * (losses - mean) ** 2, x), rel=1e-6)


def test_no_pure_loss_has_a_larger_delta_than_randomized_response() -> None:
    pure = privacy_loss(PureDP(1))
    for epsilon in (0.0, 0.4, 0.8):
        exact = float(delta_of(Fraction(1), 1, Fraction(str(epsilon))))
        assert pure.delta(epsilon) == pytest.approx(exact, rel=1e-9)
        for mechanism in (EXPONENTIAL, FLIP):
            assert privacy_loss(mechanism, **SCORES).delta(epsilon) <= pure.delta(epsilon) + 1e-12
            assert privacy_loss(mechanism).delta(epsilon) == pure.delta(epsilon)
        assert LAPLACE.delta(epsilon) <= pure.delta(epsilon)


def test_losses_that_may_be_infinite() -> None:
    loss = privacy_loss(ApproxDP(1, "0.02"))
    assert loss.delta(1) == loss.sf(1) == loss.distinguishing == loss.delta(50) == 0.02
    assert (loss.epsilon("0.01"), loss.epsilon("0.02")) == (math.inf, pytest.approx(1))
    assert loss.reverse().delta(1) == 0.02
    assert loss.mean == math.inf
    one, alone = SELECT.probability(1), privacy_loss(SELECT, neighbours=(1, 0))
    assert alone.distinguishing == pytest.approx(1 - (1 - one) ** 2, rel=1e-12)
    assert alone.losses.tolist()[1:] == [math.inf, math.inf]
    assert alone.loss_of(0) == pytest.approx(2 * math.log1p(-one))
    assert alone.distinguishing <= 0.01


def test_neighbours_that_are_closer_lose_less() -> None:
    """Several entries of Laplace noise are no worse than one; normal noise sees the distance."""
    noise = DiscreteGaussian(rho="1/2", sensitivity=2)
    near, far = (privacy_loss(noise, neighbours=(10, end)) for end in (11, 12))
    assert near.delta(1) < far.delta(1) == pytest.approx(privacy_loss(noise).delta(1))
    assert privacy_loss(noise, neighbours=(3, 3)).delta(0) == pytest.approx(0, abs=1e-15)
    assert privacy_loss(noise, neighbours=(12, 10)).loss_of(11) == far.loss_of(11)
    for kind in (DiscreteLaplace, Laplace):
        one = privacy_loss(kind(epsilon=1, sensitivity=2))
        two = privacy_loss(kind(epsilon=1, sensitivity=2), neighbours=([0, 5], [1, 4]))
        assert one.supremum == two.supremum == 1
        assert two.delta("0.3") < one.delta("0.3")
    gaussian = Gaussian(rho="1/2", sensitivity=5)
    two = privacy_loss(gaussian, neighbours=([0, 0], [3, 4]))
    assert two.delta(1) == pytest.approx(NORMAL.delta(1))


def test_the_loss_of_outputs() -> None:
    assert [DISCRETE.loss_of(k) for k in (-1, 0, 1)] == [1.5, 0.5, -0.5]
    assert NORMAL.loss_of("-0.5") == pytest.approx(1)
    assert privacy_loss(RandomizedResponse(epsilon=1)).loss_of(0) == 1
    other = privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=2), neighbours=(547, 546))
    assert (other.loss_of(546), other.loss_of(547), other.loss_of(600)) == (-0.5, 0.5, 0.5)


def test_numbers_are_read_exactly_and_shapes_are_kept() -> None:
    assert LAPLACE.delta([["0", "1/2"], ["3/4", "1"]]).shape == (2, 2)
    assert isinstance(LAPLACE.delta(np.float64(0.5)), float)
    assert DISCRETE.cdf(np.array([0.5])) == 1 - DISCRETE.sf("0.5")
    assert privacy_loss(PureDP("0.3")).sf(0.3) == 0
    release = count([1, 2, 3], epsilon=1)
    assert privacy_loss(release).delta("0.5") == privacy_loss(PureDP(1)).delta("0.5")


def test_the_text_says_what_the_loss_is_of_and_rounds_it_up() -> None:
    assert repr(DISCRETE).splitlines()[1:] == [
        "  P: answers where f(D) = 0; Q: where f(D') = 1",
        "  mean 0.5 nats, standard deviation 1, no upper bound; distinguishing event: "
        "probability 0",
        "  P(L > 1) = 0.3005; delta(1) = 0.1414, with P and Q exchanged 0.1414",
    ]
    loss = privacy_loss(DiscreteLaplace(epsilon="0.1234561", sensitivity=1))
    assert "at most 0.123457;" in repr(loss)
    one, two = privacy_loss(PureDP(1)), privacy_loss(PureDP(2))
    assert (2 * (one + two)).name == f"2 x ({one.name} + {two.name})"
    mixed = one.reverse() + two
    assert mixed.name == f"reverse of {one.name} + {two.name}"
    assert mixed.reverse().name == f"reverse of ({mixed.name})"
    assert mixed.reverse().reverse().name == mixed.name
