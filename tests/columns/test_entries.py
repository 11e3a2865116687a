"""Of entries of subclasses no own method is called, and a signalling NaN warns nobody."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp import exact
from cydp._columns.reading import read_exact_numbers, read_group_codes, read_numbers
from cydp.testing import SeededGenerator


def fails(self: Any, *given: Any, **named: Any) -> Any:
    raise ValueError("31415, which is data")


OVERRIDDEN = ("encode", "item", "tobytes", "__int__", "__index__", "__float__", "__bytes__",
              "__str__", "__len__", "__iter__", "__getitem__", "__bool__", "__abs__", "__lt__",
              "__gt__", "__le__", "__ge__", "__neg__", "__trunc__", "__mod__")  # fmt: skip


def subclass_of(base: type) -> Callable[[Any], Any]:
    own = {name: fails for name in OVERRIDDEN if hasattr(base, name) or name == "__index__"}
    if issubclass(base, float):
        del own["__index__"]
    return type(f"own {base.__name__}", (base,), own)


def objects(x: list[Any]) -> np.ndarray:
    array = np.empty(len(x), object)
    array[:] = x
    return array


STRINGS = [(str, ["a", "b\ud800"]), (bytes, [b"a", b"long " * 9])]
INTEGERS = [(int, [7, -1]), (int, [2**64 + 1, 10**5000]), (np.int64, [7, -1]), (np.uint8, [7, 1])]
FLOATS = [(float, [0.5, 2.0]), (np.float64, [0.5, 2.0]), (np.float32, [0.5, 2.0])]
SHAPES: list[Callable[[list[Any]], Any]] = [list, tuple, objects]
NOISE: list[Any] = [
    cydp.Laplace(epsilon=1, sensitivity=1),
    cydp.Gaussian(rho=1, sensitivity=1),
    cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=(-100, 100)),
]
INTEGER_NOISE: list[Any] = [
    cydp.DiscreteLaplace(epsilon=1, sensitivity=1),
    cydp.DiscreteGaussian(rho=1, sensitivity=1),
]
SELECTIONS: list[Any] = [
    cydp.ExponentialMechanism(epsilon=1, sensitivity=1),
    cydp.PermuteAndFlip(epsilon=1, sensitivity=1),
]


@pytest.mark.parametrize("shape", SHAPES, ids=["list", "tuple", "objects"])
def test_entries_of_subclasses_are_read_as_their_own_type(
    shape: Callable[[list[Any]], Any],
) -> None:
    for base, values in STRINGS + INTEGERS:
        own = shape([*map(subclass_of(base), values), None, values[0]])
        assert exact.match_keys(own, values).tolist() == [0, 1, 2, 0]
        assert exact.value_counts(own, values[::-1]).tolist() == [1, 2]
        stays = exact.bound_contributions(own, own, max_partitions=1, rng=SeededGenerator(1))
        assert stays.tolist()[1:3] == [True, False]
        assert stays.sum() == 2
    for base, values in INTEGERS + FLOATS:
        own, plain = shape([*map(subclass_of(base), values), None]), [*map(base, values), None]
        for read in (read_numbers, read_exact_numbers):
            assert read(own).tolist() == read(plain).tolist()
        if (base, values) in INTEGERS:
            assert read_group_codes(own).tolist() == read_group_codes(plain).tolist()


@pytest.mark.parametrize("number", range(len(INTEGERS + FLOATS)))
def test_mechanisms_release_subclasses_as_the_type_that_they_derive_from(number: int) -> None:
    base, values = (INTEGERS + FLOATS)[number]
    own = list(map(subclass_of(base), values))
    is_integer = (base, values) in INTEGERS
    for mechanism in [*NOISE, *(INTEGER_NOISE if is_integer else [])]:
        pairs = [(own, list(map(base, values)))]
        if base in (int, float):
            pairs.append((own[0], base(values[0])))
        for given, expected in pairs:
            released = mechanism.release(given, rng=SeededGenerator(1))
            assert np.array_equal(released, mechanism.release(expected, rng=SeededGenerator(1)))
    assert SELECTIONS[0].release(own) in (0, 1)
    if is_integer:
        response = cydp.RandomizedResponse(epsilon=1, n_categories=8)
        assert response.release(own).shape == (2,)


SIGNALLING = np.frombuffer(np.uint32(0x7FA00000).tobytes(), np.float32)
BOTH = np.concatenate([SIGNALLING, np.ones(1, np.float32)])
COLUMNS: dict[str, Callable[[], Any]] = {
    "list": lambda: [SIGNALLING[0], np.float32(1)],
    "mixed list": lambda: [1.0, SIGNALLING[0]],
    "array": lambda: BOTH,
    "pandas": lambda: pd.Series(BOTH),
    "nullable": lambda: pd.Series(pd.arrays.FloatingArray(BOTH, np.zeros(2, bool))),
    "polars": lambda: pl.Series(BOTH),
    "pyarrow": lambda: pa.array(BOTH),
}
CALLS: list[Callable[[Any], object]] = [
    lambda x: cydp.histogram(x, 4, (0, 4), epsilon=1),
    lambda x: exact.histogram(x, 4, (0, 4)),
    lambda x: exact.clamped_sum(x, (0, 1)),
    lambda x: exact.grouped_clamped_sum([0, 0], x, 1, (0, 1)),
    lambda x: exact.HistogramAccumulator(4, (0, 4)).update(x),
    lambda x: exact.GroupedAccumulator(1, sums={"a": (0, 1)}).update([0, 0], a=x),
    *(mechanism.release for mechanism in NOISE + SELECTIONS),
]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_signalling_nan_warns_nobody(column: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in CALLS:
            call(COLUMNS[column]())
