"""Another thread writes to the input of a call: limits and distributions hold for what was read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cydp
from cydp import _threads as threads
from cydp import exact
from cydp.testing import SeededGenerator

ROWS, CALLS = 100_000, 5


@contextmanager
def keep_writing(array: NDArray[Any], *kinds: Any) -> Iterator[None]:
    """Fill the array with one kind after the other, as long as the block runs."""
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            for kind in kinds:
                array[:] = kind

    array[:] = kinds[0]
    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


@pytest.mark.parametrize(
    ("kinds", "number", "calls"),
    [
        pytest.param((np.str_("a"), np.str_("b")), 3, 4, id="text"),
        pytest.param((np.int64(0), np.int64(2**40)), 1, 4, id="integers"),
        *(
            pytest.param(kinds, number, 20, id=f"{kinds}-{number}", marks=pytest.mark.long)
            for number in (1, 3)
            for kinds in (
                (np.int64(1), np.int64(2)),
                (np.int64(0), np.int64(2**40)),
                (np.str_("a"), np.str_("b")),
                (np.bytes_("a"), np.bytes_("b")),
            )
        ),
    ],
)
def test_limits_hold_while_users_change(
    kinds: tuple[Any, ...], number: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row is the first user's or the second's, so at most 2 users' rows may stay.

    The two differ in one byte: a copy may take bytes of both, and must not make a third user.
    """
    monkeypatch.setattr(threads, "NUM_THREADS", number)
    monkeypatch.setattr(threads, "THREADS_FROM", 0)
    users, groups = np.empty(ROWS, kinds[0].dtype), np.zeros(ROWS, np.int64)
    with keep_writing(users, *kinds):
        for _ in range(calls):
            for one, other, partitions, rows, most in (
                (users, groups, 1, 3, 6), (groups, users, 1, 3, 3), (groups, users, 5, 2, 4),
            ):  # fmt: skip
                stays = exact.bound_contributions(
                    one, other, max_partitions=partitions, max_rows_per_partition=rows
                )
                assert stays.sum() <= most


def test_limits_hold_while_texts_change() -> None:
    """Texts of a letter each, which Arrow lends: users are told apart by their bytes."""
    arrow = pytest.importorskip("pyarrow")
    letters, offsets = np.zeros(ROWS, np.uint8), np.arange(ROWS + 1, dtype=np.int32)
    users = arrow.StringArray.from_buffers(ROWS, arrow.py_buffer(offsets), arrow.py_buffer(letters))
    with keep_writing(letters, ord("a"), ord("b")):
        for _ in range(CALLS):
            stays = exact.bound_contributions(
                users, np.zeros(ROWS, np.int64), max_partitions=1, max_rows_per_partition=3
            )
            assert stays.sum() <= 6


def test_places_are_those_of_keys_while_strings_change() -> None:
    x = np.empty(ROWS, "<U20")
    keys = ["a" * 20, "a" * 18 + "bc"]
    with keep_writing(x, "a" * 20, "", "a" * 17, "a" * 18 + "bc"):
        for _ in range(CALLS):
            assert exact.match_keys(x, keys).max() <= 2
            assert exact.value_counts(x, keys).sum() <= ROWS


def test_counts_are_of_rows_while_masks_change() -> None:
    x, mask = np.ones(ROWS), np.zeros(ROWS, np.bool_)
    with keep_writing(mask, True, False, np.arange(ROWS) % 2 == 0):
        for _ in range(CALLS):
            masked: Any = np.ma.MaskedArray(x, mask)
            assert exact.histogram(masked, 3, range=(0, 2))[0].sum() <= ROWS


def test_reports_are_uniform_while_codes_change() -> None:
    """Of a mechanism without information, every report is uniform: K - 1 and -1 read as 0 are not.

    Of 500,000 reports 5,000 are expected to be 0; 6,000 have a probability below exp(-90), by
    Bernstein's inequality.
    """
    codes = np.empty(ROWS, np.int64)
    mechanism, rng = cydp.RandomizedResponse(epsilon="1e-9", n_categories=100), SeededGenerator(1)
    with keep_writing(codes, 99, -1, 0, 100):
        reports = np.concatenate([mechanism.release(codes, rng=rng) for _ in range(CALLS)])
    assert reports.min() >= 0
    assert reports.max() < 100
    assert (reports == 0).sum() < 6_000
