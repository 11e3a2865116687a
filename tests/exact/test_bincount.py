# SPDX-License-Identifier: MIT
"""exact.bincount is numpy's answer."""

import itertools
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

from cydp import _threads as threads
from cydp import exact

SIGNED = ["int8", "int16", "int32", "int64"]
DTYPES = ["bool", *SIGNED, "uint8", "uint16", "uint32", "uint64"]
fixed = settings(derandomize=True, deadline=None, max_examples=examples(300))


def check(codes, minlength=0):
    """Compare with numpy, on int64: numpy 2.0 takes no uint64."""
    counts = exact.bincount(codes, minlength)
    assert counts.dtype == np.int64
    expected = np.bincount(np.asarray(codes).astype(np.int64), minlength=minlength)
    np.testing.assert_array_equal(counts, expected, strict=True)
    return counts


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    most = 1 if dtype == "bool" else min(np.iinfo(dtype).max, 70_000)
    x = np.random.default_rng(1).integers(0, most, 10_003, endpoint=True).astype(dtype)
    check(x)
    check(x, 100_000)
    check(x[::-3])
    check(x[:7])
    check(x[:1])
    check(x[:0])
    check(x[:0], 5)
    check(x.astype(x.dtype.newbyteorder()))
    check(np.frombuffer(b"-" + x.tobytes(), x.dtype, offset=1))
    x.flags.writeable = False
    check(x)


@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize("place", [0, 5, 9_000, 19_999])
def test_a_negative_code_is_refused_wherever_it_is(dtype, place):
    x = np.ones(20_000, dtype)
    for value in (-1, np.iinfo(dtype).min):
        x[place] = value
        with pytest.raises(ValueError, match="codes must be from 0"):
            exact.bincount(x)
        with pytest.raises(ValueError, match="codes must be from 0"):
            exact.bincount(x[place : place + 1], 3)


def test_codes_that_no_sample_shows():
    x = np.zeros(100_001, np.int32)
    for place in (1, 50_003, 100_000):
        x[place] = 200_000
        assert len(check(x)) == 200_001
        x[place] = 0


@pytest.mark.parametrize("codes", [1, 1000, 16_384, 16_385, 100_000, 3_000_000])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_numbers_of_codes(codes, dtype):
    x = np.random.default_rng(2).integers(0, codes, 1_000_000).astype(dtype)
    check(x)
    check(np.sort(x))


def test_few_codes_far_apart():
    check([5_000_000, 3, 5_000_000])


def test_threads(monkeypatch):
    x = np.random.default_rng(3).integers(0, 1000, 500_000)
    monkeypatch.setattr(threads, "THREADS_FROM", 1)
    for number in (1, 2, 3, 16):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        check(x)
        check(x.astype(np.int32))


@pytest.mark.parametrize("codes", [[], (), [0], [3, 1, 3], (True, False), range(4), [np.int8(2)]])
def test_lists(codes):
    check(codes)
    check(codes, np.int8(9))


def test_masked_and_null_entries_are_left_out():
    assert exact.bincount(np.ma.array([1, -5, 2], mask=[0, 1, 0])).tolist() == [0, 1, 1]
    assert exact.bincount(np.ma.masked_all(3, int)).tolist() == []
    assert exact.bincount([1, None, 1]).tolist() == [0, 2]
    assert exact.bincount([None, np.ma.masked], 2).tolist() == [0, 0]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_of_other_libraries(library):
    module = pytest.importorskip(library)
    column = {
        "pandas": lambda: module.Series([1, None, 3], dtype="Int64"),
        "polars": lambda: module.Series([1, None, 3]),
        "pyarrow": lambda: module.array([1, None, 3]),
    }[library]()
    assert exact.bincount(column).tolist() == [0, 1, 0, 1]


def test_another_thread_writes():
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


@fixed
@given(st.lists(st.integers(0, 50), max_size=60), st.integers(0, 60), st.sampled_from(DTYPES[1:]))
def test_any_codes(codes, minlength, dtype):
    check(np.array(codes, dtype), minlength)


WRONG = [
    ([1.0], 0, TypeError, "integers or bool, not floats"),
    (np.array([1.0]), 0, TypeError, "integers or bool, not floats"),
    (np.array([]), 0, TypeError, "not floats"),
    (["a"], 0, TypeError, "not text"),
    ("a", 0, TypeError, "codes must be a list, an array or a column, not text"),
    (None, 0, TypeError, "codes must be a list, an array or a column, not NoneType"),
    (5, 0, ValueError, "one dimension"),
    ([[1]], 0, ValueError, "one integer for each record, not lists"),
    (np.ma.array([[1]]), 0, ValueError, "one dimension"),
    (np.array([2**63], np.uint64), 0, ValueError, "from 0 to 2"),
    ([1], -1, ValueError, "minlength"),
    ([1], None, TypeError, "minlength must be an integer, not None$"),
    ([1], 2.0, TypeError, "minlength"),
    ([1], True, TypeError, "minlength"),
]


@pytest.mark.parametrize(("codes", "minlength", "error", "message"), WRONG, ids=repr)
def test_wrong_parameters(codes, minlength, error, message):
    with pytest.raises(error, match=message):
        exact.bincount(codes, minlength)


def test_no_message_shows_the_data():
    with pytest.raises(ValueError, match="codes") as info:
        exact.bincount([-31415])
    assert "31415" not in str(info.value)


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
    with pytest.raises(ValueError, match="minlength must be from 0 to"):
        exact.bincount([1], 2**62)


def test_a_code_beyond_all_arrays():
    with pytest.raises((MemoryError, ValueError)) as info:
        exact.bincount([2**62 + 12345])
    assert "1234" not in str(info.value)


def test_the_largest_code_may_stand_in_any_block():
    codes = np.zeros(200_000, ">i8")
    codes[0] = 3
    assert exact.bincount(codes).tolist() == [199_999, 0, 0, 1]
    codes[0] = -3
    with pytest.raises(ValueError, match="codes must be from 0"):
        exact.bincount(codes)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_more_counts_than_a_cache_holds(dtype):
    rng = np.random.default_rng(5)
    n = 9 * 10**6
    for codes in (np.arange(n), rng.integers(0, n, n), np.minimum(rng.integers(0, 10 * n, n), n)):
        codes = codes.astype(dtype)
        np.testing.assert_array_equal(exact.bincount(codes), np.bincount(codes))


def test_many_codes_that_change_under_the_call():
    """They pile up in the last part between the two looks at them."""
    n = 9 * 10**6
    codes = np.arange(n, dtype=np.int32)
    stop = threading.Event()

    def write():
        while not stop.is_set():
            codes[:] = n - 1
            codes[:] = np.arange(n, dtype=np.int32)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(8):
            assert 0 <= exact.bincount(codes, n).sum() <= n
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize("code", [2**59, 2**62, 2**63 - 2, 2**63 - 1])
@pytest.mark.parametrize("make", [list, np.array, np.ma.array])
def test_codes_beyond_all_memory_are_refused_before_numpy_counts(make: Any, code: int) -> None:
    with pytest.raises(MemoryError, match="no memory for a count of each code"):
        exact.bincount(make([code, 1]), 5)
