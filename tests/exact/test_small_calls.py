"""The direct path of plain arrays and kept parameters gives what the long path gives.

The long path is the same code with every shortcut switched off. Each case runs twice by the direct
path, so that the second run finds what the first one kept.
"""

import itertools
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from exact.functions_called import functions_called
from exact.test_kept_bins import BINS, forget
from hypothesis import given
from hypothesis import strategies as st

from cydp import exact
from cydp._columns import reading, source
from cydp.exact import GridSum, _bins, _grid, _histogram


@contextmanager
def long_path() -> Iterator[None]:
    """Switch every shortcut off."""

    def never(*_: object) -> None:
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "is_real_array", never)
        patch.setattr(reading, "_is_integer_array", never)
        patch.setattr(source, "is_real_array", never)
        patch.setattr(_histogram, "is_real_array", never)
        patch.setattr(_bins, "is_for_kernel", never)
        patch.setattr(_grid, "is_for_kernel", lambda *_: False)
        patch.setattr(_histogram, "_count_few", never)
        patch.setattr(_grid, "_KEPT_TYPES", frozenset())
        yield


def describe(result: Any) -> Any:
    """Return what a user can see of a result."""
    if isinstance(result, tuple):
        return tuple(map(describe, result))
    if isinstance(result, np.ndarray):
        flags = result.flags.writeable, result.flags.c_contiguous
        metadata = result.dtype.metadata
        return type(result), result.dtype.str, metadata, result.shape, result.tobytes(), flags
    if isinstance(result, GridSum):
        parts = result.units, result.step, *result.bounds
        return repr(result), [(type(part), describe(part)) for part in parts]
    return result


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = describe(call())
        except Exception as error:
            result = type(error), str(error)
    return result, [(each.category, str(each.message)) for each in caught]


def check(call: Callable[[], Any]) -> None:
    with long_path():
        expected = outcome(call)
    assert outcome(call) == expected
    assert outcome(call) == expected


class Sub(np.ndarray):
    """A subclass that keeps its type."""


class Int(int):
    """An integer of its own."""


def unaligned(x: np.ndarray) -> np.ndarray:
    return np.frombuffer(b"-" + x.tobytes(), x.dtype, offset=1)


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


def mapped(x: np.ndarray) -> np.memmap:
    with tempfile.TemporaryFile() as file:
        file.write(x.tobytes())
        file.flush()
        return np.memmap(file, x.dtype, "r+", shape=x.shape)


PLAIN = np.array([0, 1, 2, 2, 3, 7, 9, 10, 11])
ODD = np.array([np.nan, -np.inf, np.inf, -0.0, 0.0, 1e30, -3, 2.5, 10])
ODD32 = ODD.astype("f4")
NUMBERS = ["?", *"bBhHiIlLqQ", "f2", "f4", "f8", "g"]
LAYOUTS: list[Callable[[np.ndarray], Any]] = [
    lambda x: x,
    lambda x: x[::2],
    lambda x: x[::-1],
    lambda x: x.reshape(3, 3),
    lambda x: x.reshape(3, 3).T,
    lambda x: x[4],
    lambda x: x[4:5].reshape(()),
    lambda x: x[:0],
    lambda x: x[:0].reshape(0, 3),
    lambda x: x.astype(x.dtype.newbyteorder()),
    unaligned,
    read_only,
    mapped,
    lambda x: x.view(Sub),
    lambda x: np.ma.masked_equal(x, 2),
    lambda x: x.astype(np.dtype(x.dtype, metadata={"of": "numpy"})),
]
COLUMNS: list[Any] = [
    *(lay(PLAIN.astype(dtype)) for dtype in NUMBERS for lay in LAYOUTS),
    *(lay(odd) for odd in (ODD, ODD32) for lay in LAYOUTS),
    -PLAIN, -PLAIN.astype("i1"), PLAIN.astype("u8") + np.uint64(2**63), PLAIN + 2**60,
    PLAIN.tolist(), tuple(PLAIN.tolist()), [2**80, 1], [1, None], [True, 2], ["1"], [], 3, 2.5,
    True, None, "12", Decimal(3), Fraction(1, 3), np.float64(3), PLAIN.astype(object),
    PLAIN.astype(str), PLAIN.astype(complex), PLAIN.astype("M8[s]"), np.zeros(3, "i4,f8"),
    np.array([None, 1]), pd.Series(PLAIN), pd.Series(ODD), pd.Series([1, None], dtype="Int64"),
    pd.Series(["a"]),
    pd.Series([1, 2]).astype("category"), pd.DataFrame({"x": PLAIN}), pl.Series(PLAIN.tolist()),
    pl.Series([1, None]), pa.array([1, None, 3]), pa.array([1.5]), memoryview(PLAIN),
]  # fmt: skip
SOME_COLUMNS: list[Any] = [PLAIN, ODD32, [1, None]]
ONE = [Int(1), 1, True, 1.0, np.int64(1), np.float64(1), "1", Fraction(1), Decimal(1), None, 2**70]


LENGTHS: list[Any] = [*ONE, 0, 10, 11, -1, 4096, 4097, 10**30]


def test_bincount() -> None:
    """Each column with three lengths, and a few columns with each of them."""
    for number, codes in enumerate(COLUMNS):
        for step in range(3):
            check(partial(exact.bincount, codes, LENGTHS[(number + 5 * step) % len(LENGTHS)]))
    for codes, minlength in itertools.product(SOME_COLUMNS, LENGTHS):
        check(partial(exact.bincount, codes, minlength))


ENDS = [0, -0.0, 0.0, True, np.float64(0), np.float64(-0.0), np.float32(0), np.int64(0), "0",
        Fraction(0), Decimal(0), np.nan, -np.inf, -(2**63), 2**53, 10**30, None,
        Int(0)]  # fmt: skip
RANGES = [*((lo, 10) for lo in ENDS), *((-1, hi) for hi in ENDS), (2**53, 2**53 + 2**10), (5, 5),
          (5.0, 5.0), (9, 1), (1,), (1, 2, 3), [0, 10], np.array([0.0, 10.0]), "01", 7,
          (0.1, 9.7), (np.float64(0.1), np.float64(9.7)), (1, 1 + 1e-12)]  # fmt: skip
FEW_COLUMNS = [
    *(PLAIN.astype(dtype) for dtype in NUMBERS), *(lay(ODD) for lay in LAYOUTS),
    *(lay(PLAIN) for lay in LAYOUTS), ODD32, PLAIN.tolist(), [1, None],
    PLAIN.astype("u8") + np.uint64(2**63), PLAIN + 2**60, pd.Series(ODD), pa.array([1, None]),
]  # fmt: skip


def test_histogram_of_a_range() -> None:
    """Each range with every fourth column, and some columns with each of them."""
    for number, ends in enumerate(RANGES):
        for x in (*FEW_COLUMNS[number % 4 :: 4], *SOME_COLUMNS):
            check(partial(exact.histogram, x, (10, 3)[number % 2], ends))


def test_histogram_of_equal_ranges_in_any_order() -> None:
    """Ranges that are equal as keys, one after the other: numpy makes other edges of -0.0."""
    groups: list[list[Any]] = [
        [(0, 10), (0.0, 10.0), (-0.0, 10), (0, 10.0)],
        [(-1, 0), (-1, 0.0), (-1, -0.0), (-1.0, -0.0)],
    ]
    for group in groups:
        for number, order in enumerate(itertools.permutations(group)):
            forget()
            x = (PLAIN, PLAIN.astype("i4"), ODD, ODD32)[number % 4]
            for ends in order:
                check(partial(exact.histogram, x, 10, ends))


EDGES: list[Any] = [
    *(PLAIN.astype(dtype) for dtype in NUMBERS),
    *(lay(np.array([-0.0, 1, 2, 2, 5.5, 7, 8, 9, 10])) for lay in LAYOUTS),
    *(lay(np.array([0.0, 1, 2, 2, 5.5, 7, 8, 9, 10], "f4")) for lay in LAYOUTS),
    *(lay(PLAIN) for lay in LAYOUTS), ODD, np.sort(ODD), np.sort(ODD)[:-1], [0, 5, 10],
    (0, 5.0, 10), [0.0, 5, 10], [-0.0, 5, 10], [0, True], [True, False], [0, "1"], [0, None],
    [0, np.float64(3)], [0, 10**30], [0, 2**63], [-(2**63), 0, 2**63 - 1], [0, np.nan],
    [np.array(0), np.array(3)], [[0, 1], [2, 3]], [[0, 1], [2]], [5, 1], [1], [], (), "auto",
    PLAIN.astype(object), PLAIN.astype(str), PLAIN.astype(complex), PLAIN.astype("M8[s]"),
    pd.Series(PLAIN), pa.array([1, 2]), np.ma.masked_equal(PLAIN, 3), PLAIN + 2**60,
    PLAIN.astype("u8") + np.uint64(2**63), np.linspace(0, 1, 1025), np.linspace(0, 1, 1026),
    *ONE, 0, -1, 1024, 1025, np.array(3), np.array([3]), np.nan, np.str_("3"),
]  # fmt: skip


def test_histogram_of_edges() -> None:
    for number, edges in enumerate(EDGES):
        for x in (*FEW_COLUMNS[number % 8 :: 8], *SOME_COLUMNS):
            check(partial(exact.histogram, x, edges, (None, (0, 10), "ignored")[number % 3]))


BOUNDS: list[Any] = [
    *((lower, 10) for lower in ENDS), *((-1, upper) for upper in ENDS), [0, 10], (0, 100), (0.1, 2),
    (Fraction(1, 10), 2), ("0.1", 2), (Decimal("0.1"), 2), (np.float32(0.1), 2), (0, 0), (9, 1),
    (1,), (1, 2, 3), np.array([0, 10]), "01", 7, (0, 2**80), (-(2**60), 2**52), (0, "1e-400"),
    (0, 2**5000), (5e-324, 1), (-3, -1), (2.5, 2.5), ("x", 1), (0, 1e300),
]  # fmt: skip
STEPS = [None, 1, True, 1.0, 0.5, "0.5", Fraction(1, 2), np.float64(0.5), 3, 0, -1, 2.0**-40,
         2**70, 2**90, "x", np.nan]  # fmt: skip
SUM_COLUMNS = [*FEW_COLUMNS, np.array([2**62, -(2**62), 5]), [2**80, 0.5], np.full(3, 1e308)]


def test_clamped_sum() -> None:
    """Each pair of bounds with a quarter of the columns and of the steps."""
    some = (ODD, PLAIN, PLAIN.astype("u8"), [1, 2.5])
    for number, bounds in enumerate(BOUNDS):
        for x in (*SUM_COLUMNS[number % 8 :: 8], *SOME_COLUMNS):
            check(partial(exact.clamped_sum, x, bounds))
        for place, step in enumerate(STEPS[number % 4 :: 4]):
            x = some[(number + place) % 4]
            codes = np.arange(np.size(x)) % 3
            check(partial(exact.clamped_sum, x, bounds, step=step))
            check(partial(exact.clamped_sum_and_squares, x, bounds, step=step))
            check(partial(exact.grouped_clamped_sum, codes, x, 3, bounds, step=step))


DTYPES = st.sampled_from(["i4", "i8", "f4", "f8", "u1", ">f8", "f2", "?", "u8"])
NUMBER = st.one_of(st.integers(-50, 50), st.floats(-50, 50), st.sampled_from(ENDS))


@given(DTYPES, st.lists(st.floats(), max_size=12), st.integers(0, 5), NUMBER, NUMBER)
def test_any_small_call(dtype: str, values: list[float], n: int, lo: Any, hi: Any) -> None:
    with np.errstate(all="ignore"):
        x = np.array(values).astype(dtype)
    check(partial(exact.histogram, x, n, (lo, hi)))
    check(partial(exact.histogram, x, [lo, hi]))
    check(partial(exact.clamped_sum, x, (lo, hi)))
    check(partial(exact.bincount, x, n))


@pytest.mark.parametrize("warm", [False, True], ids=["bins are made anew", "bins are kept"])
def test_no_record_chooses_the_path(warm: bool) -> None:
    """Tables of one dtype and length run the same functions, also where bins are made anew."""
    for dtype in ("f4", "f8", "f2", ">f8", "i4", "i8", "u8", "?"):
        records: list[float] = [3, 0, 10, 1, 100]
        if np.dtype(dtype).kind == "f":
            records += [np.nan, np.inf, -np.inf, -0.0, -10, 1e4, 5e-8]
        paths = []
        for record in records:
            x = np.array([7, record, 9, 11]).astype(dtype)
            calls = (
                partial(exact.histogram, x, 10, (0, 10)),
                partial(exact.histogram, x, np.array([0.0, 1, 2, 5])),
                partial(exact.clamped_sum, x, (0, 10)),
                partial(exact.clamped_sum, x, (0, 10), step=0.5),
            )
            for call in calls:
                call()
            if not warm:
                forget()
            paths.append([functions_called(call) for call in calls])
        assert all(path == paths[0] for path in paths), dtype


def test_no_code_below_minlength_chooses_the_path() -> None:
    paths = [
        functions_called(partial(exact.bincount, np.array([0, code, 3]), 10))
        for code in (0, 1, 5, 9)
    ]
    assert all(path == paths[0] for path in paths)


def test_what_is_kept_is_bounded_and_public() -> None:
    caches = (*BINS, _grid._kept_grid)
    forget()
    for seed in range(300):
        x = np.random.default_rng(seed).normal(0, 100, 20)
        exact.histogram(x, 10, (0, 100))
        exact.histogram(x, 10)  # a range that comes from the data
        exact.histogram(x, np.arange(5.0))
        exact.histogram(x, [0, 1, 2])
        exact.clamped_sum(x, (0, 1))
    assert [cache.cache_info().currsize for cache in caches] == [1, 2, 1]
    for n in range(1, 1000):
        exact.histogram(x, n, (0, 100))
        exact.histogram(x, np.arange(n + 1.0))
        exact.clamped_sum(x, (0, n))
    infos = [cache.cache_info() for cache in caches]
    assert [info.currsize for info in infos] == [info.maxsize for info in infos] == [64, 64, 256]
    forget()
    exact.histogram(x, 1025, (0, 100))
    exact.histogram(x, np.arange(1026.0))
    assert [cache.cache_info().currsize for cache in caches] == [0, 0, 0]


def test_nobody_can_change_what_is_kept() -> None:
    forget()
    x, given_edges = np.array([0.5, 1.5]), np.array([0.0, 1, 2])
    for bins, range in ((2, (0, 2)), (given_edges, None), ([0.0, 1, 2], None)):
        for _ in "12":
            counts, edges = exact.histogram(x, bins, range)
            assert (counts.tolist(), edges.tolist()) == ([1, 1], [0, 1, 2])
            edges[:] = 7
            counts[:] = 7
    given_edges[1] = 1.75
    assert exact.histogram(x, given_edges)[0].tolist() == [2, 0]
    assert exact.histogram(x, given_edges)[1].tolist() == [0, 1.75, 2]
