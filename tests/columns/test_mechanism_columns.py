"""Columns of other libraries are released as arrays of the same values are."""

import itertools
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cydp import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
)
from cydp._columns.declared import declare
from cydp._columns.mechanism_inputs import declare_codes, read_codes, read_floats
from cydp.mechanisms import PartitionSelection, Snapping
from cydp.testing import SeededGenerator

# Each with the value that stands for null in an array.
MECHANISMS: dict[str, tuple[Any, float]] = {
    "DiscreteLaplace": (DiscreteLaplace(epsilon=1, sensitivity=1), 0),
    "DiscreteGaussian": (DiscreteGaussian(sensitivity=1, rho=1), 0),
    "Laplace": (Laplace(epsilon=1, sensitivity=1), 0),
    "Gaussian": (Gaussian(sensitivity=1, rho=1), 0),
    "Snapping": (Snapping(epsilon=1, sensitivity=1, bounds=(-1000, 1000)), 0),
    "PartitionSelection": (PartitionSelection(epsilon=1, delta=0.1, max_partitions=1), 0),
    "RandomizedResponse": (RandomizedResponse(epsilon=1, n_categories=4), -1),
    "ExponentialMechanism": (ExponentialMechanism(epsilon=1, sensitivity=1), -(2**63)),
    "PermuteAndFlip": (PermuteAndFlip(epsilon=1, sensitivity=1), -(2**63)),
}
COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "list with NA": lambda values: [pd.NA if value is None else value for value in values],
    "pandas nullable": lambda values: pd.Series(values, dtype="Int64"),
    "pandas of pyarrow": lambda values: pd.Series(values, dtype="int64[pyarrow]"),
    "pandas array": lambda values: pd.array(values, dtype="Int64"),
    "polars": lambda values: pl.Series(values, dtype=pl.Int64),
    "pyarrow": lambda values: pa.array(values, pa.int64()),
    "pyarrow in chunks": lambda values: pa.chunked_array([values[:1], values[1:]], pa.int64()),
}
VALUES: list[Any] = [3, None, 2, 0, 1]


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_column_is_released_as_an_array_is(name: str) -> None:
    mechanism, null = MECHANISMS[name]
    filled = np.array([null if value is None else value for value in VALUES], np.int64)
    for (shape, column), seed in itertools.product(COLUMNS.items(), range(2)):
        from_array = mechanism.release(filled, rng=SeededGenerator(seed))
        from_column = mechanism.release(column(VALUES), rng=SeededGenerator(seed))
        assert np.array_equal(from_column, from_array), shape
        assert getattr(from_column, "dtype", int) == getattr(from_array, "dtype", int), shape


def test_real_numbers_with_nulls() -> None:
    values = [1.5, None, float("nan"), -2.25]
    for name in ("Laplace", "Gaussian", "Snapping"):
        mechanism, _ = MECHANISMS[name]
        expected = mechanism.release(np.array([1.5, 0, np.nan, -2.25]), rng=SeededGenerator(1))
        for column in (pl.Series(values), pa.array(values), pd.Series(values, dtype="Float64")):
            assert np.array_equal(mechanism.release(column, rng=SeededGenerator(1)), expected)


def test_integers_beyond_float64_are_rounded_towards_0() -> None:
    """Of every list and array alike: two that differ by 1 then do not differ by more."""
    sizes = [2**53 - 1, 2**53 + 1, 2**53 + 3, 2**54 + 3, 2**62 + 2**10 - 1, 2**63 - 1]
    for dtype, signs in ((np.int64, (1, -1)), (">i8", (1, -1)), (np.uint64, (1,))):
        integers = [sign * size for sign in signs for size in sizes]
        if dtype == np.uint64:
            integers += [2**63 + 2**11 - 1, 2**64 - 1]
        array = np.array(integers, dtype)
        for x in (integers, array, pl.Series(array.astype(array.dtype.newbyteorder("=")))):
            floats = read_floats(declare(x, "x", "numbers"), "x").tolist()
            for integer, rounded in zip(integers, floats, strict=True):
                exact = abs(int(rounded))
                assert exact <= abs(integer) < exact + max(1, 2 ** (exact.bit_length() - 53))
                assert (rounded < 0) == (integer < 0)


def test_a_null_score_is_below_every_other() -> None:
    for dtype in (pl.Int8, pl.Int64, pl.UInt64, pl.Float32, pl.Float64):
        low, high = (0, 100) if dtype == pl.UInt64 else (-100, -10)
        column = pl.Series([None, low, None, high, None], dtype=dtype)
        assert ExponentialMechanism(epsilon=100, sensitivity=1).release(column) == 3
        assert ExponentialMechanism(epsilon=1, sensitivity=1).release(
            pl.Series([None] * 5, dtype=dtype)
        ) in range(5)


def test_a_null_code_is_answered_by_a_uniform_category() -> None:
    column = pa.array([None] * 4000, pa.uint8())
    mechanism = RandomizedResponse(epsilon=50, n_categories=256)
    reports = mechanism.release(column, rng=SeededGenerator(1))
    assert reports.dtype == np.uint8
    # Uniform: at least 200 of 256 categories, but for a probability below 10^-200.
    assert len(set(reports.tolist())) > 200
    answers = [None] * 64 + [True, False]
    for given in (pa.array(answers, pa.bool_()), answers):
        flags = RandomizedResponse(epsilon=50).release(given, rng=SeededGenerator(2))
        assert flags.dtype == np.bool_
        assert flags[64:].tolist() == [True, False]
        assert set(flags[:64].tolist()) == {True, False}


def test_a_code_beyond_64_bits_is_one_that_is_no_category() -> None:
    for code in (2**63, 2**70, -(2**70)):
        given, dtype = declare_codes([code, 1], 4, "codes")
        assert dtype == np.int64
        first, second = read_codes(given, "codes").tolist()
        assert not 0 <= first < 4
        assert second == 1


def test_which_integers_stand_beside_flags_decides_about_no_error() -> None:
    """Not even -1, which takes the place of a null."""
    mechanism = RandomizedResponse(epsilon=1)
    for code in (-1, 0, 5, 2**70):
        with pytest.raises(TypeError, match="codes must be integers from 0 to 1, not bool"):
            mechanism.release([True, code])
    assert mechanism.release([True, None]).dtype == np.bool_


def test_a_series_keeps_its_index_and_name() -> None:
    for name, (mechanism, _) in MECHANISMS.items():
        if name in ("ExponentialMechanism", "PermuteAndFlip"):
            continue
        for dtype in ("int64", "Int64", "int8"):
            counts = pd.Series([3, 2, 1], index=list("abc"), dtype=dtype, name="people")
            released = mechanism.release(counts)
            assert isinstance(released, pd.Series)
            assert (released.index.tolist(), released.name) == (list("abc"), "people")
            assert released.dtype == mechanism.release(np.array([3, 2, 1], dtype.lower())).dtype


NO_COLUMNS: dict[str, Callable[[], Any]] = {
    "relation": lambda: duckdb.sql("SELECT 1::BIGINT AS x"),
    "polars frame": lambda: pl.DataFrame({"x": [1]}),
    "pandas frame": lambda: pd.DataFrame({"x": [1]}),
    "pyarrow table": lambda: pa.table({"x": [1]}),
    "polars text": lambda: pl.Series(["a"]),
    "pyarrow text": lambda: pa.array(["a"]),
    "pandas text": lambda: pd.Series(["a"], dtype="string"),
    "categories": lambda: pd.Series(["a"], dtype="category"),
    "numbers as categories": lambda: pd.Series([3, None], dtype="Int64").astype("category"),
    "no categories": lambda: pd.Series([None], dtype="Int64").astype("category"),
    "lists": lambda: pl.Series([[1]]),
    "rows of several lengths": lambda: [np.zeros((2, 2)), np.zeros((2, 3))],
    "text": lambda: "a",
    "nothing": lambda: None,
    "masked": lambda: np.ma.array([1], mask=[True]),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_no_column_of_numbers_is_refused_before_the_charge(name: str) -> None:
    mechanism, _ = MECHANISMS[name]
    relation = "change-one" if name == "RandomizedResponse" else "add-remove"
    budget = PrivacyFilter(PureDP(100), relation=relation)
    for make in NO_COLUMNS.values():
        with pytest.raises(TypeError, match=r"(value|counts|codes|scores) must (be|have|hold)"):
            mechanism.release(make(), budget=budget)
    assert budget.spent == PureDP(0)
