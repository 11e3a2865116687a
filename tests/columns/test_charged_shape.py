"""What was checked and charged is what is read, or an error before any noise."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger.ledger_processes import new

import cydp
from cydp import (
    ApproxDP,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PartitionSelection,
    PermuteAndFlip,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
    Snapping,
)

# Each takes an array of integers of shape (n,), but selection, which takes (rows, 3).
MECHANISMS: dict[str, Any] = {
    "DiscreteLaplace": DiscreteLaplace(epsilon=0.1, sensitivity=1),
    "Laplace": Laplace(epsilon=0.1, sensitivity=1),
    "Gaussian": Gaussian(epsilon=0.1, delta=1e-6, sensitivity=1),
    "Snapping": Snapping(epsilon=0.1, sensitivity=1, bounds=(-1000, 1000)),
    "ExponentialMechanism": ExponentialMechanism(epsilon=0.1, sensitivity=1),
    "PermuteAndFlip": PermuteAndFlip(epsilon=0.1, sensitivity=1),
    "PartitionSelection": PartitionSelection(epsilon=0.1, delta=1e-6, max_partitions=1),
}
SELECTIONS = ("ExponentialMechanism", "PermuteAndFlip")


class Meddling(PrivacyFilter):
    """A budget that does something as soon as it has charged, as another thread might."""

    __slots__ = ("meddle",)
    meddle: Callable[[], object]

    def charge(self, *args: Any, **kwargs: Any) -> None:
        super().charge(*args, **kwargs)
        self.meddle()


def meddling(meddle: Callable[[], object], relation: str = "add-remove") -> Meddling:
    budget = Meddling(ApproxDP(1000, 0.5), relation=relation)
    budget.meddle = meddle
    return budget


def rows_of(name: str, rows: int) -> list[Any]:
    return [[1, 2, 3] for _ in range(rows)] if name in SELECTIONS else [1] * rows


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_list_that_grows_is_read_as_it_was_charged(name: str) -> None:
    values = rows_of(name, 1)
    budget = meddling(lambda: values.extend(rows_of(name, 99)))
    released = MECHANISMS[name].release(values, budget=budget)
    assert np.shape(released) == (1,)
    assert len(values) == 100


@pytest.mark.parametrize("name", SELECTIONS)
def test_rows_that_grow_are_read_as_they_were_charged(name: str) -> None:
    values = [[1, 2, 3]]
    released = MECHANISMS[name].release(
        values, budget=meddling(lambda: values[0].extend([10**6] * 99))
    )
    assert released[0] < 3


def test_codes_that_grow_are_read_as_they_were_charged() -> None:
    codes = [0]
    budget = meddling(lambda: codes.extend([1] * 99), "change-one")
    assert RandomizedResponse(epsilon=0.1).release(codes, budget=budget).shape == (1,)


def test_entries_that_turn_to_text_are_read_as_they_were_checked() -> None:
    values: list[Any] = [1, 2]

    def meddle() -> None:
        values[:] = ["a", "b"]

    for name in ("DiscreteLaplace", "Laplace", "Snapping"):
        values[:] = [1, 2]
        assert MECHANISMS[name].release(values, budget=meddling(meddle)).shape == (2,)


class Growing:
    """An array that has more entries each time that it is asked."""

    ndim = 1
    dtype = np.dtype(np.int64)

    def __init__(self, name: str) -> None:
        self.asked, self.row = 0, (3,) if name in SELECTIONS else ()

    @property
    def shape(self) -> tuple[int, ...]:
        self.asked += 1
        return (self.asked, *self.row)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return np.ones((self.asked + 100, *self.row), np.int64)


@pytest.mark.parametrize("name", [*MECHANISMS, "RandomizedResponse"])
def test_an_array_of_another_shape_than_was_charged_is_an_error(name: str) -> None:
    mechanism = MECHANISMS.get(name, RandomizedResponse(epsilon=0.1))
    relation = "change-one" if name == "RandomizedResponse" else "add-remove"
    budget = PrivacyFilter(ApproxDP(1000, 0.5), relation=relation)
    with pytest.raises(ValueError, match="the shape that it had when it was charged") as refused:
        mechanism.release(Growing(name), budget=budget)
    (note,) = refused.value.__notes__
    assert note.endswith(") was charged to the budget; nothing was released")
    assert budget.spent.epsilon > 0


@pytest.mark.parametrize("name", MECHANISMS)
def test_an_array_whose_shape_is_changed_is_an_error(name: str) -> None:
    values = np.array(rows_of(name, 4))

    def meddle() -> None:
        values.shape = (2, 2, *values.shape[1:])

    with pytest.raises(ValueError, match="the shape that it had when it was charged"):
        MECHANISMS[name].release(values, budget=meddling(meddle))


def test_a_histogram_counts_what_it_reads() -> None:
    """Its loss does not depend on how many records there are."""
    values = [1.0]
    budget = meddling(lambda: values.extend([2.0] * 99))
    release = cydp.histogram(values, 2, (0, 4), epsilon=1, budget=budget)
    assert release.loss == PureDP(1, relation="add-remove")


def test_a_histogram_reads_the_list_that_was_checked() -> None:
    values: list[Any] = [1.0, 1.5]

    def meddle() -> None:
        values[:] = ["a", "b"]

    release = cydp.histogram(values, 2, (0, 4), epsilon=100, budget=meddling(meddle))
    assert release.counts.tolist() == [2, 0]


def test_a_histogram_of_another_dtype_or_shape_than_was_declared_is_an_error() -> None:
    class Other:
        """Declares integers, and holds floats."""

        ndim = 1
        dtype = np.dtype(np.int32)

        def __array__(self, *args: Any, **kwargs: Any) -> Any:
            return np.array([1.5, 2])

    array = np.ones(4)

    def meddle() -> None:
        array.shape = (2, 2)

    columns: list[tuple[Any, Callable[[], object]]] = [(Other(), lambda: None), (array, meddle)]
    for column, change in columns:
        budget = meddling(change)
        with pytest.raises(ValueError, match="x must have the dtype and the shape that") as refused:
            cydp.histogram(column, 2, (0, 4), epsilon=1, budget=budget)
        (note,) = refused.value.__notes__
        assert note.endswith(") was charged to the budget; nothing was released")
        assert budget.spent == ApproxDP(1, 0)


@pytest.mark.parametrize("make", [lambda path: new(path, ApproxDP(9, 0.5)), lambda path: None])
def test_a_reader_that_fails_tells_what_was_charged(tmp_path: Path, make: Any) -> None:
    ledger = make(tmp_path / "ledger")
    budget = ledger or PrivacyFilter(ApproxDP(9, 0.5))

    class Failing(Growing):
        shape = (2,)  # type: ignore[assignment]

        def __array__(self, *args: Any, **kwargs: Any) -> Any:
            raise OSError("the disk is gone")

    calls: list[Callable[[], object]] = [
        lambda: DiscreteLaplace(epsilon="1/3", sensitivity=1).release(Failing(""), budget=budget),  # type: ignore[call-overload]
        lambda: cydp.histogram(
            Failing(""), 2, (0, 4), epsilon="1/3", max_rows_per_unit=1, budget=budget
        ),  # type: ignore[arg-type]
        lambda: Snapping(epsilon="1/6", sensitivity=1, bounds=(-1000, 1000)).release(
            Failing(""), budget=budget
        ),  # type: ignore[call-overload]
    ]
    for number, call in enumerate(calls):
        with pytest.raises(OSError, match="the disk is gone") as failed:
            call()
        (note,) = failed.value.__notes__
        if ledger is None:
            charged = "ApproxDP(epsilon='1/3', delta=0)"
            assert note == f"{charged} was charged to the budget; nothing was released"
        else:
            assert note.startswith(
                f"ApproxDP(epsilon='1/3', delta=0) was charged as entry {number + 3} of the ledger"
            )
    assert budget.spent == ApproxDP(1, 0)


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
connection.close()
"""


@pytest.mark.parametrize("name", ["Snapping", "Gaussian", "ExponentialMechanism"])
def test_a_list_that_grows_while_another_process_holds_the_ledger(
    tmp_path: Path, name: str
) -> None:
    """The attack as it was found: the charge waits for another process, a thread appends."""
    ledger = new(tmp_path / "ledger", ApproxDP(1, 1e-3))
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path / "ledger")], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    values, released = rows_of(name, 1), []
    thread = threading.Thread(
        target=lambda: released.append(MECHANISMS[name].release(values, budget=ledger))
    )
    thread.start()
    while not ledger._store._busy:  # the release has been checked and waits for the lock
        time.sleep(0.001)
    values.extend(rows_of(name, 99))
    holder.communicate("\n")
    thread.join()
    assert np.shape(released[0]) == (1,)
    assert ledger.spent.epsilon == cydp.accounting.sequential(MECHANISMS[name].loss).epsilon
