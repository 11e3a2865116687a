"""Charges to budgets, durable and in memory, beside other libraries' budgets in memory."""

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import rivals
from harness import in_turn
from harness.sizes import size

import cydp

N = 100
LOSS = cydp.PureDP("0.001")
APPROXIMATE = cydp.ApproxDP("0.001", "1e-9")
NOISE = cydp.DiscreteLaplace(epsilon="0.001", sensitivity=1)
NAMES = count()


def filter_of(most: Any, cost: Any) -> Callable[[], float]:
    def spend() -> float:
        budget = cydp.PrivacyFilter(most)
        for _ in range(N):
            budget.charge(cost)
        return float(budget.spent.epsilon)  # type: ignore[union-attr]

    return spend


def ledger(folder: Path, entries: int = 0) -> cydp.BudgetLedger:
    path = folder / f"ledger-{next(NAMES)}"
    made = cydp.BudgetLedger.create(path, cydp.PureDP(1000), privacy_unit="person")
    if entries:
        made.charge_many([{"cost": LOSS}] * entries)
    return made


def bench_in_memory(benchmark: Any) -> None:
    """OpenDP's queries answer 0: they only cost. Each turn begins with a new budget."""
    benchmark.group = "accountant: 100 charges to a new budget in memory"
    most = cydp.PureDP(10)
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": filter_of(most, LOSS),
            "cydp, of a mechanism": filter_of(most, NOISE),
            "cydp, approximate": filter_of(cydp.ApproxDP(10, "0.1"), APPROXIMATE),
            "diffprivlib": rivals.way("diffprivlib", "budget", 10, 0.001, N),
            "OpenDP": rivals.way("OpenDP", "budget", 10, 0.001, N),
        },
        rounds=15,
    )
    assert all(spent == pytest.approx(N / 1000) for spent in answers.values())


def bench_durable(benchmark: Any, tmp_path: Path) -> None:
    """What stands in the file before the call returns; the disk's own part beside it."""
    benchmark.group = "ledger: 100 durable charges"
    kept, full = ledger(tmp_path), ledger(tmp_path, size(20_000))
    log = os.open(tmp_path / "log", os.O_CREAT | os.O_WRONLY, 0o600)

    def charge(budget: cydp.BudgetLedger) -> float:
        before = budget.spent.epsilon
        for _ in range(N):
            budget.charge(LOSS)
        return float(budget.spent.epsilon - before)

    def charge_at_once() -> float:
        before = kept.spent.epsilon
        kept.charge_many([{"cost": LOSS}] * N)
        return float(kept.spent.epsilon - before)

    def write_and_sync() -> float:
        before = os.fstat(log).st_size
        for _ in range(N):
            os.write(log, bytes(4096))
            os.fsync(log)
        return (os.fstat(log).st_size - before) / 4096 / 1000

    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: charge(kept),
            "cydp, with 20,000 entries": lambda: charge(full),
            "cydp, charge_many": charge_at_once,
            "the disk, 4 KiB written and synced": write_and_sync,
            "diffprivlib, in memory": rivals.way("diffprivlib", "budget", 10, 0.001, N),
            "OpenDP, in memory": rivals.way("OpenDP", "budget", 10, 0.001, N),
        },
        rounds=9,
    )
    os.close(log)
    assert all(spent == pytest.approx(N / 1000) for spent in answers.values())
    for budget in (kept, full):
        budget.verify()


def bench_verify(benchmark: Any, tmp_path: Path) -> None:
    """Compute what is spent from all entries again, and compare it with the file."""
    benchmark.group = "ledger: verify 20,000 entries"
    entries = size(20_000)
    full = ledger(tmp_path, entries)
    in_turn.measure(benchmark, {"cydp": full.verify}, rounds=5)
    assert full.spent.epsilon * 1000 == entries
