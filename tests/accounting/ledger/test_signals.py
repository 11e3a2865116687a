"""accounting: a signal handler that uses the budget which its own thread is charging."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from accounting.ledger.ledger_processes import ended, forked, in_a_child, new

from cydp import BudgetExceededError, BudgetLedger, LedgerError, PureDP
from cydp.accounting.ledger import _open_file, _write_charge

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signals here")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@contextmanager
def in_the_middle(
    module: Any, name: str, handler: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Send a signal after a charge has read what is spent, before it writes the sum."""
    real = getattr(module, name)

    def interrupted(*arguments: Any) -> Any:
        monkeypatch.setattr(module, name, real)
        os.kill(os.getpid(), signal.SIGUSR1)
        return real(*arguments)

    before = signal.signal(signal.SIGUSR1, lambda *_: handler())
    monkeypatch.setattr(module, name, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_handler_does_not_end_the_charge(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the charge would go on without its lock, and undo what others are granted meanwhile."""
    mine = new(path, PureDP(2))
    said: list[str] = []
    uses: dict[str, Any] = {
        "charge": lambda: mine.charge(PureDP(1)),
        "close": mine.close,
        "remaining": lambda: mine.remaining,
        "history": mine.history,
    }

    def handler() -> None:
        for name, use in uses.items():
            try:
                use()
            except LedgerError as error:
                if "in use by this thread, which a signal handler" in str(error):
                    said.append(name)

    with in_the_middle(_write_charge, "append_entry", handler, monkeypatch):
        mine.charge(PureDP(0.5))
    assert said == list(uses)
    assert mine.spent == PureDP(0.5)
    mine.charge(PureDP(1.5))
    with pytest.raises(BudgetExceededError):
        BudgetLedger.open(path).charge(PureDP(1e-9))
    mine.verify()


def test_another_ledger_may_be_used_in_a_handler(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = new(path), new(path.with_name("other"))
    with in_the_middle(_write_charge, "append_entry", lambda: other.charge(PureDP(1)), monkeypatch):
        mine.charge(PureDP(0.5))
    assert (mine.spent, other.spent) == (PureDP(0.5), PureDP(1))


USES: dict[str, Any] = {
    "charge": lambda ledger: ledger.charge(PureDP("1e-9")),
    "once": lambda ledger: ledger.once(
        os.urandom(8).hex(), PureDP("1e-9"), lambda: 1, function="f"
    ),
    "remaining": lambda ledger: ledger.remaining,
    "history": lambda ledger: ledger.history(),
    "report": lambda ledger: ledger.report().text,
    "verify": lambda ledger: ledger.verify(),
    "close": lambda ledger: ledger.close(),
    "open": lambda ledger: BudgetLedger.open(ledger._store.path),
    "open read-only": lambda ledger: BudgetLedger.open(ledger._store.path, read_only=True),
}


def at_call(number: int, work: Any) -> BaseException | None:
    """Interrupt where signals do, and return what was raised: None after the last such place.

    Python lets a signal's handler run on entry of a function that is written in Python, and when a
    call of one that is not has returned.
    """
    places = 0

    def count(_: FrameType, event: str, __: Any) -> None:
        nonlocal places
        if event in ("call", "c_return"):
            places += 1
            if places == number:
                raise KeyboardInterrupt

    sys.setprofile(count)
    try:
        work()
    except KeyboardInterrupt as error:
        sys.setprofile(None)
        return error
    finally:
        sys.setprofile(None)
    return None if places < number else KeyboardInterrupt()  # in a finalizer, which goes on


# Says 0 if nobody has a transaction, be it one that only reads.
CHECKPOINT = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
for _ in sys.stdin:
    print(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0], flush=True)
"""


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in finalizers
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("step", [43, pytest.param(3, marks=pytest.mark.long)])
@in_a_child
def test_interrupted_anywhere_and_the_exception_is_kept(
    path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a console and a notebook keep the last one: everybody can use the ledger at once."""
    monkeypatch.setattr(_open_file, "BUSY_SECONDS", 0.5)
    ledger = new(path)

    def release() -> int:
        return 1

    ledger.once("monday", PureDP("1e-9"), release)
    other = subprocess.Popen(
        [sys.executable, "-c", CHECKPOINT, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdin is not None
    assert other.stdout is not None

    def write() -> None:
        """Have a transaction that writes, and leaves nothing."""
        assert ledger.once("monday", PureDP("1e-9"), release) == 1

    def write_and_fork() -> None:
        write()
        codes.append(ended(forked(write, seconds=30)))

    places, forks, codes = 0, 0, []
    for use in USES.values():
        number = 0
        while True:
            number += step
            if number % 2:
                ledger.close()  # so that it must be opened
            error = at_call(number, partial(use, ledger))
            if error is None:
                break
            other.stdin.write(b"\n")
            other.stdin.flush()
            assert other.stdout.readline() == b"0\n"
            places += 1
            forks += number % 5 == 0
            thread = threading.Thread(target=write if number % 5 else write_and_fork, daemon=True)
            thread.start()
            thread.join(60)
            assert not thread.is_alive()
            write()
    other.communicate()
    ledger.verify()
    assert codes == [0] * forks
    assert places > 20
    assert forks
