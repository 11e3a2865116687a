"""The Laplace mechanism on real numbers: exact sums on a grid, rounded once."""

import dataclasses
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from generator.streams import Seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples
from samplers.goodness_of_fit import LIMIT, REJECTED, cells, ends_of, p_value

import cydp
from cydp import (
    BudgetExceededError,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    PrivacyFilter,
    PureDP,
    Snapping,
)
from cydp.testing import SeededGenerator

fixed = settings(derandomize=True, deadline=None, max_examples=examples(300))
MOST = 2**126


def exactly(value: Any, noise: int, exponent: int) -> float:
    """Return what must be released, by fractions."""
    unit = Fraction(2) ** exponent
    if isinstance(value, float) and math.isnan(value):
        value = 0
    if isinstance(value, float) and math.isinf(value):
        units = round(max(2**53 / unit, 2**113)) * (1 if value > 0 else -1)
    else:
        end = max(2**53, 2**113 * unit)
        units = round(min(max(Fraction(value), -end), end) / unit)
    total = min(max(units, -MOST), MOST) + noise
    return float(total * unit)


NUMBERS = (
    st.floats(width=64) | st.integers(-(2**70), 2**70) | st.floats(-1e3, 1e3)
    | st.integers(-(2**60), 2**60).map(lambda n: n * 2.0**-40)
    | st.integers(-(2**54), 2**54).map(lambda n: (n + 0.5) * 2.0**-40)
)  # fmt: skip


@fixed
@given(NUMBERS, st.sampled_from([1, Fraction(1, 3), 1000, Fraction(1, 10**6)]), st.integers(0, 99))
def test_every_release_is_the_exact_sum_rounded_once(x: Any, epsilon: Any, seed: int) -> None:
    for m in (
        Laplace(epsilon=epsilon, sensitivity=1),
        Laplace(epsilon=epsilon, sensitivity="0.1", step=2.0**-20),
    ):
        scale = (m.sensitivity / m.step + 1) / m.epsilon
        noise = SeededGenerator(seed).discrete_laplace(scale)
        assert m.release(x, rng=SeededGenerator(seed)) == exactly(x, noise, m._log2_step)


@fixed
@given(st.lists(NUMBERS, min_size=1, max_size=30), st.integers(0, 99))
def test_arrays_pay_for_the_rounding_of_each_entry(x: list[Any], seed: int) -> None:
    for m in (Laplace(epsilon=1, sensitivity=1), Laplace(epsilon=1, sensitivity=1, coordinates=3)):
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
    assert eval(repr(m), vars(cydp)) == m
    assert eval(repr(Laplace(epsilon=1, sensitivity=1, coordinates=2)), vars(cydp)) == Laplace(
        epsilon=1, sensitivity=1, coordinates=2
    )
    assert pickle.loads(pickle.dumps(m)) == m
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.epsilon = Fraction(1)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("args", "error", "says"),
    [
        ({"epsilon": 0}, ValueError, "epsilon"),
        ({"epsilon": -1}, ValueError, "epsilon"),
        ({"epsilon": math.nan}, ValueError, "epsilon"),
        ({"epsilon": math.inf}, ValueError, "epsilon"),
        ({"epsilon": "1e400000"}, ValueError, "epsilon"),
        ({"epsilon": True}, TypeError, "epsilon"),
        ({"epsilon": 1j}, TypeError, "epsilon"),
        ({"epsilon": np.array([1.0])}, TypeError, "epsilon"),
        ({"epsilon": "1e-400"}, ValueError, "epsilon must be larger"),
        ({"sensitivity": 0}, ValueError, "sensitivity"),
        ({"sensitivity": math.inf}, ValueError, "sensitivity must be finite"),
        ({"sensitivity": "1e-400"}, ValueError, "sensitivity must give a scale"),
        ({"step": 3}, ValueError, "power of two"),
        ({"step": 0}, ValueError, "power of two"),
        ({"step": -1}, ValueError, "power of two"),
        ({"step": 0.1}, ValueError, "power of two"),
        ({"step": "x"}, ValueError, "step"),
        ({"step": 2.0**-60}, ValueError, "steps of the grid"),
        ({"step": 2**1000}, ValueError, r"2\*\*896"),
        ({"coordinates": 0}, ValueError, "coordinates"),
        ({"coordinates": 2**60}, ValueError, "coordinates"),
        ({"coordinates": 1.5}, TypeError, "coordinates"),
        ({"coordinates": True}, TypeError, "coordinates"),
    ],
    ids=str,
)
def test_bad_parameters(args: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        Laplace(**{"epsilon": 1, "sensitivity": 1, **args})


@pytest.mark.parametrize(
    "mechanism",
    [Laplace(epsilon=1, sensitivity=1), Gaussian(rho=1, sensitivity=1)],
    ids=["Laplace", "Gaussian"],
)
def test_shapes_and_dtypes(mechanism: Any) -> None:
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


@pytest.mark.parametrize(
    "mechanism",
    [Laplace(epsilon=1, sensitivity=1), Gaussian(rho=1, sensitivity=1)],
    ids=["Laplace", "Gaussian"],
)
@pytest.mark.parametrize(
    "value",
    [True, "1", None, [1, "2"], [True], np.array([True]), np.array(["1"]), np.ma.array([1.0]), 1j,
     np.zeros(2, complex), np.zeros(2, np.longdouble), [[1], [2, 3]], Fraction(1)],
    ids=str,
)  # fmt: skip
def test_wrong_values(mechanism: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and not np.ma.isMA(value):
        pytest.skip("long double is double here")
    budget = PrivacyFilter(cydp.ZCDP(10))
    with pytest.raises((TypeError, ValueError), match=r"value|inhomogeneous"):
        mechanism.release(value, budget=budget)
    assert budget.spent == cydp.ZCDP(0)


class NoShape:
    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return np.zeros(1000)


class OtherShape(NoShape):
    dtype, shape = np.dtype(np.float64), (2,)


class OtherDtype(NoShape):
    dtype, shape = np.dtype(np.int64), (1000,)


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace(epsilon=1, sensitivity=1),
        Gaussian(rho=1, sensitivity=1),
        Snapping(epsilon=1, sensitivity=1, bounds=(-100, 100)),
        DiscreteLaplace(epsilon=1, sensitivity=1),
    ],
    ids=str,
)
def test_arrays_are_what_they_say(mechanism: Any) -> None:
    """Entries are counted before they are read: who hides them would pay for one."""
    with pytest.raises(TypeError, match="value must be"):
        mechanism.release(NoShape())
    for liar in (OtherShape(), OtherDtype()):
        with pytest.raises((ValueError, TypeError), match="value must"):
            mechanism.release(liar)
    for column in (pa.array(["secret"]), pl.Series(["secret"]), pd.array(["secret"])):
        with pytest.raises(TypeError, match=r"value must (be|hold) ") as error:
            mechanism.release(column)
        assert "secret" not in str(error.value)


class Unreadable:
    """An array that says what it is, and must not be asked for more."""

    dtype, shape, ndim = np.dtype(np.float64), (3,), 1

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("was read")


@pytest.mark.parametrize(
    "mechanism",
    [Laplace(epsilon=1, sensitivity=1), Gaussian(rho=1, sensitivity=1)],
    ids=["Laplace", "Gaussian"],
)
def test_budgets_pay_before_values_are_read(mechanism: Any) -> None:
    budget = PrivacyFilter(mechanism.loss)
    with pytest.raises(TypeError, match="must not be seeded"):
        mechanism.release(1.5, budget=budget, rng=SeededGenerator(1))
    with pytest.raises(TypeError, match="rng must be"):
        mechanism.release(1.5, budget=budget, rng=np.random.default_rng(1))
    with pytest.raises(TypeError, match="budget must be"):
        mechanism.release(1.5, budget=1)
    with pytest.raises(AssertionError, match="was read"):
        mechanism.release(Unreadable(), budget=budget)
    assert budget.spent == mechanism.loss or budget.spent.epsilon == 1
    with pytest.raises(BudgetExceededError):
        mechanism.release(Unreadable(), budget=budget)


def test_formulas(seeded: Seeded) -> None:
    m = Laplace(epsilon=0.5, sensitivity=3)
    assert m.variance == pytest.approx(2 * 36, rel=1e-9)
    for confidence in (0.5, 0.95, "0.999999"):
        expected = 6 * math.log(1 / (1 - float(confidence)))
        assert m.error_bound(confidence) == pytest.approx(expected, rel=1e-9)
    both = m.error_bound(0.95, count=10)
    assert both == pytest.approx(-6 * math.log(-math.expm1(math.log(0.95) / 10)), rel=1e-9)
    coarse = Laplace(epsilon=1, sensitivity=1, step=4, coordinates=1)
    assert coarse.error_bound(0.5) % 4 == 2
    released = np.asarray(coarse.release(np.full(10_000, 1.9), rng=seeded(1)))
    inside = (np.abs(released - 1.9) <= coarse.error_bound(0.9)).mean()
    assert inside > 0.89
    many = Laplace(epsilon=1, sensitivity=1, step=1)  # an array pays for the rounding of each entry
    bound = many.error_bound(0.95, count=100)
    assert bound == Laplace(epsilon=1, sensitivity=1, step=1, coordinates=100).error_bound(
        0.95, count=100
    )
    kept = [np.abs(np.asarray(many.release(np.zeros(100)))).max() <= bound for _ in range(200)]
    assert np.mean(kept) > 0.85


def test_goodness_of_fit(seeded: Seeded) -> None:
    """In steps of a coarse grid; mutants: the rounding not paid for, a scale 2 % larger."""
    m, n = Laplace(epsilon=1, sensitivity=1, step=0.25, coordinates=1), 10**6
    released = np.asarray(m.release(np.full(n, 3.1), rng=seeded(3)))
    samples = ((released - 3.0) * 4).astype(int)
    tail = _tail(5)
    ends, probabilities = cells(ends_of(1, 80), tail, n)
    assert p_value([samples], n, ends, probabilities) > LIMIT
    for mutant in (_tail(4), _tail(Fraction(51, 10))):
        ends, probabilities = cells(ends_of(1, 80), mutant, n)
        assert p_value([samples], n, ends, probabilities) < REJECTED


def _tail(scale: Any) -> Any:
    p = math.exp(-1 / float(scale))
    return lambda k: Fraction(1) if k == 0 else Fraction(2 * p**k / (1 + p))
