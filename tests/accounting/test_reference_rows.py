"""Every row of reference/accounting.json, which names its source, asked of the public API.

What is reported may be above a row's value by its tolerance, and is then rounded up to six digits.
It is never below; for a rho that is found for a target it is the other way round.
"""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    Plan,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    group_privacy,
)
from cydp._numbers.rounding import delta_float_above
from cydp.accounting import convert, optimal_composition
from cydp.accounting._conversion import rho_of

ROWS = json.loads((Path(__file__).parents[1] / "reference" / "accounting.json").read_text())[
    "values"
]

ABOVE = "above"  # the direction of what is reported, from the value of the row
BELOW = "below"
NEAR = "near"

Ask = Callable[[dict[str, Any]], Any]


def mixed(p: dict[str, Any]) -> float:
    (_, epsilon, lapses), (_, sigma2, draws) = p["parts"]
    return Plan(
        [
            (DiscreteLaplace(epsilon=epsilon, sensitivity=1), lapses),
            (DiscreteGaussian(sigma2=sigma2, sensitivity=1), draws),
        ]
    ).epsilon(p["delta"])


def gaussians(p: dict[str, Any]) -> Plan:
    mechanism = DiscreteGaussian(sensitivity=p["sensitivity"], sigma2=p["sigma2"], coordinates=1)
    return Plan([(mechanism, p.get("count", 1))])


def exact_remaining(p: dict[str, Any]) -> Fraction:
    budget = PrivacyFilter(PureDP(float(p["budget"])))
    for charge in p["charges"]:
        budget.charge(PureDP(float(charge)))
    with pytest.raises(BudgetExceededError):
        budget.charge(PureDP(1e-300))
    return budget.remaining.epsilon  # type: ignore[union-attr]


def randomized_response(p: dict[str, Any]) -> float:
    """Return e**epsilon of the response that tells the truth with chance 1 - q + q/k."""
    q, k = Fraction(p["q"]), int(p["k"])
    odds = (1 - q) * k / q + 1
    survey = RandomizedResponse(epsilon=Fraction(math.log(odds)), n_categories=k)
    assert float(survey.p_truth) == pytest.approx(float(1 - q + q / k), rel=1e-12)
    truth, lie = survey.probabilities(0)[:2]
    return float(truth / lie)


def counts(p: dict[str, Any]) -> Plan:
    noise = DiscreteLaplace(epsilon=p["epsilon_per_release"], sensitivity=p["sensitivity"])
    return Plan([(noise, p["count"])])


def losses(p: dict[str, Any]) -> Plan:
    given = ApproxDP(p["epsilon"], p["delta"]) if "delta" in p else PureDP(p["epsilon"])
    return Plan([(given, p["count"])])


def best(p: dict[str, Any]) -> Fraction:
    return optimal_composition(epsilon=p["epsilon"], count=p["count"], delta=p["delta"]).epsilon


def real_noise(p: dict[str, Any]) -> float:
    """Return a sigma of the continuous noise: on a grid a hair more or less is enough."""
    return Gaussian(sensitivity=p["sensitivity"], epsilon=p["epsilon"], delta=p["delta"]).sigma


def variance(p: dict[str, Any]) -> float:
    return DiscreteLaplace(epsilon=p["epsilon"], sensitivity=p["sensitivity"]).variance


ASK: dict[str, tuple[str, Ask]] = {
    "optimal_epsilon_homogeneous_pure": (ABOVE, best),
    "optimal_delta_homogeneous_pure": (ABOVE, lambda p: losses(p).delta(p["at_epsilon"])),
    "optimal_delta_homogeneous_approx": (ABOVE, lambda p: losses(p).delta(p["at_epsilon"])),
    "optimal_epsilon_heterogeneous_pure": (
        ABOVE, lambda p: Plan([(PureDP(each), n) for each, n in p["losses"]]).epsilon(p["delta"]),
    ),
    "plan_discrete_laplace": (ABOVE, lambda p: counts(p).epsilon(p["delta"])),
    "plan_discrete_gaussian_epsilon": (ABOVE, lambda p: gaussians(p).epsilon(p["delta"])),
    "discrete_gaussian_delta": (ABOVE, lambda p: gaussians(p).delta(p["epsilon"])),
    "plan_mixed_epsilon": (ABOVE, mixed),
    "zcdp_to_epsilon": (ABOVE, lambda p: convert(ZCDP(p["rho"]), delta=p["delta"]).epsilon),
    "zcdp_to_delta": (ABOVE, lambda p: Plan([(ZCDP(p["rho"]), 1)]).delta(p["epsilon"])),
    "calibrate_rho": (BELOW, lambda p: rho_of(Fraction(p["epsilon"]), Fraction(p["delta"]))),
    "analytic_gaussian_sigma": (NEAR, real_noise),
    "group_privacy_pure": (ABOVE, lambda p: group_privacy(PureDP(p["epsilon"]), p["k"]).epsilon),
    "group_privacy_approx": (
        ABOVE, lambda p: group_privacy(ApproxDP(p["epsilon"], p["delta"]), p["k"]),
    ),
    "group_privacy_zcdp": (ABOVE, lambda p: group_privacy(ZCDP(p["rho"]), p["k"]).rho),
    "randomized_response_exp_epsilon": (NEAR, randomized_response),
    "discrete_laplace_variance": (NEAR, variance),
    "exact_ledger": (ABOVE, exact_remaining),
}  # fmt: skip

# The last digit of a value was rounded, too; floats of a distribution have 12 digits of 16.
ROUNDED = {ABOVE: Fraction(1, 10**14), BELOW: Fraction(1, 10**12), NEAR: Fraction(1, 10**12)}


def test_every_row_is_asked() -> None:
    assert {row["kind"] for row in ROWS} == set(ASK)


def up(number: Fraction) -> Fraction:
    """Return a number of six digits that is reported for this one: as a float, or as it prints."""
    reported = delta_float_above(number)
    return max(Fraction(reported), Fraction(repr(reported)))


def is_right(row: Any) -> bool:
    """Whether what is reported is in the allowed direction from a row, and close."""
    direction, ask = ASK[row["kind"]]
    found, value = ask(row["params"]), row["value"]
    if isinstance(value, list):
        assert found.epsilon == Fraction(value[0])
        found, value = found.delta, value[1]
    expected = Fraction(str(value).removeprefix("remaining "))
    more = Fraction(found) / expected - 1 if expected else Fraction(found)
    slack, rounded = Fraction(row["rel_tol"]), ROUNDED[direction]
    if direction == ABOVE:
        return -rounded <= more and Fraction(found) <= up(expected * (1 + slack))
    if direction == BELOW:
        return bool(-slack <= more <= rounded)
    return bool(abs(more) <= max(slack, rounded))


def test_rows() -> None:
    assert [(row["id"], row["params"]) for row in ROWS if not is_right(row)] == []


def test_a_plan_that_reports_too_little_would_be_found() -> None:
    """The mutant treats a move by 10 as ten moves by 1, which are further apart than they seem."""
    (row,) = (row for row in ROWS if row["kind"] == "plan_discrete_laplace")
    p = row["params"]
    mutant = Plan([(PureDP(p["noise_parameter"]), p["count"] * p["sensitivity"])])
    assert mutant.epsilon(p["delta"]) < Fraction(row["value"]) * Fraction(1, 2)
