"""accounting/ledger/_head_file.py: what a client has seen is not forgotten, in both homes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import new
from accounting.ledger.postgres_server import Place, tamper

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting import LedgerRollbackError
from cydp.cli import main

EIGHTH = PureDP("0.125")


def forget_the_last_charge(path: Path | Place, seq: int) -> None:
    """Set a ledger back by one charge, with all that belongs to it, as an older copy is."""
    spent = f'["{seq - 3}/8"]' if seq > 3 else '["0"]'
    if isinstance(path, Place):
        tamper(
            path, f"DELETE FROM entry WHERE seq = {seq} AND ledger = {path.key}",
            f"DELETE FROM state WHERE step = {seq - 2} AND ledger = {path.key}",
        )  # fmt: skip
    else:
        before = f"(SELECT hash FROM entry WHERE seq = {seq - 1})"
        tamper(
            path, f"DELETE FROM entry WHERE seq = {seq}", f"UPDATE block SET spent = '{spent}'",
            f"UPDATE head SET seq = {seq - 1}, hash = {before}",
        )  # fmt: skip


def kept_in(file: Path) -> tuple[int, str]:
    kept = json.loads(file.read_text())
    return kept["seq"], kept["hash"]


def test_a_ledger_that_was_set_back_is_refused(path: Path, tmp_path: Path) -> None:
    new(path).close()
    file = tmp_path / "head.json"
    with BudgetLedger.open(path, head_file=file) as ledger:
        assert kept_in(file) == ledger.head()
        for _ in range(2):
            ledger.charge(EIGHTH)
            assert kept_in(file) == ledger.head()
        head = ledger.head()
        assert json.loads(file.read_text())["ledger"] == ledger.uuid
    forget_the_last_charge(path, 4)
    with BudgetLedger.open(path) as ledger:
        ledger.verify()  # nothing in the ledger tells
        assert ledger.spent == EIGHTH
    for _ in range(2):
        with pytest.raises(LedgerRollbackError, match=r"the entry 4 that .*head\.json remembers"):
            BudgetLedger.open(path, head_file=file)
    assert kept_in(file) == head
    with BudgetLedger.open(path) as ledger:  # one that went another way, and is as long
        ledger.charge(PureDP("0.25"))
    with pytest.raises(LedgerRollbackError):
        BudgetLedger.open(path, head_file=file)


def test_what_others_charge_is_remembered_too(path: Path, tmp_path: Path) -> None:
    with new(path) as other, BudgetLedger.open(path, head_file=tmp_path / "a") as ledger:
        other.charge(EIGHTH)
        assert ledger.spent == EIGHTH
        assert kept_in(tmp_path / "a") == other.head()
        with BudgetLedger.open(path, head_file=tmp_path / "a", read_only=True) as reader:
            other.charge(EIGHTH)
            assert reader.spent == PureDP("0.25")
        assert kept_in(tmp_path / "a") == other.head()
        ledger.head()  # it has seen less, and forgets nothing
        assert kept_in(tmp_path / "a") == other.head()


def test_another_ledger_and_other_files_are_refused(path: Path, tmp_path: Path) -> None:
    new(path).close()
    new(path.with_name("other")).close()
    file = tmp_path / "head.json"
    BudgetLedger.open(path, head_file=file).close()
    with pytest.raises(LedgerError, match="remembers another ledger"):
        BudgetLedger.open(path.with_name("other"), head_file=file)
    for text in ("", "{}", '{"ledger": "x", "seq": 0, "hash": "y"}', "[1]", "\xff"):
        file.write_text(text, encoding="latin-1")
        with pytest.raises(LedgerError, match=r"no file that remembers|cannot read"):
            BudgetLedger.open(path, head_file=file)
    with pytest.raises(LedgerError, match="cannot read"):
        BudgetLedger.open(path, head_file=tmp_path)
    with pytest.raises(LedgerError, match=r"cannot be written to .*; what was charged stands"):
        BudgetLedger.open(path, head_file=tmp_path / "none" / "head.json")


def test_the_command_line(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new(path).close()
    charge: list[Any] = ["ledger", "charge", str(path), "--epsilon", "0.125", "--label", "x"]
    remembering = [*charge, "--head-file", str(tmp_path / "h")]
    assert main(remembering) == 0
    assert main(remembering) == 0
    forget_the_last_charge(path, 4)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(remembering)
    assert "does not have the entry 4" in capsys.readouterr().err
