"""A ledger with damaged text, a long name, many entries, and what is said of a refused charge."""

from __future__ import annotations

import copy
import os
import pickle
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import new
from accounting.ledger.postgres_server import tamper

import cydp
from cydp import BudgetExceededError, BudgetLedger, LedgerError, PrivacyFilter, PureDP
from cydp.accounting import LedgerCorruptError, LedgerSchemaError
from cydp.accounting.ledger._store import FileStore


def test_damage_is_called_so_and_shows_no_text_of_the_ledger(file: Path) -> None:
    """Letters of the schema and of entries, one by one: SQLite quotes names in its errors."""
    with new(file) as ledger:
        for label in ("secret-4711", "secret-4712"):
            ledger.charge(PureDP("0.25"), label=label)
    whole, chance = file.read_bytes(), random.Random(5)
    places = [place for place, letter in enumerate(whole) if chr(letter).isalpha()]
    found = []
    for place in chance.sample(places, 300):
        changed = bytearray(whole)
        changed[place] = ord("z") if changed[place] != ord("z") else ord("y")
        for there in file.parent.iterdir():
            there.unlink()
        file.write_bytes(changed)
        try:
            with BudgetLedger.open(file) as opened:
                opened.verify()
                opened.charge(PureDP("0.1"))
                opened.report()
        except (LedgerCorruptError, LedgerSchemaError) as error:
            found.append(str(error))
    assert len(found) > 50
    assert [said for said in found if "secret" in said or "CREATE" in said or "near" in said] == []


def test_a_name_that_leaves_no_room_for_sqlites_files_is_refused(tmp_path: Path) -> None:
    fits = tmp_path / ("x" * (255 - len("-journal")))
    new(fits).close()
    BudgetLedger.open(fits).close()
    deep = tmp_path
    while len(os.fsencode(deep)) < 450:
        deep = deep / ("d" * 50)
    deep.mkdir(parents=True)
    for path in (fits.with_name("x" * 248), fits.with_name("x" * 254), deep / ("x" * 100)):
        with pytest.raises(LedgerError, match=r"use a shorter (name|path)"):
            new(path)
        assert not path.exists()
        assert [file.name for file in path.parent.iterdir() if file.name.startswith(".")] == []


def test_a_reader_tries_again_when_its_files_were_made_anew(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new(file).close()
    times = []
    real = FileStore._run_transaction

    def once(self: FileStore, begin: str, work: Any) -> Any:
        times.append(begin)
        if len(times) == 1:
            error = sqlite3.OperationalError("attempt to write a readonly database")
            error.sqlite_errorname = "SQLITE_READONLY_RECOVERY"
            raise error
        return real(self, begin, work)

    monkeypatch.setattr(FileStore, "_run_transaction", once)
    with BudgetLedger.open(file, read_only=True) as ledger:
        assert ledger.spent == PureDP(0)
    assert len(times) > 1


def test_a_scope_says_that_it_cannot_be_copied(path: Path) -> None:
    with new(path) as ledger:
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="a LedgerScope cannot be pickled or copied"):
                call(ledger.scope(label="a"))


def test_a_report_reads_the_last_charges_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with new(path, PureDP(100)) as ledger:
        for i in range(30):
            ledger.charge(PureDP("0.5"), label=f"charge {i}", charge_id=str(i))
            ledger.record(str(i), [i])
        said = ledger.report().text
        monkeypatch.setattr("cydp.accounting.ledger._ledger_looks.read_entries", None)
        assert ledger.report().text == said
    lines = said.splitlines()
    assert "  10 charges, and then" in lines
    assert [line.rpartition(": ")[2] for line in lines[-20:]] == [
        f"charge {i}" for i in range(10, 30)
    ]
    tamper(path, "UPDATE entry SET body = replace(body, 'charge 29', 'charge 30')")
    with BudgetLedger.open(path) as ledger, pytest.raises(LedgerCorruptError):
        ledger.report()


def test_a_refused_charge_says_that_a_release_is_out(path: Path) -> None:
    release = cydp.value_counts(["a"], ["a"], epsilon=2)
    costs = {
        "a loss": release.loss, "a release": release, "a table": release.nonnegative(),
        "a plan": cydp.Plan([(release, 1)]).as_loss(0),
    }  # fmt: skip
    with BudgetLedger.create(path, cydp.ApproxDP(1, 0), privacy_unit="row") as ledger:
        filter_ = PrivacyFilter(cydp.ApproxDP(1, 0))
        for budget in (ledger, ledger.scope(), filter_):
            for cost in costs.values():
                with pytest.raises(BudgetExceededError) as refused:
                    budget.charge(cost)
                assert "if this was released already, it is out" in refused.value.__notes__[0]
            for call in (
                lambda budget=budget: cydp.count([1], epsilon=2, budget=budget),
                lambda budget=budget: budget.charge(cydp.DiscreteLaplace(epsilon=2, sensitivity=1)),
            ):
                with pytest.raises(BudgetExceededError) as refused:
                    call()
                assert not hasattr(refused.value, "__notes__")


def test_all_charges_of_a_ledger_say_that_a_release_is_out(path: Path) -> None:
    release, small = cydp.count([1], epsilon=2), {"cost": PureDP("0.1")}
    mechanism = cydp.DiscreteLaplace(epsilon=2, sensitivity=1)
    with BudgetLedger.create(path, PureDP(1), privacy_unit="row") as ledger:

        def many(cost: Any) -> None:
            ledger.charge_many(iter([small, {"cost": cost}]))

        def once(cost: Any) -> None:
            ledger.once("a", cost, lambda: 1, function="f")

        def scoped(cost: Any) -> None:
            ledger.scope(charge_id="a").once(cost, lambda: 1, function="f")

        def notes_of(charge: Callable[[Any], None], cost: Any) -> list[str]:
            with pytest.raises(BudgetExceededError) as refused:
                charge(cost)
            return getattr(refused.value, "__notes__", [])

        for charge in (many, once, scoped):
            (note,) = notes_of(charge, release)
            assert "if this was released already, it is out" in note
        assert len(notes_of(many, release.loss)) == 1
        # What the loss is for is released after the charge.
        assert notes_of(once, release.loss) == notes_of(once, mechanism) == []

        def release_more() -> None:
            cydp.count([1], epsilon=2, budget=PrivacyFilter(PureDP(1)))

        with pytest.raises(BudgetExceededError) as refused:
            ledger.once("b", cydp.count([1], epsilon="0.1"), release_more)
        assert not any("released already" in note for note in refused.value.__notes__)
