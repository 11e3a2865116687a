"""accounting: a signal handler that uses the budget which its own thread is charging."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ledger_children import new

from cydp import BudgetExceededError, BudgetLedger, LedgerError, PrivacyFilter, PureDP
from cydp.accounting import budget, charges

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="no such signals here")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@contextmanager
def in_the_middle(
    module: Any, name: str, handler: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Send a signal after a charge has read what is spent, before it writes the sum."""
    real = getattr(module, name)

    def interrupted(*arguments: Any) -> Any:
        monkeypatch.setattr(module, name, real)
        os.kill(os.getpid(), signal.SIGUSR1)
        return real(*arguments)

    before = signal.signal(signal.SIGUSR1, lambda *_: handler())
    monkeypatch.setattr(module, name, interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("call", ["remaining", "charge", "close", "history"])
def test_a_handler_does_not_end_the_charge(
    path: Path, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the charge would go on without its lock, and undo what others are granted meanwhile."""
    mine = new(path, PureDP(2))
    said: list[str] = []

    def handler() -> None:
        try:
            used = getattr(mine, call)
            if callable(used):
                used(*([PureDP(1)] if call == "charge" else []))
        except LedgerError as error:
            said.append(str(error))

    with in_the_middle(charges, "row_of", handler, monkeypatch):
        mine.charge(PureDP(0.5))
    assert said == ["the ledger is in use by this thread, which was interrupted"]
    assert mine.spent == PureDP(0.5)
    mine.charge(PureDP(1.5))
    with pytest.raises(BudgetExceededError):
        BudgetLedger.open(path).charge(PureDP(1e-9))
    mine.verify()


def test_another_ledger_may_be_used_in_a_handler(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = new(path), new(path.with_name("other"))
    with in_the_middle(charges, "row_of", lambda: other.charge(PureDP(1)), monkeypatch):
        mine.charge(PureDP(0.5))
    assert (mine.spent, other.spent) == (PureDP(0.5), PureDP(1))


def test_a_filter_keeps_what_a_handler_charges(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = PrivacyFilter(PureDP(1))
    with in_the_middle(budget, "total_of", lambda: mine.charge(PureDP(0.75)), monkeypatch):
        mine.charge(PureDP(0.25))
    assert mine.spent == PureDP(1)
    full = PrivacyFilter(PureDP(1))
    with (
        in_the_middle(budget, "total_of", lambda: full.charge(PureDP(0.875)), monkeypatch),
        pytest.raises(BudgetExceededError),
    ):
        full.charge(PureDP(0.25))
    assert full.spent == PureDP(0.875)
    with in_the_middle(budget, "total_of", mine.report, monkeypatch):
        mine.charge(PureDP(0))
