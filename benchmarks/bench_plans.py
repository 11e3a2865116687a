"""Plans and calibration; dp-accounting's own accountant beside them."""

from collections.abc import Callable
from typing import Any

import pytest
import rivals
from harness import in_turn
from harness.sizes import size

import cydp
from cydp.sampling import Sampled

MIXED = [
    (cydp.DiscreteLaplace(epsilon="0.01", sensitivity=1), 1000),
    (cydp.DiscreteGaussian(sigma2=400, sensitivity=1), 100),
]
LARGE = [
    (cydp.DiscreteLaplace(epsilon="1e-4", sensitivity=1), 5 * 10**6),
    (cydp.DiscreteGaussian(sigma=3000, sensitivity=1), 4 * 10**6),
]


def accountant() -> Callable[[], float] | None:
    """The same plan by dp-accounting, on a grid of 1e-4, by connecting dots."""
    if rivals.here("dp-accounting") is None:
        return None
    from dp_accounting.pld import privacy_loss_distribution as pld

    how = {"value_discretization_interval": 1e-4, "use_connect_dots": True}

    def epsilon() -> float:
        lapses = pld.from_discrete_laplace_mechanism(0.01, **how).self_compose(1000)
        draws = pld.from_discrete_gaussian_mechanism(20.0, **how).self_compose(100)
        return float(lapses.compose(draws).get_epsilon_for_delta(1e-6))

    return epsilon


def bench_plan(benchmark: Any) -> None:
    benchmark.group = "accountant: a plan of 1,100 releases"
    answers = in_turn.measure(
        benchmark,
        {"cydp": lambda: cydp.Plan(MIXED).epsilon(1e-6), "dp-accounting": accountant()},
        rounds=9,
    )
    assert 2.71292655 < answers["cydp"] <= 2.7130
    if "dp-accounting" in answers:
        assert abs(answers["dp-accounting"] - 2.71292655) < 1e-3


def bench_large_plan(benchmark: Any) -> None:
    benchmark.group = "accountant: a plan of 9 * 10^6 releases"
    answers = in_turn.measure(benchmark, {"cydp": lambda: cydp.Plan(LARGE).epsilon(1e-6)}, rounds=5)
    assert answers["cydp"] < cydp.Plan(LARGE).epsilon_by_method(1e-6)["zcdp"]


# DP-SGD on 60,000 rows: batches of 256 in the mean, noise multiplier 1.1.
NOISE, SHARE, ROWS_DELTA = "1.1", "256/60000", 1e-5


def sampled(count: int) -> cydp.Plan:
    return cydp.Plan([(Sampled(cydp.Gaussian(sigma=NOISE, sensitivity=1), SHARE), count)])


def sampled_accountant(count: int) -> Callable[[], float] | None:
    """The same steps by dp-accounting's PLD accountant."""
    accounting = rivals.here("dp-accounting")
    if accounting is None:
        return None
    from dp_accounting.pld import PLDAccountant

    step = accounting.PoissonSampledDpEvent(256 / 60000, accounting.GaussianDpEvent(1.1))

    def epsilon() -> float:
        return float(PLDAccountant().compose(step, count).get_epsilon(ROWS_DELTA))

    return epsilon


@pytest.mark.parametrize("steps", [14_062, 10**6])
def bench_sampled_plan(benchmark: Any, steps: int) -> None:
    benchmark.group = f"accountant: {steps:,} steps of DP-SGD, delta 10^-5"
    count = size(steps)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: sampled(count).epsilon(ROWS_DELTA),
            "dp-accounting": sampled_accountant(count),
        },
        rounds=3,
    )
    if "dp-accounting" in answers:
        assert 0.999 < answers["cydp"] / answers["dp-accounting"] < 1.001


def bench_calibrate_sampled(benchmark: Any) -> None:
    benchmark.group = "accountant: calibrate 14,062 steps of DP-SGD to epsilon 3, delta 10^-5"
    steps, budget = size(14_062), cydp.ApproxDP(3, ROWS_DELTA, relation="add-remove")
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.calibrate(
                lambda rho: Sampled(cydp.Gaussian(rho=rho, sensitivity=1), SHARE),
                budget, count=steps,
            ),
        },
        rounds=3,
    )  # fmt: skip
    assert 0.999 < cydp.Plan([(answers["cydp"], steps)]).epsilon(ROWS_DELTA) / 3 <= 1


def calibration(count: int) -> Callable[[], float] | None:
    """The standard deviation of the continuous Gaussian, by dp-accounting's PLD accountant."""
    accounting = rivals.here("dp-accounting")
    if accounting is None:
        return None
    from dp_accounting.pld import PLDAccountant

    def event(sigma: float) -> Any:
        return accounting.SelfComposedDpEvent(accounting.GaussianDpEvent(sigma), count)

    return lambda: float(accounting.calibrate_dp_mechanism(PLDAccountant, event, 1, 1e-6))


@pytest.mark.parametrize("power", [2, 5])
def bench_calibrate(benchmark: Any, power: int) -> None:
    benchmark.group = (
        f"accountant: calibrate 10^{power} Gaussian releases to epsilon 1, delta 10^-6"
    )
    releases, budget = size(10**power), cydp.ApproxDP(1, 1e-6)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.calibrate(
                cydp.DiscreteGaussian, budget, count=releases, sensitivity=1
            ),
            "dp-accounting, continuous noise": calibration(releases) if power == 2 else None,
        },
        rounds=3,
    )
    noise = answers.pop("cydp")
    assert 0.9999 < cydp.Plan([(noise, releases)]).epsilon(1e-6) <= 1
    for sigma in answers.values():
        assert sigma == pytest.approx(float(noise.sigma), rel=0.01)
