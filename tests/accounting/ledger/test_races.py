"""Many processes and threads at one ledger: what is granted is what there was, and no more."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import pytest
from accounting.ledger.ledger_processes import ended, forked, new

from cydp import BudgetExceededError, BudgetLedger, PureDP

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def race(
    work: Callable[[Callable[[int], None], Callable[[], object]], None], processes: int
) -> list[int]:
    """Do the work in all processes at once; return the numbers that it says were granted.

    The work gets what it calls to say so, and to wait for the others. Whatever is raised in one
    process, such as that the ledger is busy, is a failure.
    """
    barrier = get_context("fork").Barrier(processes)
    read, write = os.pipe()

    def grant(number: int) -> None:
        os.write(write, b"%d\n" % number)

    def work_or_abort() -> None:
        try:
            work(grant, barrier.wait)
        except BaseException:
            barrier.abort()  # the others would wait for ever
            raise

    racers = [forked(work_or_abort, seconds=900) for _ in range(processes)]
    os.close(write)
    with open(read, "rb") as lines:
        granted = [int(line) for line in lines]
    assert [ended(racer) for racer in racers] == [0] * processes
    return granted


@pytest.mark.parametrize(
    ("processes", "rounds"), [(6, 25), pytest.param(16, 200, marks=pytest.mark.long)]
)
def test_the_last_unit_is_granted_once(path: Path, processes: int, rounds: int) -> None:
    """From a barrier on, again and again."""
    ledger = new(path, by_block=True)
    for block in range(rounds):
        ledger.add_block(str(block))

    def work(grant: Callable[[int], None], wait: Callable[[], object]) -> None:
        racer = BudgetLedger.open(path)
        for block in range(rounds):
            wait()
            try:
                racer.charge(PureDP(1), blocks=[str(block)])
            except BudgetExceededError:
                continue
            grant(block)

    assert sorted(race(work, processes)) == list(range(rounds))
    ledger.verify()
    assert set(ledger.remaining.values()) == {PureDP(0)}


@pytest.mark.parametrize(
    ("processes", "threads", "units"),
    [(4, 2, 60), pytest.param(16, 4, 1000, marks=pytest.mark.long)],
)
def test_all_units_are_granted_and_no_more(
    path: Path, processes: int, threads: int, units: int
) -> None:
    new(path, PureDP(units)).close()
    read, write = os.pipe()

    def charge_all(ledger: BudgetLedger) -> None:
        with suppress(BudgetExceededError):
            while True:
                os.write(write, b"%d\n" % ledger.charge(PureDP(1)).seq)

    def work() -> None:
        with BudgetLedger.open(path) as ledger, ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(charge_all, ledger) for _ in range(threads)]:
                done.result()  # raises what was raised

    racers = [forked(work, seconds=900) for _ in range(processes)]
    os.close(write)
    with open(read, "rb") as lines:
        granted = [int(line) for line in lines]
    assert [ended(racer) for racer in racers] == [0] * processes
    assert sorted(granted) == list(range(3, units + 3))
    with BudgetLedger.open(path) as ledger:
        assert ledger.remaining == PureDP(0)
        ledger.verify()


def test_processes_that_make_one_ledger_share_it(path: Path) -> None:
    processes, rounds = 4, 10

    def work(grant: Callable[[int], None], wait: Callable[[], object]) -> None:
        for place in range(rounds):
            wait()
            with new(path.with_name(str(place)), by_block=True, exist_ok=True) as racer:
                racer.add_blocks(["mon", "tue"], exist_ok=True)
                racer.charge(PureDP("1/8"), blocks=["mon"])
                grant(place)

    assert sorted(race(work, processes)) == sorted([*range(rounds)] * processes)
    for place in range(rounds):
        with BudgetLedger.open(path.with_name(str(place))) as ledger:
            assert ledger.spent == {"mon": PureDP("1/2"), "tue": PureDP(0)}
            ledger.verify()
