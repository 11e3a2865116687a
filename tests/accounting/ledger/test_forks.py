"""Ledgers in forked children, in cloned ones, and between threads that fork."""

import ctypes
import os
import subprocess
import sys
import threading
import time
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import ended, forked, new

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting.ledger import _write_charge

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def test_a_child_and_its_parent_charge_one_ledger(path: Path) -> None:
    """The child reopens, the parent closes, the child charges, a fresh reader counts."""
    ledger = new(path)
    ledger.charge(PureDP(0.125))
    ready, go = os.pipe(), os.pipe()

    def work() -> None:
        ledger.charge(PureDP(0.125))
        os.write(ready[1], b"x")
        os.read(go[0], 1)
        ledger.charge(PureDP(0.25))

    process = forked(work)
    os.close(ready[1])  # a child that has died is not waited for
    os.read(ready[0], 1)
    ledger.charge(PureDP(0.125))
    ledger.close()
    os.write(go[1], b"x")
    assert ended(process) == 0
    assert BudgetLedger.open(path).spent == PureDP(0.625)


def test_a_cloned_process_charges_nothing(tmp_path: Path) -> None:
    """The C library's fork, without Python's knowledge; with the file open, and closed."""
    path = tmp_path / "ledger"
    ledger = new(path)
    clone = ctypes.PyDLL(None).fork

    def work() -> None:
        for call in (
            lambda: ledger.charge(PureDP(0.25)),
            lambda: ledger.remaining,
            lambda: BudgetLedger.open(path),
            lambda: new(path.with_name("other")),
        ):
            with pytest.raises(LedgerError, match="cloned without fork"):
                call()

    assert ended(forked(work, fork=clone)) == 0
    ledger.close()
    assert ended(forked(work, fork=clone)) == 0
    assert ledger.spent == BudgetLedger.open(path).spent == PureDP(0)
    assert not path.with_name("other").exists()
    assert ended(forked(lambda: ledger.charge(PureDP(0.25)))) == 0
    assert ledger.spent == PureDP(0.25)


INTERRUPTED = """
import signal
from cydp.accounting.ledger._open_file import OpenFile
ledger = BudgetLedger.open(sys.argv[1])
ledger.charge(PureDP(0.25))
sys.unraisablehook = lambda _: None
def interrupt(_, close=OpenFile.close):
    OpenFile.close = close
    raise KeyboardInterrupt
OpenFile.close = interrupt
if os.fork() == 0:
    try:
        ledger.charge(PureDP(0.25))
    except LedgerError:
        os._exit(42)
    os._exit(1)
_, status = os.wait()
ledger.charge(PureDP(0.5))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_a_fork_whose_handler_was_interrupted(tmp_path: Path) -> None:
    """Python forks nevertheless: the child with an open connection charges nothing."""
    path = tmp_path / "ledger"
    new(path).close()
    code = "import sys, os\nfrom cydp import *\n" + INTERRUPTED
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == 42
    assert BudgetLedger.open(path).spent == PureDP(0.75)


def test_a_signal_handler_that_forks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of a charge: the child is refused, and the charge goes on."""
    path, codes = tmp_path / "ledger", []
    ledger = new(path)

    def work() -> None:
        with pytest.raises(LedgerError, match="in the middle of using one"):
            ledger.charge(PureDP(0.25))
        with pytest.raises(LedgerError, match="in the middle of using one"):
            BudgetLedger.open(path)

    def interrupted(*arguments: Any) -> Any:
        monkeypatch.undo()
        codes.append(ended(forked(work)))
        return _write_charge.append_entry(*arguments)

    monkeypatch.setattr(_write_charge, "append_entry", interrupted)
    ledger.charge(PureDP(0.5))
    assert codes == [0]
    assert ended(forked(lambda: ledger.charge(PureDP(0.25)))) == 0
    assert ledger.spent == PureDP(0.75)


def test_a_fork_does_not_wait_as_long_as_a_charge_does(tmp_path: Path) -> None:
    """The charge waits for another process, which goes on when the fork has been made."""
    path = tmp_path / "ledger"
    ledger = new(path)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    thread = threading.Thread(target=partial(ledger.charge, PureDP(0.25)))
    thread.start()
    while not ledger._store._busy:
        time.sleep(0.001)
    assert ended(forked(lambda: None)) == 0
    assert thread.is_alive()
    holder.communicate(b"\n")
    thread.join()
    assert ledger.spent == PureDP(0.25)


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("rounds", [9, pytest.param(300, marks=pytest.mark.long)])
def test_forks_while_a_thread_opens_ledgers(tmp_path: Path, rounds: int) -> None:
    """No child inherits an open file, or a lock inside SQLite that nobody will release."""
    path = tmp_path / "ledger"
    new(path).close()
    stop, failed = threading.Event(), []

    def use(number: int) -> None:
        if number % 3 == 0:
            BudgetLedger.open(path).close()
        elif number % 3 == 1:
            new(tmp_path / f"another{number}").close()
        else:  # closed by its finalizer, without being asked to
            BudgetLedger.open(path).charge(PureDP(0))

    def use_often() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            try:
                use(number)
            except BaseException as error:
                failed.append(error)
                raise

    def work() -> None:
        BudgetLedger.open(path).charge(PureDP("1e-9"))
        new(tmp_path / f"of{os.getpid()}").charge(PureDP(1))

    thread = threading.Thread(target=use_often)
    thread.start()
    try:
        codes = [ended(forked(work)) for _ in range(rounds)]
    finally:
        stop.set()
        thread.join()
    assert failed == []
    assert codes == [0] * rounds
    ledger = BudgetLedger.open(path)
    ledger.verify()
    assert ledger.spent == PureDP(Fraction(rounds, 10**9))


@pytest.mark.parametrize("charges", [6, pytest.param(150, marks=pytest.mark.long)])
def test_threads_fork_while_threads_charge(path: Path, charges: int) -> None:
    """Two ledgers, two threads that fork, two that charge; every child charges, too."""
    paths = [path, path.with_name("b")]
    ledgers = [new(path, PureDP(1)) for path in paths]
    codes = []

    def charge() -> None:
        for ledger in ledgers:
            ledger.charge(PureDP("1e-9"))

    def charge_often() -> None:
        for _ in range(charges):
            charge()

    def fork_often() -> None:
        for _ in range(charges):
            codes.append(ended(forked(charge)))

    threads = [threading.Thread(target=work) for work in 2 * (charge_often, fork_often)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0] * 2 * charges
    for path in paths:
        ledger = BudgetLedger.open(path)
        ledger.verify()
        assert ledger.spent == PureDP(Fraction(4 * charges, 10**9))
