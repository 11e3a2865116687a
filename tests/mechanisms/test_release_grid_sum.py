"""mechanisms/_grid_mechanism.py: an exact sum is released on the mechanism's grid."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger.ledger_processes import new

import cydp
from cydp import Gaussian, Laplace, PrivacyFilter, PureDP, exact
from cydp._numbers.rational import float_of
from cydp.exact import GridSum
from cydp.sensitivity import Sensitivity
from cydp.testing import SeededGenerator


def expected(mechanism: Any, total: GridSum, seed: int) -> list[float]:
    """Return the exact sums, rounded to the mechanism's grid, plus its noise, rounded once."""
    units = [total.units] if isinstance(total.units, int) else total.units.tolist()
    grid = Fraction(2) ** mechanism._exponent(len(units))
    noise = np.empty(len(units), np.int64)
    SeededGenerator(seed)._fill(mechanism._prepare_noise(len(units)), noise)
    return [
        float_of((round(u * total.step / grid) + z) * grid)
        for u, z in zip(units, noise.tolist(), strict=True)
    ]


MECHANISMS: dict[str, Callable[[Any], Any]] = {
    "laplace": lambda norm: Laplace(epsilon=0.5, sensitivity=norm),
    "gaussian": lambda norm: Gaussian(sensitivity=norm, rho=0.1, coordinates=1),
    "approximate": lambda norm: Gaussian(sensitivity=norm, epsilon=1, delta=1e-6, coordinates=1),
    # Its grid is coarser than the sum's.
    "tiny epsilon": lambda norm: Laplace(epsilon="1e-6", sensitivity=norm),
}


@pytest.mark.parametrize("kind", MECHANISMS)
def test_a_sum_is_the_exact_one_plus_noise_rounded_once(kind: str) -> None:
    for i, bounds in enumerate([(0, 100), (-2, 5), (0.1, 0.3), (-1e-9, 2e-9), (0, 1e30)]):
        relation = ("add-remove", "change-one")[(i + len(kind)) % 2]
        values = np.random.default_rng(1).uniform(*bounds, 1000)
        total = exact.clamped_sum(values, bounds)
        mechanism = MECHANISMS[kind](total.sensitivity(relation=relation))
        for seed in range(2):
            released = mechanism.release(total, rng=SeededGenerator(seed))
            assert [released] == expected(mechanism, total, seed)
            assert isinstance(released, float)
        assert mechanism.loss.relation == relation


@pytest.mark.parametrize(
    ("kind", "step"), [("laplace", None), ("laplace", 4), ("gaussian", 1), ("gaussian", 2**-40)]
)
def test_groups_are_the_exact_ones_plus_noise(kind: str, step: float | None) -> None:
    codes, values = np.array([0, 2, 2, 1, 9]), np.array([1.5, 2.25, 1e9, -7, 1])
    total = exact.grouped_clamped_sum(codes, values, 3, (-2, 5), step=step)
    mechanism: Any = (
        Laplace(epsilon=1, sensitivity=total.sensitivity(relation="change-one"))
        if kind == "laplace"
        else Gaussian(sensitivity=total.sensitivity(relation="change-one", norm=2), rho=0.5)
    )
    released = mechanism.release(total, rng=SeededGenerator(5))
    assert released.tolist() == expected(mechanism, total, 5)


def test_the_noise_does_not_depend_on_the_step_of_the_sum() -> None:
    """Noise in whole steps of a coarse sum would cost more than the loss, and plans, say."""
    coarse, fine = exact.clamped_sum([1], (0, 1), step=1), exact.clamped_sum([1], (0, 1))
    mechanisms: list[Any] = [
        Gaussian(sensitivity=1, epsilon=10, delta=1e-3), Gaussian(sensitivity=1, sigma="0.4"),
        Laplace(epsilon=10, sensitivity=1),
    ]  # fmt: skip
    for mechanism in mechanisms:
        for seed in range(10):
            released = [mechanism.release(x, rng=SeededGenerator(seed)) for x in (coarse, fine)]
            assert released == [mechanism.release(1.0, rng=SeededGenerator(seed))] * 2
            assert released[0] != round(released[0])


def test_sums_beyond_64_bits_are_exact() -> None:
    total = GridSum(2**100 + 1, Fraction(1), (Fraction(0), Fraction(2**29)))
    mechanism = Laplace(epsilon=1, sensitivity=2**29)
    assert [mechanism.release(total, rng=SeededGenerator(1))] == expected(mechanism, total, 1)
    far = GridSum(2**126, Fraction(2) ** 900, (Fraction(0), Fraction(2) ** 929))
    assert Laplace(epsilon=1, sensitivity=far.sensitivity()).release(far) > 2.0**1000


def test_a_step_far_from_the_grid_is_refused() -> None:
    total = GridSum(5, Fraction(2) ** 900, (Fraction(0), Fraction(0)))  # which is 0 for every table
    budget = PrivacyFilter(PureDP(1))
    with pytest.raises(ValueError, match="must fit the step"):
        Laplace(epsilon=1, sensitivity=Fraction(1, 2**500)).release(total, budget=budget)
    assert budget.spent == PureDP(0)


@pytest.mark.parametrize("grouped", [False, True])
def test_a_sensitivity_below_that_of_one_record_is_refused(grouped: bool) -> None:
    total = (
        exact.grouped_clamped_sum([0, 1], [1, 2], 2, (-2, 5))
        if grouped
        else exact.clamped_sum([1], (-2, 5))
    )
    refused = [
        Laplace(epsilon=1, sensitivity=4.99),
        Laplace(epsilon=1, sensitivity=Sensitivity(4.99, relation="add-remove")),
        Laplace(
            epsilon=1, sensitivity=Sensitivity(9.99 if grouped else 6.99, relation="change-one")
        ),
        Gaussian(sensitivity=Sensitivity(7.07 if grouped else 6.99, relation="change-one"), rho=1),
    ]
    for mechanism in refused:
        budget = PrivacyFilter(cydp.ZCDP(100), relation=mechanism.relation or "add-remove")
        with pytest.raises(ValueError, match=r"sensitivity must be at least .*total\.sensitivity"):
            mechanism.release(total, budget=budget)
        assert budget.spent == cydp.ZCDP(0)
    for relation in ("add-remove", "change-one"):
        for missing in (True, False):
            Laplace(
                epsilon=1, sensitivity=total.sensitivity(relation=relation, missing=missing)
            ).release(total)
            norm = total.sensitivity(relation=relation, missing=missing, norm=2)
            Gaussian(sensitivity=norm, rho=1).release(total)
    one = Gaussian(
        sensitivity=total.sensitivity(relation="change-one", norm=2), rho=1, coordinates=1
    )
    if grouped:
        with pytest.raises(ValueError, match="coordinates must be at least 2"):
            one.release(total)
    else:
        assert math.isfinite(one.release(total))


def test_sums_are_repeated_by_an_id(tmp_path: Path) -> None:
    with new(tmp_path / "ledger") as ledger:
        total = exact.clamped_sum([1, 2], (0, 10))
        mechanism = Laplace(epsilon=0.1, sensitivity=total.sensitivity())
        budget = ledger.scope(charge_id="monday")
        first, again = (mechanism.release(total, budget=budget) for _ in range(2))
        assert first == again
        assert ledger.spent == PureDP(0.1)
