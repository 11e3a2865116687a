"""accounting/_loss_grid.py: the error that is stated is at least the error that is there."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from accounting.exact_profiles import exact_delta, number

from cydp.accounting._dominating_pairs import GaussianPair, LaplacePair, Pairs, SampledPair
from cydp.accounting._loss_curve import LowerCurve
from cydp.accounting._loss_grid import Layers, LossGrid, convolve, cut, in_steps_of, raised
from cydp.accounting._loss_points import Points, Setting
from cydp.accounting._loss_profile import LossProfile


def masses_of(kind: str, size: int) -> Any:
    x = np.linspace(-8, 8, size)
    shape = {
        "normal": np.exp(-(x**2) / 2),
        "rough": np.random.default_rng(size).random(size) ** 9,
        "far": np.exp(-np.abs(x) * 40) + 1e-12 * (x > 7),
    }[kind]
    return shape / shape.sum()


def grid_of(masses: Any, tilt: float = 2.0) -> LossGrid:
    return LossGrid(-7, -100, masses, 0.0, tilt, 0.0)


@pytest.mark.parametrize("kind", ["normal", "rough", "far"])
@pytest.mark.parametrize("size", [100, 2000, 5000])
def test_the_error_of_a_sum_is_stated(kind: str, size: int) -> None:
    """Against the sum in long doubles, with what was cut off; and it is small."""
    masses = masses_of(kind, size)
    long = masses.astype(np.longdouble)
    exact = np.convolve(long, long) if size < 5000 else convolve_in_parts(long)
    found = convolve(grid_of(masses), grid_of(masses), 1e-18)
    start = found.first + 200
    whole = np.zeros(len(exact), np.longdouble)
    kept = found.masses.astype(np.longdouble) * np.exp(np.longdouble(found.log_scale))
    whole[start : start + len(kept)] = kept
    wrong = float(np.abs(whole - exact).sum())
    assert wrong <= found.error * 1.001 <= 2e-11
    assert found.exponent == -7


def convolve_in_parts(long: Any) -> Any:
    """Long doubles have no transform with their digits here, so the sum is made row by row."""
    found = np.zeros(2 * len(long) - 1, np.longdouble)
    for i, mass in enumerate(long):
        found[i : i + len(long)] += mass * long
    return found


def test_what_is_cut_off_is_an_error() -> None:
    grid = grid_of(np.array([0.01, 0.02, 0.4, 0.5, 0.04, 0.03]))
    found = cut(grid, 0.035)
    assert len(found.masses) == 3
    assert found.first == -98
    assert found.masses.sum() == pytest.approx(1)
    assert found.error >= 0.06 / 0.94
    assert math.exp(found.log_scale) == pytest.approx(0.94)
    assert len(cut(grid, 0.9).masses) == 6, "something is left"


@pytest.mark.parametrize("tilt", [0.5, 30.0])
def test_a_coarser_step_keeps_p_and_q(tilt: float) -> None:
    for size in (1, 2, 7, 8):
        grid = grid_of(masses_of("rough", size), tilt)
        coarse = in_steps_of(grid, -4)
        totals = [
            [
                float(np.sum(each.masses * np.exp(power * each.step * at + each.log_scale)))
                for power in (-each.tilt, -1 - each.tilt)
                for at in [each.first + np.arange(len(each.masses))]
            ]
            for each in (grid, coarse)
        ]
        assert totals[1] == pytest.approx(totals[0], rel=1e-13)
        assert coarse.exponent == -4


@pytest.mark.parametrize("tilt", [0.5, 30.0])
def test_how_far_rounding_moves_losses_is_bounded(tilt: float) -> None:
    """By all ways that the losses of two releases can go: up or down, twice each."""
    losses, masses = np.array([0.013, 0.021, 0.022]), np.array([0.5, 0.2, 0.3])
    points = Points(losses, np.log(masses) + tilt * losses, np.zeros(3))
    rate = 2.0 / 2**-5
    base = points.on_grid(-math.inf, -7, Setting(tilt, rate=rate), 0.0)
    twice = convolve(base, base, 0.0)
    assert twice.log_moved == pytest.approx(tuple(2 * each for each in base.log_moved))
    found = in_steps_of(twice, -5)

    def ways(at: float, step: float) -> list[tuple[float, float]]:
        """Return (loss, probability) of what a loss is rounded to, up or down."""
        x = at - step * math.floor(at / step + 1e-9)
        up = math.expm1(-x) / math.expm1(-step)
        return [(at, 1.0)] if x < 1e-9 else [(at - x, 1 - up), (at - x + step, up)]

    starts = [list(zip(losses, masses, strict=True))] * 2
    for sign, bound in zip((1, -1), base.log_moved, strict=True):
        total = sum(
            p * of_a * math.exp(tilt * a + sign * rate * (a - one))
            for one, p in starts[0]
            for a, of_a in ways(one, 2**-7)
        )
        assert bound == pytest.approx(math.log(total), abs=1e-12)
    for sign, bound in zip((1, -1), found.log_moved, strict=True):
        total = 0.0
        for (one, p), (other, q) in product(*starts):
            for (a, of_a), (b, of_b) in product(ways(one, 2**-7), ways(other, 2**-7)):
                for c, of_c in ways(a + b, 2**-6):
                    for d, of_d in ways(c, 2**-5):
                        chance = p * q * of_a * of_b * of_c * of_d
                        total += chance * math.exp(tilt * d + sign * rate * (d - one - other))
        assert math.log(total) <= bound <= math.log(total) + 1.5


@pytest.mark.parametrize("tilt", [0.5, 30.0])
def test_what_may_be_wrong_is_taken_off_a_lower_end(tilt: float) -> None:
    """The exact masses may be less by all of the error, wherever that is worst."""
    at, losses, masses = 0.2, np.arange(1, 101) / 128, masses_of("normal", 100)
    grid = LossGrid(-7, 1, masses, 0.0, tilt, 1e-6)
    found = math.exp(LowerCurve(grid, False, True).log_delta(at))
    parts = np.exp(-tilt * losses) * np.maximum(-np.expm1(at - losses), 0)
    exact = float((masses * parts).sum() - 1e-6 * parts.max())
    assert exact * 0.5 < found < exact


def test_rare_losses_are_moved_as_far_as_they_say() -> None:
    """A mixture and twice a loss have the bound of both."""
    rng = np.random.default_rng(1)
    near, far = (
        Points(losses, np.log(rng.random(40)) - 10 * (losses > 1), np.zeros(40)).on_grid(
            -math.inf, exponent, Setting(1.0, rate=20.0), 0.0
        )
        for losses, exponent in ((rng.random(40), -7), (3 * rng.random(40) + 1, -4))
    )
    found = raised(Layers(near, far), 2, -4, 0.0)
    for sign, bound in zip((1, -1), found.log_moved, strict=True):
        each = np.logaddexp(near.log_moved[sign < 0], far.log_moved[sign < 0])
        assert 2 * each <= bound <= 2 * each + 8


@pytest.mark.parametrize("count", [1, 2, 3, 6, 11])
def test_two_layers_are_one_loss(count: int) -> None:
    """Rare losses on a coarser grid, which they are on already, add up as they do on one grid."""
    common, rare = np.array([0.5, 0.2, 0.3]), np.zeros(200)
    rare[::16] = 1e-3 / 13
    one = LossGrid(-7, 0, common, 0.0, 1.0, 0.0)
    far = LossGrid(-3, 1, rare[::16].copy(), 0.0, 1.0, 0.0)
    both = np.zeros(16 * 14)
    both[:3] += common
    both[16::16] += rare[::16]
    layers = raised(Layers(one, far), count, -3, 1e-13)
    single = in_steps_of(raised(Layers(LossGrid(-7, 0, both, 0.0, 1.0, 0.0)), count, -7, 1e-13), -3)
    size = max(len(layers.masses), len(single.masses))
    assert layers.exponent == single.exponent == -3
    assert layers.first == single.first
    scales = [math.exp(each.log_scale) for each in (layers, single)]
    a, b = (
        np.pad(each.masses * scale, (0, size - len(each.masses)))
        for each, scale in zip((layers, single), scales, strict=True)
    )
    # Steps of 2**-7 are rounded once or twice to steps of 2**-3, both within the same Q and P.
    assert a.sum() == pytest.approx(b.sum(), rel=2e-2)
    assert a[-1] == pytest.approx(b[-1], rel=1e-9)


@pytest.mark.parametrize(
    "pairs",
    [
        {LaplacePair(Fraction(1, 8)): 150},  # on the grid: nothing is rounded up
        {
            LaplacePair(Fraction(1)): 40,
            SampledPair(LaplacePair(Fraction(1, 2)), Fraction(1, 4)): 40,
        },
        {GaussianPair(Fraction(2)): 2},
    ],
    ids=["responses", "samples", "Gaussians"],
)
def test_a_bound_holds_at_every_tilt(pairs: Pairs) -> None:
    """Far from the loss that a tilt is for, it is the stated error that makes it a bound."""
    profile, errors_decided = LossProfile(pairs), 0
    sides = [profile._side(False), *([profile._side(True)] if profile._differ else [])]
    for epsilon in map(Fraction, ("0", "1", "3", "6", "12")):
        exact = exact_delta(pairs, epsilon)
        for tilt in (0.01, 0.3, 2.0, 20.0):
            logs = [side._composed(tilt).log_delta(float(epsilon)) for side in sides]
            assert number(Fraction(max(logs))) >= mp_log(exact)
            errors_decided += max(logs) > mp_log(exact) + 1
    assert errors_decided


def mp_log(x: Any) -> Any:
    return x.context.log(x) if x else -math.inf
