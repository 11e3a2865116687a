"""cli/_release.py with a charge id: a command that is run again prints the same."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from cydp import BudgetLedger, PureDP
from cydp.cli import main

PUMS = Path(__file__).parents[2] / "examples" / "data" / "pums.csv"


@pytest.fixture
def ledger(tmp_path: Path) -> str:
    path = str(tmp_path / "budget.db")
    BudgetLedger.create(path, PureDP(1), privacy_unit="person").close()
    return path


def test_a_repeated_command(
    tmp_path: Path, ledger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "people.csv"
    shutil.copy(PUMS, table)

    def run(**changes: str) -> tuple[int, Any, str]:
        given = {
            "--column": "age", "--bins": "0:100:1", "--epsilon": "0.01", "--charge-id": "a",
            "--ledger": ledger, "--data-version": "1", "--max-rows-per-unit": "1",
        } | changes  # fmt: skip
        words = [word for pair in given.items() for word in pair]
        try:
            code = main(["histogram", str(table), *words, "--json"])
        except SystemExit as exit_:
            code = int(str(exit_.code))
        return code, *capsys.readouterr()

    first = run()
    assert first[0] == 0
    table.write_text("age,sex\n1,0\n")  # the caller says that it is the same data
    assert run() == first
    changed: list[dict[str, str]] = [
        {"--data-version": "2"}, {"--column": "sex"}, {"--epsilon": "0.02"}, {"--bins": "0:50:1"},
        {"--max-rows-per-unit": "2"},
    ]  # fmt: skip
    for changes in changed:
        code, printed, message = run(**changes)
        assert (code, printed) == (1, "")
        assert "--charge-id 'a' belongs to a charge that differs in" in message
    with BudgetLedger.open(ledger) as opened:
        assert opened.spent == PureDP(0.01)
    assert run(**{"--charge-id": "b"})[1] != first[1]
