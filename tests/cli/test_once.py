"""cli/_release.py with a charge id: a command that is run again prints the same."""

import json
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

    def run(*more: str, **changes: str) -> tuple[int, Any, str]:
        given = {
            "--column": "age", "--bins": "0:100:1", "--epsilon": "0.01", "--charge-id": "a",
            "--ledger": ledger, "--data-version": "1", "--max-rows-per-unit": "1",
        } | changes  # fmt: skip
        words = [word for pair in given.items() for word in pair]
        try:
            code = main(["histogram", str(table), *words, *more, "--json"])
        except SystemExit as exit_:
            code = int(str(exit_.code))
        return code, *capsys.readouterr()

    first = run()
    assert first[0] == 0
    table.write_text("age,sex\n1,0\n")  # the caller says that it is the same data
    assert run() == first
    of_file, of_release = "the file, the column or --data-version", "the options of the release"
    changed: list[tuple[dict[str, str], str]] = [
        ({"--data-version": "2"}, of_file),
        ({"--column": "sex"}, f"{of_release}, {of_file}"),
        ({"--epsilon": "0.02"}, f"the cost, {of_release}"),
        ({"--bins": "0:50:1"}, of_release),
        ({"--max-rows-per-unit": "2"}, of_release),
    ]
    for changes, differs in changed:
        for more in ([], ["--dry-run"]):  # which says the same
            code, printed, message = run(*more, **changes)
            assert (code, bool(printed)) == (1, bool(more))
            assert not more or json.loads(printed)["ledger"]["pays"] is False
            assert f"--charge-id 'a' belongs to a charge that differs in {differs}: " in message
    assert run("--dry-run")[0] == 0
    table = tmp_path / "elsewhere" / "people.csv"  # of the same name
    table.parent.mkdir()
    shutil.copy(PUMS, table)
    assert run()[0] == 1
    assert f"differs in {of_file}: repeat the same command" in run()[2]
    table = table.parent / ".." / "people.csv"  # the same file by another name
    assert run() == first
    with BudgetLedger.open(ledger) as opened:
        assert opened.spent == PureDP(0.01)
    assert run(**{"--charge-id": "b"})[1] != first[1]
