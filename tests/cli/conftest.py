"""What tests of commands share."""

from pathlib import Path

import pytest
from cli.commands import Run

from cydp import BudgetLedger, PureDP
from cydp.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command: exit code, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as exit_:
            code = int(str(exit_.code))
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "budget.db")


@pytest.fixture
def ledger(path: str) -> str:
    """Return the path of a ledger without blocks."""
    BudgetLedger.create(path, PureDP(1), privacy_unit="person").close()
    return path
