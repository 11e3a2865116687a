"""`release(..., out=)`: the same numbers, where the caller says; a bad out costs nothing."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from exact.functions_called import functions_called
from hypothesis import given
from hypothesis import strategies as st

import cydp
from cydp import BudgetLedger, PrivacyFilter, PureDP, exact
from cydp._core import add_noise_to_one
from cydp._samplers import prepare_discrete_laplace, read_bernoulli
from cydp.testing import SeededGenerator

INTEGERS: list[Any] = [
    cydp.DiscreteLaplace(epsilon=1, sensitivity=3),
    cydp.DiscreteLaplace(epsilon=1, sensitivity=2**54),  # its noise may saturate
    cydp.DiscreteGaussian(rho=1, sensitivity=5),
]
REALS: list[Any] = [
    cydp.Laplace(epsilon=1, sensitivity=1),
    cydp.Gaussian(rho=1, sensitivity=1),
    cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)),
]
ADDING = INTEGERS + REALS
CODES: list[Any] = [
    cydp.RandomizedResponse(epsilon=1),
    cydp.RandomizedResponse(epsilon="0.1", n_categories=5),
]
ALL = ADDING + CODES
ids = {"ids": lambda mechanism: repr(mechanism)[:60]}

VALUES: list[Callable[[], Any]] = [
    lambda: np.arange(7),
    lambda: np.arange(7, dtype=np.int8),
    lambda: np.arange(7, dtype=">i4"),
    lambda: np.arange(14, dtype=np.uint64)[::2] + np.uint64(2**63),
    lambda: np.arange(12).reshape(3, 4),
    lambda: np.arange(12).reshape(3, 4).T,
    lambda: np.array(3),
    lambda: np.empty((0, 2), int),
    lambda: [0, 1, 2],
    lambda: [[0, None], [1, 2**80]],
    lambda: pd.Series([1, 0, 1], index=list("abc")),
    lambda: pa.array([1, None, 0]),
    lambda: 1,
]


@pytest.mark.parametrize("mechanism", ALL, **ids)
def test_out_gets_what_is_returned_without_it(mechanism: Any) -> None:
    wrong = []
    for i, make in enumerate(VALUES):
        expected = np.asarray(mechanism.release(make(), rng=SeededGenerator(1)))
        out = np.full(expected.shape, 99, expected.dtype.newbyteorder("="))
        if mechanism.release(make(), rng=SeededGenerator(1), out=out) is not out:
            wrong.append(i)
        if not np.array_equal(out, expected):
            wrong.append(i)
    assert wrong == []
    for n in (1, 255, 5000):  # it may be the value
        value = (np.arange(n) % 4).astype(np.float64 if mechanism in REALS else np.int64)
        expected = mechanism.release(value, rng=SeededGenerator(1))
        assert mechanism.release(value, rng=SeededGenerator(1), out=value) is value
        assert np.array_equal(value, expected)


@pytest.mark.parametrize("mechanism", ALL, **ids)
def test_out_may_be_behind_a_series(mechanism: Any) -> None:
    """A Series does not show what shares its memory: it is read before it is written."""
    memory = (np.arange(300) % 2).astype(np.float64 if mechanism in REALS else np.int64)
    series = pd.Series(memory, copy=False)
    expected = mechanism.release(series, rng=SeededGenerator(1)).to_numpy()
    assert mechanism.release(series, rng=SeededGenerator(1), out=memory) is memory
    assert np.array_equal(memory, expected)


def test_a_refused_charge_leaves_out_alone() -> None:
    out = np.full(3, 7)
    with pytest.raises(cydp.BudgetExceededError):
        INTEGERS[0].release([1, 2, 3], budget=PrivacyFilter(PureDP("0.5")), out=out)
    assert out.tolist() == [7, 7, 7]


def test_a_recorded_result_is_written_to_out(tmp_path: Path) -> None:
    ledger = BudgetLedger.create(tmp_path / "ledger", PureDP(2), privacy_unit="person")
    value = np.array([10, 20, 30])
    first = INTEGERS[0].release(value, budget=ledger.scope(charge_id="once"))
    for out in (np.zeros(3, int), value.copy()):
        again = INTEGERS[0].release(out, budget=ledger.scope(charge_id="once"), out=out)
        assert again is out
        assert np.array_equal(out, first)
    out = np.zeros(3, int)
    written = INTEGERS[0].release(value, budget=ledger.scope(charge_id="other"), out=out)
    assert written is out
    recorded = INTEGERS[0].release(value, budget=ledger.scope(charge_id="other"))
    assert np.array_equal(out, recorded)
    assert ledger.spent == PureDP(2)


@pytest.mark.parametrize("mechanism", REALS[:2], ids=["Laplace", "Gaussian"])
def test_out_of_exact_sums(mechanism: Any) -> None:
    groups = exact.grouped_clamped_sum([0, 2, 2], [1, 0.5, 0.25], 3, (0, 1))
    one = exact.clamped_sum([1, 0.5], (0, 1))
    for total, shape in ((groups, (3,)), (one, ())):
        expected = mechanism.release(total, rng=SeededGenerator(1))
        out = np.zeros(shape)
        assert mechanism.release(total, rng=SeededGenerator(1), out=out) is out
        assert np.array_equal(out, expected)
        with pytest.raises(ValueError, match="out must have the shape of value"):
            mechanism.release(total, out=np.zeros(4))
    with pytest.raises(ValueError, match="memory apart"):
        mechanism.release(groups, out=groups.units.view(np.float64))
    with pytest.raises(TypeError, match="not an exact sum"):
        REALS[2].release(groups, out=np.zeros(3))


ENDS = [0, 1, -1, 2**61, 2**62, 2**62 + 1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**40]


@pytest.mark.parametrize("mechanism", INTEGERS, **ids)
@given(st.one_of(st.integers(), st.sampled_from(ENDS)), st.integers(0, 50))
def test_an_int_is_released_as_an_array_of_one(mechanism: Any, value: int, seed: int) -> None:
    """The quickest way takes the same noise and has the same ends."""
    rng, other = SeededGenerator(seed), SeededGenerator(seed)
    quick, array = mechanism.release(value, rng=rng), mechanism.release([value], rng=other)
    assert type(quick) is int
    assert quick == array[0]
    assert rng.bytes(8) == other.bytes(8)
    charged = mechanism.release(
        value, budget=PrivacyFilter(mechanism.loss), rng=cydp.Generator(fixed_work=True)
    )
    assert type(charged) is int


@pytest.mark.parametrize("mechanism", INTEGERS, **ids)
def test_no_int_chooses_the_path(mechanism: Any) -> None:
    rng = SeededGenerator(1)
    mechanism.release(1, rng=rng)
    paths = [functions_called(partial(mechanism.release, value, rng=rng)) for value in ENDS]
    assert all(path == paths[0] for path in paths)


@pytest.mark.parametrize("mechanism", INTEGERS, **ids)
def test_what_is_no_plain_int_takes_the_long_way(mechanism: Any) -> None:
    expected = mechanism.release(3, rng=SeededGenerator(2))
    for value in (np.int8(3), np.array(3), [3]):
        found = mechanism.release(value, rng=SeededGenerator(2))
        assert np.asarray(found).reshape(-1).tolist() == [expected]


def test_one_integer_takes_a_sampler_of_integers() -> None:
    stream = SeededGenerator(1)._stream
    with pytest.raises(ValueError, match="the sampler must be one of int64"):
        add_noise_to_one(0, False, stream, read_bernoulli("1/3"))
    with pytest.raises(OverflowError):
        add_noise_to_one(2**63, False, stream, prepare_discrete_laplace(Fraction(1)))
