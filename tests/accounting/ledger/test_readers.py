"""Ledgers that are opened read-only, by auditors who may not write to the file and its folder."""

import os
import shutil
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import child, ended, forked, new

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting import LedgerBusyError, LedgerCorruptError, LedgerRollbackError
from cydp.accounting.ledger import _open_file
from cydp.accounting.ledger._store import FileStore
from cydp.cli import main

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
NOBODY = 65534


@pytest.fixture
def path() -> Iterator[Path]:
    """A path that others can get to, which pytest's folders are not."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder) / "ledger"


def may_only_read(path: Path) -> None:
    """Let nobody write to the files, nor make any beside them."""
    for file in path.parent.iterdir():
        file.chmod(0o444)
    path.parent.chmod(0o555)


def audited(path: Path, spent: PureDP, entries: int) -> Callable[[], None]:
    """What an auditor does, in a process of their own; for root, as somebody else."""

    def work() -> None:
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        with pytest.raises(PermissionError):
            path.with_name("new").touch()
        with pytest.raises(PermissionError):
            path.open("r+")
        before = sorted(path.parent.iterdir())
        ledger = BudgetLedger.open(path, read_only=True)
        for _ in range(2):
            ledger.verify()
            assert ledger.spent == spent
            assert len(ledger.history()) == entries
            assert "ages" in ledger.report().text
            with pytest.raises(LedgerError, match="opened read-only"):
                ledger.charge(PureDP(0))
            ledger.close()
        BudgetLedger.open(path, expect_head=ledger.head(), read_only=True)
        for command in ("show", "history", "verify"):
            assert main(["ledger", command, str(path)]) == 0
        with pytest.raises(LedgerError, match="read_only=True"):
            BudgetLedger.open(path).charge(PureDP("0.125"))
        assert sorted(path.parent.iterdir()) == before

    return work


def charge_and_die(path: Path) -> None:
    ledger = BudgetLedger.open(path)
    ledger.charge(PureDP(0.5), label="ages")
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_a_ledger_that_is_not_in_use(path: Path, end: str) -> None:
    """Of a closed one there is no WAL file; of a killed user's, nobody has copied the WAL file."""
    with new(path) as ledger:
        if end == "closed":
            ledger.charge(PureDP(0.5), label="ages")
    if end == "killed":
        assert ended(forked(partial(charge_and_die, path))) == -signal.SIGKILL
    assert path.with_name("ledger-wal").exists() == (end == "killed")
    may_only_read(path)
    assert ended(forked(audited(path, PureDP(0.5), 3))) == 0
    path.parent.chmod(0o755)
    assert BudgetLedger.open(path).spent == PureDP(0.5)


def test_a_ledger_that_is_in_use(path: Path) -> None:
    """What is charged meanwhile is seen, and the charges go on."""
    ledger = new(path)
    ready, go = os.pipe(), os.pipe()

    def use() -> None:
        ledger.charge(PureDP(0.25), label="ages")
        os.write(ready[1], b"x")
        os.read(go[0], 1)
        ledger.charge(PureDP(0.25), label="ages")
        os.write(ready[1], b"x")
        os.read(go[0], 1)

    user = forked(use)
    for entries, spent in ((3, PureDP(0.25)), (4, PureDP(0.5))):
        os.read(ready[0], 1)
        path.parent.chmod(0o555)
        for file in path.parent.iterdir():
            file.chmod(0o444)
        assert ended(forked(audited(path, spent, entries))) == 0
        os.write(go[1], b"x")
    assert ended(user) == 0
    path.parent.chmod(0o755)
    assert ledger.spent == PureDP(0.5)


def test_a_wal_file_without_its_shared_memory(path: Path) -> None:
    """As in a copy: what is missing, and what to do, is said."""
    new(path).close()
    user = forked(partial(charge_and_die, path))
    assert ended(user) == -signal.SIGKILL
    path.with_name("ledger-shm").unlink()
    may_only_read(path)

    def audit() -> None:
        if os.geteuid() == 0:
            os.setuid(NOBODY)
        with pytest.raises(LedgerError, match=r"ledger-shm, which is not there .* open the ledger"):
            BudgetLedger.open(path, read_only=True)

    assert ended(forked(audit)) == 0
    path.parent.chmod(0o755)
    BudgetLedger.open(path).close()
    assert BudgetLedger.open(path, read_only=True).spent == PureDP(0.5)


def test_no_change_is_made(path: Path) -> None:
    with new(path, by_block=True) as ledger:
        ledger.add_block("a")
        ledger.charge(PureDP(0.5), blocks=["a"], charge_id="monday")
    before = path.read_bytes()
    reader = BudgetLedger.open(path, read_only=True)
    for change in (
        partial(reader.charge, PureDP(0), blocks=["a"]),
        partial(reader.charge_many, [{"cost": PureDP(0), "blocks": ["a"]}]),
        partial(reader.scope(blocks=["a"]).charge, PureDP(0)),
        partial(reader.record, "monday", 5),
        partial(reader.add_block, "b"),
        partial(reader.retire, "a"),
    ):
        with pytest.raises(LedgerError, match="opened read-only"):
            change()
    assert not reader.would_exceed(PureDP(0.5), blocks=["a"])
    reader.verify()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_reader_sees_what_is_charged_meanwhile(path: Path) -> None:
    """In one process too, whoever opens and closes the ledger when."""
    ledger = new(path, PureDP(100))
    ledger.close()
    reader = BudgetLedger.open(path, read_only=True)
    for number in range(1, 9):
        ledger.charge(PureDP(1))
        if number % 2:
            ledger.close()
        assert reader.spent == PureDP(number)
        assert reader.head() == ledger.head()
        reader.verify()


CHARGE = """
with BudgetLedger.open(sys.argv[1]) as ledger:
    ledger.charge(PureDP(0.25))
"""


def test_while_a_reader_reads_the_charges_go_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads without SQLite's locks: then it can tell that the file may have changed under it."""
    with new(path) as ledger:
        ledger.charge(PureDP(0.25))
    reader = BudgetLedger.open(path, read_only=True)

    heads = []

    def read(rows: Any) -> None:
        if len(heads) < charges:
            user = child(CHARGE, str(path))
            user.communicate()
            assert user.returncode == 0
            assert path.with_name("ledger-wal").stat().st_size > 0  # not deleted, though closed
        heads.append(rows.last()[0])

    charges = 1
    reader._store.read(read)
    assert heads == [3, 4]  # read again
    ledger.charge(PureDP(0))
    ledger.close()
    heads.clear()
    monkeypatch.setattr(_open_file, "BUSY_SECONDS", 0)
    with pytest.raises(LedgerBusyError, match="while it was read"):
        reader._store.read(read)
    assert heads == [5]
    assert reader.spent == PureDP(0.75)
    ledger.charge(PureDP(0.25))
    ledger.close()
    assert list(path.parent.iterdir()) == [path]
    assert reader.spent == PureDP(1)


def test_readers_race_with_users_that_come_and_go(path: Path) -> None:
    """Each user is the last one to close the ledger, again and again, and copies the WAL file."""
    new(path, PureDP(10**6)).close()
    stop = path.with_name("stop")

    def use() -> None:
        while not stop.exists():
            with BudgetLedger.open(path) as ledger:
                ledger.charge(PureDP(1), label="x" * 1000)

    reader, seen = BudgetLedger.open(path, read_only=True), [0]
    user = forked(use)
    while len(set(seen)) < 20:
        with suppress(LedgerBusyError):
            reader.verify()
            seen.append(reader.head()[0])
    stop.touch()
    assert ended(user) == 0
    assert seen == sorted(seen)
    reader.verify()
    assert reader.spent == PureDP(reader.head()[0] - 2)


def test_a_reader_asks_again_what_looks_damaged_and_a_user_does_not(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new(path, PureDP(1)).close()
    answer, asked = FileStore._transaction, []

    def damaged(store: FileStore, begin: str, work: Any) -> Any:
        asked.append(begin)
        if len(asked) <= wrong:
            raise LedgerCorruptError("damaged")
        return answer(store, begin, work)

    with BudgetLedger.open(path, read_only=True) as reader, BudgetLedger.open(path) as user:
        monkeypatch.setattr(FileStore, "_transaction", damaged)
        for ledger, wrong, tries in ((reader, 2, 3), (reader, 99, 5), (user, 1, 1)):
            asked.clear()
            with nullcontext() if wrong == 2 else pytest.raises(LedgerCorruptError):
                assert ledger.spent == PureDP(0)
            assert len(asked) == tries


def test_the_user_who_is_copying_the_wal_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads without locks while SQLite has the lock of the last user."""
    monkeypatch.setattr(_open_file, "BUSY_SECONDS", 0.05)
    new(path).close()
    ready, go = os.pipe(), os.pipe()

    def last() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA locking_mode = exclusive")
        connection.execute("BEGIN EXCLUSIVE")
        os.write(ready[1], b"x")
        os.read(go[0], 1)

    user = forked(last)
    os.read(ready[0], 1)
    with pytest.raises(LedgerBusyError):
        BudgetLedger.open(path, read_only=True)
    os.write(go[1], b"x")
    assert ended(user) == 0


def test_damage_and_older_copies_are_noticed(path: Path) -> None:
    with new(path) as ledger:
        ledger.charge(PureDP(0.5))
    older = path.with_name("older")
    shutil.copy(path, older)
    ledger.charge(PureDP(0.25))
    reader = BudgetLedger.open(path, read_only=True)
    head = reader.head()
    ledger.close()
    with pytest.raises(LedgerRollbackError):
        BudgetLedger.open(older, expect_head=head, read_only=True)
    os.replace(older, path)
    with pytest.raises(LedgerRollbackError, match="older copy"):
        print(reader.remaining)
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(LedgerCorruptError):
        BudgetLedger.open(path, read_only=True)
