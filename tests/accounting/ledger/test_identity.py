"""An open ledger knows which one it is, and how far it was: in each transaction.

The attacks put another file in the place of the ledger, in another process, between two uses.
"""

import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import ended, forked, new

from cydp import ZCDP, BudgetLedger, LedgerError, PureDP
from cydp.accounting import LedgerRollbackError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


def put(file: Path, path: Path) -> None:
    """Let another process put a file in the place of a ledger, and its WAL file away."""
    leftovers = [f"{path}-wal", f"{path}-shm"]
    subprocess.run(["rm", "-f", *leftovers], check=True)
    subprocess.run(["mv", str(file), str(path)], check=True)


def copied(path: Path, name: str) -> Path:
    copy = path.with_name(name)
    shutil.copy(path, copy)
    return copy


USES: dict[str, Callable[[BudgetLedger], Any]] = {
    "charge": lambda ledger: ledger.charge(PureDP("0.125")),
    "charge many": lambda ledger: ledger.charge_many([{"cost": PureDP("0.125")}]),
    "blocks": lambda ledger: ledger.scope().charge(PureDP("0.125")),
    "record": lambda ledger: ledger.record("monday", 1),
    "spent": lambda ledger: ledger.spent,
    "would exceed": lambda ledger: ledger.would_exceed(PureDP(0)),
    "history": lambda ledger: ledger.history(),
    "head": lambda ledger: ledger.head(),
    "report": lambda ledger: ledger.report().text,
    "verify": lambda ledger: ledger.verify(),
}


def refused_by_every_use(ledger: BudgetLedger, error: type[LedgerError], match: str) -> None:
    for use in USES.values():
        with pytest.raises(error, match=match):
            use(ledger)
        ledger.close()


closed = pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])


@closed
def test_an_older_copy(path: Path, closed: bool) -> None:
    """Else an entry would be issued twice, each time with the same place."""
    with new(path) as ledger:
        ledger.charge(PureDP("0.125"), charge_id="monday")
    older = copied(path, "older")
    ledger.charge(PureDP("0.125"))
    if closed:
        ledger.close()
    put(older, path)
    if not closed:  # noticed by the inode, and the file is opened anew afterwards
        with pytest.raises(LedgerError, match="replaced or removed"):
            ledger.charge(PureDP("0.125"))
    refused_by_every_use(ledger, LedgerRollbackError, "does not have the entry 4")
    assert BudgetLedger.open(path).head()[0] == 3


@closed
def test_another_ledger(path: Path, closed: bool) -> None:
    """Of another measure: what is charged would mean something else."""
    with new(path) as ledger:
        ledger.charge(PureDP("0.125"), charge_id="monday")
    other = path.with_name("other")
    with new(other, ZCDP(5)) as others:
        for _ in range(9):
            others.charge(ZCDP("0.125"))
    if not closed:
        ledger.charge(PureDP("0.125"))
    put(other, path)
    if not closed:
        with pytest.raises(LedgerError, match="replaced or removed"):
            ledger.charge(PureDP("0.125"))
    refused_by_every_use(ledger, LedgerError, "another ledger was put")
    assert BudgetLedger.open(path).spent == ZCDP("1.125")


def test_a_copy_that_went_another_way(path: Path) -> None:
    """As long as the ledger, or longer, with other entries."""
    with new(path) as ledger:
        ledger.charge(PureDP("0.125"))
    fork = copied(path, "fork")
    ledger.charge(PureDP("0.125"))
    ledger.close()
    with BudgetLedger.open(fork) as other:
        for _ in range(4):
            other.charge(PureDP("0.0625"))
    put(fork, path)
    with pytest.raises(LedgerRollbackError, match="the entry 4"):
        ledger.charge(PureDP("0.125"))


def test_what_others_charged_was_seen_too(path: Path) -> None:
    """The last entry that an object has seen may be another process's."""
    ledger = new(path)
    older = copied(path, "older")  # of the file alone: nothing was charged
    assert ended(forked(lambda: ledger.charge(PureDP("0.125")))) == 0
    assert ledger.spent == PureDP("0.125")
    ledger.close()
    put(older, path)
    with pytest.raises(LedgerRollbackError, match="the entry 3"):
        ledger.charge(PureDP("0.125"))


def test_a_child_knows_what_its_parent_saw(path: Path) -> None:
    with new(path) as ledger:
        older = copied(path, "older")
        ledger.charge(PureDP("0.125"))

    def work() -> None:
        put(older, path)
        with pytest.raises(LedgerRollbackError):
            ledger.charge(PureDP("0.125"))

    assert ended(forked(work)) == 0
    with pytest.raises(LedgerRollbackError):
        ledger.charge(PureDP("0.125"))


def test_threads_that_use_one_object(path: Path) -> None:
    """What one has seen holds for all; and none is refused without a reason."""
    ledger, failed = new(path, PureDP(1000)), []

    def work() -> None:
        try:
            for _ in range(15):
                ledger.charge(PureDP(1))
                ledger.head()
                if ledger.spent.epsilon % 7 == 0:
                    ledger.close()
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert ledger.head()[0] == 62
    ledger.verify()


def test_a_refused_charge_is_not_expected_afterwards(path: Path) -> None:
    """Of a transaction that did not become durable nothing is remembered."""
    ledger = new(path)
    ledger.charge(PureDP("0.125"))

    def fail_before_the_commit(rows: Any) -> None:
        rows.append((4, None, "{}", "x"))
        raise BlockingIOError

    def fail_at_the_commit(rows: Any) -> None:
        rows.append((4, None, "{}", "x"))
        rows._connection.execute("PRAGMA defer_foreign_keys = 1")
        rows.add_result("nobody", "1")

    with pytest.raises(BlockingIOError):
        ledger._store.write(fail_before_the_commit)
    with pytest.raises(LedgerError, match="FOREIGNKEY"):
        ledger._store.write(fail_at_the_commit)
    ledger.charge(PureDP("0.125"))
    assert ledger.head()[0] == 4
    ledger.verify()


def test_what_is_put_there_after_a_refusal_is_looked_at_anew(path: Path) -> None:
    """The refused copy is written over in place, as `cp` does: SQLite has its pages in memory."""
    with new(path) as ledger:
        older = copied(path, "older")
        ledger.charge(PureDP("0.125"))
    with new(path.with_name("other")) as other:
        other.charge(PureDP("0.25"))
    put(older, path)
    with pytest.raises(LedgerRollbackError, match="older copy"):
        ledger.charge(PureDP("0.125"))
    subprocess.run(["cp", str(path.with_name("other")), str(path)], check=True)
    with pytest.raises(LedgerError, match="another ledger was put"):
        ledger.charge(PureDP("0.125"))


def test_create_opens_what_it_has_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not what was put there in between."""
    other = path.with_name("other")
    new(other, PureDP(100)).close()
    real = os.unlink

    def replace(file: Any, **more: Any) -> None:
        real(file, **more)
        if other.exists():
            other.replace(path)

    monkeypatch.setattr(os, "unlink", replace)
    with pytest.raises(LedgerRollbackError):
        new(path)
