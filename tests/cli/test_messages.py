"""cli/_messages.py: what a ledger says, in the words of the command line."""

from fractions import Fraction
from pathlib import Path

import pytest
from cli.commands import PUMS, WEEK, Run, refused

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.cli import _payment
from cydp.cli._release import charged_words

C = ["count", WEEK]
M = ["mean", PUMS, "--column", "age", "--bounds", "0:100"]
E = ["--epsilon", "0.1"]
U = ["--user", "VisitorId"]


def test_json_and_text_are_in_the_words_of_options(run: Run, ledger: str) -> None:
    for more in ([], ["--dry-run"]):
        for form in ([], ["--json"]):
            shown = " ".join(run(*M, *E, *more, *form)[1].split())
            assert "pass their column as --user" in shown or not (more or form)
            assert "user=" not in shown
            paid = ["--max-rows-per-unit", "2", "--ledger", ledger]
            shown = " ".join(run(*M, *E, *more, *form, *paid)[1].split())
            assert "whether one person is in the table or not" in shown
            assert "that is your promise about the table" in shown or not (more or form)
            assert "caller" not in shown


def test_one_unit_can_contain_another(run: Run, ledger: str) -> None:
    paid = [*C, *U, "--max-rows", "1", *E, "--ledger", ledger]
    assert run(*paid, "--unit", "person")[0] == 0
    assert run(*paid, "--unit", "household", "person")[0] == 0


def test_a_ledger_that_is_busy_damaged_or_rolled_back(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from cydp.accounting.ledger import _open_file

    paid = [*M, *E, "--max-rows-per-unit", "1", "--ledger", ledger]
    monkeypatch.setattr(_open_file, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(ledger, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused(run(*paid), 1, "another process has used the ledger for")
    other.execute("ROLLBACK")
    other.close()
    Path(ledger).write_bytes(Path(ledger).read_bytes()[:4096])
    refused(run(*paid), 1, "the ledger is damaged")


def test_what_is_left_is_rounded_down_and_a_cost_up(run: Run, ledger: str) -> None:
    third = Fraction(10**50, 3 * 10**50 + 1)  # too long to be written out
    with BudgetLedger.open(ledger) as opened:
        opened.charge(PureDP(1 - third / 1000))
    paid = ["--max-rows-per-unit", "1", "--ledger", ledger]
    done = run(*M, "--epsilon", str(third), *paid)
    refused(done, 1, "costs epsilon=about 0.333334, and epsilon=about 0.000333333 is left in")
    shown = run("ledger", "show", ledger)[1]
    assert "left epsilon=about 0.000333333; spent epsilon=about 0.999667 of epsilon=1" in shown


def test_what_may_have_been_charged_is_not_said_to_be() -> None:
    error = LedgerError("the disk is gone")
    error.add_note("PureDP(epsilon=1) may have been charged as entry 3; nothing was released")
    assert charged_words(error, None) == "; the ledger may have been charged"


def test_a_ledger_that_is_lost_after_the_release(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise LedgerError("the disk is gone")

    monkeypatch.setattr(_payment, "head_of", lost)
    paid = [*M, *E, "--max-rows-per-unit", "1", "--ledger", ledger, "--charge-id", "a"]
    code, printed, message = run(*paid)
    assert (code, printed[:5]) == (2, "mean:") or (code, printed[:5]) == (2, "mean ")
    assert "the disk is gone; the ledger was charged all the same, and the release was" in message
