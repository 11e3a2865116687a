"""accounting/ledger/_open_file.py: a file is whole by itself, and takes no other's WAL file."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from accounting.ledger.ledger_processes import ended, forked, new

from cydp import BudgetExceededError, BudgetLedger, LedgerError, PureDP
from cydp.accounting import LedgerBusyError, LedgerCorruptError
from cydp.accounting.ledger import _open_file

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
TENTH = PureDP("0.1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


def leave(path: Path, end: Callable[[], object], charges: int = 3) -> None:
    """Charge in a process that ends without closing the ledger."""

    def work() -> None:
        ledger = BudgetLedger.open(path)
        for i in range(charges):
            ledger.charge(TENTH, label=f"{path.name} {i}")
        end()

    ended(forked(work))
    assert path.with_name(path.name + "-wal").stat().st_size > 0


ENDS = {"exit": partial(os._exit, 0), "signal": lambda: os.kill(os.getpid(), signal.SIGTERM)}


@pytest.mark.parametrize("how", ENDS)
@pytest.mark.parametrize("move", [shutil.move, shutil.copyfile])
def test_no_charge_is_lost_with_a_wal_file(
    path: Path, how: str, move: Callable[[Path, Path], object]
) -> None:
    """Moved or copied without the `-wal` file that processes have left, a ledger is whole."""
    new(path).close()
    leave(path, ENDS[how])
    there = path.with_name("there")
    move(path, there)
    with BudgetLedger.open(there) as ledger:
        ledger.verify()
        assert ledger.spent == PureDP("0.3")
        with pytest.raises(BudgetExceededError):
            ledger.charge(PureDP("0.8"))


def test_a_copy_beside_a_user_has_what_was_charged(path: Path) -> None:
    there = path.with_name("there")
    with new(path) as ledger:
        for i in range(1, 6):
            ledger.charge(TENTH)
            process = forked(partial(shutil.copyfile, path, there))  # closing it here drops locks
            assert ended(process) == 0
            with BudgetLedger.open(there, read_only=True) as copy:
                assert copy.spent == PureDP(i * TENTH.epsilon)


def test_the_wal_file_of_another_ledger_is_refused(path: Path) -> None:
    """A ledger that is moved to where users of another one were killed does not become that one."""
    mine = path.with_name("mine")
    for charges in (1, 30):  # the other one may be shorter or longer
        new(path, PureDP(100)).close()
        leave(path, ENDS["exit"], charges)
        with new(mine, PureDP(100), by_block=charges > 1) as ledger:
            if charges > 1:
                ledger.add_blocks(["a", "b"])
            ledger.charge(PureDP(99), blocks=["a", "b"] if charges > 1 else None)
            head = ledger.head()
        os.replace(mine, path)
        before = path.read_bytes()
        for read_only in (True, False):
            with pytest.raises(LedgerError, match="-wal is not of this ledger"):
                BudgetLedger.open(path, read_only=read_only)
        assert path.read_bytes() == before
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        with BudgetLedger.open(path, expect_head=head) as ledger:
            ledger.verify()
        path.unlink()


def test_a_wal_file_beside_a_newer_copy_is_refused(path: Path) -> None:
    new(path).close()
    leave(path, ENDS["exit"])
    wal = path.with_name("ledger-wal").read_bytes()
    with BudgetLedger.open(path) as ledger:
        ledger.charge(TENTH)
    path.with_name("ledger-wal").write_bytes(wal)
    with pytest.raises(LedgerError, match="-wal is not of this ledger"):
        BudgetLedger.open(path)


def test_a_file_that_was_half_copied_is_made_whole_by_its_wal_file(path: Path) -> None:
    """As after a crash while pages are copied: what cannot be read alone is not refused."""
    new(path).close()
    leave(path, ENDS["exit"])
    damaged = bytearray(path.read_bytes())
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'head'")
        page = root.fetchone()[0]
    connection.close()
    damaged[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(damaged)
    with BudgetLedger.open(path) as ledger:
        ledger.verify()
        assert ledger.spent == PureDP("0.3")


def test_a_charge_that_a_reader_keeps_out_of_the_file_is_no_charge(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new(path, PureDP(2)) as ledger:
        ledger.charge(TENTH)
        reader = sqlite3.connect(path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM entry").fetchall()
        monkeypatch.setattr(_open_file, "BUSY_SECONDS", 0.05)
        with pytest.raises(LedgerBusyError) as refused:
            ledger.charge(PureDP("0.5"))
        assert "was charged" in "".join(refused.value.__notes__)
        reader.execute("ROLLBACK")
        reader.close()
        assert ledger.charge(PureDP("0.5")).fresh


def test_a_head_that_is_not_the_last_entry_is_noticed(path: Path) -> None:
    new(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE head SET seq = 1")
    connection.close()
    with BudgetLedger.open(path) as ledger, pytest.raises(LedgerCorruptError, match="its head"):
        ledger.verify()
