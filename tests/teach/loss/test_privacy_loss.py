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
    PartitionSelection,
    PermuteAndFlip,
    Plan,
    PureDP,
    RandomizedResponse,
    Snapping,
    count,
    sampling,
    teach,
)
from cydp.accounting._optimal_composition import delta_of
from cydp.mechanisms._discrete_gaussian_delta import discrete_delta

privacy_loss = teach.privacy_loss
DISCRETE = privacy_loss(DiscreteGaussian(rho="1/2", sensitivity=1))
NORMAL = privacy_loss(Gaussian(rho="1/2", sensitivity=1))
LAPLACE = privacy_loss(Laplace(epsilon=1, sensitivity=1))
SELECT = PartitionSelection(epsilon=1, delta="0.01", max_partitions=2)
EXPONENTIAL = ExponentialMechanism(epsilon=1, sensitivity=1)
FLIP = PermuteAndFlip(epsilon=1, sensitivity=1)
SCORES = {"scores": [3, 2, 1], "other": [2, 3, 2]}

# Losses whose outputs are a table, and all of them.
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
    "share": privacy_loss(sampling.publish_share([1, 2], "0.1", exposes_rows=True)),
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


def mean_over_losses(loss: teach.PrivacyLoss, epsilon: float) -> float:
    """E[(1 - e**(epsilon - L))+]."""
    parts = -np.expm1(epsilon - loss.losses)
    return float((loss.p * np.maximum(parts, 0)).sum())


def integral_of_sf(loss: teach.PrivacyLoss, epsilon: float) -> float:
    """The integral of e**-t P(L > epsilon + t), by the trapezoid rule."""
    t = np.linspace(0, 30, 6_001)
    values = np.exp(-t) * loss.sf(epsilon + t)
    return float(np.trapezoid(values, t))


def test_the_two_areas_of_the_lectures() -> None:
    """0.1414 for the discrete Gaussian of rho 0.5 at epsilon 1, 0.1269 for the continuous one."""
    assert round(DISCRETE.delta(1), 4) == 0.1414
    assert sum_over_outputs(DISCRETE, 1) == pytest.approx(DISCRETE.delta(1), rel=1e-13)
    assert mean_over_losses(DISCRETE, 1) == pytest.approx(DISCRETE.delta(1), rel=1e-13)
    assert integral_of_sf(DISCRETE, 1) == pytest.approx(DISCRETE.delta(1), rel=4e-3)
    stated = Plan([(DiscreteGaussian(rho="1/2", sensitivity=1), 1)]).delta(1)
    assert DISCRETE.delta(1) <= stated <= DISCRETE.delta(1) + 1e-6

    assert round(NORMAL.delta(1), 4) == 0.1269
    formula = norm.cdf(-0.5) - math.e * norm.cdf(-1.5)
    assert NORMAL.delta(1) == pytest.approx(formula, rel=1e-9)
    assert area_of_density(NORMAL, 1) == pytest.approx(formula, rel=1e-5)
    assert integral_of_sf(NORMAL, 1) == pytest.approx(formula, rel=1e-4)


def test_delta_is_less_than_the_probability_of_a_larger_loss() -> None:
    assert round(DISCRETE.sf(1), 4) == 0.3005
    assert round(NORMAL.sf(1), 4) == round(norm.cdf(-0.5), 4) == 0.3085
    for name, loss in ALL.items():
        for epsilon in EPSILONS:
            assert loss.delta(epsilon) <= loss.sf(epsilon) + 1e-12, name


@pytest.mark.parametrize("name", TABLES)
def test_sums_over_outputs_and_over_losses_agree(name: str) -> None:
    loss = TABLES[name]
    assert loss.p.sum() == pytest.approx(1, abs=1e-12)
    assert loss.q.sum() == pytest.approx(1, abs=1e-12)
    for epsilon in EPSILONS:
        delta = loss.delta(epsilon)
        assert sum_over_outputs(loss, epsilon) == pytest.approx(delta, abs=1e-13)
        assert mean_over_losses(loss, epsilon) == pytest.approx(delta, abs=1e-13)
    both = (loss.p > 1e-280) & (loss.q > 1e-280)
    np.testing.assert_allclose(np.log(loss.p[both] / loss.q[both]), loss.losses[both], atol=1e-10)


def test_mutants_of_delta_are_rejected() -> None:
    """P(L > epsilon); P and Q exchanged; and tails that are cut."""
    wrong = [abs(DISCRETE.sf(e) - sum_over_outputs(DISCRETE, e)) for e in EPSILONS]
    assert min(wrong) > 1e-3
    first = TABLES["first user"]
    assert first.reverse().delta(1) == 0
    assert first.delta(1) > 0.0099
    assert abs(sum_over_outputs(first.reverse(), 1) - first.delta(1)) > 1e-3
    near = np.abs(DISCRETE.outputs) <= 3
    cut = (DISCRETE.p * np.maximum(-np.expm1(4 - DISCRETE.losses), 0))[near].sum()
    assert abs(cut - DISCRETE.delta(4)) > 1e-6


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
        assert integral_of_sf(LAPLACE, epsilon) == pytest.approx(exact, rel=4e-3, abs=2e-3)
    assert LAPLACE.delta(1) == LAPLACE.sf(1) == 0
    calibrated = privacy_loss(Gaussian(epsilon=1, delta=1e-6, sensitivity=1)).delta(1)
    assert 0.99e-6 < calibrated <= 1e-6
    assert LAPLACE.sf(-1.01) == 1
    x = np.linspace(-40, 41, 162_001)
    losses, p = np.abs(x - 1) - np.abs(x), np.exp(-np.abs(x)) / 2
    mean = np.trapezoid(p * losses, x)
    assert LAPLACE.mean == pytest.approx(mean, rel=1e-6)
    assert LAPLACE.variance == pytest.approx(np.trapezoid(p * (losses - mean) ** 2, x), rel=1e-6)


@pytest.mark.parametrize(
    "mechanism",
    [
        DiscreteLaplace(epsilon=1, sensitivity=1),
        DiscreteLaplace(epsilon="0.5", sensitivity=7),
        Laplace(epsilon="0.3", sensitivity=1),
        RandomizedResponse(epsilon=2, n_categories=5),
        PureDP("1/3"),
    ],
)
def test_pure_losses_end_at_epsilon(mechanism: object) -> None:
    """Laplace noise stays within epsilon, and reaches it."""
    loss = privacy_loss(mechanism)
    epsilon = float(getattr(mechanism, "epsilon"))  # noqa: B009
    assert loss.supremum == epsilon == loss.epsilon(0)
    assert loss.delta(epsilon) == loss.sf(epsilon) == loss.distinguishing == 0
    assert loss.delta(epsilon * 0.999) > 0
    assert loss.sf(epsilon * 0.999) > 0.2
    assert loss.cdf(epsilon) == 1
    assert loss.cdf(-epsilon * 1.001) == 0


def test_no_pure_loss_has_a_larger_delta_than_randomized_response() -> None:
    pure = privacy_loss(PureDP(1))
    for epsilon in (0.0, 0.4, 0.8):
        exact = float(delta_of(Fraction(1), 1, Fraction(str(epsilon))))
        assert pure.delta(epsilon) == pytest.approx(exact, rel=1e-9)
        for mechanism in (EXPONENTIAL, FLIP):
            assert privacy_loss(mechanism, **SCORES).delta(epsilon) <= pure.delta(epsilon) + 1e-12
            assert privacy_loss(mechanism).delta(epsilon) == pure.delta(epsilon)
        assert LAPLACE.delta(epsilon) <= pure.delta(epsilon)


def test_approximate_losses_are_met_at_their_epsilon() -> None:
    loss = privacy_loss(ApproxDP(1, "0.02"))
    assert loss.delta(1) == loss.distinguishing == loss.delta(50) == 0.02
    assert loss.sf(1) == 0.02
    assert loss.epsilon("0.01") == math.inf
    assert loss.epsilon("0.02") == pytest.approx(1)
    assert loss.reverse().delta(1) == 0.02
    assert loss.mean == math.inf
    assert "inf" in repr(loss)


def test_the_distinguishing_event_of_a_user_who_is_alone() -> None:
    one = SELECT.probability(1)
    loss = privacy_loss(SELECT, neighbours=(1, 0))
    assert loss.distinguishing == pytest.approx(1 - (1 - one) ** 2, rel=1e-12)
    assert loss.losses.tolist()[1:] == [math.inf, math.inf]
    assert loss.loss_of(0) == pytest.approx(2 * math.log1p(-one))
    assert loss.distinguishing <= 0.01


@pytest.mark.parametrize("name", ALL)
def test_epsilon_is_where_delta_is_reached(name: str) -> None:
    loss = ALL[name]
    for delta in (0.4, 0.05, 1e-5):
        epsilon = loss.epsilon(delta)
        if 0 < epsilon < math.inf:
            assert loss.delta(epsilon) <= delta < loss.delta(epsilon * (1 - 1e-9))
        elif epsilon == 0:
            assert loss.delta(0) <= delta
        else:
            assert loss.distinguishing > delta


def test_a_name_says_what_was_added_and_what_reversed() -> None:
    one, two = privacy_loss(PureDP(1)), privacy_loss(PureDP(2))
    a, b = one.name, two.name
    assert (2 * (one + two)).name == f"2 x ({a} + {b})"
    assert (2 * one + two).name == f"2 x {a} + {b}"
    assert (one + two).reverse().name == f"reverse of ({a} + {b})"
    mixed = one.reverse() + two
    assert mixed.name == f"reverse of {a} + {b}"
    assert mixed.reverse().name == f"reverse of (reverse of {a} + {b})"
    assert mixed.reverse().reverse().name == mixed.name
    assert (one.reverse() + two.reverse()).name == f"reverse of {a} + reverse of {b}"


@pytest.mark.parametrize("name", ALL)
def test_reverse_exchanges_p_and_q(name: str) -> None:
    loss, other = ALL[name], ALL[name].reverse()
    if name in TABLES:
        np.testing.assert_array_equal(other.p, loss.q)
        np.testing.assert_array_equal(other.losses, -loss.losses)
    assert other.reverse().delta(1) == pytest.approx(loss.delta(1), abs=1e-12)
    assert other.reverse().name == loss.name


def test_the_loss_of_outputs() -> None:
    assert [DISCRETE.loss_of(k) for k in (-1, 0, 1)] == [1.5, 0.5, -0.5]
    assert NORMAL.loss_of("-0.5") == pytest.approx(1)
    assert privacy_loss(RandomizedResponse(epsilon=1)).loss_of(0) == 1
    other = privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=2), neighbours=(547, 546))
    assert (other.loss_of(546), other.loss_of(547), other.loss_of(600)) == (-0.5, 0.5, 0.5)
    with pytest.raises(ValueError, match="one of outputs"):
        DISCRETE.loss_of("1")


def test_neighbours_that_are_closer_lose_less() -> None:
    noise = DiscreteGaussian(rho="1/2", sensitivity=2)
    near, far = (privacy_loss(noise, neighbours=(10, end)) for end in (11, 12))
    assert near.delta(1) < far.delta(1) == pytest.approx(privacy_loss(noise).delta(1))
    assert privacy_loss(noise, neighbours=(3, 3)).delta(0) == pytest.approx(0, abs=1e-15)
    back = privacy_loss(noise, neighbours=(12, 10))
    assert back.delta(1) == pytest.approx(far.delta(1))
    assert back.loss_of(11) == far.loss_of(11)


def test_entries_of_a_vector_that_move_together() -> None:
    """Several entries of Laplace noise are no worse than one; normal noise sees the distance."""
    laplace = DiscreteLaplace(epsilon=1, sensitivity=2)
    one = privacy_loss(laplace)
    two = privacy_loss(laplace, neighbours=([0, 5], [1, 4]))
    assert one.supremum == two.supremum == 1
    for epsilon in (0.0, 0.3, 0.7):
        assert two.delta(epsilon) < one.delta(epsilon)
    gaussian = Gaussian(rho="1/2", sensitivity=5)
    two = privacy_loss(gaussian, neighbours=([0, 0], [3, 4]))
    assert two.delta(1) == pytest.approx(NORMAL.delta(1))
    real = privacy_loss(Laplace(epsilon=1, sensitivity=2), neighbours=([0, 5], [1, 4]))
    assert real.delta("0.3") < LAPLACE.delta("0.3")


def test_wide_noise_is_close_to_continuous_noise() -> None:
    """Beyond half a million outputs the continuous picture is shown, and says so."""
    for kind, wide in ((DiscreteGaussian, "rho"), (DiscreteLaplace, "epsilon")):
        deltas = [
            privacy_loss(kind(**{wide: "1/2"}, sensitivity=size)).delta("0.3")
            for size in (1000, 10**6)
        ]
        assert deltas[0] == pytest.approx(deltas[1], rel=2e-3)
    assert "as continuous noise" in repr(
        privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=10**6))
    )


def test_the_mean_is_the_divergence_of_kullback_and_leibler() -> None:
    for name, loss in TABLES.items():
        there = loss.p > 0
        exact = float((loss.p[there] * loss.losses[there]).sum())
        assert loss.mean == pytest.approx(exact, abs=1e-12), name
    assert DISCRETE.mean == pytest.approx(0.5)
    assert DISCRETE.variance == pytest.approx(1)


def test_numbers_are_read_exactly_and_shapes_are_kept() -> None:
    assert LAPLACE.delta([["0", "1/2"], ["3/4", "1"]]).shape == (2, 2)
    assert isinstance(LAPLACE.delta(np.float64(0.5)), float)
    assert DISCRETE.cdf(np.array([0.5])) == 1 - DISCRETE.sf("0.5")
    assert privacy_loss(PureDP("0.3")).sf(0.3) == 0


def test_a_release_counts_by_its_loss() -> None:
    release = count([1, 2, 3], epsilon=1)
    assert privacy_loss(release).delta("0.5") == privacy_loss(PureDP(1)).delta("0.5")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: privacy_loss(3), TypeError, "cost must be a loss or a mechanism"),
        (lambda: privacy_loss([]), ValueError, "empty"),
        (lambda: privacy_loss(DISCRETE), TypeError, r"by \+"),
        (lambda: privacy_loss(DiscreteLaplace), TypeError, "mechanism"),
        (
            lambda: privacy_loss(Snapping(epsilon=1, sensitivity=1, bounds=(0, 9))),
            TypeError, r"privacy_loss\(snapping.loss\)",
        ),
        (lambda: privacy_loss(PureDP(1), neighbours=(0, 1)), TypeError, "neighbours is for"),
        (lambda: privacy_loss(EXPONENTIAL, neighbours=(0, 1)), TypeError, "not for Exponential"),
        (
            lambda: privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=1), neighbours=(0, 2)),
            ValueError, "at most the sensitivity, 1",
        ),
        (
            lambda: privacy_loss(Gaussian(rho=1, sensitivity=1), neighbours=([0, 0], [1, 1])),
            ValueError, "L2",
        ),
        (
            lambda: privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=1), neighbours=(0, 0.5)),
            TypeError, "neighbours",
        ),
        (
            lambda: privacy_loss(Laplace(epsilon=1, sensitivity=1), neighbours=([0], [0, 1])),
            ValueError, "same length",
        ),
        (lambda: privacy_loss(Laplace(epsilon=1, sensitivity=1), neighbours=1), TypeError, "pair"),
        (lambda: privacy_loss(EXPONENTIAL, scores=[1, 2]), TypeError, "other must be a list"),
        (lambda: privacy_loss(EXPONENTIAL, scores=[1], other=[3]), ValueError, "sensitivity, 1"),
        (lambda: privacy_loss(EXPONENTIAL, scores=[1], other=[1, 2]), ValueError, "as many"),
        (
            lambda: privacy_loss(
                ExponentialMechanism(epsilon=1, sensitivity=1, monotonic=True),
                scores=[1, 1], other=[0, 2],
            ),
            ValueError, "monotonic",
        ),
        (
            lambda: privacy_loss(RandomizedResponse(epsilon=1), neighbours=(0, 2)),
            ValueError, "codes from 0 to 1",
        ),
        (lambda: privacy_loss(SELECT, neighbours=(3, 1)), ValueError, "differ by 1"),
        (lambda: DISCRETE.delta(-1), ValueError, "epsilon must be at least 0"),
        (lambda: DISCRETE.delta(math.nan), ValueError, "finite"),
        (lambda: DISCRETE.delta(np.array([math.nan])), ValueError, "must be finite, not nan"),
        (lambda: DISCRETE.delta("x"), ValueError, "epsilon"),
        (lambda: DISCRETE.epsilon(1), ValueError, "delta"),
        (lambda: DISCRETE.epsilon("1e-300"), ValueError, "at least 1e-290"),
        (lambda: DISCRETE * -1, ValueError, "count"),
        (lambda: DISCRETE + 1, TypeError, "unsupported"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()  # type: ignore[operator]


def test_a_repr_says_everything_in_a_few_lines() -> None:
    assert repr(DISCRETE).splitlines() == [
        "privacy loss of DiscreteGaussian(rho=0.5, sensitivity=1)",
        "  P: answers where f(D) = 0; Q: where f(D') = 1",
        "  mean 0.5 nats, standard deviation 1, no upper bound; distinguishing event: "
        "probability 0",
        "  P(L > 1) = 0.3005; delta(1) = 0.1414, with P and Q exchanged 0.1414",
    ]


def test_the_largest_loss_is_rounded_up_in_words() -> None:
    loss = privacy_loss(DiscreteLaplace(epsilon="0.1234561", sensitivity=1))
    assert "at most 0.123457;" in repr(loss)
