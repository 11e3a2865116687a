"""Plans and calibration, with the extra pld; dp-accounting's own accountant beside them."""

from typing import Any

import in_turn

import cydp

MIXED = [
    (cydp.DiscreteLaplace(epsilon="0.01", sensitivity=1), 1000),
    (cydp.DiscreteGaussian(sigma2=400, sensitivity=1), 100),
]
LARGE = [
    (cydp.DiscreteLaplace(epsilon="1e-4", sensitivity=1), 5 * 10**6),
    (cydp.DiscreteGaussian(sigma=3000, sensitivity=1), 4 * 10**6),
]


def accountant() -> float:
    from dp_accounting.pld import privacy_loss_distribution as pld

    how = {"value_discretization_interval": 1e-4, "use_connect_dots": True}
    lapses = pld.from_discrete_laplace_mechanism(0.01, **how).self_compose(1000)
    draws = pld.from_discrete_gaussian_mechanism(20.0, **how).self_compose(100)
    return float(lapses.compose(draws).get_epsilon_for_delta(1e-6))


def bench_plan(benchmark: Any) -> None:
    benchmark.group = "plans"
    answers = in_turn.measure(
        benchmark,
        {
            "1,100 releases": lambda: cydp.Plan(MIXED).epsilon(1e-6),
            "the same by dp-accounting alone": accountant,
            "9 * 10^6 releases": lambda: cydp.Plan(LARGE).epsilon(1e-6),
        },
        rounds=5,
    )
    assert 2.71292655 < answers["1,100 releases"] <= 2.7140
    assert abs(answers["the same by dp-accounting alone"] - 2.71292655) < 1e-3
    assert answers["9 * 10^6 releases"] < cydp.Plan(LARGE).epsilon_by_method(1e-6)["zcdp"]


def bench_calibrate(benchmark: Any) -> None:
    benchmark.group = "calibrate to epsilon 1 at 1e-6"

    def gaussian(count: int) -> float:
        budget = cydp.ApproxDP(1, 1e-6)
        noise = cydp.calibrate(cydp.DiscreteGaussian, budget, count=count, sensitivity=1)
        return cydp.Plan([(noise, count)]).epsilon(1e-6)

    answers = in_turn.measure(
        benchmark,
        {"100 Gaussians": lambda: gaussian(100), "10^5 Gaussians": lambda: gaussian(10**5)},
        rounds=3,
    )
    assert all(0.9999 < epsilon <= 1 for epsilon in answers.values())
