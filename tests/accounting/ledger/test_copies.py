"""accounting/ledger/_ledger_copies.py: of all copies one is charged; from each home to each."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import new
from accounting.ledger.postgres_server import Place, PostgresServer, tamper

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting import (
    BlockRetiredError,
    ChargeInDoubtError,
    LedgerCorruptError,
    LedgerRollbackError,
)
from cydp.accounting.ledger._report import FROZEN
from cydp.cli import main

EIGHTH = PureDP("0.125")


@pytest.fixture(params=["to a file", "to a server"])
def target(request: pytest.FixtureRequest, path: Path | Place, tmp_path: Path) -> Path | Place:
    if request.param == "to a file":
        return tmp_path / "target"
    server: PostgresServer = request.getfixturevalue("server")
    return Place(server.address(), uuid.uuid4().hex)


def filled(path: Path) -> BudgetLedger:
    ledger = new(path, by_block=True, block_column="day")
    ledger.add_blocks(["mon", "tue", "old"], site="north")
    ledger.retire("old")
    ledger.once("monday", EIGHTH, lambda: [3, 4], blocks=["mon"], function="f", label="ages")
    ledger.charge(EIGHTH, blocks=["mon", "tue"], charge_id="in doubt")
    return ledger


def seen(ledger: BudgetLedger) -> tuple[Any, ...]:
    ledger.verify()
    return (
        list(ledger.history()), ledger.head(), ledger.uuid, dict(ledger.spent), ledger.budget,
        dict(ledger.remaining), ledger.blocks(), ledger.result("monday"), ledger.privacy_unit,
        ledger.block_column, ledger.report().text.removeprefix(f"{FROZEN}\n"),
    )  # fmt: skip


def lose(path: Path | Place) -> None:
    """Let a ledger be gone, as with its disk."""
    if isinstance(path, Place):
        tables = ("outcome", "state", "block", "entry")
        tamper(path, *(f"DELETE FROM {table} WHERE ledger = {path.key}" for table in tables))
        tamper(path, f"DELETE FROM ledger WHERE key = {path.key}")
    else:
        path.unlink()


def changes(ledger: BudgetLedger) -> list[Callable[[], object]]:
    return [
        lambda: ledger.charge(EIGHTH, blocks=["tue"]),
        lambda: ledger.charge_many([{"cost": EIGHTH, "blocks": ["tue"]}]),
        lambda: ledger.once("new", EIGHTH, lambda: 1, blocks=["tue"], function="f"),
        lambda: ledger.record("in doubt", 1), lambda: ledger.add_block("wed"),
        lambda: ledger.retire("tue"), lambda: ledger.retire_spent(),
    ]  # fmt: skip


def test_a_move_and_back_is_exact(path: Path, target: Path) -> None:
    """And what stays behind, is open, or is opened later, can be read and not be changed."""
    with filled(path) as ledger, BudgetLedger.open(path) as other:
        before = seen(ledger)
        assert ledger.move(target) == before[1]
        with BudgetLedger.open(target) as there:
            assert seen(there) == before
            there.charge(EIGHTH, blocks=["tue"])
            with pytest.raises(ChargeInDoubtError):
                there.charge(EIGHTH, blocks=["mon", "tue"], charge_id="in doubt")
            moved = seen(there)
            with BudgetLedger.open(path) as left:
                for frozen in (ledger, other, left):
                    assert seen(frozen) == before
                    move = partial(frozen.move, target.with_name("x"))
                    for change in (*changes(frozen), move):
                        with pytest.raises(LedgerError, match="which is a backup, or was moved"):
                            change()
            there.move(path.with_name("again"))
        with BudgetLedger.open(path.with_name("again"), expect_head=moved[1]) as back:
            assert seen(back) == moved
            back.charge(EIGHTH, blocks=["tue"])


def test_a_backup_while_others_charge(path: Path, target: Path) -> None:
    with new(path, PureDP(1000)) as ledger:
        begun, stop = threading.Event(), threading.Event()

        def charge() -> None:
            with BudgetLedger.open(path) as other:
                while not stop.is_set():
                    other.charge(EIGHTH)
                    begun.set()

        writer = threading.Thread(target=charge)
        writer.start()
        try:
            assert begun.wait(60)
            heads = [ledger.backup(target.with_name(f"b{i}")) for i in range(3)]
            while ledger.head() == heads[-1]:  # until the writer has charged once more
                assert writer.is_alive()
        finally:
            stop.set()
            writer.join()
        for i, head in enumerate(heads):
            with BudgetLedger.open(target.with_name(f"b{i}"), read_only=True) as backup:
                backup.verify()
                assert backup.head() == head
        assert [head[0] for head in heads] == sorted(head[0] for head in heads)
        with pytest.raises(LedgerError, match="exists already"):
            ledger.backup(target.with_name("b0"))


def test_a_restore_does_not_forget(path: Path, target: Path, tmp_path: Path) -> None:
    with filled(path) as ledger:
        head = ledger.backup(target)
        before = seen(ledger)
    remembered = tmp_path / "head"
    with BudgetLedger.open(path, head_file=remembered) as ledger:
        ledger.charge(EIGHTH, blocks=["tue"])
        later = ledger.head()
    again = path.with_name("again")
    for known in ({"expect_head": later}, {"head_file": remembered}):
        with pytest.raises(LedgerRollbackError, match=r"lacks the entry .* would be forgotten"):
            BudgetLedger.restore(target, again, **known)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="expect_head or head_file must be given"):
        BudgetLedger.restore(target, again)
    with pytest.raises(ValueError, match="expect_head or head_file must be given"):
        BudgetLedger.restore(target, again, head_file=tmp_path / "none")
    with pytest.raises(LedgerError, match="exists already"):
        BudgetLedger.restore(target, path, expect_head=head)
    with pytest.raises(LedgerError, match=r"there is no ledger|this is a ledger in use"):
        BudgetLedger.restore(path, again, expect_head=head)
    lose(path)
    with BudgetLedger.restore(target, again, expect_head=head) as ledger:
        assert seen(ledger) == before
        ledger.charge(EIGHTH, blocks=["tue"])
    lose(again)
    with BudgetLedger.restore(
        target, path.with_name("closed"), expect_head=later, retire=True
    ) as ledger:
        # Whatever was charged since, it is no more than what was left.
        assert dict(ledger.spent) == {"mon": PureDP(1), "tue": PureDP(1), "old": PureDP(0)}
        assert ledger.guarantee().epsilon == 1
        assert "what the backup lacks, at most" in ledger.report().text
        assert {block.retired for block in ledger.blocks()} == {True}
        ledger.verify()
        with pytest.raises(BlockRetiredError):
            ledger.charge(EIGHTH, blocks=["tue"])


def test_a_retired_ledger_without_blocks(path: Path, target: Path) -> None:
    with new(path) as ledger:
        ledger.charge(EIGHTH)
        ledger.backup(target)
    lose(path)
    with BudgetLedger.restore(target, path.with_name("closed"), retire=True) as ledger:
        assert ledger.spent == PureDP(1)
        assert ledger.remaining == PureDP(0)
        with pytest.raises(BlockRetiredError):
            ledger.charge(EIGHTH)
        ledger.verify()


@pytest.mark.parametrize("blocks", [[], ["mon"]])
def test_a_block_that_a_backup_lacks_is_not_charged_once_more(
    path: Path, target: Path, blocks: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with new(path, by_block=True) as ledger:
        if blocks:
            ledger.add_blocks(blocks)
        ledger.backup(target)
        ledger.add_blocks(["tue"])
        ledger.charge(PureDP(1), blocks=["tue"])
    lose(path)
    again = path.with_name("again")
    with BudgetLedger.restore(target, again, retire=True) as restored:
        for name in ("tue", "new"):
            with pytest.raises(LedgerError, match="no block can be added to a ledger that was"):
                restored.add_block(name)
        restored.verify()
        assert restored.guarantee().epsilon == len(blocks)
        restored.move(path.with_name("moved"))
    with (
        BudgetLedger.open(path.with_name("moved")) as moved,
        pytest.raises(LedgerError, match="no block can be added to a ledger that was"),
    ):
        moved.add_block("tue")
    with pytest.raises(SystemExit):
        main(["ledger", "add-block", str(path.with_name("moved")), "tue"])
    assert "restored with --retire" in capsys.readouterr().err


def test_a_database_has_one_ledger_that_can_be_charged(server: PostgresServer) -> None:
    """A backup that is restored twice, or beside its ledger, would spend the budget twice."""
    name = uuid.uuid4().hex
    path, copy = (Place(server.address(), f"{name} {more}") for more in ("ledger", "copy"))
    again, third = path.with_name("again"), path.with_name("third")
    with filled(path) as ledger:
        head = ledger.backup(copy)
        refused = partial(
            pytest.raises, LedgerError, match=rf"'{name} .*' in this database is the same ledger"
        )
        for retire in (False, True):
            with refused():
                BudgetLedger.restore(copy, again, expect_head=head, retire=retire)
        with pytest.raises(LedgerError, match="there is no ledger"):
            BudgetLedger.open(again)
        ledger.move(again)  # the frozen ledger stays beside it
        with BudgetLedger.open(again) as moved:
            moved.charge(EIGHTH, blocks=["tue"])
            with refused():
                BudgetLedger.restore(copy, third, expect_head=head)
    lose(again)
    with BudgetLedger.restore(copy, third, expect_head=head) as restored, refused():
        assert restored.uuid == ledger.uuid
        BudgetLedger.restore(copy, again, expect_head=head)


def test_a_frozen_copy_says_that_it_is_one(path: Path, target: Path) -> None:
    with filled(path) as ledger:
        ledger.backup(target)
        with BudgetLedger.open(target) as copy:
            report = copy.report()
            assert report.text.startswith("a frozen copy, by a backup or a move: nothing can be")
            assert "a frozen copy" in report.to_html()
            assert report.to_dict()["frozen"]
            assert repr(copy).endswith(", a frozen copy>")
        report = ledger.report()
        assert "frozen" not in report.text + report.to_html() + repr(ledger)
        assert not report.to_dict()["frozen"]
        ledger.move(target.with_name("moved"))
        assert "a frozen copy" in repr(ledger)
        assert "a frozen copy" in ledger.report().text


def test_a_copy_to_what_is_there_already_is_told_to_choose_another_place(
    path: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with new(path) as ledger:
        head = ledger.backup(target)
        for call in (
            lambda: ledger.backup(target),
            lambda: ledger.move(target),
            lambda: ledger.move(path),
            lambda: BudgetLedger.restore(target, path, expect_head=head),
        ):
            with pytest.raises(LedgerError, match="exists already: choose another"):
                call()
    for command in ("backup", "move"):
        with pytest.raises(SystemExit):
            main(["ledger", command, str(path), str(target)])
        assert "exists already: choose another" in capsys.readouterr().err
    with pytest.raises(LedgerError, match="say exist_ok=True, or choose another"):
        new(path)


def test_a_damaged_backup_is_not_restored(path: Path, target: Path) -> None:
    with filled(path) as ledger:
        head = ledger.backup(target)
    tamper(target, "UPDATE entry SET body = replace(body, 'ages', 'wage')")
    with pytest.raises(LedgerCorruptError):
        BudgetLedger.restore(target, path.with_name("again"), expect_head=head)
    with pytest.raises(LedgerError):
        BudgetLedger.open(path.with_name("again"))


def test_a_move_that_was_interrupted_is_finished_by_restore(
    path: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both copies are frozen: nothing can be charged twice."""
    with filled(path) as ledger:
        before = seen(ledger)
        with monkeypatch.context() as patch:
            patch.setattr("cydp.accounting.ledger._ledger_copies.open_store", None)
            with pytest.raises(TypeError):
                ledger.move(target)
        for place in (path, target):
            with BudgetLedger.open(place) as copy:
                assert seen(copy) == before
                with pytest.raises(LedgerError, match="which is a backup, or was moved away"):
                    copy.charge(EIGHTH, blocks=["tue"])
    with BudgetLedger.restore(target, path.with_name("again"), expect_head=before[1]) as there:
        assert seen(there) == before
        there.charge(EIGHTH, blocks=["tue"])


def test_a_move_to_where_no_ledger_can_be_made_changes_nothing(
    path: Path, tmp_path: Path, server: PostgresServer
) -> None:
    with filled(path) as ledger:
        before = seen(ledger)
        taken = new(tmp_path / "taken")
        nobody = server.address(port=1)
        for wrong in (path, tmp_path / "none" / "x", tmp_path / "taken", f"{nobody}#x"):
            with pytest.raises(LedgerError):
                ledger.move(wrong)
            assert seen(ledger) == before
        with pytest.raises(ValueError, match="after '#'"):
            ledger.move(server.address())
        ledger.charge(EIGHTH, blocks=["tue"])
        taken.close()


def test_the_command_line(path: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with new(path) as ledger:
        ledger.charge(EIGHTH)
        head = "head: {}:{}".format(*ledger.head())

    def said(*arguments: object) -> str:
        assert main(["ledger", *map(str, arguments)]) == 0
        return capsys.readouterr().out.strip()

    assert said("backup", path, target) == head
    assert "frozen" not in said("show", path)
    assert said("show", target).splitlines()[0].startswith("a frozen copy, by a backup or a move")
    assert json.loads(said("show", target, "--json"))["frozen"]
    assert "a frozen copy" in said("report", target)
    lose(path)
    again = path.with_name("again")
    assert said("restore", target, again, "--head", head.removeprefix("head: ")) == head
    assert said("move", again, target.with_name("moved")) == head
    with pytest.raises(SystemExit):
        main(["ledger", "charge", str(again), "--epsilon", "0.1", "--label", "x"])
    assert "was moved away" in capsys.readouterr().err
    assert said("charge", target.with_name("moved"), "--epsilon", "0.1", "--label", "x")
    with pytest.raises(SystemExit):
        main(["ledger", "restore", str(target), str(path.with_name("third"))])
    assert "--retire" in capsys.readouterr().err


def test_what_a_move_has_left_is_not_restored(
    path: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The ledger may be charged where it was moved, and the rest would be spent twice."""
    ledger = new(path)
    ledger.charge(EIGHTH)
    head = ledger.move(target)
    for known in (head, None):
        with pytest.raises((LedgerError, ValueError), match=r"a move has left|expect_head"):
            BudgetLedger.restore(path, path.with_name("again"), expect_head=known)
    with pytest.raises(SystemExit):
        main(["ledger", "restore", str(path), f"{target}2", "--head", "1:" + "0" * 64])
    assert "a move has left" in capsys.readouterr().err
    with BudgetLedger.open(target) as moved:
        moved.charge(EIGHTH)
    with BudgetLedger.open(path, read_only=True) as left:
        assert left.spent == EIGHTH


def test_a_frozen_copy_pays_for_nothing_and_is_no_new_ledger(path: Path, target: Path) -> None:
    new(path).backup(target)
    copy = BudgetLedger.open(target, read_only=True)
    with pytest.raises(LedgerError, match="a frozen copy"):
        copy.would_exceed(EIGHTH)
    copy.close()
    with pytest.raises(LedgerError, match="a frozen copy"):
        new(target, exist_ok=True)
