"""accounting/ledger/_ledger_results.py: a release that is charged, drawn and recorded once."""

import itertools
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
    BudgetLedger,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    PureDP,
    RandomizedResponse,
)
from cydp.accounting import ChargeConflictError, ChargeInDoubtError
from cydp.accounting.ledger import _serialize
from cydp.accounting.ledger._serialize import deserialize, serialize
from cydp.mechanisms import PartitionSelection, Snapping


def per(epsilon: float = 0.1, **more: Any) -> dict[str, Any]:
    return {"epsilon": epsilon, "sensitivity": 1} | more


RELEASES: dict[str, tuple[Any, Any]] = {
    "DiscreteLaplace": (DiscreteLaplace(**per()), [[1, 2], [3, 4]]),
    "DiscreteLaplace of one": (DiscreteLaplace(**per()), 5),
    "DiscreteGaussian": (DiscreteGaussian(**per(delta=1e-6)), [1, 2]),
    "Laplace": (Laplace(**per()), [1.5, 2]),
    "Laplace of one": (Laplace(**per()), 1.5),
    "Gaussian": (Gaussian(**per(delta=1e-6)), [1.5]),
    # Of many: the noise of one number is the same again with probability 0.37.
    "Snapping": (Snapping(**per(bounds=(-1000, 1000))), np.full(20, 1.5)),
    "ExponentialMechanism": (ExponentialMechanism(**per()), np.zeros((3, 50))),
    "PermuteAndFlip": (PermuteAndFlip(**per()), np.zeros(50)),
    "PartitionSelection": (
        PartitionSelection(epsilon=0.1, delta=1e-6, max_partitions=1), np.full(50, 130)
    ),
}  # fmt: skip


def histogram(budget: Any, *, bounds: Any = (0, 4), epsilon: float = 0.1, rows: int = 1) -> Any:
    return cydp.histogram([1, 2], 4, bounds, epsilon=epsilon, max_rows_per_unit=rows, budget=budget)


def same(one: Any, other: Any) -> bool:
    alike = type(one) is type(other)
    return (
        alike
        and getattr(one, "dtype", None) == getattr(other, "dtype", None)
        and bool(np.array_equal(one, other))
    )


def test_every_release_is_repeated_and_not_drawn_again(path: Path) -> None:
    with new(path, ApproxDP(100, 1e-3)) as ledger:
        first = {
            name: noise.release(data, budget=ledger.scope(charge_id=name, data_version="1"))
            for name, (noise, data) in RELEASES.items()
        }
        head = ledger.head()
    wrong = []
    with BudgetLedger.open(path) as ledger:
        for name, (noise, data) in RELEASES.items():
            budget = ledger.scope(charge_id=name, data_version="1")
            if not all(same(first[name], noise.release(data, budget=budget)) for _ in range(2)):
                wrong.append(f"{name} is drawn again")
        assert ledger.head() == head
        for name, (noise, data) in RELEASES.items():
            budgets = [ledger.scope(charge_id=f"{name} {i}") for i in range(8)]
            if all(same(first[name], noise.release(data, budget=budget)) for budget in budgets):
                wrong.append(f"the noise of {name} is not fresh")
        ledger.verify()
    assert wrong == []


def test_a_survey_is_repeated(path: Path) -> None:
    ledger = new(path, relation="change-one")
    for answers, epsilon in ((np.zeros(100, np.uint8), 0.5), (True, 0.1)):
        budget, survey = ledger.scope(charge_id=f"{epsilon}"), RandomizedResponse(epsilon=epsilon)
        first, again = (survey.release(answers, budget=budget) for _ in range(2))  # type: ignore[arg-type]
        assert same(first, again)
        assert type(first) is type(answers)
    assert ledger.spent == PureDP(0.6)


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
    counts = [
        cydp.histogram(
            data, 2, (0, 4), epsilon=0.1, max_rows_per_unit=1, budget=ledger.scope(charge_id="h")
        ).counts
        for data in (np.array([1, 2]), cast("Any", Unreadable()))
    ]
    assert same(*counts)


def test_anything_else_by_the_same_id_is_refused(path: Path) -> None:
    ledger = new(path)

    def blocks(**given: Any) -> Any:
        return ledger.scope(**{"charge_id": "monday", "data_version": "1"} | given)

    noise = DiscreteLaplace(
        epsilon=0.1, sensitivity=cydp.sensitivity.histogram(relation="add-remove")
    )
    first, head = histogram(blocks()), ledger.head()
    others: dict[str, Callable[[], object]] = {
        "cost, query": lambda: histogram(blocks(), epsilon=0.2),
        "query": lambda: histogram(blocks(), bounds=(0, 5)),
        "data_version": lambda: histogram(blocks(data_version="2")),
        "query ": lambda: histogram(blocks(), rows=2),
        "query, function, arguments": lambda: noise.release([1] * 4, budget=blocks()),
        "cost, mechanism, query, function, arguments, data_version": lambda: ledger.charge(
            PureDP(1), charge_id="monday"
        ),
    }
    for differs, other in others.items():
        with pytest.raises(ChargeConflictError, match=f"'monday' .* differs in {differs.strip()}:"):
            other()
    with pytest.raises(ChargeConflictError, match="differs in data_version:"):
        histogram(ledger.scope(charge_id="monday"))
    candidates = ExponentialMechanism(**per(0.01))
    candidates.release([1, 2, 3], budget=ledger.scope(charge_id="best"))
    with pytest.raises(ChargeConflictError, match="differs in arguments"):
        candidates.release([1, 2, 3, 4], budget=ledger.scope(charge_id="best"))
    assert ledger.head()[0] == head[0] + 2
    assert same(first.counts, histogram(blocks(label="another")).counts)


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

    def ages() -> cydp.releases.HistogramRelease:
        return cydp.histogram([1, 2], 3, (0, 1), epsilon="1/3", relation="add-remove")

    first, again = (ledger.once("ages", PureDP("1/3"), ages) for _ in range(2))
    for release in (first, again):
        assert isinstance(release, cydp.releases.HistogramRelease)
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


def test_a_series_is_repeated_with_its_own_index_only(path: Path) -> None:
    series = pd.Series([1, 2, 3], index=list("abc"))
    mechanisms: list[Any] = [
        DiscreteLaplace(**per()), Laplace(**per()), Snapping(**per(0.01, bounds=(-1000, 1000))),
        PartitionSelection(epsilon=0.1, delta=1e-6, max_partitions=1),
        RandomizedResponse(epsilon=0.1, n_categories=4),
    ]  # fmt: skip
    for mechanism in mechanisms:
        name = type(mechanism).__name__
        relation = mechanism.relation or "add-remove"
        ledger = new(path.with_name(name), ApproxDP(1, 1e-5), relation=relation)
        budget = ledger.scope(charge_id="monday")
        first, again = (mechanism.release(series, budget=budget) for _ in range(2))
        pd.testing.assert_series_equal(first, again)
        for other in (series[::-1], series.rename("people")):
            with pytest.raises(ChargeConflictError, match="differs in arguments"):
                mechanism.release(other, budget=budget)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.long)])
@in_a_child
def test_an_interrupt_tells_what_became_of_the_charge(path: Path, step: int) -> None:
    """After the commit, wherever it comes: charged, or charged and recorded; never neither."""
    ledger = new(path, PureDP(10**4))

    def interrupt() -> None:
        raise KeyboardInterrupt

    def release() -> int:
        return 1

    for line in itertools.count(1, step):
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
    with pytest.raises(ValueError, match="nested"):
        serialize(itself)


def test_long_results_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """In bytes of all arrays together, and in characters of everything else."""
    monkeypatch.setattr(_serialize, "MOST_BYTES", 64)
    monkeypatch.setattr(_serialize, "_MOST_TEXT", 1000)
    half = np.zeros(32, np.int8)
    assert serialize([half] * 2)
    assert serialize("x" * 900)
    for long in ([half] * 2 + [np.zeros(1, np.int8)], "x" * 1001):
        with pytest.raises(ValueError, match="keeps results of up to 64 bytes"):
            serialize(long)


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


def test_scripts_at_once_release_once_and_one_that_is_run_again_prints_the_same(path: Path) -> None:
    new(path).close()
    ends = [child.communicate() for child in [start(path) for _ in range(3)]]
    ends.append(start(path).communicate())
    printed = {out for out, _ in ends if out}
    assert len(printed) == 1
    assert ends[-1][0]
    assert all(out or "ChargeInDoubtError" in error for out, error in ends)
    with BudgetLedger.open(path) as ledger:
        assert ledger.spent == PureDP(0.4)
        ledger.verify()


def test_a_script_killed_after_its_charge_leaves_a_doubt(path: Path) -> None:
    """While it runs, and after it was killed: nobody can know what it has released."""
    ledger = new(path)
    first = start(path, "wait")
    assert first.stdout is not None
    assert first.stdout.readline() == "charged\n"

    def release() -> None:
        raise AssertionError("was called")

    for end in (lambda: None, first.kill):
        end()
        with pytest.raises(ChargeInDoubtError, match="'nightly' was charged"):
            ledger.once("nightly", PureDP(0.4), release, function="release")
    first.communicate()
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
