"""Ledgers whose pure losses were charged as rho = epsilon**2 / 2, by an earlier version."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import new

import cydp
from cydp import ZCDP, BudgetLedger, DiscreteLaplace, PureDP
from cydp.accounting import ChargeConflictError, _loss
from cydp.accounting._loss_numbers import half_square

HALF = Fraction(1, 2)


def paid_before(path: Path, monkeypatch: pytest.MonkeyPatch) -> BudgetLedger:
    """Return a ledger in which an earlier version has made three charges."""
    with monkeypatch.context() as earlier, new(path, ZCDP(10)) as ledger:
        earlier.setattr(_loss, "rho_of_pure", half_square)
        charge_and_record(ledger, PureDP(1), "bare")
        charge_and_record(ledger, DiscreteLaplace(epsilon=1, sensitivity=1), "noise")
        release_mean(ledger)
        assert ledger.spent == ZCDP(3)
    return BudgetLedger.open(path)


def charge_and_record(ledger: BudgetLedger, cost: Any, charge_id: str) -> None:
    ledger.charge(cost, charge_id=charge_id)
    ledger.record(charge_id, 1)


def release_mean(ledger: BudgetLedger) -> Any:
    """Release a mean, which costs rho 2 by the earlier version."""
    budget = ledger.scope(charge_id="mean")
    return cydp.mean([1, 2], (0, 4), epsilon=2, budget=budget, max_rows_per_unit=1)


def test_a_charge_of_half_a_square_is_repeated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with paid_before(path, monkeypatch) as ledger:
        spent = ledger.spent
        again = ledger.charge(PureDP(1), charge_id="bare")
        assert (again.result, again.cost, again.fresh) == (1, ZCDP(HALF), False)
        noise = ledger.charge(DiscreteLaplace(epsilon=1, sensitivity=1), charge_id="noise")
        assert (noise.result, noise.cost) == (1, ZCDP(HALF))
        release_mean(ledger)
        assert ledger.spent == spent
        ledger.verify()
        assert "rho=0.5" in str(ledger.report())
        ledger.charge(PureDP(1), charge_id="new")
        assert ledger.spent == spent + PureDP(1)


def test_what_costs_more_is_no_repetition(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with paid_before(path, monkeypatch) as ledger:
        for other in (PureDP(1, rho="0.4"), PureDP("0.9"), PureDP("1.1"), ZCDP("0.4")):
            with pytest.raises(ChargeConflictError, match="cost"):
                ledger.charge(other, charge_id="bare")
        with pytest.raises(ChargeConflictError, match="cost"):
            ledger.charge(DiscreteLaplace(epsilon="1.1", sensitivity=1), charge_id="noise")


def test_a_repetition_of_today_costs_the_same(path: Path) -> None:
    with new(path, ZCDP(10)) as ledger:
        charge_and_record(ledger, PureDP(1), "bare")
        assert ledger.charge(PureDP(1), charge_id="bare").cost == ZCDP(PureDP(1).rho)
        with pytest.raises(ChargeConflictError, match="cost"):
            ledger.charge(ZCDP(HALF), charge_id="bare")
