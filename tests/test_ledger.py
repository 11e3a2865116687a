"""accounting/ledger.py: durable, refused in time, and never less than was released."""

import copy
import os
import pickle
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    DiscreteGaussian,
    DiscreteLaplace,
    LedgerError,
    PureDP,
)
from cydp.accounting import (
    BlockRetiredError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerBusyError,
    LedgerCorruptError,
    LedgerRollbackError,
    LedgerSchemaError,
    MeasureMismatchError,
    RelationMismatchError,
    UnknownBlockError,
    store,
)
from cydp.testing import SeededGenerator

fixed = settings(derandomize=True, deadline=None, max_examples=20)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


def new(path: Path, budget: Any = None, **more: Any) -> BudgetLedger:
    return BudgetLedger.create(path, budget or PureDP(1), privacy_unit="person", **more)


def test_ten_charges_of_a_tenth_empty_a_budget_of_one(path: Path) -> None:
    ledger = new(path)
    for _ in range(10):
        ledger.charge(PureDP(0.1))
    for bad in (PureDP(1e-300), DiscreteLaplace(1e-3)):
        assert ledger.would_exceed(bad)
        with pytest.raises(BudgetExceededError):
            ledger.charge(bad)
    for bad_cost in (-1, float("nan"), float("inf"), 0.1, True, None, "1"):
        with pytest.raises((TypeError, ValueError)):
            ledger.charge(bad_cost)
    assert ledger.spent == PureDP(1)
    assert ledger.remaining == PureDP(0)
    assert BudgetLedger.open(path).spent == PureDP(1)
    ledger.verify()


CHARGES = st.tuples(
    st.sampled_from(["a", "b", "c", "ab"]),
    st.fractions(0, 1, max_denominator=12),
    st.integers(0, 2),
)


@fixed
@given(st.lists(CHARGES | st.sampled_from(["retire b", "reopen", "add c"]), max_size=25))
def test_against_a_model(tmp_path_factory: Any, steps: list[Any]) -> None:
    path = tmp_path_factory.mktemp("model") / "ledger"
    ledger = new(path, blocks=True)
    ledger.add_block("a")
    ledger.add_block("b", PureDP("1/2"), day="2026-11-20")
    budgets, retired = {"a": Fraction(1), "b": Fraction(1, 2)}, set()
    spent = dict.fromkeys(budgets, Fraction(0))
    for step in steps:
        if step == "reopen":
            ledger.close()
            ledger = BudgetLedger.open(path)
        elif step == "retire b":
            ledger.retire("b")
            retired.add("b")
        elif step == "add c":
            if "c" in budgets:
                with pytest.raises(LedgerError, match="already"):
                    ledger.add_block("c")
            else:
                ledger.add_block("c", PureDP(0.75))
                budgets["c"], spent["c"] = Fraction(3, 4), Fraction(0)
        else:
            blocks, epsilon, count = step
            cost = epsilon * count
            before = ledger.head()
            wrong: type[Exception] | None = None
            for block in blocks:
                if wrong is None:
                    if block not in budgets:
                        wrong = UnknownBlockError
                    elif block in retired:
                        wrong = BlockRetiredError
                    elif spent[block] + cost > budgets[block]:
                        wrong = BudgetExceededError
            if wrong is not None:
                with pytest.raises(wrong):
                    ledger.charge(PureDP(epsilon), count, blocks=list(blocks))
                assert ledger.head() == before
            else:
                receipt = ledger.charge(PureDP(epsilon), count, blocks=list(blocks))
                assert receipt.seq == before[0] + 1
                for block in blocks:
                    spent[block] += cost
        assert ledger.spent == {block: PureDP(epsilon) for block, epsilon in spent.items()}
    ledger.verify()
    ledger.close()


def test_measures_and_relations(path: Path) -> None:
    zcdp = new(path, ZCDP(1), relation="change-one")
    zcdp.charge(PureDP(1), relation="change-one")
    zcdp.charge(DiscreteGaussian(rho=0.25))
    assert zcdp.spent == ZCDP(0.75)
    with pytest.raises(MeasureMismatchError):
        zcdp.charge(ApproxDP(1, 1e-6))
    with pytest.raises(RelationMismatchError):
        zcdp.charge(PureDP(0.1), relation="add-remove")
    with pytest.raises(LedgerError, match="without blocks"):
        zcdp.add_block("a")
    approximate = new(path.with_name("other"), ApproxDP(1, 1e-6))
    approximate.charge(ApproxDP(0.5, 1e-6))
    approximate.charge(PureDP(0.5))
    with pytest.raises(MeasureMismatchError):
        approximate.charge(ZCDP(0.1))
    assert BudgetLedger.open(approximate._store.path).remaining == ApproxDP(0, 0)


def test_repeated_ids(path: Path) -> None:
    ledger = new(path)
    first = ledger.charge(PureDP(0.5), charge_id="monday", label="ages")
    with pytest.raises(ChargeInDoubtError):
        ledger.charge(PureDP(0.5), charge_id="monday")
    ledger.record("monday", {"counts": [1, 2]})
    again = BudgetLedger.open(path).charge(PureDP(0.5), charge_id="monday")
    assert (again.result, again.seq) == ({"counts": [1, 2]}, first.seq)
    for other in (PureDP(0.4), DiscreteLaplace(0.5)):
        with pytest.raises(ChargeConflictError):
            ledger.charge(other, charge_id="monday")
    for wrong in ("monday", "tuesday"):
        with pytest.raises(LedgerError, match=r"recorded before|nothing was charged"):
            ledger.record(wrong, 1)
    assert ledger.spent == PureDP(0.5)
    ledger.verify()


def test_many_charges_or_none(path: Path) -> None:
    ledger = new(path)
    receipts = ledger.charge_many([{"cost": PureDP(0.25), "count": 2}, {"cost": PureDP(0.25)}])
    assert [r.seq for r in receipts] == [3, 4]
    with pytest.raises(BudgetExceededError):
        ledger.charge_many([{"cost": PureDP(0.25)}, {"cost": PureDP(1e-9)}])
    with pytest.raises(TypeError, match="each of charges"):
        ledger.charge_many([{"cost": PureDP(0.1), "blok": 1}])
    assert ledger.spent == PureDP(0.75)


class Unreadable:
    dtype, shape, ndim = np.dtype(np.int64), (3,), 1

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("was read")


def test_releases_charge_before_they_read(path: Path) -> None:
    ledger = new(path, blocks=True)
    ledger.add_block("today")
    budget = ledger.blocks("today")
    released = cydp.histogram([1, 2], 2, (0, 4), epsilon=0.25, budget=budget)
    assert released.counts.shape == (2,)
    with pytest.raises(AssertionError, match="was read"):
        DiscreteLaplace(0.25).release(Unreadable(), budget=budget)  # type: ignore[call-overload]
    with pytest.raises(AssertionError, match="was read"):
        cydp.histogram(Unreadable(), 2, (0, 4), epsilon=0.25, budget=budget)  # type: ignore[arg-type]
    assert ledger.spent == {"today": PureDP(0.75)}
    with pytest.raises(BudgetExceededError, match="'today'"):
        cydp.histogram(Unreadable(), 2, (0, 4), epsilon=0.5, budget=budget)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must not be seeded"):
        DiscreteLaplace(0.1).release(1, budget=budget, rng=SeededGenerator(1))
    with pytest.raises(RelationMismatchError):
        cydp.histogram([1], 2, (0, 4), epsilon=0.1, budget=budget, relation="change-one")
    with pytest.raises(UnknownBlockError):
        DiscreteLaplace(0.1).release(1, budget=ledger)
    assert ledger.spent == {"today": PureDP(0.75)}
    names = [entry["mechanism"] for entry in ledger.history() if entry["kind"] == "charge"]
    assert names == ["DiscreteLaplace"] * 3


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda path: new(path, 1.0), TypeError),
        (lambda path: new(path, relation="both"), ValueError),
        (lambda path: new(path, relation="change-one", blocks=True), ValueError),
        (lambda path: BudgetLedger.create(path, PureDP(1), privacy_unit=" "), ValueError),
        (lambda path: BudgetLedger(), TypeError),
        (lambda path: BudgetLedger.open(path), LedgerError),
        (lambda path: new(path / "no" / "folder"), LedgerError),
    ],
)
def test_bad_ledgers(path: Path, make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make(path)
    assert not path.exists()


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda ledger: ledger.add_block("all"), ValueError),
        (lambda ledger: ledger.add_block("b", PureDP(2)), ValueError),
        (lambda ledger: ledger.add_block("b", ZCDP(0.1)), TypeError),
        (lambda ledger: ledger.add_block("b", day={1}), TypeError),
        (lambda ledger: ledger.retire("none"), UnknownBlockError),
        (lambda ledger: ledger.blocks(), ValueError),
        (lambda ledger: ledger.blocks("a", "a"), ValueError),
        (lambda ledger: ledger.charge(PureDP(0.1), blocks="a"), TypeError),
        (lambda ledger: ledger.charge(PureDP(0.1)), UnknownBlockError),
        (lambda ledger: ledger.charge(PureDP(0.1), blocks=["a"], label=""), TypeError),
        (lambda ledger: ledger.charge(PureDP(0.1), blocks=["a"], charge_id=1), TypeError),
        (lambda ledger: ledger.charge(PureDP(0.1), -1, blocks=["a"]), ValueError),
        (lambda ledger: ledger.record("x", {1}), TypeError),
    ],
)
def test_bad_changes_change_nothing(path: Path, change: Any, error: type[Exception]) -> None:
    ledger = new(path, blocks=True)
    ledger.add_block("a")
    before = ledger.head()
    with pytest.raises(error):
        change(ledger)
    assert ledger.head() == before


def test_files(path: Path) -> None:
    ledger = new(path)
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(LedgerError, match="already"):
        new(path)
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="open it by its path"):
            call(ledger)
    other = path.with_name("text")
    other.write_text("x" * 5000)
    with pytest.raises(LedgerSchemaError):
        BudgetLedger.open(other)
    other = path.with_name("database")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE x (y)")
    with pytest.raises(LedgerSchemaError):
        BudgetLedger.open(other)
    report = ledger.report()
    assert "person" in report
    assert report in ledger._repr_html_()
    assert "person" in repr(ledger)


def test_old_copies_are_noticed(path: Path) -> None:
    ledger = new(path)
    ledger.close()
    shutil.copy(path, path.with_name("old"))
    ledger.charge(PureDP(0.5))
    head = ledger.head()
    assert BudgetLedger.open(path, expect_head=head).head() == head
    with pytest.raises(LedgerRollbackError):
        BudgetLedger.open(path.with_name("old"), expect_head=head)
    with pytest.raises(LedgerRollbackError):
        BudgetLedger.open(path, expect_head=(head[0], "0" * 64))


TAMPERING = [
    "UPDATE entry SET body = replace(body, '1/2', '1/4') WHERE seq = 3",
    "UPDATE entry SET body = replace(body, 'ages', 'page') WHERE seq = 3",
    "UPDATE entry SET charge_id = 'x' WHERE seq = 3",
    "UPDATE entry SET seq = 30 WHERE seq = 4",
    "DELETE FROM entry WHERE seq = 3",
    "DELETE FROM entry WHERE seq = 4",
    "UPDATE block SET spent = '[\"0\"]'",
    "UPDATE block SET budget = '[\"9\"]'",
    "UPDATE block SET retired = 1",
    "DELETE FROM block",
]


@pytest.mark.parametrize("statement", TAMPERING)
def test_tampering_is_noticed(path: Path, statement: str) -> None:
    ledger = new(path)
    ledger.charge(PureDP(0.5), label="ages")
    ledger.charge(PureDP(0.125))
    if "spent" not in statement and "retired" not in statement:  # which a charge updates, too
        with sqlite3.connect(path) as connection, pytest.raises(sqlite3.Error, match="append-only"):
            connection.execute(statement)
    with sqlite3.connect(path) as connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
    with pytest.raises(LedgerCorruptError):
        BudgetLedger.open(path).verify()


def test_a_file_cut_anywhere_in_its_last_page_is_noticed(path: Path) -> None:
    ledger = new(path)
    for _ in range(20):
        ledger.charge(PureDP("0.01"), label="x" * 100)
    ledger.close()
    whole = path.read_bytes()
    cut = path.with_name("cut")
    for length in [*range(len(whole) - 1, len(whole) - 4097, -61), 5000, 200, 99, 0]:
        cut.write_bytes(whole[:length])
        with pytest.raises(LedgerError):
            BudgetLedger.open(cut).verify()


def test_garbled_bytes_are_noticed_or_do_not_matter(path: Path) -> None:
    ledger = new(path)
    for _ in range(20):
        ledger.charge(PureDP("0.01"), label="x" * 100)
    spent = ledger.spent
    ledger.close()
    whole = path.read_bytes()
    rng = random.Random(1)
    bad = path.with_name("bad")
    for _ in range(150):
        place = rng.randrange(len(whole))
        changed = bytearray(whole)
        changed[place] ^= rng.randrange(1, 256)
        bad.write_bytes(changed)
        for stale in ("bad-wal", "bad-shm"):
            path.with_name(stale).unlink(missing_ok=True)
        try:
            opened = BudgetLedger.open(bad)
            opened.verify()
        except LedgerError:
            continue
        assert opened.spent == spent
        opened.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only(path: Path) -> None:
    new(path).close()
    path.chmod(0o400)
    with pytest.raises(LedgerError):
        BudgetLedger.open(path).charge(PureDP(0.1))


def child(code: str, *arguments: str) -> "subprocess.Popen[bytes]":
    start = "import sys, os\nfrom cydp import *\nfrom cydp.accounting import *\n"
    return subprocess.Popen(
        [sys.executable, "-c", start + code, *arguments], stdout=subprocess.PIPE
    )


def test_a_full_disk_releases_nothing(path: Path) -> None:
    """The size of files is limited in a child, as a full disk does."""
    new(path, PureDP(1000)).close()
    limit = path.stat().st_size + 60_000
    code = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
ledger, done = BudgetLedger.open(sys.argv[1]), 0
try:
    while True:
        ledger.charge(PureDP("0.01"), label="x" * 500)
        done += 1
except LedgerError as error:
    print(done)
"""
    done = int(child(code, str(path), str(limit)).communicate()[0])
    assert done > 3
    ledger = BudgetLedger.open(path)
    ledger.verify()
    assert ledger.spent.epsilon >= Fraction(done, 100)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forks(path: Path) -> None:
    """The child reopens, the parent closes, the child charges, a fresh reader counts."""
    ledger = new(path)
    ledger.charge(PureDP(0.125))
    ready, go = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        code = 1
        try:
            ledger.charge(PureDP(0.125))
            os.write(ready[1], b"x")
            os.read(go[0], 1)
            ledger.charge(PureDP(0.25))
            code = 0
        finally:
            os._exit(code)
    os.read(ready[0], 1)
    ledger.charge(PureDP(0.125))
    ledger.close()
    os.write(go[1], b"x")
    assert os.waitpid(process, 0)[1] == 0
    assert BudgetLedger.open(path).spent == PureDP(0.625)
    ledger._store._pid += 1  # as in a process that was cloned without handlers
    with pytest.raises(LedgerError, match="cloned without fork"):
        ledger.charge(PureDP(0.01))
    assert BudgetLedger.open(path).spent == PureDP(0.625)


def test_busy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    ledger = new(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerBusyError):
        ledger.charge(PureDP(0.1))
    other.execute("ROLLBACK")
    ledger.charge(PureDP(0.1))
    assert ledger.spent == PureDP(0.1)


RACE = """
import threading
ledger = BudgetLedger.open(sys.argv[1])
granted, failed = [], []
def work():
    for _ in range(int(sys.argv[3])):
        try:
            ledger.charge(PureDP(1))
        except BudgetExceededError:
            continue
        except LedgerError:
            failed.append(1)
            continue
        granted.append(1)
workers = [threading.Thread(target=work) for _ in range(int(sys.argv[2]))]
[w.start() for w in workers]
[w.join() for w in workers]
print(len(granted))
sys.exit(bool(failed))
"""


def test_processes_race_for_the_last_units(path: Path) -> None:
    """Nobody is told that the ledger is busy, which a lock taken too late would be."""
    new(path, PureDP(50)).close()
    racers = [child(RACE, str(path), "2", "20") for _ in range(4)]
    granted = [int(racer.communicate()[0]) for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * 4
    assert sum(granted) == 50
    ledger = BudgetLedger.open(path)
    assert ledger.remaining == PureDP(0)
    ledger.verify()


KILLED = """
ledger = BudgetLedger.open(sys.argv[1])
while True:
    receipt = ledger.charge(PureDP("1e-9"))
    os.write(1, b"%d\\n" % receipt.seq)  # what was released
"""


def kill_writers(path: Path, rounds: int, seed: int) -> tuple[int, int]:
    """Kill three writers again and again; return how many charges were seen, and how many kills."""
    rng, released, kills = random.Random(seed), set(), 0
    for _ in range(rounds):
        writers = [child(KILLED, str(path)) for _ in range(3)]
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.read(1)  # it has begun
        time.sleep(rng.random() * 0.05)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            out, _ = writer.communicate()
            kills += 1
            whole = out[: out.rfind(b"\n") + 1].split()
            released.update(int(seq) for seq in whole[1:])  # of the first, a digit was read
    ledger = BudgetLedger.open(path)
    ledger.verify()
    assert released <= {entry["seq"] for entry in ledger.history()}
    ledger.charge(PureDP(1e-9))
    ledger.close()
    return len(released), kills


def test_kill_9(path: Path) -> None:
    new(path).close()
    released, kills = kill_writers(path, 4, 1)
    assert kills == 12
    assert released > 10
