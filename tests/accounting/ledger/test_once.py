"""accounting/ledger/_ledger_results.py: a release that is charged, drawn and recorded once."""

import itertools
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from accounting.ledger.ledger_processes import at_line, in_a_child, new

import cydp
from cydp import (
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    LedgerError,
    PartitionSelection,
    PermuteAndFlip,
    PureDP,
    RandomizedResponse,
    Snapping,
)
from cydp.accounting import ChargeConflictError, ChargeInDoubtError
from cydp.accounting.ledger._serialize import deserialize, serialize


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


RELEASES: dict[str, Callable[[Any], Any]] = {
    "DiscreteLaplace": lambda budget: DiscreteLaplace(epsilon=0.1, sensitivity=1).release(
        [[1, 2], [3, 4]], budget=budget
    ),
    "DiscreteLaplace of one": lambda budget: DiscreteLaplace(epsilon=0.1, sensitivity=1).release(
        5, budget=budget
    ),
    "DiscreteGaussian": lambda budget: DiscreteGaussian(
        epsilon=0.1, delta=1e-6, sensitivity=1
    ).release([1, 2], budget=budget),
    "Laplace": lambda budget: Laplace(epsilon=0.1, sensitivity=1).release([1.5, 2], budget=budget),
    "Laplace of one": lambda budget: Laplace(epsilon=0.1, sensitivity=1).release(
        1.5, budget=budget
    ),
    "Gaussian": lambda budget: Gaussian(epsilon=0.1, delta=1e-6, sensitivity=1).release(
        [1.5], budget=budget
    ),
    "Snapping": lambda budget: Snapping(epsilon=0.1, sensitivity=1, bounds=(-1000, 1000)).release(
        [1.5, 2], budget=budget
    ),
    "ExponentialMechanism": lambda budget: ExponentialMechanism(epsilon=0.1, sensitivity=1).release(
        np.zeros((3, 50)), budget=budget
    ),
    "PermuteAndFlip": lambda budget: PermuteAndFlip(epsilon=0.1, sensitivity=1).release(
        np.zeros(50), budget=budget
    ),
    "PartitionSelection": lambda budget: PartitionSelection(
        epsilon=0.1, delta=1e-6, max_partitions=1
    ).release(np.full(50, 130), budget=budget),
    "histogram": lambda budget: (
        cydp.histogram(
            [1, 2, 3], 20, (0, 4), epsilon=0.1, max_rows_per_unit=1, budget=budget
        ).counts
    ),
}


def same(one: Any, other: Any) -> bool:
    alike = type(one) is type(other)
    return (
        alike
        and getattr(one, "dtype", None) == getattr(other, "dtype", None)
        and bool(np.array_equal(one, other))
    )


@pytest.mark.parametrize("name", RELEASES)
def test_every_release_is_repeated_and_not_drawn_again(path: Path, name: str) -> None:
    with new(path, ApproxDP(10, 1e-3)) as ledger:
        first = RELEASES[name](ledger.scope(charge_id="monday", data_version="1"))
        spent, head = ledger.spent, ledger.head()
    with BudgetLedger.open(path) as ledger:
        for _ in range(5):
            again = RELEASES[name](ledger.scope(charge_id="monday", data_version="1"))
            assert same(first, again)
        assert (ledger.spent, ledger.head()) == (spent, head)
        others = [RELEASES[name](ledger.scope(charge_id=f"{i}")) for i in range(5)]
        assert not all(same(first, other) for other in others)  # the noise is fresh
        ledger.verify()


def test_a_survey_is_repeated(path: Path) -> None:
    ledger = new(path, relation="change-one")
    codes = np.zeros(100, np.uint8)
    budget = ledger.scope(charge_id="monday")
    first, again = (RandomizedResponse(epsilon=0.5).release(codes, budget=budget) for _ in range(2))
    assert same(first, again)
    assert ledger.spent == PureDP(0.5)
    flag = ledger.scope(charge_id="flag")
    assert type(RandomizedResponse(epsilon=0.1).release(True, budget=flag)) is bool
    assert type(RandomizedResponse(epsilon=0.1).release(True, budget=flag)) is bool


class Unreadable:
    dtype, shape, ndim = np.dtype(np.int64), (2,), 1

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("was read")


def test_a_repetition_reads_nothing(path: Path) -> None:
    ledger = new(path)
    budget = ledger.scope(charge_id="monday")
    first = DiscreteLaplace(epsilon=0.1, sensitivity=1).release(np.array([1, 2]), budget=budget)
    again = DiscreteLaplace(epsilon=0.1, sensitivity=1).release(Unreadable(), budget=budget)  # type: ignore[call-overload]
    assert same(first, again)
    counts = cydp.histogram(np.array([1, 2]), 2, (0, 4), epsilon=0.1, max_rows_per_unit=1,
                            budget=ledger.scope(charge_id="h")).counts  # fmt: skip
    assert same(counts, cydp.histogram(Unreadable(), 2, (0, 4), epsilon=0.1, max_rows_per_unit=1,  # type: ignore[arg-type]
                                       budget=ledger.scope(charge_id="h")).counts)  # fmt: skip


def test_anything_else_by_the_same_id_is_refused(path: Path) -> None:
    ledger = new(path)

    def blocks(**given: Any) -> Any:
        return ledger.scope(**{"charge_id": "monday", "data_version": "1"} | given)

    noise = DiscreteLaplace(
        epsilon=0.1, sensitivity=cydp.sensitivity.histogram(relation="add-remove")
    )
    first = cydp.histogram([1, 2], 4, (0, 4), epsilon=0.1, max_rows_per_unit=1, budget=blocks())
    head = ledger.head()
    others: dict[str, Callable[[], object]] = {
        "cost, params": lambda: cydp.histogram(
            [1], 4, (0, 4), epsilon=0.2, max_rows_per_unit=1, budget=blocks()
        ),
        "arguments": lambda: cydp.histogram(
            [1], 4, (0, 5), epsilon=0.1, max_rows_per_unit=1, budget=blocks()
        ),
        "data_version": lambda: cydp.histogram(
            [1], 4, (0, 4), epsilon=0.1, max_rows_per_unit=1, budget=blocks(data_version="2")
        ),
        "params": lambda: cydp.histogram(
            [1], 4, (0, 4), epsilon=0.1, max_rows_per_unit=2, budget=blocks()
        ),
        "params, function, arguments": lambda: noise.release([1] * 4, budget=blocks()),
        "cost, mechanism, params, function, arguments, data_version": lambda: ledger.charge(
            PureDP(1), charge_id="monday"
        ),
    }
    for differs, other in others.items():
        with pytest.raises(ChargeConflictError, match=f"'monday' .* differs in {differs}:"):
            other()
    with pytest.raises(ChargeConflictError, match="differs in data_version:"):
        cydp.histogram(
            [1],
            4,
            (0, 4),
            epsilon=0.1,
            max_rows_per_unit=1,
            budget=ledger.scope(charge_id="monday"),
        )
    assert ledger.head() == head
    again = cydp.histogram(
        [1, 2], 4, (0, 4), epsilon=0.1, max_rows_per_unit=1, budget=blocks(label="another")
    )
    assert same(first.counts, again.counts)


def test_once(path: Path) -> None:
    ledger, calls = new(path), []

    def release() -> Any:
        calls.append(1)
        return {"counts": np.arange(3), "pair": (1, 2.5), "n": np.int64(7), "none": None}

    for _ in range(3):
        result = ledger.once("monday", PureDP(0.5), release, arguments={"bins": 3})
        assert (result["pair"], result["n"], result["none"]) == ([1, 2.5], 7, None)
        assert result["counts"].tolist() == [0, 1, 2]
    assert calls == [1]
    assert ledger.spent == PureDP(0.5)
    receipt = ledger.charge(PureDP(0.1), charge_id="tuesday")
    assert receipt.fresh
    ledger.record("tuesday", 5)
    receipt = ledger.charge(PureDP(0.1), charge_id="tuesday")
    assert (receipt.fresh, receipt.result) == (False, 5)
    with pytest.raises(ChargeConflictError, match="arguments"):
        ledger.once("monday", PureDP(0.5), release, arguments={"bins": 4})
    with pytest.raises(ChargeConflictError, match="function"):
        ledger.once("monday", PureDP(0.5), release, arguments={"bins": 3}, function="other")
    ledger.verify()


def test_a_release_object_is_rebuilt(path: Path) -> None:
    ledger = new(path)

    def ages() -> cydp.HistogramRelease:
        return cydp.histogram([1, 2], 3, (0, 1), epsilon="1/3", relation="add-remove")

    first, again = (ledger.once("ages", PureDP("1/3"), ages) for _ in range(2))
    for release in (first, again):
        assert isinstance(release, cydp.HistogramRelease)
        stated = cydp.sensitivity.histogram(relation="add-remove")
        assert release.mechanism == DiscreteLaplace(epsilon="1/3", sensitivity=stated)
        assert release.loss == PureDP("1/3", relation="add-remove") == first.loss
        assert same(release.counts, first.counts)
        assert same(release.edges, np.linspace(0, 1, 4))


def test_results_of_many_kinds(path: Path) -> None:
    ledger = new(path)
    series = pd.Series([1.5, 2], index=["a", "b"], name="income")
    estimate = RandomizedResponse(epsilon=1).estimate([0, 1, 1])
    results: list[Any] = [series, estimate, Fraction(1, 3), float("inf"), {"n": float("-inf")}]
    for number, result in enumerate(results):

        def release(result: Any = result) -> Any:
            return result

        for _ in range(2):
            again = ledger.once(f"{number}", PureDP(0.1), release)
            assert type(again) is type(result)
            if number == 0:
                pd.testing.assert_series_equal(again, series)
            elif number == 1:
                assert np.array_equal(again.interval(), estimate.interval())
            else:
                assert again == result
        assert type(ledger.result(f"{number}")) is type(result)


@pytest.mark.parametrize(
    "mechanism",
    [
        DiscreteLaplace(epsilon=0.1, sensitivity=1),
        Laplace(epsilon=0.1, sensitivity=1),
        Snapping(epsilon=0.01, sensitivity=1, bounds=(-1000, 1000)),
        PartitionSelection(epsilon=0.1, delta=1e-6, max_partitions=1),
        RandomizedResponse(epsilon=0.1, n_categories=4),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_a_series_is_repeated_with_its_own_index_only(path: Path, mechanism: Any) -> None:
    relation = mechanism.relation or "add-remove"
    ledger = new(path, ApproxDP(1, 1e-5), relation=relation)
    series = pd.Series([1, 2, 3], index=list("abc"))
    budget = ledger.scope(charge_id="monday")
    first, again = (mechanism.release(series, budget=budget) for _ in range(2))
    pd.testing.assert_series_equal(first, again)
    for other in (series[::-1], series.rename("people")):
        with pytest.raises(ChargeConflictError, match="differs in arguments"):
            mechanism.release(other, budget=budget)


def test_a_selection_is_repeated_among_as_many_candidates_only(path: Path) -> None:
    budget = new(path).scope(charge_id="monday")
    ExponentialMechanism(epsilon=0.1, sensitivity=1).release([1, 2, 3], budget=budget)
    with pytest.raises(ChargeConflictError, match="differs in arguments"):
        ExponentialMechanism(epsilon=0.1, sensitivity=1).release([1, 2, 3, 4], budget=budget)


def test_a_recorded_result_can_be_read(path: Path) -> None:
    ledger = new(path)
    counts = cydp.histogram(
        [1], 2, (0, 4), epsilon=0.1, max_rows_per_unit=1, budget=ledger.scope(charge_id="a")
    ).counts
    assert same(ledger.result("a"), counts)
    ledger.charge(PureDP(0.1), charge_id="b")
    with pytest.raises(ChargeInDoubtError, match="no recorded result"):
        ledger.result("b")
    with pytest.raises(LedgerError, match="nothing was charged"):
        ledger.result("c")


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@in_a_child
def test_an_interrupt_tells_what_became_of_the_charge(path: Path) -> None:
    """After the commit, wherever it comes: charged, or charged and recorded; never neither."""
    ledger = new(path, PureDP(10**4))

    def interrupt() -> None:
        raise KeyboardInterrupt

    def release() -> int:
        return 1

    for line in itertools.count(1):
        notes: list[str] = []
        work = partial(ledger.once, f"{line}", PureDP(1), release)
        try:
            at_line(line, interrupt, work)
        except KeyboardInterrupt as error:
            notes = getattr(error, "__notes__", [])
        else:
            break
        kinds = {
            entry["kind"]
            for entry in ledger.history()
            if f"{line}" in (entry["charge_id"], entry.get("result_of"))
        }
        if "result" in kinds:
            assert [
                note.endswith("its result is recorded: repeat the call to get it") for note in notes
            ] == [True]
        elif "charge" in kinds:
            assert [note.endswith("nothing was released") for note in notes] == [True]
        else:
            assert notes == []
    assert line > 50


def test_what_fails_before_the_charge_charges_nothing(path: Path) -> None:
    ledger = new(path)
    head, deep = ledger.head(), cast("list[Any]", [])
    for _ in range(10**5):
        deep = [deep]
    wrong: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: ledger.once("a", PureDP(0.5), 5), TypeError),  # type: ignore[arg-type]
        (lambda: ledger.once("a", PureDP(0.5), lambda: 5), TypeError),
        (lambda: ledger.once("a", PureDP(0.5), partial(dict, a=1)), TypeError),
        (lambda: ledger.once("a", PureDP(0.5), dict, function=5), TypeError),  # type: ignore[arg-type]
        (lambda: ledger.once("a", PureDP(0.5), dict, nbytes=-5), ValueError),
        (lambda: ledger.once("a", PureDP(0.5), dict, arguments=deep), ValueError),
        (lambda: ledger.scope(data_version="1"), ValueError),
        (lambda: ledger.result("a"), LedgerError),
        (lambda: ledger.result(5), TypeError),  # type: ignore[arg-type]
        (lambda: ledger.once(5, PureDP(0.5), dict), TypeError),  # type: ignore[arg-type]
        (lambda: ledger.once("", PureDP(0.5), dict), ValueError),
        (lambda: ledger.once("a", PureDP(0.5), dict, arguments={1}), TypeError),
        (lambda: ledger.once("a", PureDP(0.5), dict, data_version=""), ValueError),
        (lambda: ledger.once("a", PureDP(0.5), dict, nbytes=2**26 + 1), ValueError),
        (lambda: ledger.once("a", PureDP(2), dict), BudgetExceededError),
        (lambda: ledger.record(5, 1), TypeError),  # type: ignore[arg-type]
        (lambda: ledger.record("a", None), TypeError),
        (lambda: ledger.scope(charge_id=5), TypeError),  # type: ignore[arg-type]
        (lambda: ledger.scope(data_version=""), ValueError),
        (lambda: ledger.scope().once(PureDP(0.5), dict), ValueError),
    ]
    for call, error in wrong:
        with pytest.raises(error):
            call()
    huge = np.broadcast_to(np.int64(1), 2**23 + 1)  # takes no memory
    with pytest.raises(ValueError, match="67,108,864 bytes, and this one has 67,108,872"):
        DiscreteLaplace(epsilon=0.1, sensitivity=1).release(
            huge, budget=ledger.scope(charge_id="huge")
        )
    assert ledger.head() == head
    ledger.verify()


@pytest.mark.parametrize(
    "result",
    [None, {1}, 1j, pytest.param(object(), id="object"), {1: 2}, {"$array": 1},
     pytest.param(np.array([object()]), id="array"), np.ma.array([1], mask=[True])],
    ids=str,
)  # fmt: skip
def test_a_result_that_cannot_be_recorded_is_not_returned(path: Path, result: Any) -> None:
    ledger = new(path)
    with pytest.raises((TypeError, ValueError)) as refused:
        ledger.once("monday", PureDP(0.5), lambda: result, function="f")
    assert refused.value.__notes__ == [
        "PureDP(epsilon=0.5) was charged as entry 3 of the ledger, by the id 'monday'; "
        "nothing was released"
    ]
    with pytest.raises(ChargeInDoubtError):
        ledger.once("monday", PureDP(0.5), lambda: result, function="f")
    assert ledger.spent == PureDP(0.5)


def test_results_keep_their_bits() -> None:
    values = [
        np.array([0.1, -0.0, np.nan, np.inf]), np.zeros((2, 0), np.int8), np.array(3), "a", 10**30,
        np.arange(6, dtype=">i4").reshape(2, 3)[:, ::2], np.array([True, False]),
    ]  # fmt: skip
    for value in values:
        again = deserialize(serialize(value))
        if isinstance(value, np.ndarray):
            assert (again.dtype, again.shape) == (value.dtype.newbyteorder("="), value.shape)
            assert again.tobytes() == np.ascontiguousarray(value, again.dtype).tobytes()
            assert again.flags.writeable
        else:
            assert again == value
    itself: list[Any] = []
    itself.append(itself)
    with pytest.raises(ValueError, match="nested so deeply"):
        serialize(itself)
    assert serialize([np.zeros(2**25, np.int8)] * 2)
    with pytest.raises(ValueError, match="keeps results of up to 67,108,864 bytes"):
        serialize([np.zeros(2**25, np.int8)] * 2 + [np.zeros(1, np.int8)])


# A script that releases by an id, as somebody runs it every night. With a word behind the path it
# waits between its charge and its release for a line.
SCRIPT = """
import sys, cydp
from cydp.accounting import PureDP
with cydp.BudgetLedger.open(sys.argv[1]) as ledger:
    def release():
        if len(sys.argv) > 2:
            print("charged", flush=True)
            sys.stdin.readline()
        return cydp.DiscreteLaplace(epsilon=1e-3, sensitivity=1).release(5)
    print(ledger.once("nightly", PureDP(0.4), release))
"""


def start(path: Path, *words: str) -> subprocess.Popen[str]:
    command, pipe = [sys.executable, "-c", SCRIPT, str(path), *words], subprocess.PIPE
    return subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=pipe)


def test_a_script_that_is_run_again_prints_the_same(path: Path) -> None:
    new(path).close()
    printed = {start(path).communicate()[0] for _ in range(3)}
    assert len(printed) == 1
    assert int(printed.pop()) != 10**9
    assert BudgetLedger.open(path).spent == PureDP(0.4)


def test_a_script_killed_after_its_charge_leaves_a_doubt(path: Path) -> None:
    new(path).close()
    first = start(path, "wait")
    assert first.stdout is not None
    assert first.stdout.readline() == "charged\n"
    # While it runs, and after it was killed: nobody can know what it has released.
    assert "ChargeInDoubtError: charge_id 'nightly' was charged" in start(path).communicate()[1]
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert "ChargeInDoubtError: charge_id 'nightly' was charged" in start(path).communicate()[1]
    with BudgetLedger.open(path) as ledger:
        assert ledger.spent == PureDP(0.4)
        ledger.verify()


def test_many_processes_release_once(path: Path) -> None:
    new(path).close()
    ends = [child.communicate() for child in [start(path) for _ in range(8)]]
    printed = {out for out, _ in ends if out}
    assert len(printed) == 1
    assert all(out or "ChargeInDoubtError" in error for out, error in ends)
    with BudgetLedger.open(path) as ledger:
        assert ledger.spent == PureDP(0.4)
        ledger.verify()


def test_many_threads_release_once(path: Path) -> None:
    ledger, results = new(path), []

    def run() -> None:
        with suppress(ChargeInDoubtError):
            results.append(DiscreteLaplace(epsilon="1e-3", sensitivity=1).release(5, budget=budget))

    budget = ledger.scope(charge_id="monday")
    threads = [threading.Thread(target=run) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1
    assert ledger.spent == PureDP("1e-3")
