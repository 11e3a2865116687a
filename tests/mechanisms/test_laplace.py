"""The Laplace mechanism on real numbers: exact sums on a grid, rounded once."""

import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cydp
from cydp import Gaussian, Laplace, PureDP
from cydp.testing import SeededGenerator

MOST = 2**126


def nearest(number: Any, exponent: int) -> int:
    """Return the nearest multiple of the grid, by fractions, of a number that is cut."""
    unit = Fraction(2) ** exponent
    end = max(2**53, 2**113 * unit)
    if isinstance(number, float) and not math.isfinite(number):
        number = 0 if math.isnan(number) else end * (1 if number > 0 else -1)
    return min(max(round(min(max(Fraction(number), -end), end) / unit), -MOST), MOST)


def exactly(value: Any, noise: int, exponent: int) -> float:
    """Return what must be released."""
    return float((nearest(value, exponent) + noise) * Fraction(2) ** exponent)


NUMBERS = (
    st.floats(width=64) | st.integers(-(2**70), 2**70) | st.floats(-1e3, 1e3)
    | st.integers(-(2**60), 2**60).map(lambda n: n * 2.0**-40)
    | st.integers(-(2**54), 2**54).map(lambda n: (n + 0.5) * 2.0**-40)
)  # fmt: skip


@given(NUMBERS, st.sampled_from([1, Fraction(1, 3), 1000, Fraction(1, 10**6)]), st.integers(0, 99))
def test_every_release_is_the_exact_sum_rounded_once(x: Any, epsilon: Any, seed: int) -> None:
    for m in (
        Laplace(epsilon=epsilon, sensitivity=1),
        Laplace(epsilon=epsilon, sensitivity="0.1", step=2.0**-20),
    ):
        scale = (m.sensitivity / m.step + 1) / m.epsilon
        noise = SeededGenerator(seed).discrete_laplace(scale)
        assert m.release(x, rng=SeededGenerator(seed)) == exactly(x, noise, m._log2_step)
    for m in (Gaussian(rho=0.5, sensitivity=1), Gaussian(sensitivity=2, sigma="0.1", step=2**-10)):
        noise = SeededGenerator(seed).discrete_gaussian(sigma2=m.sigma2 / m.step**2)
        assert m.release(x, rng=SeededGenerator(seed)) == exactly(x, noise, m._log2_step)


@given(st.lists(NUMBERS, min_size=1, max_size=30), st.integers(0, 99))
def test_arrays_pay_for_the_rounding_of_each_entry(x: list[Any], seed: int) -> None:
    for m in (
        Laplace(epsilon=1, sensitivity=1),
        Laplace(epsilon=1, sensitivity=1, coordinates=3),
        Laplace(epsilon=1, sensitivity=1, step=1),  # its scale grows by a step with each entry
    ):
        n = m.coordinates or len(x)
        scale = (m.sensitivity / m.step + n) / m.epsilon
        noise = SeededGenerator(seed).discrete_laplace(scale, len(x))
        released = m.release(x, rng=SeededGenerator(seed))
        expected = [exactly(a, int(z), m._log2_step) for a, z in zip(x, noise, strict=True)]
        assert released.tolist() == expected  # type: ignore[union-attr]


def test_parameters() -> None:
    m = Laplace(epsilon=0.1, sensitivity=3)
    assert (m.epsilon, m.sensitivity, m.loss) == (Fraction(1, 10), 3, PureDP(0.1))
    # The largest power of two at or below (3 / 0.1) / 2**40.
    assert m.step == Fraction(2**4, 2**40)
    assert m.scale == (3 + m.step) * 10
    assert Laplace(epsilon=1, sensitivity=1).step == Fraction(1, 2**40)
    assert Laplace(epsilon=1, sensitivity=1, coordinates=5).scale == 1 + 5 * Fraction(1, 2**40)
    assert Laplace(epsilon=1, sensitivity=1, step="1/8").scale == Fraction(9, 8)
    assert Laplace(epsilon=1, sensitivity=2**100).step == 2**60
    for each in (m, Laplace(epsilon=1, sensitivity=1, coordinates=2)):
        assert eval(repr(each), vars(cydp)) == pickle.loads(pickle.dumps(each)) == each


@pytest.mark.parametrize("kind", ["Laplace", "Gaussian"])
def test_shapes_and_dtypes(kind: str) -> None:
    mechanism: Any = {
        "Laplace": Laplace(epsilon=1, sensitivity=1), "Gaussian": Gaussian(rho=1, sensitivity=1)
    }[kind]  # fmt: skip
    release = mechanism.release
    assert type(release(1)) is type(release(1.5)) is type(release(np.float32(1))) is float
    for shape in ((), (0,), (3,), (2, 3), (2, 0)):
        released = release(np.zeros(shape))
        assert isinstance(released, np.ndarray)
        assert (released.shape, released.dtype) == (shape, np.float64)
    assert release([1, 2.5]).shape == release((1, 2)).shape == (2,)
    grid = float(mechanism.step)
    x = np.arange(12).reshape(3, 4) * 1e6
    others = [x.astype(dtype) for dtype in (">f8", "f4", "i8", "u2", "u8")]
    for given_ in (x.T, x[::-1, ::2], *others):
        before = given_.copy()
        released = release(given_)
        assert np.abs(released - given_).max() < 100
        assert (released / grid % 1 == 0).all()
        assert (given_ == before).all()
    for big in (np.uint64(2**64 - 1), np.int64(2**63 - 1), 2**80, [2**70]):
        expected = min(int(np.ravel(np.array(big, object))[0]), 2**113 * mechanism.step)
        assert abs(Fraction(float(np.ravel(release(big))[0])) - expected) < 100 + expected / 2**52


def test_error_bounds() -> None:
    """Half a step is for the rounding of the value, and a bound is rounded up to a float."""
    m = Laplace(epsilon=0.5, sensitivity=3)
    assert m.variance == pytest.approx(2 * 36, rel=1e-9)
    for confidence in (0.5, 0.95, "0.999999"):
        expected = 6 * math.log(1 / (1 - float(confidence)))
        assert m.error_bound(confidence) == pytest.approx(expected, rel=1e-9)
    both = m.error_bound(0.95, count=10)
    assert both == pytest.approx(-6 * math.log(-math.expm1(math.log(0.95) / 10)), rel=1e-9)
    coarse = Laplace(epsilon=1, sensitivity=1, step=4, coordinates=1)
    steps = coarse._discrete(1).error_bound(0.5) + Fraction(1, 2)
    assert coarse.error_bound(0.5) == 4 * steps
    many = Laplace(epsilon=1, sensitivity=1, step=1)  # an array pays for the rounding of each entry
    known = Laplace(epsilon=1, sensitivity=1, step=1, coordinates=100)
    assert many.error_bound(0.95, count=100) == known.error_bound(0.95, count=100)
    assert known.error_bound() > 90 > 10 > many.error_bound()
    wide = Laplace(epsilon=Fraction(1, 2**51), sensitivity=1, step=1, coordinates=1)
    for share in range(65, 85):
        confidence = Fraction(share, 100)
        exact = wide._bound_noise(confidence, 1) + Fraction(1, 2)  # no float
        assert wide.error_bound(confidence) >= exact > math.nextafter(float(exact), 0) - 2
