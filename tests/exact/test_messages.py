# SPDX-License-Identifier: MIT
"""What cydp.exact and cydp.sensitivity say of a mistake: the argument, and what is allowed."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cydp import exact
from cydp import sensitivity as of
from cydp.exact import GridSum, GroupedAccumulator, HistogramAccumulator

FRAME = pd.DataFrame({"age": [31415, 2], "income": [3, 4]})
NOT_SHOWN = (
    "31415",
    "Arrow's",
    "format '",
    "<class",
    "inhomogeneous",
    "buffer",
    "kernel",
    "dtype(",
)


class Unread:
    """Data that must not be read."""

    dtype = np.dtype(float)
    ndim = 1

    def __len__(self) -> int:
        raise AssertionError("data was read")

    def __array__(self, *_args: Any, **_kwargs: Any) -> Any:
        raise AssertionError("data was read")


X = Unread()


def check(call: Callable[[], Any], error: type[Exception], *words: str) -> None:
    with pytest.raises(error) as info:
        call()
    said = str(info.value)
    assert type(info.value) is error
    assert "\n" not in said
    assert len(said) <= 160
    for word in words:
        assert word in said, said
    for word in NOT_SHOWN:
        assert word not in said, said


COLUMNS: dict[str, tuple[Any, str]] = {
    "a frame": (FRAME, "must be one column, not a table of 2: choose one by its name"),
    "a polars frame": (pl.DataFrame(FRAME), "must be one column, not a table of 2"),
    "a relation": (duckdb.sql("select 31415 as a, 2 as b"), "must be one column, not a table of 2"),
    "a dict": ({"age": [31415]}, "must be a list, an array or a column, not dict"),
    "a set": ({31415}, "must be a list, an array or a column, not set"),
    "None": (None, "must be a list, an array or a column, not NoneType"),
    "lazy": (pl.LazyFrame({"age": [31415]}), "must be computed first: call its collect()"),
    "text": ("31415", "must be a list, an array or a column, not text"),
    "ragged lists": ([[31415], [2, 3]], "must hold "),
    "complex": ([31415j], "must hold "),
    "a polars column of lists": (pl.Series([[31415]]), "not lists"),
    "dates": (pd.Series(pd.to_datetime(["2020-01-01"])), "not dates"),
    "an arrow column of dates": (pa.array([31415], pa.date32()), "not dates"),
    "decimals": (
        pa.array([31415]).cast(pa.decimal128(30, 2)),
        "not decimals: cast them to floats, or to integers of at most 64 bits",
    ),
}
CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "histogram": ("x", lambda x: exact.histogram(x, 2, (0, 1))),
    "clamped_sum": ("x", lambda x: exact.clamped_sum(x, (0, 1))),
    "clamped_sum_and_squares": ("x", lambda x: exact.clamped_sum_and_squares(x, (0, 1))),
    "grouped_clamped_sum": ("x", lambda x: exact.grouped_clamped_sum([0], x, 2, (0, 1))),
    "groups": ("codes", lambda x: exact.grouped_clamped_sum(x, [1], 2, (0, 1))),
    "bincount": ("codes", exact.bincount),
    "match_keys": ("x", lambda x: exact.match_keys(x, [1])),
    "value_counts": ("x", lambda x: exact.value_counts(x, [1])),
    "users": ("users", lambda x: exact.bound_contributions(x, [1], max_partitions=1)),
    "partitions": ("partitions", lambda x: exact.bound_contributions([1], x, max_partitions=1)),
    "histogram pieces": ("x", lambda x: HistogramAccumulator(2, (0, 1)).update(x)),
    "group pieces": ("codes", lambda x: GroupedAccumulator(2).update(x)),
    "sums of pieces": (
        "income",
        lambda x: GroupedAccumulator(2, {"income": (0, 1)}).update([0], income=x),
    ),
}


@pytest.mark.parametrize("mistake", COLUMNS)
@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_column(name: str, mistake: str) -> None:
    """Every function names its own argument, and says the same of the same mistake."""
    (argument, call), (given, says) = CALLS[name], COLUMNS[mistake]
    error = ValueError if (name, mistake) == ("bincount", "ragged lists") else TypeError
    check(lambda: call(given), error, f"{argument} must ", says)


TEXT: dict[str, Any] = {
    "a list": ["31415"],
    "beside a null": [None, "31415"],
    "numpy": np.array(["31415"]),
    "pandas": pd.Series(["31415"]),
    "pandas string": pd.Series(["31415"], dtype="string"),
    "pandas category": pd.Series(["31415"], dtype="category"),
    "polars": pl.Series(["31415"]),
    "pyarrow": pa.array(["31415"]),
    "pyarrow large": pa.array(["31415"], pa.large_string()),
    "a dictionary": pa.array(["31415"]).dictionary_encode(),
    "without rows": pa.array([], pa.string()),
}


@pytest.mark.parametrize("shape", TEXT)
@pytest.mark.parametrize("name", CALLS)
def test_text_for_numbers(name: str, shape: str) -> None:
    argument, call = CALLS[name]
    if argument in ("users", "partitions") or name in ("match_keys", "value_counts"):
        return  # where text is allowed
    check(lambda: call(TEXT[shape]), TypeError, f"{argument} must hold ", ", not text")


BOUNDS: dict[str, tuple[Any, type[Exception], str]] = {
    "one number": (5, TypeError, "{0} must be a pair of numbers, {0}=(lower, upper), not int"),
    "None": (None, TypeError, "{0} must be a pair of numbers, {0}=(lower, upper), not NoneType"),
    "text": ("0,1", TypeError, "{0} must be a pair of numbers, {0}=(lower, upper), not str"),
    "an array": (np.array([0, 1]), TypeError, "{0} must be a pair of numbers"),
    "three": ((0, 1, 2), ValueError, "{0}=(lower, upper), not a tuple of 3"),
    "none": ((), ValueError, "{0}=(lower, upper), not a tuple of 0"),
    "swapped": ((7, 2), ValueError, "{0}=(lower, upper) must have lower <= upper, not (7, 2)"),
    "nan": ((0, float("nan")), ValueError, "upper in {0}=(lower, upper) must be finite, not nan"),
    "words": (("a", 1), ValueError, "lower in {0}=(lower, upper) must be a number"),
    "bool": ((True, 1), TypeError, "lower in {0}=(lower, upper) must be an int"),
    "pairs": (((0, 1), (0, 1)), TypeError, "lower in {0}=(lower, upper) must be an int"),
}
FINITE: dict[str, tuple[Any, type[Exception], str]] = {
    "no lower": ((None, 1), TypeError, "lower in {0}=(lower, upper) must be an int"),
    "no upper": ((0, float("inf")), ValueError, "upper in {0}=(lower, upper) must be finite"),
    "far": ((0, 2**1100), ValueError, "step must be from 2**-1021 to 2**1022, not 2**1071"),
    "near": ((0, 1e-310), ValueError, "{0} must be (0, 0), or one of them more than 2**-993"),
}
SUMS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "clamped_sum": ("bounds", lambda b: exact.clamped_sum(X, b)),
    "clamped_sum_and_squares": ("bounds", lambda b: exact.clamped_sum_and_squares(X, b)),
    "grouped_clamped_sum": ("bounds", lambda b: exact.grouped_clamped_sum(X, X, 2, b)),
    "GroupedAccumulator": ("sums['x']", lambda b: GroupedAccumulator(2, {"x": b})),
}
SENSITIVITIES: dict[str, Callable[[Any], Any]] = {
    "sum": of.sum,
    "mean": lambda b: of.mean(b, empty=0),
    "minimum": of.minimum,
    "maximum": of.maximum,
}


@pytest.mark.parametrize("mistake", BOUNDS | FINITE)
@pytest.mark.parametrize("name", SUMS)
def test_bad_bounds_of_sums(name: str, mistake: str) -> None:
    (argument, call), (given, error, says) = SUMS[name], (BOUNDS | FINITE)[mistake]
    check(lambda: call(given), error, says.format(argument))


@pytest.mark.parametrize("mistake", BOUNDS)
@pytest.mark.parametrize("name", SENSITIVITIES)
def test_bad_bounds_of_sensitivities(name: str, mistake: str) -> None:
    given, error, says = BOUNDS[mistake]
    if given is not None:  # no bounds: infinite
        check(lambda: SENSITIVITIES[name](given), error, says.format("bounds"))


def test_bad_bounds_of_a_grid_sum() -> None:
    for given, error, says in (BOUNDS | {"no lower": FINITE["no lower"]}).values():
        check(lambda b=given: GridSum(1, 1, b), error, says.format("bounds"))
    check(lambda: GridSum(1, 1, (0, 0.5)), ValueError, "bounds must be multiples of step")
    check(lambda: GridSum(1, 3, (0, 3)), ValueError, "step must be a power of two", "not 3")
    for units in (3.1415, True, None, "31415"):
        check(lambda u=units: GridSum(u, 1, (0, 1)), TypeError, "units must be an int, or an array")
    for array in (np.zeros(2), np.zeros((2, 2), np.int64)):
        check(lambda u=array: GridSum(u, 1, (0, 1)), TypeError, "units must be an int, or an array")


def made(bins: Any, range: Any = None) -> Any:
    return exact.histogram(X, bins, range)


HISTOGRAMS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: made(0), ValueError, "bins must be from 1 to 2**30, not 0"),
    (lambda: made(-1), ValueError, "bins must be from 1 to 2**30, not -1"),
    (lambda: made(10**30), ValueError, "bins must be from 1 to 2**30"),
    (lambda: made(2.5), TypeError, "bins must be an integer or edges, not float"),
    (lambda: made(None), TypeError, "bins must be an integer or edges, not NoneType"),
    (lambda: made("auto"), TypeError, "bins must be an integer or edges, not text"),
    (lambda: made(["a", "b"]), TypeError, "bins must hold numbers"),
    (lambda: made([1]), ValueError, "bins must be at least 2 edges in one list"),
    (lambda: made([[1], [2, 3]]), ValueError, "bins must be at least 2 edges in one list"),
    (lambda: made([0, 2, 1]), ValueError, "edges in bins must never decrease: sort them"),
    (lambda: made([0, float("nan")]), ValueError, "edges in bins must be numbers, not NaN"),
    (lambda: made(2, (1, 0)), ValueError, "range=(lo, hi) must be finite with lo <= hi, not (1, 0"),
    (lambda: made(2, (float("nan"), 1)), ValueError, "range=(lo, hi) must be finite"),
    (lambda: made(2, 5), TypeError, "range must be a pair, range=(lo, hi), not int"),
    (lambda: made(2, (0,)), ValueError, "range must be a pair, range=(lo, hi), not a tuple of 1"),
    (lambda: made(2, ("a", 1)), TypeError, "range=(lo, hi) must be numbers, not text"),
    (lambda: made(2, (None, 1)), TypeError, "range=(lo, hi) must be numbers, not NoneType"),
    (lambda: HistogramAccumulator(2), ValueError, "range=(lo, hi) must be given if bins is a"),
    (lambda: HistogramAccumulator(2, (0, 1), dtype="x"), TypeError, "dtype must be one of numpy's"),
    (lambda: HistogramAccumulator(2, (0, 1), dtype="U3"), TypeError, "dtype must hold numbers"),
    (lambda: exact.histogramdd(31415, 2), TypeError, "columns must be a list, mapping or table"),
    (lambda: exact.histogramdd([[1], [2, 3]], 2), ValueError, "columns must have one dimension"),
    (lambda: exact.histogramdd([[1], ["a"]], 2), TypeError, "columns must hold numbers, not text"),
    (lambda: exact.histogramdd([[1], [2]], [2]), ValueError, "bins must have an entry for each of"),
    (
        lambda: exact.histogramdd([[1], [2]], 2, (0, 1)),
        TypeError,
        "range must be a list of pairs (lo, hi), one for each column, or None, not tuple",
    ),
    (
        lambda: exact.histogram([31415, float("inf")], 2),
        ValueError,
        "x must be finite if range is None: give range=(lo, hi)",
    ),
]
PARTITIONS = "max_partitions must be at least 1, not 0"
OTHERS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: exact.clamped_sum(X, (0, 1), step=3), ValueError, "step must be a power of two, such"),
    (lambda: exact.clamped_sum(X, (0, 1), step="x"), ValueError, "step must be a number"),
    (lambda: exact.clamped_sum(X, (0, 2**60), step=1), ValueError, "with step=1: give a larger"),
    (
        lambda: exact.clamped_sum_and_squares(X, (0, 2**40), step=1),
        ValueError,
        "bounds must be at most 2**31 steps from 0 for squares: give a larger step",
    ),
    (lambda: exact.grouped_clamped_sum(X, X, -1, (0, 1)), ValueError, "n_groups must be from 0"),
    (
        lambda: exact.grouped_clamped_sum(X, X, "a", (0, 1)),
        TypeError,
        "n_groups must be an integer",
    ),
    (
        lambda: exact.grouped_clamped_sum([1, 1], [1], 2, (0, 1)),
        ValueError,
        "codes and x must have the same shape, not (2,) and (1,)",
    ),
    (
        lambda: exact.grouped_clamped_sum([0.31415], [1], 2, (0, 1)),
        TypeError,
        "codes must hold integers, not float",
    ),
    (
        lambda: exact.grouped_clamped_sum(np.array([0.5]), [1], 2, (0, 1)),
        TypeError,
        "codes must hold integers, not floats",
    ),
    (lambda: exact.bincount([0.5]), TypeError, "codes must hold integers or bool, not floats"),
    (lambda: exact.bincount([-31415]), ValueError, "codes must be from 0 to 2**63 - 1"),
    (lambda: exact.bincount(X, minlength=-1), ValueError, "minlength must be from 0 to 2**60 - 1,"),
    (lambda: exact.match_keys(X, [1, 1]), ValueError, "keys must be distinct: some are given more"),
    (lambda: exact.match_keys(X, []), ValueError, "keys must be 1 to 2**32 - 4 keys, not 0"),
    (
        lambda: exact.match_keys(X, "ab"),
        TypeError,
        "keys must be a list, an array or a column, not",
    ),
    (
        lambda: exact.match_keys(X, None),
        TypeError,
        "keys must be a list, an array or a column, not",
    ),
    (lambda: exact.match_keys(X, FRAME), TypeError, "keys must be one column, not a table of 2"),
    (lambda: exact.match_keys(X, [1.5]), TypeError, "keys must be integers, or text, or bytes"),
    (lambda: exact.match_keys(["a"], [1]), TypeError, "keys must be text or bytes, as the entries"),
    (
        lambda: exact.match_keys([31415.5], [1]),
        TypeError,
        "x must hold integers or text, not float",
    ),
    (lambda: exact.bound_contributions(X, X, max_partitions=0), ValueError, PARTITIONS),
    (
        lambda: exact.bound_contributions(X, X, max_partitions=1, max_rows_per_partition=0),
        ValueError,
        "max_rows_per_partition must be at least 1, not 0",
    ),
    (
        lambda: exact.bound_contributions(X, X, max_partitions=1, rng=np.random.default_rng()),
        TypeError,
        "rng must be a cydp.Generator or None, not numpy's Generator",
    ),
    (
        lambda: exact.bound_contributions(X, X, max_partitions=1, rng=42),
        TypeError,
        "rng must be a cydp.Generator or None, not int",
    ),
    (
        lambda: exact.bound_contributions([31415], [1, 2], max_partitions=1),
        ValueError,
        "users and partitions must have the same length",
    ),
    (lambda: GroupedAccumulator(2, ["x"]), TypeError, "sums must be a mapping, sums={'column': ("),
    (
        lambda: GroupedAccumulator(2, {"x": (0, 1)}, step=1),
        TypeError,
        "step must be a mapping, step={'column': step}, not int",
    ),
    (
        lambda: GroupedAccumulator(2, {"x": (0, 1)}, step={"y": 1}),
        ValueError,
        "names in step must be names in sums",
    ),
    (
        lambda: GroupedAccumulator(2, {"x": (0, 1)}).update(X),
        TypeError,
        "columns must be those of sums: call update(codes, x=...)",
    ),
    (lambda: GroupedAccumulator(2).update(X, x=X), TypeError, "call update(codes)"),
]
STATED: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: of.mean((0, 1), 5),
        ValueError,
        "n is private under 'add-remove': give relation='change-one', or empty= or n_at_least=",
    ),
    (lambda: of.mean((0, 1)), TypeError, "exactly one of n, empty and n_at_least must be given"),
    (lambda: of.mean((0, 1), 5, empty=0), TypeError, "exactly one of n, empty and n_at_least"),
    (lambda: of.mean((0, 1), n_at_least=0), ValueError, "n_at_least must be at least 1, not 0"),
    (lambda: of.mean((0, 1), 0, relation="change-one"), ValueError, "n must be at least 1, not 0"),
    (
        lambda: of.count(relation="both"),
        ValueError,
        "relation must be 'add-remove', 'change-one' or",
    ),
    (lambda: of.count(relation=None), ValueError, "relation must be 'add-remove', 'change-one' or"),
    (lambda: of.histogram(norm=3), ValueError, "norm must be 1"),
    (lambda: of.histogram(norm="l1"), TypeError, "norm must be 1 or 2, not str"),
    (lambda: of.sum((0, 1), missing=1), TypeError, "missing must be True or False, not int"),
    (lambda: of.queries(1, -2), ValueError, "each of sensitivities must be at least 0, not -2"),
    (lambda: of.queries([1, 2]), TypeError, "each of sensitivities must be an int, float"),
    (lambda: of.Sensitivity(-1), ValueError, "value must be at least 0, not -1"),
    (lambda: GridSum(1, 1, (0, 1)).sensitivity(relation="x"), ValueError, "relation must be"),
    (lambda: GridSum(1, 1, (0, 1)).sensitivity(norm=3), ValueError, "norm must be 1"),
    (lambda: GridSum(1, 1, (0, 1)).sensitivity(missing=0), TypeError, "missing must be True or"),
]


@pytest.mark.parametrize(("call", "error", "says"), HISTOGRAMS + OTHERS + STATED)
def test_a_mistake_is_named(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    """Where it can be, before data is read."""
    check(call, error, says)


@pytest.mark.parametrize(
    "call",
    [
        lambda: of.count("change-one"),
        lambda: of.sum((0, 1), "change-one"),
        lambda: of.mean((0, 1), 5, "change-one"),
        lambda: of.histogram("change-one"),
        lambda: GridSum(1, 1, (0, 1)).sensitivity("change-one"),
        lambda: of.Unbounded("upper bound", "change-one"),
        lambda: of.Sensitivity(1, "change-one"),
        lambda: exact.clamped_sum(X, 0, 1),
        lambda: exact.clamped_sum(X, (0, 1), 1),
        lambda: exact.grouped_clamped_sum(X, X, 2, 0, 1),
        lambda: exact.bound_contributions(X, X, 1),
        lambda: GroupedAccumulator(2, {"x": (0, 1)}, {"x": 1}),
    ],
)
def test_what_must_be_named_cannot_be_given_by_place(call: Callable[[], Any]) -> None:
    check(call, TypeError, ": call ", "*, ")
