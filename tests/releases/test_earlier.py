"""A ledger of an earlier version: it pays, and its charge ids are found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from releases.earlier_calls import CALLS, FILE

import cydp
from cydp import BudgetLedger, PureDP
from cydp.accounting import ChargeConflictError


@pytest.fixture
def ledger(tmp_path: Path) -> BudgetLedger:
    return BudgetLedger.open(shutil.copy(FILE, tmp_path / "ledger"))


def test_recorded_answers_are_found(ledger: BudgetLedger) -> None:
    spent, missing = ledger.spent, []
    for name, call in CALLS.items():
        # Refused: the query of a sample does not tell what was compared then, `top_k` has another
        # mechanism now, and means by key are from distances.
        if name in ("on_sample", "top_k", "group_by"):
            with pytest.raises(ChargeConflictError):
                call(ledger.scope(charge_id=name, data_version="1"))
            continue
        scope = ledger.scope(charge_id=name, data_version="1")
        try:
            one, two = call(scope), call(scope)
        except ChargeConflictError as error:
            missing.append(f"{name}: {error}")
            continue
        if name != "noise" and (one != two or one.payment is None):
            missing.append(name)
    assert missing == []
    assert ledger.spent == spent
    ledger.verify()


def test_another_question_by_an_id_is_refused(ledger: BudgetLedger) -> None:
    table = {"x": [1.0], "s": ["a"]}
    for name, call in {
        "count": lambda b: cydp.count(table, column="s", epsilon=1, budget=b),
        "histogram": lambda b: cydp.histogram(table, 4, (0, 11), column="x", epsilon=1, budget=b),
        "value_counts": lambda b: cydp.value_counts(
            table, ["a", "c"], column="s", epsilon=1, budget=b
        ),
        "sum": lambda b: cydp.sum([1.0], (0, 5), epsilon=1, budget=b),
    }.items():
        with pytest.raises(ChargeConflictError, match="differs in"):
            call(ledger.scope(charge_id=name, data_version="1"))


def test_it_pays(ledger: BudgetLedger) -> None:
    left = ledger.remaining.epsilon
    cydp.count([1, 2], epsilon=1, budget=ledger)
    assert ledger.remaining == PureDP(left - 1)
    ledger.verify()
