"""Every release checks its parameters, charges the budget, reads the data, and draws noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import ApproxDP, BudgetExceededError, PrivacyFilter, PureDP
from cydp.mechanisms import ProposeTestRelease, UniformChoice
from cydp.testing import SeededGenerator


class Unreadable:
    """An array that says what it is, and must not be asked for more."""

    def __init__(self, dtype: Any, *shape: int) -> None:
        self.dtype, self.shape, self.ndim = np.dtype(dtype), shape, len(shape)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("was read")


# A mechanism, data that it would take, and how many losses a release of it costs.
RELEASES: dict[str, tuple[Any, Unreadable, int]] = {
    "DiscreteLaplace": (cydp.DiscreteLaplace(epsilon=1, sensitivity=1), Unreadable(int, 3), 1),
    "DiscreteGaussian": (cydp.DiscreteGaussian(rho=1, sensitivity=1), Unreadable(int, 3), 1),
    "Laplace": (cydp.Laplace(epsilon=1, sensitivity=1), Unreadable(float, 3), 1),
    "Gaussian": (cydp.Gaussian(rho=1, sensitivity=1), Unreadable(float, 3), 1),
    "Snapping": (
        cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=(-9, 9)),
        Unreadable(float, 3, 2), 6
    ),
    "ExponentialMechanism": (
        cydp.ExponentialMechanism(epsilon=1, sensitivity=1), Unreadable(float, 2, 3, 4), 6
    ),
    "PermuteAndFlip": (cydp.PermuteAndFlip(epsilon=1, sensitivity=1), Unreadable(float, 4), 1),
    "RandomizedResponse": (cydp.RandomizedResponse(epsilon=1), Unreadable("u1", 3), 1),
    "PartitionSelection": (
        cydp.mechanisms.PartitionSelection(epsilon=1, delta="1e-5", max_partitions=3),
        Unreadable(int, 3), 1
    ),
    "ProposeTestRelease": (
        ProposeTestRelease(epsilon=1, delta="0.1", sensitivity=1), Unreadable(int, 3), 1
    ),
}  # fmt: skip


def budget_of(mechanism: Any, count: int, share: Fraction = Fraction(1)) -> PrivacyFilter:
    """Return a budget of this share of the loss of several releases."""
    loss, relation = mechanism.loss, getattr(mechanism, "relation", None) or "add-remove"
    times = share * count
    total: Any
    if isinstance(loss, ApproxDP):
        total = ApproxDP(loss.epsilon * times, loss.delta * times)
    elif isinstance(loss, PureDP):
        total = PureDP(loss.epsilon * times)
    else:
        total = cydp.ZCDP(loss.rho * times)
    return PrivacyFilter(total, relation=relation)


@pytest.mark.parametrize("kind", RELEASES)
def test_a_budget_pays_before_the_data_is_read(kind: str) -> None:
    mechanism, data, count = RELEASES[kind]
    less = budget_of(mechanism, count, Fraction(999, 1000))
    rng = cydp.Generator()
    with pytest.raises(BudgetExceededError):
        mechanism.release(data, budget=less, rng=rng)
    assert less.remaining == less.budget
    paid = budget_of(mechanism, count)
    with pytest.raises(TypeError, match="seeded"):
        mechanism.release(data, budget=paid, rng=SeededGenerator(1))
    assert paid.remaining == paid.budget
    with pytest.raises(AssertionError, match="was read"):
        mechanism.release(data, budget=paid, rng=rng)
    assert paid.spent == paid.budget  # no refund, whatever the data was
    with pytest.raises(BudgetExceededError):
        mechanism.release(data, budget=paid, rng=rng)


@pytest.mark.parametrize("kind", RELEASES)
def test_a_budget_of_another_relation_or_measure_reads_nothing(kind: str) -> None:
    mechanism, data, _ = RELEASES[kind]
    wide = cydp.ApproxDP(1000, "0.5")
    stated = getattr(mechanism, "relation", None)
    if stated is not None:
        other = "change-one" if stated == "add-remove" else "add-remove"
        budget = PrivacyFilter(wide, relation=other)
        with pytest.raises(cydp.accounting.RelationMismatchError):
            mechanism.release(data, budget=budget)
        assert budget.remaining == wide
    if not isinstance(mechanism.loss, PureDP):
        with pytest.raises(cydp.accounting.MeasureMismatchError):
            mechanism.release(data, budget=PrivacyFilter(PureDP(1000)))


def test_what_a_budget_has_paid() -> None:
    """Once for an array of people, of integers or partitions; for each row and each entry else."""
    people = PrivacyFilter(PureDP(1), relation="change-one")
    half = cydp.RandomizedResponse(epsilon="1/2")
    half.release(np.zeros(1000, np.uint8), budget=people)
    half.release(1, budget=people)
    assert people.remaining == PureDP(0)
    snapped = PrivacyFilter(PureDP(4))
    snapping = cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000))
    assert np.shape(snapping.release([1.5, 2, 3], budget=snapped)) == (3,)
    assert type(snapping.release(1, budget=snapped)) is float
    assert snapped.remaining == PureDP(0)
    rows = np.zeros((2, 3, 4))
    for kind, share in (
        (cydp.ExponentialMechanism, Fraction(1, 8)), (cydp.PermuteAndFlip, PureDP(1).rho)
    ):  # fmt: skip
        pure, zcdp = PrivacyFilter(PureDP(6)), PrivacyFilter(cydp.ZCDP(6))
        for budget in (pure, zcdp):
            kind(epsilon=1, sensitivity=1).release(rows, budget=budget)
        assert pure.remaining.epsilon == 0
        assert zcdp.spent == cydp.ZCDP(6 * share)
    free = PrivacyFilter(PureDP("0.1"))
    uniform = UniformChoice(count=3)
    for _ in range(5):
        uniform.release(budget=free)
    assert free.spent == uniform.loss == PureDP(0)
