"""One budget for several analyses: shares by weight, and how many releases fit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from cydp import ZCDP, ApproxDP, DiscreteGaussian, DiscreteLaplace, Plan, PrivacyFilter, PureDP
from cydp.accounting import (
    BudgetExceededError,
    MeasureMismatchError,
    RelationMismatchError,
    largest_count,
    sequential,
    split,
)

BUDGETS = [PureDP("0.1"), ApproxDP(1, 1e-6), ZCDP("0.3"), PureDP(1, relation="change-one")]
NOISE = DiscreteGaussian(sigma2=400, sensitivity=1)


@pytest.mark.parametrize("budget", BUDGETS)
def test_shares_add_up_to_the_budget_exactly(budget: PureDP) -> None:
    random = np.random.default_rng(1)
    for n in range(1, 30):
        weights = random.integers(1, 1000, n).tolist()
        shares = split(budget, weights)
        assert sequential(*shares)._numbers == budget._numbers
        assert shares == list(split(budget, {str(i): w for i, w in enumerate(weights)}).values())
        assert all(
            a._numbers[0] * weights[0] == shares[0]._numbers[0] * weight
            for a, weight in zip(shares, weights, strict=True)
        )
        spent = PrivacyFilter(budget, relation=budget.relation or "add-remove")
        for share in shares:
            spent.charge(share)
        with pytest.raises(BudgetExceededError):
            spent.charge(PureDP("1e-300"))


def test_bad_weights_are_refused() -> None:
    for weights, error in (
        ([], ValueError), ({}, ValueError), ([1, 0], ValueError), ([-1], ValueError),
        ([float("nan")], ValueError), ("12", TypeError), (3, TypeError), ([True], TypeError),
    ):  # fmt: skip
        with pytest.raises(error, match="weights must"):
            split(PureDP(1), weights)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="budget must"):
        split(1, [1])  # type: ignore[arg-type]


def test_the_largest_count_fits_and_one_more_does_not() -> None:
    beside = Plan([(PureDP("1/7"), 3)])
    for mechanism in (DiscreteLaplace(epsilon="0.013", sensitivity=1), NOISE, PureDP("1e-4")):
        for budget in (PureDP(2), ZCDP("0.5"), ApproxDP(3, 1e-9)):
            if isinstance(budget, PureDP) and mechanism is NOISE:
                continue
            for items in ([], list(beside.items)):
                found = largest_count(mechanism, budget, beside=Plan(items) if items else None)
                fits = [_fits([*items, (mechanism, found + more)], budget) for more in (0, 1)]
                assert fits == [True, False]


def _fits(items: list, budget: PureDP) -> bool:  # type: ignore[type-arg]
    if isinstance(budget, ApproxDP):
        return Plan(items).as_loss(budget.delta).epsilon <= budget.epsilon
    spent = PrivacyFilter(budget)
    return not any(
        spent.would_exceed(cost, count) or spent.charge(cost, count) for cost, count in items
    )


def test_counts_of_any_size() -> None:
    assert largest_count(PureDP(1), PureDP("0.9")) == 0
    assert largest_count(PureDP("0.2"), PureDP(1), beside=Plan([(PureDP(2), 1)])) == 0
    assert largest_count(PureDP("1e-15"), PureDP(1)) == 10**15
    assert largest_count(PureDP(Fraction(1, 3)), PureDP(1)) == 3


def test_what_cannot_be_counted_is_refused() -> None:
    for call, error, words in (
        (lambda: largest_count(PureDP(0), PureDP(1)), ValueError, "must cost something"),
        (lambda: largest_count(PureDP("1e-30"), PureDP(1)), ValueError, "must cost more"),
        (lambda: largest_count(1, PureDP(1)), TypeError, "mechanism must be"),  # type: ignore[arg-type]
        (lambda: largest_count(NOISE, 1), TypeError, "budget must be"),  # type: ignore[arg-type]
        (lambda: largest_count(NOISE, PureDP(1)), MeasureMismatchError, "cannot be paid"),
        (
            lambda: largest_count(PureDP(1, relation="add-remove"), BUDGETS[3]),
            RelationMismatchError, "one relation",
        ),
        (
            lambda: largest_count(PureDP(1), PureDP(3), beside=[(PureDP(1), 1)]),  # type: ignore[arg-type]
            TypeError, "beside must be a Plan",
        ),
        (
            lambda: largest_count(PureDP(1), PureDP(3), beside=Plan([(NOISE, 1)])),
            MeasureMismatchError, "cannot be paid",
        ),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            call()
