"""mechanisms/_discrete_laplace.py: parameters, formulas, release."""

import dataclasses
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import discrete_laplace as oracle

import cydp
from cydp import DiscreteLaplace
from cydp.testing import SeededGenerator

BITS = 200


def test_parameters_are_exact() -> None:
    m = DiscreteLaplace(epsilon=0.1, sensitivity=3)
    assert (m.epsilon, m.sensitivity, m.scale) == (Fraction(1, 10), 3, 30)
    assert m.loss == cydp.PureDP("0.1")
    assert repr(m) == "DiscreteLaplace(epsilon=0.1, sensitivity=3)"
    assert m == DiscreteLaplace(epsilon="1/10", sensitivity=3.0)


def test_mechanisms_pickle_and_are_frozen() -> None:
    m = DiscreteLaplace(epsilon="1/3", sensitivity=1)
    assert pickle.loads(pickle.dumps(m)) == m
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.epsilon = Fraction(2)  # type: ignore[misc]


@pytest.mark.parametrize("name", ["epsilon", "sensitivity"])
@pytest.mark.parametrize(
    "value",
    [
        0,
        -1,
        float("nan"),
        float("inf"),
        5e-324,
        "1e400000",
        "x",
        pytest.param(10**10**6, id="huge"),
    ],
)
def test_bad_values(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"{name}|scale"):
        DiscreteLaplace(**{"epsilon": 1, "sensitivity": 1, name: value})


@pytest.mark.parametrize("name", ["epsilon", "sensitivity"])
@pytest.mark.parametrize("value", [True, None, [1], np.array([1.0]), 1j])
def test_bad_types(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=name):
        DiscreteLaplace(**{"epsilon": 1, "sensitivity": 1, name: value})


@pytest.mark.parametrize("epsilon", [2 * 10**6, Fraction(1, 2**57)])
def test_scales_that_cannot_be_drawn_are_refused(epsilon: Any) -> None:
    with pytest.raises(ValueError, match="epsilon must give a scale"):
        DiscreteLaplace(epsilon=epsilon, sensitivity=1)


@pytest.mark.parametrize("scale", ["1/7", "1", "10", "1000/3", str(2**20)])
def test_formulas(scale: str) -> None:
    exact_scale, m = Fraction(scale), DiscreteLaplace(epsilon=1 / Fraction(scale), sensitivity=1)
    ks = sorted({0, 1, 2, 5, int(3 * exact_scale)})
    for k in ks:
        low, high = oracle.probability_bounds(exact_scale, k, BITS)
        assert m.pmf(k) == m.pmf(-k)
        assert math.isclose(m.pmf(k), (low + high) / 2 / 2**BITS, rel_tol=1e-12)
        upper = oracle.tail_bounds(exact_scale, k + 1, BITS)[0] / 2 / 2**BITS  # P(X > k)
        assert math.isclose(1 - m.cdf(k), upper, rel_tol=1e-9, abs_tol=1e-15)
        assert math.isclose(m.cdf(-k - 1), upper, rel_tol=1e-12)
    low, high = oracle.variance_bounds(exact_scale, BITS)
    assert math.isclose(m.variance, (low + high) / 2 / 2**BITS, rel_tol=1e-12)
    assert np.array_equal(m.pmf(ks), [m.pmf(k) for k in ks])
    assert np.array_equal(m.cdf(np.array(ks)), [m.cdf(k) for k in ks])
    assert type(m.pmf(0)) is type(m.cdf(0)) is float


def test_tiny_scales_do_not_overflow() -> None:
    m = DiscreteLaplace(epsilon=10**6, sensitivity=1)
    assert (m.variance, m.pmf(0), m.pmf(1), m.error_bound()) == (0, 1, 0, 0)


@pytest.mark.parametrize("scale", ["1/7", "1/2", "1", "10", "1000/3", str(2**30)])
@pytest.mark.parametrize("confidence", ["1/2", "0.9", "0.95", "0.999", "0.999999999"])
@pytest.mark.parametrize("count", [1, 10, 10**6])
def test_error_bounds_are_least(scale: str, confidence: str, count: int) -> None:
    """P(|X| <= h)^count reaches the confidence, and that of h - 1 does not."""
    exact_scale, share = Fraction(scale), Fraction(confidence)
    h = DiscreteLaplace(epsilon=1 / exact_scale, sensitivity=1).error_bound(confidence, count=count)

    def misses(bound: int) -> float:
        chance = Fraction(oracle.tail_bounds(exact_scale, bound + 1, BITS)[1], 2**BITS)
        return -math.expm1(count * math.log1p(-float(chance)))

    assert misses(h) <= float(1 - share) * (1 + 1e-12)
    slack = 1e-9 if exact_scale < 2**20 else 1e-3
    assert h == 0 or misses(h - 1) > float(1 - share) * (1 - slack)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 1.5, float("nan"), "x"])
def test_bad_confidence(confidence: Any) -> None:
    with pytest.raises(ValueError, match="confidence"):
        DiscreteLaplace(epsilon=1, sensitivity=1).error_bound(confidence)


@pytest.mark.parametrize(
    ("count", "error"),
    [(0, ValueError), (-1, ValueError), (2**63, ValueError), (True, TypeError), (1.5, TypeError)],
)
def test_bad_count(count: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="count must"):
        DiscreteLaplace(epsilon=1, sensitivity=1).error_bound(count=count)


def test_release_adds_the_generators_noise() -> None:
    m, values = DiscreteLaplace(epsilon=0.1, sensitivity=1), np.arange(600).reshape(2, 300)
    noise = SeededGenerator(1).discrete_laplace(10, 600).reshape(2, 300)
    assert np.array_equal(m.release(values, rng=SeededGenerator(1)), values + noise)
    assert np.array_equal(values, np.arange(600).reshape(2, 300))  # the input is left alone
    assert m.release(7, rng=SeededGenerator(2)) == 7 + SeededGenerator(2).discrete_laplace(10)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"])
def test_release_of_every_integer_dtype(dtype: str) -> None:
    values = np.arange(100).astype(dtype)[::-2]
    released = DiscreteLaplace(epsilon=1000, sensitivity=1).release(values)  # the noise is 0
    assert released.dtype == np.int64
    assert np.array_equal(released, values)


def test_release_keeps_shapes() -> None:
    m = DiscreteLaplace(epsilon=1, sensitivity=1)
    assert type(m.release(3)) is int
    assert type(m.release(np.int32(3))) is int
    for shape in [(0,), (), (2, 3), (1, 0, 2)]:
        released = m.release(np.zeros(shape, int))
        assert isinstance(released, np.ndarray)
        assert released.shape == shape
    assert m.release([1, 2, 3]).shape == (3,)
    assert m.release([]).shape == (0,)


def test_release_saturates() -> None:
    m, least, most = DiscreteLaplace(epsilon=10**6, sensitivity=1), -(2**63), 2**63 - 1
    assert m.release(10**30) == most
    assert m.release(-(10**30)) == least
    for dtype in (np.int64, np.uint64):
        limits = np.iinfo(dtype)
        expected = [max(limits.min, least), min(limits.max, most)]
        assert m.release(np.array([limits.min, limits.max], dtype)).tolist() == expected
    for end in (least, most):  # noise of either sign, which must not wrap
        noisy = DiscreteLaplace(epsilon=Fraction(1, 2**50), sensitivity=1).release(
            np.full(1000, end)
        )
        assert (np.abs(noisy - end).astype(float) < 2**60).all()
        assert 300 < (noisy == end).sum() < 700


def test_release_saturates_early_where_noise_may_stop() -> None:
    end = 2**62 - 1
    m = DiscreteLaplace(epsilon=Fraction(1, 2**56), sensitivity=1)
    wide = m.release(np.full(1000, 2**63 - 1))
    assert (wide <= end).all()
    assert (wide >= end - 2**61).all()
    assert 300 < (wide == end).sum() < 700


@pytest.mark.parametrize(
    "value",
    [1.0, True, "1", None, [1.5], [True], [1, True, 2**70], np.zeros(3), np.array(["1"])],
)
def test_release_takes_integers_only(value: Any) -> None:
    with pytest.raises(TypeError, match="value must be"):
        DiscreteLaplace(epsilon=1, sensitivity=1).release(value)


@pytest.mark.parametrize("rng", [0, np.random.default_rng(0), "os", cydp.Generator])
def test_release_takes_cydp_generators_only(rng: Any) -> None:
    with pytest.raises(TypeError, match=r"rng must be a cydp\.Generator"):
        DiscreteLaplace(epsilon=1, sensitivity=1).release(1, rng=rng)


def test_release_of_lists_does_not_depend_on_their_length_in_bits() -> None:
    m = DiscreteLaplace(epsilon=10**6, sensitivity=1)
    assert m.release([2**63, -1]).tolist() == [2**63 - 1, -1]
    assert m.release([[2**64], [-(2**70)]]).tolist() == [[2**63 - 1], [-(2**63)]]


def test_release_refuses_masks() -> None:
    with pytest.raises(TypeError, match="mask"):
        DiscreteLaplace(epsilon=1, sensitivity=1).release(np.ma.array([1, 2], mask=[0, 1]))


def test_extreme_confidences() -> None:
    m = DiscreteLaplace(epsilon=1, sensitivity=1)
    assert m.error_bound(1 - Fraction(1, 10**400)) == m.error_bound(1 - Fraction(1, 10**400))
    assert 900 < m.error_bound(1 - Fraction(1, 10**400)) < 930
    assert m.error_bound(Fraction(1, 10**400)) == 0
    assert m.error_bound("1e-30", count=2) == 0
    assert m.error_bound(0.5, count=2**62) > 40


def test_messages_show_no_value() -> None:
    with pytest.raises(TypeError) as error:
        DiscreteLaplace(epsilon=1, sensitivity=1).release([123456.5])  # type: ignore[list-item]
    assert "123456" not in str(error.value)
