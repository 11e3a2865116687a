"""Files of ledgers: where they may be, who may read them, and what is noticed of damage."""

import os
import random
import shutil
import signal
import sqlite3
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import child, ended, forked, new

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerRollbackError,
    LedgerSchemaError,
)
from cydp.accounting.ledger import _open_file, _store
from cydp.accounting.ledger._entries import append_entry
from cydp.accounting.ledger._sqlite_rows import SqliteRows

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


SPENT = """
for _ in sys.stdin:
    with BudgetLedger.open(sys.argv[1]) as ledger:
        spent = ledger.spent.epsilon
    print(spent, flush=True)
"""


def test_modes_and_existing_files(path: Path) -> None:
    ledger = new(path)
    assert [file.name for file in path.parent.iterdir() if "-" not in file.name] == ["ledger"]
    for file in path.parent.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600
    with pytest.raises(LedgerError, match="already"):
        new(path)
    ledger.close()
    assert list(path.parent.iterdir()) == [path]
    path.chmod(0o644)
    BudgetLedger.open(path).charge(PureDP(0.5))
    for suffix in ("-wal", "-shm", "-journal"):  # of a ledger that was removed
        left = path.with_name(f"other{suffix}")
        left.write_bytes(b"")
        with pytest.raises(LedgerError, match=f"already.*other{suffix}"):
            new(path.with_name("other"))
        left.unlink()
    path.with_name("other").symlink_to("nowhere")
    with pytest.raises(LedgerError, match="already"):
        new(path.with_name("other"))


def test_names(tmp_path: Path) -> None:
    """What SQLite would take for a part of a URL, and what is no text."""
    for number, name in enumerate(
        ("a?b", "a#b", "a%41", "a b", "ä", "a?mode=ro", "-a", "a'b", "\udcff", "x" * 240)
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            (folder / name).write_bytes(b"")
        except OSError:  # the file system has no such names
            continue
        (folder / name).unlink()
        new(folder / name).charge(PureDP(0.5))
        assert BudgetLedger.open(folder / name).spent == PureDP(0.5)
        there = {file.name.removesuffix("-wal").removesuffix("-shm") for file in folder.iterdir()}
        assert there == {name}


def test_relative_paths_and_links_lead_to_one_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    ledger = new(Path("ledger"))
    link = path.with_name("link")
    link.symlink_to("ledger")
    linked = BudgetLedger.open("link")
    path.with_name("folder").mkdir()
    monkeypatch.chdir("folder")
    new(Path("ledger"), PureDP(9)).close()
    link.unlink()
    link.symlink_to(path.with_name("folder") / "ledger")
    for each in (ledger, linked):
        each.close()
        each.charge(PureDP(0.25))
    assert BudgetLedger.open(path).spent == PureDP(0.5)
    assert BudgetLedger.open("ledger").spent == PureDP(0)


def test_a_file_that_was_opened_and_closed_beside(path: Path) -> None:
    """It drops the locks: then the other process deletes the WAL file, and nothing is released."""
    ledger = new(path)
    ledger.charge(PureDP(0.25))
    other = child(SPENT, str(path))  # it closes the file before it answers, as the last one perhaps
    assert other.stdin is not None
    assert other.stdout is not None

    def spent() -> bytes:
        other.stdin.write(b"\n")  # type: ignore[union-attr]
        other.stdin.flush()  # type: ignore[union-attr]
        return other.stdout.readline()  # type: ignore[union-attr]

    path.read_bytes()
    assert spent() == b"1/4\n"
    with pytest.raises(LedgerError, match="replaced"):
        ledger.charge(PureDP(0.5))
    assert spent() == b"1/4\n"
    ledger.charge(PureDP(0.5))
    assert spent() == b"3/4\n"
    other.communicate()


@pytest.mark.parametrize("new_one", [True, False], ids=["replaced", "removed"])
def test_a_file_that_is_replaced_or_removed(path: Path, new_one: bool) -> None:
    ledger = new(path)
    ledger.charge(PureDP(0.25))
    for file in list(path.parent.iterdir()):
        file.rename(file.with_name(file.name.replace("ledger", "old")))
    if new_one:
        new(path).close()
    with pytest.raises(LedgerError, match="replaced or removed"):
        ledger.charge(PureDP(0.5))
    assert BudgetLedger.open(path.with_name("old")).spent == PureDP(0.25)


def test_a_file_that_goes_away_before_the_commit(path: Path) -> None:
    """What was written is in a file that nobody will find: it is not answered."""
    ledger = new(path)
    with pytest.raises(LedgerError, match="replaced or removed"):
        ledger._store.write(lambda _: path.rename(path.with_name("old")))


def test_no_hard_links(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(LedgerError, match="hard links"):
        new(path)
    assert list(path.parent.iterdir()) == []


def test_other_files_are_refused_and_left_as_they_are(path: Path) -> None:
    path.write_text("x" * 5000)
    with pytest.raises(LedgerSchemaError):
        BudgetLedger.open(path)
    path.write_bytes(b"")
    with pytest.raises(LedgerSchemaError):
        BudgetLedger.open(path)
    path.unlink()
    new(path).close()
    for pragma in ("user_version = 3", "application_id = 1"):
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA {pragma}")
        connection.close()
        before = path.read_bytes()
        with pytest.raises(LedgerSchemaError, match="this version"):
            BudgetLedger.open(path)
        assert path.read_bytes() == before
    other = path.with_name("database")
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE x (y)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(LedgerSchemaError, match="this version"):
        BudgetLedger.open(other)
    assert other.read_bytes() == before


def test_every_connection_writes_durably(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = new(path)
    for _ in range(2):
        ledger.charge(PureDP(0.25))
        opened = ledger._store._file
        assert opened is not None
        connection = opened.connection
        assert connection is not None
        found = [
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "fullfsync", "foreign_keys")
        ]
        assert found == ["wal", 2, 1, 1]
        ledger.close()
    monkeypatch.setattr(_store, "_PRAGMAS", (("journal_mode", "none"),))
    with pytest.raises(LedgerError, match="journal_mode cannot be none"):
        ledger.charge(PureDP(0.25))
    with pytest.raises(LedgerError, match="journal_mode cannot be none"):  # nor the second time
        ledger.charge(PureDP(0.25))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_read_only() -> None:
    """By a user who may not write; for root, in a child that is somebody else."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger"
        new(path).close()
        path.chmod(0o444)
        path.parent.chmod(0o555)

        def charge() -> None:
            if os.geteuid() == 0:
                os.setuid(65534)
            with pytest.raises(LedgerError):
                BudgetLedger.open(path).charge(PureDP(0.1))
            with pytest.raises(LedgerError):
                new(path.with_name("other"))

        assert ended(forked(charge)) == 0
        path.chmod(0o600)
        path.parent.chmod(0o700)
        assert BudgetLedger.open(path).spent == PureDP(0)


TAMPERING = [
    "UPDATE entry SET body = replace(body, '1/2', '1/4') WHERE seq = 3",
    "UPDATE entry SET body = replace(body, 'ages', 'page') WHERE seq = 3",
    "UPDATE entry SET body = CAST(body AS BLOB) WHERE seq = 3",
    "UPDATE entry SET charge_id = 'x' WHERE seq = 4",
    "UPDATE entry SET seq = 30 WHERE seq = 5",
    "DELETE FROM entry WHERE seq = 4",
    "DELETE FROM entry WHERE seq = 5",
    "UPDATE block SET spent = '[\"0\"]'",
    "UPDATE block SET spent = '[\"1/0\"]'",
    "UPDATE block SET budget = '[\"9\"]'",
    "UPDATE block SET retired = 1",
    "DELETE FROM block",
    "UPDATE outcome SET result = '6'",
    "UPDATE outcome SET result = CAST(result AS BLOB)",
    "UPDATE outcome SET charge_id = 'tuesday'",
    "DELETE FROM outcome",
    "INSERT INTO outcome VALUES ('tuesday', '5')",
    "INSERT OR REPLACE INTO outcome VALUES ('monday', '6')",
    "INSERT OR REPLACE INTO block VALUES ('all', '[\"1\"]', '[\"0\"]', 0)",
    "INSERT OR REPLACE INTO entry SELECT seq, charge_id, body || ' ', hash FROM entry",
]


def test_tampering_is_noticed(path: Path) -> None:
    ledger = new(path)
    ledger.charge(PureDP(0.5), label="ages", charge_id="monday")
    ledger.charge(PureDP(0.125), charge_id="tuesday")
    ledger.record("monday", 5)
    ledger.verify()
    ledger.close()
    whole = path.read_bytes()
    free, unnoticed = ("SET spent", "retired = 1", "('tuesday', '5')"), []
    for statement in TAMPERING:
        path.write_bytes(whole)
        connection = sqlite3.connect(path, isolation_level=None)
        if not any(words in statement for words in free):
            with pytest.raises(sqlite3.Error, match="append-only"):
                connection.execute(statement)
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        for (name,) in connection.execute(triggers).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
        connection.close()
        try:
            with BudgetLedger.open(path) as opened:
                opened.verify()
            unnoticed.append(statement)
        except LedgerCorruptError:
            pass
    assert unnoticed == []


def test_the_hash_of_an_entry_is_that_of_all_before_it(path: Path) -> None:
    """Two histories that end with the same entry have two heads."""
    entry, heads = {"kind": "charge", "blocks": [], "cost": ["0"]}, set()
    for name, cost in (("one", "0.25"), ("other", "0.5")):
        with new(path.with_name(name)) as ledger:
            ledger.charge(PureDP(cost))
        with sqlite3.connect(path.with_name(name)) as connection:
            heads.add(append_entry(SqliteRows(connection), entry)["hash"])
        connection.close()
    assert len(heads) == 2


def test_a_file_that_is_there_and_no_ledger_is_not_taken(path: Path) -> None:
    path.write_text("no ledger")
    with pytest.raises(LedgerError, match="has made this file"):
        new(path, exist_ok=True)


def appended(path: Path, entry: dict[str, Any]) -> None:
    """Write an entry with the right hash, as somebody who knows how may do."""
    with sqlite3.connect(path) as connection:
        append_entry(SqliteRows(connection), entry)
        connection.execute("UPDATE block SET spent = '[\"2\"]' WHERE id = 'all'")
    connection.close()


def test_what_no_charge_writes_is_noticed(path: Path) -> None:
    """More than the budget is spent, with a chain of hashes that is whole."""
    new(path).close()
    whole = path.read_bytes()
    entries: list[dict[str, Any]] = [
        {"kind": "charge", "blocks": ["all"], "cost": ["2"]},
        {"kind": "charge", "blocks": ["none"], "cost": ["2"]},
        {"kind": "charge", "cost": ["2"]},
        {"kind": "charge", "blocks": ["all"], "cost": ["x"]},
        {"kind": "charge", "blocks": 5, "cost": ["2"]},
        {},
    ]
    for entry in entries:
        path.write_bytes(whole)
        appended(path, entry)
        with BudgetLedger.open(path) as ledger:
            with pytest.raises(LedgerCorruptError):
                ledger.verify()
            with pytest.raises(LedgerCorruptError):
                print(ledger.remaining)


def test_a_charge_replaces_only_what_a_charge_has_written(path: Path) -> None:
    """The same number, but written otherwise: by somebody else."""
    new(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE block SET spent = '[\"0/7\"]'")
    connection.close()
    with BudgetLedger.open(path) as ledger:
        with pytest.raises(LedgerCorruptError):
            ledger.charge(PureDP(0.5))
        assert ledger.spent == PureDP(0)


def test_retired_blocks_stay_so(path: Path) -> None:
    with new(path, by_block=True) as ledger:
        ledger.add_block("a")
        ledger.retire("a")
    with sqlite3.connect(path) as connection, pytest.raises(sqlite3.Error, match="append-only"):
        connection.execute("UPDATE block SET retired = 0")
    appended(path, {"kind": "charge", "blocks": ["a"], "cost": ["0"]})
    with BudgetLedger.open(path) as ledger, pytest.raises(LedgerCorruptError):
        ledger.verify()


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


def charged_twenty_times(path: Path) -> None:
    ledger = new(path)
    for _ in range(20):
        ledger.charge(PureDP("0.01"), label="x" * 100)
    ledger.close()


@pytest.mark.parametrize("step", [67, pytest.param(1, marks=pytest.mark.long)])
def test_a_file_cut_anywhere_in_its_last_page_is_noticed(path: Path, step: int) -> None:
    charged_twenty_times(path)
    length = path.stat().st_size
    for cut in [*range(length - 1, length - 4097, -step), 5000, 200, 99, 0]:
        os.truncate(path, cut)
        with pytest.raises(LedgerError):
            BudgetLedger.open(path)


@pytest.mark.parametrize("changes", [60, pytest.param(2000, marks=pytest.mark.long)])
def test_garbled_bytes_are_noticed_or_do_not_matter(path: Path, changes: int) -> None:
    charged_twenty_times(path)
    whole, spent = path.read_bytes(), BudgetLedger.open(path).spent
    rng = random.Random(1)
    for _ in range(changes):
        place = rng.randrange(len(whole))
        changed = bytearray(whole)
        changed[place] ^= rng.randrange(1, 256)
        for stale in path.parent.iterdir():
            stale.unlink()
        path.write_bytes(changed)
        try:
            with BudgetLedger.open(path) as opened:
                opened.verify()
                assert opened.spent == spent
        except LedgerError:
            continue


def charge_and_die(path: Path) -> None:
    ledger = BudgetLedger.open(path)
    for label in "abcdefgh":
        ledger.charge(PureDP("0.01"), label=label)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("step", [3001, pytest.param(97, marks=pytest.mark.long)])
def test_a_wal_file_cut_anywhere(path: Path, step: int) -> None:
    """Nothing is lost: what a charge has returned for is in the file itself."""
    new(path).close()
    assert ended(forked(partial(charge_and_die, path))) == -signal.SIGKILL
    wal = path.with_name("ledger-wal")
    file, frames = path.read_bytes(), wal.read_bytes()
    whole = BudgetLedger.open(path)
    history, head = whole.history(), whole.head()
    whole.close()
    assert len(history) == 10
    # In the header of the last frame, too.
    for cut in {*range(0, len(frames), step), *range(len(frames) - 4120, len(frames) - 4090, 6)}:
        path.write_bytes(file)
        wal.write_bytes(frames[:cut])
        with BudgetLedger.open(path, expect_head=head) as opened:
            opened.verify()
            assert opened.history() == history


def test_busy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_open_file, "BUSY_SECONDS", 0.05)
    ledger = new(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerBusyError):
        ledger.charge(PureDP(0.1))
    other.execute("ROLLBACK")
    other.close()
    ledger.charge(PureDP(0.1))
    assert ledger.spent == PureDP(0.1)
