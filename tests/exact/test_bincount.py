# SPDX-License-Identifier: MIT
"""exact.bincount is numpy's answer."""

import itertools
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from exact.layouts import layouts
from hypothesis import given
from hypothesis import strategies as st

from cydp import _threads as threads
from cydp import exact

SIGNED = ["int8", "int16", "int32", "int64"]
DTYPES = ["bool", *SIGNED, "uint8", "uint16", "uint32", "uint64"]


def check(codes, minlength=0):
    """Compare with numpy, on int64: numpy 2.0 takes no uint64."""
    counts = exact.bincount(codes, minlength)
    assert counts.dtype == np.int64
    expected = np.bincount(np.asarray(codes).astype(np.int64), minlength=minlength)
    np.testing.assert_array_equal(counts, expected, strict=True)
    return counts


def test_dtypes():
    for dtype in DTYPES:
        most = 1 if dtype == "bool" else min(np.iinfo(dtype).max, 70_000)
        x = np.random.default_rng(1).integers(0, most, 10_003, endpoint=True).astype(dtype)
        for some in (*layouts(x), x[::-3], x[:7], x[:1], x[:0]):
            check(some)
        check(x, 100_000)
        check(x[:0], 5)


def test_a_negative_code_is_refused_wherever_it_is():
    for dtype, place in itertools.product([*SIGNED, ">i8"], [0, 5, 9_000, 199_999]):
        x = np.ones(200_000, dtype)
        for value in (-1, np.iinfo(dtype).min):
            x[place] = value
            with pytest.raises(ValueError, match="codes"):
                exact.bincount(x)
            with pytest.raises(ValueError, match="codes"):
                exact.bincount(x[place : place + 1], 3)


def test_the_largest_code_may_stand_anywhere():
    check([5_000_000, 3, 5_000_000])
    for dtype in ("int32", ">i8"):
        x = np.zeros(200_001, dtype)
        for place in (0, 1, 50_003, 200_000):
            x[place] = 200_000
            assert len(check(x)) == 200_001
            x[place] = 0


def test_numbers_of_codes():
    for number, codes in enumerate((1, 1000, 16_384, 16_385, 100_000, 3_000_000)):
        x = np.random.default_rng(2).integers(0, codes, 1_000_000)
        check(x.astype(("int32", "int64")[number % 2]))
        check(np.sort(x).astype(("int64", "int32")[number % 2]))


def test_threads(monkeypatch):
    x = np.random.default_rng(3).integers(0, 1000, 500_000)
    monkeypatch.setattr(threads, "THREADS_FROM", 1)
    for number in (1, 2, 3, 16):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        check(x)
        check(x.astype(np.int32))


def test_lists():
    for codes in ([], (), [0], [3, 1, 3], (True, False), range(4), [np.int8(2)]):
        check(codes)
        check(codes, np.int8(9))


def test_masked_and_null_entries_are_left_out():
    assert exact.bincount(np.ma.array([1, -5, 2], mask=[0, 1, 0])).tolist() == [0, 1, 1]
    assert exact.bincount(np.ma.masked_all(3, int)).tolist() == []
    assert exact.bincount([1, None, 1]).tolist() == [0, 2]
    assert exact.bincount([None, np.ma.masked], 2).tolist() == [0, 0]


def test_columns_of_other_libraries():
    for column in (pd.Series([1, None, 3], dtype="Int64"), pl.Series([1, None, 3]),
                   pa.array([1, None, 3])):  # fmt: skip
        assert exact.bincount(column).tolist() == [0, 1, 0, 1]


def test_another_thread_writes():
    """The largest code may change between two looks at it (csrc/tests/test_writers.c: kernels)."""
    x = np.random.default_rng(4).integers(0, 1000, 300_000).astype(np.int32)
    done = threading.Event()

    def write():
        for shift in itertools.count():
            if done.is_set():
                return
            x[:: 1 + shift % 5] = shift % 3_000_000

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(100):
            assert 0 <= exact.bincount(x).sum() <= len(x)
    finally:
        done.set()
        writer.join()


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(0, 60), st.sampled_from(DTYPES[1:]))
def test_any_codes(codes, minlength, dtype):
    check(np.array(codes, dtype), minlength)


def test_more_counts_than_memory_holds(monkeypatch):
    def refuse(*_, **__):
        raise MemoryError("Unable to allocate 8.00 TiB for an array with shape (1099511640122,)")

    monkeypatch.setattr(np, "bincount", refuse)
    with pytest.raises(MemoryError, match="no memory for a count of each code") as info:
        exact.bincount([2**40 + 12345])
    assert "1099" not in str(info.value)
    monkeypatch.setattr(np, "zeros", refuse)
    with pytest.raises(MemoryError, match="no memory for a count of each code"):
        exact.bincount([12345])


def test_more_counts_than_a_cache_holds():
    rng = np.random.default_rng(5)
    n = 9 * 10**6
    for codes, dtype in ((rng.integers(0, n, n), "int64"),
                         (np.minimum(rng.integers(0, 10 * n, n), n), "int32")):  # fmt: skip
        given_codes = codes.astype(dtype)
        np.testing.assert_array_equal(exact.bincount(given_codes), np.bincount(codes))


def test_codes_beyond_all_memory_are_refused_before_numpy_counts() -> None:
    for code in (2**59, 2**62 + 12345, 2**63 - 2, 2**63 - 1):
        for make in (list, np.array, np.ma.array):
            with pytest.raises(MemoryError, match="codes must be smaller") as info:
                exact.bincount(make([code, 1]), 5)
            assert str(code)[-4:] not in str(info.value)
