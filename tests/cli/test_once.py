"""cli/_release.py with a charge id: a command that is run again prints the same."""

import json
import shutil
from pathlib import Path

from cli.commands import PUMS, Run

from cydp import BudgetLedger, PureDP


def test_a_repeated_command(run: Run, tmp_path: Path, ledger: str) -> None:
    table = tmp_path / "people.csv"
    shutil.copy(PUMS, table)

    def again(*more: str, **changes: str) -> tuple[int, str, str]:
        given = {
            "--column": "age", "--bins": "100", "--range": "0:100",
            "--epsilon": "0.01", "--charge-id": "a",
            "--ledger": ledger, "--data-version": "1", "--max-rows-per-unit": "1",
        } | changes  # fmt: skip
        words = [word for pair in given.items() for word in pair]
        return run("histogram", str(table), *words, *more, "--json")

    first = again()
    assert first[0] == 0
    table.write_text("age,sex\n1,0\n")  # the caller says that it is the same data
    assert again() == first
    of_file, of_release = "the file, the column or --data-version", "the options of the release"
    changed: list[tuple[dict[str, str], str]] = [
        ({"--data-version": "2"}, of_file),
        ({"--column": "sex"}, f"{of_release}, {of_file}"),
        ({"--epsilon": "0.02"}, f"the cost, {of_release}"),
        ({"--bins": "50"}, of_release),
        ({"--max-rows-per-unit": "2"}, of_release),
    ]
    for changes, differs in changed:
        for more in ([], ["--dry-run"]):  # which says the same
            code, printed, message = again(*more, **changes)
            assert (code, bool(printed)) == (1, bool(more))
            assert not more or json.loads(printed)["ledger"]["pays"] is False
            assert f"--charge-id 'a' belongs to a charge that differs in {differs}: " in message
    assert again("--dry-run")[0] == 0
    table = tmp_path / "elsewhere" / "people.csv"  # of the same name
    table.parent.mkdir()
    shutil.copy(PUMS, table)
    assert again()[0] == 1
    assert f"differs in {of_file}: repeat the same command" in again()[2]
    table = table.parent / ".." / "people.csv"  # the same file by another name
    assert again() == first
    with BudgetLedger.open(ledger) as opened:
        assert opened.spent == PureDP(0.01)
    assert again(**{"--charge-id": "b"})[1] != first[1]
