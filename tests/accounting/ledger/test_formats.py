"""Ledgers that earlier versions have made: formats/ holds what each of them wrote."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import at_line, die, ended, forked, new
from accounting.ledger.postgres_server import Place, tamper

import cydp
from cydp import ZCDP, ApproxDP, BudgetLedger, DiscreteLaplace, LedgerError, PureDP
from cydp.accounting import (
    ApproxZCDP,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerCorruptError,
    LedgerRollbackError,
    LedgerSchemaError,
)
from cydp.accounting.ledger._formats import bring_up_to_date
from cydp.cli import main

FOLDER = Path(__file__).parent / "formats"
DUMPS = sorted(each.stem for each in FOLDER.glob("*.sql"))
FIRST = "04e1387a"  # the commit that wrote results without their hash
FORMAT_1 = [each for each in DUMPS if "user_version = 1" in (FOLDER / f"{each}.sql").read_text()]
COSTS = {
    PureDP: PureDP("0.125"), ApproxDP: ApproxDP("0.125", "1e-7"), ZCDP: ZCDP("0.125"),
    ApproxZCDP: ApproxZCDP("0.125", "1e-7"),
}  # fmt: skip
# Releases that are made, or described, otherwise today: a repetition is another release.
MADE_OTHERWISE = {
    "58cbaa5f": {"histogram"}, "5f7b0b06": {"mean"}, "c9727621": {"mean"}, "daa169d7": {"mean"},
    "ed383a44": {"mean"},
}  # fmt: skip


def loaded(dump: str, path: Path) -> Path:
    """Make the file of a dump."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode = wal")
        file.executescript((FOLDER / f"{dump}.sql").read_text())
    return path


def left_by_a_killed_process(dump: str, path: Path) -> None:
    """Make the file of a dump, all of which is in its WAL file."""

    def write() -> None:
        file = sqlite3.connect(path)
        file.execute("PRAGMA journal_mode = wal")
        file.execute("PRAGMA wal_autocheckpoint = 0")
        file.executescript((FOLDER / f"{dump}.sql").read_text())
        die()

    assert ended(forked(write)) < 0


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    """Return all rows but the head."""
    with closing(sqlite3.connect(path)) as file:
        return [
            row
            for table in ("entry", "block", "outcome")
            for row in file.execute(f"SELECT * FROM {table}")
        ]


def format_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        return int(file.execute("PRAGMA user_version").fetchone()[0])


def recorded(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as file:
        return {row[0] for row in file.execute("SELECT charge_id FROM outcome")}


def seen(ledger: BudgetLedger) -> tuple[Any, ...]:
    ledger.verify()
    by_block = isinstance(ledger.spent, dict)
    return (
        list(ledger.history()), ledger.head(), ledger.spent, ledger.remaining, ledger.budget,
        ledger.guarantee(), ledger.privacy_unit, ledger.uuid, str(ledger.report()),
        ledger.report().to_html(), ledger.totals("label"), ledger.blocks() if by_block else None,
    )  # fmt: skip


def calls(ledger: BudgetLedger, dump: str) -> dict[str, Callable[[], Any]]:
    """Return what was called by each charge id."""
    cost = COSTS[type(ledger.budget)]
    both: Any = {"blocks": ["mon", "tue"]} if dump.endswith("blocks") else {}
    one: Any = {"blocks": ["mon"], "table_in_blocks": True} if both else {}
    small: Any = {"epsilon": "0.0625", "max_rows_per_unit": 1}
    noise = DiscreteLaplace(epsilon="0.0625", sensitivity=1)

    def scope(charge_id: str, **more: Any) -> Any:
        return ledger.scope(charge_id=charge_id, **more)

    return {
        "bare": lambda: ledger.charge(cost, charge_id="bare", **both).result,
        "pure": lambda: ledger.charge(PureDP("0.125"), 2, charge_id="pure").result,
        "noise": lambda: ledger.charge(noise, charge_id="noise").result,
        "once": lambda: ledger.once(
            "once", PureDP("0.0625"), pytest.fail, function="f", arguments={"k": 1},
            data_version="v1",
        ),
        "released": lambda: noise.release(12, budget=scope("released")),
        "histogram": lambda: cydp.histogram(
            [1.0, 2.0], 2, (0, 4), budget=scope("histogram", data_version="v1", **one), **small
        ),
        "value_counts": lambda: cydp.value_counts(
            {"sex": ["f", "m"]}, ["f", "m"], column="sex", budget=scope("value_counts"), **small
        ),
        "mean": lambda: cydp.mean(
            {"age": [31, 64]}, (0, 100), column="age", budget=scope("mean"), **small
        ),
    }  # fmt: skip


@pytest.mark.parametrize("dump", DUMPS)
def test_a_ledger_of_each_version_is_read_without_writing(
    dump: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = loaded(dump, tmp_path / "ledger")
    before = path.read_bytes()
    with BudgetLedger.open(path, read_only=True) as ledger:
        first = seen(ledger)
        ledger.backup(tmp_path / "copy")
    for command in ("show", "report", "history", "verify", "totals --by label"):
        assert main(["ledger", *command.split()[:1], str(path), *command.split()[1:]]) == 0
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} == {"ledger", "copy"}
    with BudgetLedger.restore(tmp_path / "copy", tmp_path / "again", expect_head=first[1]) as again:
        assert seen(again) == first


@pytest.mark.parametrize("dump", DUMPS)
def test_a_ledger_of_each_version_goes_on(dump: str, tmp_path: Path) -> None:
    path = loaded(dump, tmp_path / "ledger")
    rows = rows_of(path)
    with BudgetLedger.open(path, read_only=True) as ledger:
        first = seen(ledger)
    with BudgetLedger.open(path, expect_head=first[1]) as ledger:
        assert seen(ledger) == first
        assert (rows_of(path), format_of(path)) == (rows, 2)
        where: Any = {"blocks": ["mon", "tue"]} if dump.endswith("blocks") else {}
        receipt = ledger.charge(PureDP("0.0625"), charge_id="new", **where)
        ledger.record("new", [1])
        assert ledger.charge(PureDP("0.0625"), charge_id="new", **where).result == [1]
        assert receipt.seq == first[1][0] + 1
        last = seen(ledger)
        assert ledger.move(tmp_path / "moved") == last[1]
    with BudgetLedger.open(tmp_path / "moved") as moved:
        assert seen(moved) == last


@pytest.mark.filterwarnings("ignore")  # a repetition says that it is one
@pytest.mark.parametrize("dump", DUMPS)
def test_a_repetition_of_each_version_returns_what_was_recorded(dump: str, tmp_path: Path) -> None:
    path = loaded(dump, tmp_path / "ledger")
    ids = recorded(path)
    with BudgetLedger.open(path) as ledger:
        head = ledger.head()
        found = {name: call for name, call in calls(ledger, dump).items() if name in ids}
        assert found.keys() == ids
        for name, call in found.items():
            kept = ledger.result(name)
            if name in MADE_OTHERWISE.get(dump.partition("-")[0], ()):
                with pytest.raises(ChargeConflictError, match=r"params|query"):
                    call()
                continue
            again = call()
            assert repr(again) == repr(call())
            if name in ("bare", "pure", "noise", "once"):
                assert repr(again) == repr(kept)
        where: Any = {"blocks": ["mon"]} if dump.endswith("blocks") else {}
        with pytest.raises(ChargeInDoubtError):
            ledger.charge(COSTS[type(ledger.budget)], charge_id="in doubt", **where)
        assert ledger.head() == head


def test_a_ledger_whose_blocks_split_people_protects_what_lies_in_one(tmp_path: Path) -> None:
    """Format 1 has kept one name of the unit, and did not ask whether blocks split it."""
    units = {}
    for dump in FORMAT_1:
        with BudgetLedger.open(loaded(dump, tmp_path / dump)) as ledger:
            units[dump] = ledger.privacy_unit
            if dump.endswith("blocks"):
                whole = ledger.privacy_unit.removesuffix(" in one block")
                assert ledger.guarantee(unit=whole).epsilon > ledger.guarantee().epsilon
    assert {unit for dump, unit in units.items() if not dump.endswith("blocks")} == {"person"}
    assert {unit for dump, unit in units.items() if dump.endswith("blocks")} == {
        "person in one block", "person-day in one block"
    }  # fmt: skip


@pytest.mark.parametrize("dump", ["04e1387a-blocks", "58cbaa5f-pure"])
def test_a_ledger_of_format_1_moves_to_each_home_and_back(
    dump: str, tmp_path: Path, path: Path | Place
) -> None:
    with BudgetLedger.open(loaded(dump, tmp_path / "old")) as ledger:
        first = seen(ledger)
        ledger.move(path)
    with BudgetLedger.open(path) as there:
        assert seen(there) == first
        there.move(tmp_path / "back")
    with BudgetLedger.open(tmp_path / "back") as back:
        assert seen(back) == first


def test_a_ledger_of_format_1_whose_last_charges_are_in_its_wal_file(tmp_path: Path) -> None:
    """As a killed process has left it: earlier versions did not copy each charge into the file."""
    path = tmp_path / "ledger"

    left_by_a_killed_process("58cbaa5f-pure", path)
    assert (tmp_path / "ledger-wal").stat().st_size > 0
    with BudgetLedger.open(path, read_only=True) as ledger:
        first = seen(ledger)
    with BudgetLedger.open(path) as ledger:
        assert seen(ledger) == first
        ledger.charge(PureDP("0.0625"))
        ledger.verify()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_wal_file_of_another_ledger_of_format_1_is_refused(
    read_only: bool, tmp_path: Path
) -> None:
    path, other = loaded("58cbaa5f-pure", tmp_path / "ledger"), tmp_path / "other"
    left_by_a_killed_process("5f7b0b06-pure", other)
    (tmp_path / "other-wal").rename(tmp_path / "ledger-wal")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="is not of this ledger"):
        BudgetLedger.open(path, read_only=read_only)
    assert path.read_bytes() == before
    (tmp_path / "ledger-wal").unlink()
    with BudgetLedger.open(path) as ledger:
        ledger.verify()


def test_many_who_come_at_once_bring_it_up_to_date_once(tmp_path: Path) -> None:
    path = loaded("58cbaa5f-pure", tmp_path / "ledger")
    rows = rows_of(path)

    def use(_: int) -> int:
        with BudgetLedger.open(path) as ledger:
            return ledger.charge(PureDP("1e-6")).seq

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(use, range(8)))) == 8
    with closing(sqlite3.connect(path)) as file:
        assert len(file.execute("SELECT * FROM head").fetchall()) == 1
    with BudgetLedger.open(path) as ledger:
        ledger.verify()
        assert len(ledger.history(kind="charge", label=None)) >= 8
    assert set(rows) - set(rows_of(path)) == {row for row in rows if row[0] == "all"}


def test_who_comes_second_finds_the_head(tmp_path: Path) -> None:
    """They saw format 1, and got the lock after the first one had changed it."""
    path = loaded("58cbaa5f-pure", tmp_path / "ledger")

    class Slow(sqlite3.Connection):
        def executescript(self, script: str) -> sqlite3.Cursor:
            with closing(sqlite3.connect(path)) as first:
                bring_up_to_date(first)
            return super().executescript(script)

    with closing(sqlite3.connect(path, factory=Slow)) as second:
        bring_up_to_date(second)
        assert len(second.execute("SELECT * FROM head").fetchall()) == 1
    with BudgetLedger.open(path) as ledger:
        ledger.verify()


def test_a_process_that_is_killed_anywhere_leaves_a_whole_ledger(tmp_path: Path) -> None:
    path = loaded("58cbaa5f-pure", tmp_path / "ledger")
    rows, old = rows_of(path), path.read_bytes()
    formats = set()
    for line in range(1, 10_000, 31):
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        path.write_bytes(old)
        code = ended(forked(partial(at_line, line, die, lambda: BudgetLedger.open(path).close())))
        formats.add(format_of(path))
        assert rows_of(path) == rows
        with BudgetLedger.open(path) as ledger:
            ledger.verify()
        assert (rows_of(path), format_of(path)) == (rows, 2)
        if code == 0:
            break
    assert code == 0
    assert formats == {1, 2}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entry SET body = replace(body, '1/8', '1/9')",
        "UPDATE block SET spent = '[\"0\"]'",
        "UPDATE outcome SET result = '8'",
        "DELETE FROM entry WHERE seq = 1",
        "DELETE FROM outcome; DELETE FROM block; DELETE FROM entry",
    ],
)
def test_a_damaged_ledger_of_format_1_is_left_as_it_is(change: str, tmp_path: Path) -> None:
    path = loaded("58cbaa5f-pure", tmp_path / "ledger")
    tamper(path, *change.split("; "))
    before = rows_of(path)
    with pytest.raises(LedgerCorruptError, match="the ledger is damaged"):
        BudgetLedger.open(path)
    assert (rows_of(path), format_of(path)) == (before, 1)


@pytest.mark.parametrize("dump", ["04e1387a-pure", "58cbaa5f-pure", "5f7b0b06-pure"])
def test_a_result_that_was_added_is_noticed(dump: str, tmp_path: Path) -> None:
    """But in the first version, which wrote no hash of a result."""
    path = loaded(dump, tmp_path / "ledger")
    tamper(path, "INSERT INTO outcome VALUES ('in doubt', '1')")
    with BudgetLedger.open(path, read_only=True) as ledger:
        if dump.startswith(FIRST):
            ledger.verify()
        else:
            with pytest.raises(LedgerCorruptError, match="its results"):
                ledger.verify()


def test_an_older_copy_of_format_1_is_refused(tmp_path: Path) -> None:
    path = loaded("58cbaa5f-pure", tmp_path / "ledger")
    old = path.read_bytes()
    with BudgetLedger.open(path) as ledger:
        ledger.charge(PureDP("0.0625"))
        head = ledger.head()
    path.write_bytes(old)
    with pytest.raises(LedgerRollbackError):
        BudgetLedger.open(path, expect_head=head)


def test_a_later_format_is_refused_by_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ledger"
    new(path).close()
    tamper(path, "PRAGMA user_version = 3")
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(LedgerSchemaError, match=r"format 3, which a later version .* update"):
            BudgetLedger.open(path, read_only=read_only)
    with pytest.raises(SystemExit):
        main(["ledger", "show", str(path)])
    assert "update cydp" in capsys.readouterr().err
    assert path.read_bytes() == before
