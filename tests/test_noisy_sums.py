"""mechanisms/_sums.py: an exact sum is released on its own grid."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ledger_children import new

import cydp
from cydp import DiscreteLaplace, Gaussian, Laplace, PrivacyFilter, PureDP, Snapping, exact
from cydp.exact import GridSum
from cydp.sensitivity import Sensitivity
from cydp.testing import SeededGenerator


def noise_of(mechanism: Any, step: Fraction, size: Any, seed: int) -> Any:
    """Return the noise alone, in steps, as the integer mechanism draws it."""
    in_steps = mechanism._in_steps(step)
    return in_steps.release(0 if size is None else np.zeros(size, int), rng=SeededGenerator(seed))


@pytest.mark.parametrize("bounds", [(0, 100), (-2, 5), (0.1, 0.3), (-1e-9, 2e-9), (0, 1e30)])
@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("kind", ["laplace", "gaussian", "approximate"])
def test_a_sum_is_the_exact_one_plus_noise_rounded_once(
    bounds: tuple[float, float], relation: str, kind: str
) -> None:
    rng = np.random.default_rng(1)
    values = rng.uniform(*bounds, 1000)
    total = exact.clamped_sum(values, *bounds)
    norm = total.sensitivity(relation)
    mechanism: Any = {
        "laplace": lambda: Laplace(0.5, norm),
        "gaussian": lambda: Gaussian(norm, rho=0.1, coordinates=1),
        "approximate": lambda: Gaussian(norm, epsilon=1, delta=1e-6, coordinates=1),
    }[kind]()
    for seed in range(3):
        released = mechanism.release(total, rng=SeededGenerator(seed))
        noise = noise_of(mechanism, total.step, None, seed)
        assert released == float((total.units + noise) * total.step)
    scale = float(norm) / 0.5 if kind == "laplace" else mechanism.sigma
    assert abs(released - float(total.value)) < 40 * scale
    assert isinstance(released, float)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
def test_groups_are_the_exact_ones_plus_noise(kind: str) -> None:
    codes, values = np.array([0, 2, 2, 1, 9]), np.array([1.5, 2.25, 1e9, -7, 1])
    total = exact.grouped_clamped_sum(codes, values, 3, -2, 5)
    mechanism: Any = (
        Laplace(1, total.sensitivity("change-one"))
        if kind == "laplace"
        else Gaussian(total.sensitivity("change-one", norm=2), rho=0.5)
    )
    released = mechanism.release(total, rng=SeededGenerator(5))
    noise = noise_of(mechanism, total.step, 3, 5)
    expected = [float(Fraction(u) * total.step) for u in (np.array(total.units) + noise).tolist()]
    assert released.tolist() == expected
    assert mechanism.loss.relation == "change-one"


def test_the_scale_is_that_of_the_sensitivity_without_a_term_for_rounding() -> None:
    total = exact.clamped_sum([3.5], 0, 10)
    in_steps = Laplace(0.5, total.sensitivity())._in_steps(total.step)
    assert in_steps.scale * total.step == Fraction(10) / Fraction(1, 2)


def test_sums_beyond_64_bits_are_exact() -> None:
    total = GridSum(2**100 + 1, Fraction(1), 0, 2**29)
    mechanism = Laplace(1, 2**29)
    noise = noise_of(mechanism, total.step, None, 1)
    assert mechanism.release(total, rng=SeededGenerator(1)) == float(2**100 + 1 + noise)
    huge = Laplace(1, 2**54)  # noise that ends at 2**62: the sum ends there, too
    released = huge.release(GridSum(2**100, Fraction(1), 0, 2**54), rng=SeededGenerator(1))
    assert released == float(min(2**62 + noise_of(huge, Fraction(1), None, 1), 2**62))
    far = GridSum(2**126, Fraction(2) ** 900, 0, 2**29)
    assert Laplace(1, far.sensitivity()).release(far) == math.inf


@pytest.mark.parametrize("grouped", [False, True])
def test_a_sensitivity_below_that_of_one_record_is_refused(grouped: bool) -> None:
    total = (
        exact.grouped_clamped_sum([0, 1], [1, 2], 2, -2, 5)
        if grouped
        else exact.clamped_sum([1], -2, 5)
    )
    refused = [
        Laplace(1, 4.99),
        Laplace(1, Sensitivity(4.99, relation="add-remove")),
        Laplace(1, Sensitivity(9.99 if grouped else 6.99, relation="change-one")),
        Gaussian(Sensitivity(7.07 if grouped else 6.99, relation="change-one"), rho=1),
    ]
    for mechanism in refused:
        budget = PrivacyFilter(cydp.ZCDP(100), relation=mechanism.relation or "add-remove")
        with pytest.raises(ValueError, match=r"sensitivity must be at least .*total\.sensitivity"):
            mechanism.release(total, budget=budget)
        assert budget.spent == cydp.ZCDP(0)
    for relation in ("add-remove", "change-one"):
        for missing in (True, False):
            Laplace(1, total.sensitivity(relation, missing=missing)).release(total)
            norm = total.sensitivity(relation, missing=missing, norm=2)
            Gaussian(norm, rho=1).release(total)
    assert float(Laplace(1, 5).release(total) if not grouped else 0) < math.inf


@pytest.mark.parametrize("wrong", [Snapping(1, 100, 1000), DiscreteLaplace(1, 100)])
def test_other_mechanisms_take_no_sums(wrong: Any) -> None:
    budget = PrivacyFilter(PureDP(10))
    with pytest.raises(TypeError, match="value must be of"):
        wrong.release(exact.clamped_sum([1], 0, 100), budget=budget)
    assert budget.spent == PureDP(0)


def test_the_norm_of_groups_covers_every_pair_of_neighbours() -> None:
    """A record that changes leaves a group for another, or changes inside its own."""
    ends = [-2, 0, 5]
    for low, high in [(-2, 5), (0, 5), (-2, 0), (-5, 5), (2, 5)]:
        total = exact.grouped_clamped_sum([0], [0], 2, low, high, 1)
        most = 0.0
        for one in [None, *((group, x) for group in (0, 1) for x in (low, high, *ends))]:
            for other in [None, *((group, x) for group in (0, 1) for x in (low, high, *ends))]:
                tables = []
                for record in (one, other):
                    codes, values = ([record[0]], [record[1]]) if record else ([], [])
                    sums = exact.grouped_clamped_sum(codes, values, 2, low, high, 1)
                    tables.append(np.asarray(sums.units))
                most = max(most, float(np.linalg.norm(tables[0] - tables[1])))
        stated = float(total.sensitivity("change-one", norm=2))
        assert most <= stated <= most * (1 + 1e-9)
    with pytest.raises(ValueError, match="norm must be 1 or 2"):
        total.sensitivity(norm=3)


def test_sums_are_repeated_by_an_id(tmp_path: Path) -> None:
    with new(tmp_path / "ledger") as ledger:
        total = exact.clamped_sum([1, 2], 0, 10)
        mechanism = Laplace(0.1, total.sensitivity())
        budget = ledger.blocks(charge_id="monday")
        first, again = (mechanism.release(total, budget=budget) for _ in range(2))
        assert first == again
        assert ledger.spent == PureDP(0.1)
