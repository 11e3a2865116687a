"""mechanisms/_laplace.py: parameters, formulas, release; ends of all integer noise."""

import dataclasses
import math
import pickle
from fractions import Fraction

import numpy as np
from reference import discrete_laplace as oracle

import cydp
from cydp import DiscreteGaussian, DiscreteLaplace
from cydp.testing import SeededGenerator

BITS = 200


def test_parameters_are_exact_frozen_and_pickle() -> None:
    m = DiscreteLaplace(epsilon=0.1, sensitivity=3)
    assert (m.epsilon, m.sensitivity, m.scale) == (Fraction(1, 10), 3, 30)
    assert m.loss == cydp.PureDP("0.1")
    assert m == DiscreteLaplace(epsilon="1/10", sensitivity=3.0)
    assert eval(repr(m), vars(cydp)) == pickle.loads(pickle.dumps(m)) == m
    assert dataclasses.fields(m)
    assert m.__dataclass_params__.frozen  # type: ignore[attr-defined]
    # A float sensitivity is read up, to its binary value or its digits.
    for floating in (0.1, 0.3):
        norm = DiscreteLaplace(epsilon=1, sensitivity=floating).sensitivity
        assert norm == max(Fraction(floating), Fraction(str(floating)))


def test_error_bounds_are_least() -> None:
    """P(|X| <= h)^count reaches the confidence, and P(|X| <= h - 1)^count does not."""
    wrong = []
    for scale in map(Fraction, ("1/7", "1/2", "1", "10", "1000/3", 2**30)):
        m, slack = DiscreteLaplace(epsilon=1 / scale, sensitivity=1), 1e-9 if scale < 1000 else 1e-3
        for text in ("1/2", "0.95", "0.999999999"):
            for count in (1, 10, 10**6):
                h, miss = m.error_bound(text, count=count), float(1 - Fraction(text))
                chances = [
                    float(Fraction(oracle.tail_bounds(scale, bound, BITS)[1], 2**BITS))
                    for bound in (h + 1, max(h, 1))
                ]
                below, above = (-math.expm1(count * math.log1p(-chance)) for chance in chances)
                if below > miss * (1 + 1e-12) or (h and above <= miss * (1 - slack)):
                    wrong.append((scale, text, count, h))
    assert wrong == []


def test_extreme_confidences() -> None:
    m, normal = DiscreteLaplace(epsilon=1, sensitivity=1), DiscreteGaussian(sigma=10, sensitivity=1)
    far = 1 - Fraction(1, 10**400)
    assert 900 < m.error_bound(far) < 930
    assert m.error_bound(Fraction(1, 10**400)) == 0
    assert m.error_bound("1e-30", count=2) == 0
    assert m.error_bound(0.5, count=2**62) > 40
    assert 428 <= normal.error_bound(far) <= 432
    assert normal.error_bound(1 - Fraction(1, 10**250)) < normal.error_bound(far)


def test_release_adds_the_generators_noise() -> None:
    m, values = DiscreteLaplace(epsilon=0.1, sensitivity=1), np.arange(600).reshape(2, 300)
    noise = SeededGenerator(1).discrete_laplace(10, 600).reshape(2, 300)
    assert np.array_equal(m.release(values, rng=SeededGenerator(1)), values + noise)
    assert np.array_equal(values, np.arange(600).reshape(2, 300))  # the input is left alone
    assert m.release(7, rng=SeededGenerator(2)) == 7 + SeededGenerator(2).discrete_laplace(10)
    normal = DiscreteGaussian(sigma=10, sensitivity=1)
    noise = SeededGenerator(3).discrete_gaussian(10, size=600).reshape(2, 300)
    assert np.array_equal(normal.release(values, rng=SeededGenerator(3)), values + noise)


def test_release_of_every_dtype_and_shape() -> None:
    still = DiscreteLaplace(epsilon=1000, sensitivity=1)  # the noise is 0
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"):
        values = np.arange(100).astype(dtype)[::-2]
        released = still.release(values)
        assert released.dtype == np.int64
        assert np.array_equal(released, values)
    m = DiscreteLaplace(epsilon=1, sensitivity=1)
    assert type(m.release(3)) is type(m.release(np.int32(3))) is int
    for shape in [(0,), (), (2, 3), (1, 0, 2)]:
        released = m.release(np.zeros(shape, int))
        assert isinstance(released, np.ndarray)
        assert released.shape == shape
    assert m.release([1, 2, 3]).shape == (3,)
    assert m.release([]).shape == (0,)


LEAST, MOST = -(2**63), 2**63 - 1


def test_values_beyond_int64_are_clamped() -> None:
    m = DiscreteLaplace(epsilon=10**6, sensitivity=1)
    assert m.release(10**30) == MOST
    assert m.release(-(10**30)) == LEAST
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        expected = [max(limits.min, LEAST), min(limits.max, MOST)]
        assert m.release(np.array([limits.min, limits.max], dtype)).tolist() == expected
    assert m.release([2**63, -1]).tolist() == [MOST, -1]
    assert m.release([[2**64], [-(2**70)]]).tolist() == [[MOST], [LEAST]]


def test_noise_saturates_and_does_not_wrap() -> None:
    """Half of the noise at an end goes beyond it, and is cut there."""
    for noise in (DiscreteLaplace(epsilon=Fraction(1, 2**50), sensitivity=1),
                  DiscreteGaussian(sigma=2**56, sensitivity=1)):  # fmt: skip
        for end in (LEAST, MOST):
            noisy = noise.release(np.full(1000, end))
            assert (np.abs(noisy - end).astype(float) < 2**60).all()
            assert 300 < (noisy == end).sum() < 700
    # Noise that may stop saturates early: every neighbour reaches the same ends.
    end, wide = 2**62 - 1, DiscreteLaplace(epsilon=Fraction(1, 2**56), sensitivity=1)
    noisy = wide.release(np.full(1000, MOST))
    assert (noisy <= end).all()
    assert (noisy >= end - 2**61).all()
    assert 300 < (noisy == end).sum() < 700
