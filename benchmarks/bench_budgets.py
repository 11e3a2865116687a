"""Charges to budgets, durable and in memory, beside other libraries' budgets in memory."""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import in_turn
import pytest
import rivals

import cydp

N = 100
LOSS = cydp.PureDP("0.001")
NOISE = cydp.DiscreteLaplace(epsilon="0.001", sensitivity=1)


def filter_of(cost: Any) -> Callable[[], float]:
    def spend() -> float:
        budget = cydp.PrivacyFilter(cydp.PureDP(10))
        for _ in range(N):
            budget.charge(cost)
        return float(budget.spent.epsilon)  # type: ignore[union-attr]

    return spend


def bench_in_memory(benchmark: Any) -> None:
    benchmark.group = f"{N} charges to a new budget in memory"
    answers = in_turn.measure(
        benchmark,
        {
            "PrivacyFilter": filter_of(LOSS),
            "PrivacyFilter, of a mechanism": filter_of(NOISE),
            "diffprivlib": rivals.diffprivlib_budget(10, 0.001, N),
            "OpenDP": rivals.opendp_budget(10, 0.001, N),
        },
        rounds=9,
    )
    assert all(spent == pytest.approx(N / 1000) for spent in answers.values())


def bench_durable(benchmark: Any, tmp_path: Path) -> None:
    """What stands in the file before the call returns; the disk's own part beside it."""
    benchmark.group = f"{N} durable charges"
    names = count()

    def ledger() -> cydp.BudgetLedger:
        path = tmp_path / f"ledger-{next(names)}"
        return cydp.BudgetLedger.create(path, cydp.PureDP(1000), privacy_unit="person")

    kept, full = ledger(), ledger()
    full.charge_many([{"cost": LOSS}] * 20_000)
    log = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY, 0o600)

    def charge(budget: cydp.BudgetLedger) -> float:
        for _ in range(N):
            budget.charge(LOSS)
        return N / 1000

    def charge_at_once() -> float:
        kept.charge_many([{"cost": LOSS}] * N)
        return N / 1000

    def write_and_sync() -> float:
        for _ in range(N):
            os.write(log, bytes(4096))
            os.fsync(log)
        return N / 1000

    before = kept.spent.epsilon
    answers = in_turn.measure(
        benchmark,
        {
            "BudgetLedger": lambda: charge(kept),
            "BudgetLedger, with 20,000 entries": lambda: charge(full),
            "charge_many": charge_at_once,
            "4 KiB written and synced": write_and_sync,
            "diffprivlib, in memory": rivals.diffprivlib_budget(10, 0.001, N),
            "OpenDP, in memory": rivals.opendp_budget(10, 0.001, N),
        },
        rounds=9,
    )
    os.close(log)
    assert all(spent == pytest.approx(N / 1000) for spent in answers.values())
    assert (kept.spent.epsilon - before) * 1000 % N == 0
    kept.verify()
