"""mechanisms/_grid_noise.py: the grid that real numbers are rounded to, and what it costs."""

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import Gaussian, Laplace, PrivacyFilter
from cydp.testing import SeededGenerator


def at_most(number: Fraction) -> int:
    """Return the exponent of the largest power of two at most a number."""
    e = number.numerator.bit_length() - number.denominator.bit_length()
    return e if Fraction(2) ** e <= number else e - 1


def used(m: Any, entries: int) -> float:
    """Return the scale or sigma of a release of this number of entries."""
    step = Fraction(2) ** m._exponent(entries)
    if isinstance(m, Laplace):
        return float(m._steps(entries) * step)
    return math.sqrt(m._steps2(entries) * step**2)


def test_the_grid_is_the_coarsest_that_costs_a_thousandth() -> None:
    rng = random.Random(3)
    for _ in range(25):
        epsilon = Fraction(f"{10 ** rng.uniform(-6, 2):.3g}")
        norm = Fraction(f"{10 ** rng.uniform(-30, 30):.3g}")
        count = round(10 ** rng.uniform(0, 6))
        noise = Laplace(epsilon=epsilon, sensitivity=norm)
        wanted = min(norm / (1024 * count), norm / epsilon / 2**40)
        assert noise._exponent(count) == at_most(wanted)
        known = Laplace(epsilon=epsilon, sensitivity=norm, coordinates=count)
        assert known._log2_step == at_most(wanted)
        assert used(noise, count) <= norm / epsilon * Fraction(1025, 1024)
        wide = Gaussian(sensitivity=norm, sigma=norm / epsilon)
        wanted2 = min(norm**2 / (1024**2 * count), (norm / epsilon) ** 2 / 4**40)
        assert wide._exponent(count) == at_most(wanted2) // 2
        assert used(wide, count) <= norm / epsilon * Fraction(10251, 10240)


def test_two_entries_have_at_most_twice_the_sigma_of_one() -> None:
    """So only a Gaussian close to the largest sigma is asked for that of two when it is made."""
    rng = random.Random(4)
    for _ in range(200):
        norm = Fraction(f"{10 ** rng.uniform(-30, 30):.3g}")
        ways: list[dict[str, Any]] = [
            {"rho": Fraction(f"{10 ** rng.uniform(-25, 5):.3g}")},
            {"epsilon": 10 ** rng.uniform(-6, 2), "delta": 10 ** rng.uniform(-60, -0.01)},
        ]
        for way in ways:
            noise = Gaussian(sensitivity=norm, **way)
            one, two = noise._steps2(1), noise._steps2(2)
            assert one <= two <= 4 * one
    # On a step of the caller's, too, and there two entries may be too many.
    sigma = Fraction(2) ** 55
    Gaussian(sigma=sigma * Fraction("0.8"), sensitivity=1, step=1)
    Gaussian(sigma=sigma * Fraction("0.95"), sensitivity=1, step=1, coordinates=1)
    with pytest.raises(ValueError, match="steps of the grid"):
        Gaussian(sigma=sigma * Fraction("0.95"), sensitivity=1, step=1)


def test_where_no_grid_is_fine_enough() -> None:
    """The finest is taken, and the scale shows it; refused is what no grid serves."""
    for bits, share in ((31, 2), (25, 1.02), (20, 1.001)):
        noise = Laplace(epsilon=Fraction(1, 2**bits), sensitivity=1)
        assert noise._steps(2**20) <= 2**52
        assert 2**bits <= used(noise, 2**20) <= 2**bits * share * 1.001
    coarse = Laplace(epsilon=Fraction(1, 2**31), sensitivity=1)
    assert used(coarse, 2**20) > 1.9 * 2**31
    budget = PrivacyFilter(cydp.PureDP(1))
    for entries in (2**21, 10**7):
        with pytest.raises(ValueError, match=f"epsilon must be larger than {entries} / 2"):
            coarse.release(np.zeros(entries), budget=budget)
    assert budget.spent == cydp.PureDP(0)
    stated = Laplace(epsilon=Fraction(1, 2**31), sensitivity=1, coordinates=5)
    assert stated.release(np.zeros(2**21)).shape == (2**21,)
    few = Gaussian(sigma=2**50, sensitivity=1)
    assert few._exponent(10**6) == few._log2_step == -2
    with pytest.raises(ValueError, match="the entries are too many"):
        few._prepare_noise(2**40)


@pytest.mark.parametrize("norm", [Fraction(1, 2**980), 2**935], ids="ab")
def test_the_ends_of_what_floats_can_hold(norm: Any) -> None:
    for noise in (Laplace(epsilon=1, sensitivity=norm), Gaussian(sensitivity=norm, rho="0.51")):
        assert -1021 <= noise._exponent(10**6) <= noise._log2_step <= 896
        released = np.asarray(noise.release(np.zeros(10**6)))
        assert np.isfinite(released).all()
        assert np.abs(released).mean() > float(norm) / 2


def test_one_grid_for_noise_value_and_bound() -> None:
    """An array without coordinates is released as with as many, to the bit."""
    x = np.linspace(-5, 5, 3000)
    for kind, given in (
        (Laplace, {"epsilon": "1e-6"}), (Gaussian, {"rho": "1e-17"}),
        (Gaussian, {"epsilon": 1e-9, "delta": 1e-12}),
    ):  # fmt: skip
        free = kind(**given, sensitivity=1)
        known = kind(**given, sensitivity=1, coordinates=3000)
        assert free._log2_step > free._exponent(3000) == known._log2_step
        released = [m.release(x, rng=SeededGenerator(5)) for m in (free, known)]
        assert np.array_equal(*released)
        assert (np.asarray(released[0]) / float(known.step) % 1 == 0).all()
        assert free.error_bound(count=3000) == known.error_bound(count=3000)
