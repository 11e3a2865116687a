"""What was checked and charged is what is read, or an error before any noise."""

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
    PermuteAndFlip,
    PrivacyFilter,
    PureDP,
    RandomizedResponse,
)
from cydp._columns.declared import Labels
from cydp.mechanisms import PartitionSelection, Snapping

# Each takes an array of integers of shape (n,), but selection, which takes (rows, 3).
MECHANISMS: dict[str, Any] = {
    "DiscreteLaplace": DiscreteLaplace(epsilon=0.1, sensitivity=1),
    "Laplace": Laplace(epsilon=0.1, sensitivity=1),
    "Gaussian": Gaussian(epsilon=0.1, delta=1e-6, sensitivity=1),
    "Snapping": Snapping(epsilon=0.1, sensitivity=1, bounds=(-1000, 1000)),
    "ExponentialMechanism": ExponentialMechanism(epsilon=0.1, sensitivity=1),
    "PermuteAndFlip": PermuteAndFlip(epsilon=0.1, sensitivity=1),
    "PartitionSelection": PartitionSelection(epsilon=0.1, delta=1e-6, max_partitions=1),
    "RandomizedResponse": RandomizedResponse(epsilon=0.1),
}
SELECTIONS = ("ExponentialMechanism", "PermuteAndFlip")


class Meddling(PrivacyFilter):
    """A budget that does something as soon as it has charged, as another thread might."""

    __slots__ = ("meddle",)
    meddle: Callable[[], object]

    def charge(self, *args: Any, **kwargs: Any) -> None:
        super().charge(*args, **kwargs)
        self.meddle()


def meddling(meddle: Callable[[], object] = lambda: None, name: str = "") -> Meddling:
    relation = "change-one" if name == "RandomizedResponse" else "add-remove"
    budget = Meddling(ApproxDP(1000, 0.5), relation=relation)
    budget.meddle = meddle
    return budget


def rows_of(name: str, rows: int) -> list[Any]:
    return [[1, 2, 3] for _ in range(rows)] if name in SELECTIONS else [1] * rows


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_list_that_another_thread_changes_is_read_as_it_was_charged(name: str) -> None:
    values = rows_of(name, 1)
    budget = meddling(lambda: values.extend(rows_of(name, 99)), name)
    assert np.shape(MECHANISMS[name].release(values, budget=budget)) == (1,)
    assert len(values) == 100
    texts = rows_of(name, 2)

    def to_text() -> None:
        texts[:] = ["a", "b"]

    assert np.shape(MECHANISMS[name].release(texts, budget=meddling(to_text, name))) == (2,)
    if name in SELECTIONS:
        scores = [[1, 2, 3]]
        longer = meddling(lambda: scores[0].extend([10**6] * 99))
        assert MECHANISMS[name].release(scores, budget=longer)[0] < 3


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


@pytest.mark.parametrize("name", MECHANISMS)
def test_an_array_of_another_shape_than_was_charged_is_an_error(name: str) -> None:
    mechanism, values = MECHANISMS[name], np.array(rows_of(name, 4))

    def meddle() -> None:
        values.shape = (2, 2, *values.shape[1:])

    for given, change in ((Growing(name), lambda: None), (values, meddle)):
        budget = meddling(change, name)
        with pytest.raises(
            ValueError, match="the shape that it had when it was charged"
        ) as refused:
            mechanism.release(given, budget=budget)
        (note,) = refused.value.__notes__
        assert note.endswith(") was charged to the budget; nothing was released")
        assert budget.spent.epsilon > 0


def test_a_histogram_reads_the_list_that_was_checked() -> None:
    """Its loss does not depend on how many records there are."""
    grown = [1.0, 1.5]
    for changed in ([1.0, 1.5, *[3.0] * 99], ["a", "b"]):

        def meddle(to: list[Any] = changed) -> None:
            grown[:] = to

        grown[:] = [1.0, 1.5]
        release = cydp.histogram(grown, 2, (0, 4), epsilon=100, budget=meddling(meddle))
        assert release.loss == PureDP(100, relation="add-remove")
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


def test_labels_of_another_length_or_type_than_was_declared_are_an_error() -> None:
    class Other:
        """Declares two texts."""

        ndim, dtype, shape = 1, np.dtype("U1"), (2,)

        def __init__(self, held: Any) -> None:
            self.held = np.array(held)

        def __len__(self) -> int:
            return 2

        def __array__(self, *args: Any, **kwargs: Any) -> Any:
            return self.held

    assert len(Labels(Other(["a", "b"])).read()) == 2
    for held in (["a", "b", "c"], [1, 2]):
        with pytest.raises(ValueError, match="the type and the length that it declared"):
            Labels(Other(held)).read()


@pytest.mark.parametrize("has_ledger", [True, False])
def test_a_reader_that_fails_tells_what_was_charged(tmp_path: Path, has_ledger: bool) -> None:
    budget: Any = PrivacyFilter(ApproxDP(9, 0.5))
    if has_ledger:
        budget = new(tmp_path / "ledger", ApproxDP(9, 0.5))

    class Failing(Growing):
        shape = (2,)  # type: ignore[assignment]

        def __array__(self, *args: Any, **kwargs: Any) -> Any:
            raise OSError("the disk is gone")

    failing: Any = Failing("")
    noise = DiscreteLaplace(epsilon="1/3", sensitivity=1)
    snapping = Snapping(epsilon="1/6", sensitivity=1, bounds=(-1000, 1000))
    calls: list[Callable[[], object]] = [
        lambda: noise.release(failing, budget=budget),
        lambda: snapping.release(failing, budget=budget),
        lambda: cydp.histogram(
            failing, 2, (0, 4), epsilon="1/3", max_rows_per_unit=1, budget=budget
        ),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(OSError, match="the disk is gone") as failed:
            call()
        (note,) = failed.value.__notes__
        where = f"as entry {number + 3} of the ledger" if has_ledger else "to the budget; nothing"
        assert note.startswith(f"ApproxDP(epsilon='1/3', delta=0) was charged {where}")
    assert budget.spent == ApproxDP(1, 0)
