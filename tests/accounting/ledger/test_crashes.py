"""Ledgers with users that are killed, interrupted or out of disk, anywhere."""

import gc
import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from accounting.ledger.ledger_processes import at_line, child, die, ended, forked, in_a_child, new
from accounting.ledger.told_charges import Counted, Told, Wait, count, told_until_killed

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting import ChargeInDoubtError

# Every so many lines, and in .ci/long every third: odd and even ones, before which things differ.
at_lines = pytest.mark.parametrize("step", [53, pytest.param(3, marks=pytest.mark.long)])
pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    # Python 3.13 and later: a connection was interrupted while it was made.
    pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning"),
]


def kill_writers(path: Path, rounds: int) -> Counted:
    """Kill three writers again and again, and return what became of their charges."""
    rng, told = random.Random(1), Told(frozenset(), frozenset(), 0, frozenset())

    def meanwhile(wait: Wait) -> None:
        wait(2)
        time.sleep(rng.random() * 0.1)

    for n in range(rounds):
        told = told.and_of(told_until_killed(path, str(n), 3, meanwhile, again=False))
    return count(path, told)


@pytest.mark.parametrize("rounds", [6, pytest.param(170, marks=pytest.mark.long)])
def test_kill_9(path: Path, rounds: int) -> None:
    """What was acknowledged is there, once; what was in flight is there or not, which ids tell."""
    new(path).close()
    found = kill_writers(path, rounds)
    assert found.lost == found.twice == 0
    assert found.acknowledged > rounds
    assert 0 < found.in_doubt <= 3 * rounds


def whole(ledger: BudgetLedger, label: str, count: int) -> bool:
    """Whether charges with a label are all there; a failure if only some are."""
    found = sum(entry.get("label") == label for entry in ledger.history())
    assert found in (0, count)
    return found > 0


def recorded(ledger: BudgetLedger, charge_id: str) -> bool:
    try:
        return ledger.charge(PureDP("1e-9"), charge_id=charge_id, blocks=["a"]).result == [1]
    except ChargeInDoubtError:
        return False


def retired(ledger: BudgetLedger, block: str) -> bool:
    return any(entry["kind"] == "retire" and entry["block"] == block for entry in ledger.history())


# What is done before a change, the change, and whether it was made.
Step = Callable[[BudgetLedger, str], object]
CHANGES: dict[str, tuple[Step, Step, Callable[[BudgetLedger, str], bool]]] = {
    "charge": (
        lambda ledger, name: None,
        lambda ledger, name: ledger.charge(PureDP("1e-9"), blocks=["a", "b"], label=name),
        lambda ledger, name: whole(ledger, name, 1),
    ),
    "charge many": (
        lambda ledger, name: None,
        lambda ledger, name: ledger.charge_many(
            [{"cost": PureDP("1e-9"), "blocks": [block], "label": name} for block in "aab"]
        ),
        lambda ledger, name: whole(ledger, name, 3),
    ),
    "record": (
        lambda ledger, name: ledger.charge(PureDP("1e-9"), charge_id=name, blocks=["a"]),
        lambda ledger, name: ledger.record(name, [1]),
        recorded,
    ),
    "once": (
        lambda ledger, name: None,
        lambda ledger, name: ledger.once(
            name, PureDP("1e-9"), lambda: [1], blocks=["a"], function="f"
        ),
        lambda ledger, name: any(entry.get("result_of") == name for entry in ledger.history()),
    ),
    "add a block": (
        lambda ledger, name: None,
        lambda ledger, name: ledger.add_block(name),
        lambda ledger, name: name in ledger.spent,
    ),
    "retire": (
        lambda ledger, name: ledger.add_block(name),
        lambda ledger, name: ledger.retire(name),
        retired,
    ),
}


def with_two_blocks(path: Path) -> BudgetLedger:
    ledger = new(path, by_block=True)
    ledger.add_block("a")
    ledger.add_block("b")
    return ledger


@at_lines
@pytest.mark.parametrize("change", CHANGES)
def test_killed_at_any_line(path: Path, change: str, step: int) -> None:
    """Whole or absent; and there, if the child went on to release."""
    prepare, make, was_made = CHANGES[change]
    with_two_blocks(path).close()
    line, code, made = 0, -signal.SIGKILL, False
    while code == -signal.SIGKILL:
        line += step
        ledger = BudgetLedger.open(path)
        prepare(ledger, str(line))
        if line % 2:
            ledger.close()  # so that the child opens the file, or finds it in use
        code = ended(forked(partial(at_line, line, die, partial(make, ledger, str(line)))))
        ledger.verify()
        assert was_made(ledger, str(line)) >= made  # once committed, at every later line
        made = was_made(ledger, str(line))
    assert code == 0
    assert made
    assert line > 30


def opened(path: Path) -> BudgetLedger:
    """Open a ledger; if its `create` was killed, remove the other name, as the error says."""
    try:
        return BudgetLedger.open(path)
    except LedgerError as error:
        if "2 names" not in str(error):
            raise
    for folder in path.parent.glob(".ledger-*"):
        shutil.rmtree(folder)
    return BudgetLedger.open(path)


@at_lines
def test_a_ledger_is_created_whole_or_not_at_all(tmp_path: Path, step: int) -> None:
    path = tmp_path / "ledger"
    line, code = 0, -signal.SIGKILL
    while code == -signal.SIGKILL:
        line += step
        path.unlink(missing_ok=True)
        code = ended(forked(partial(at_line, line, die, partial(new, path))))
        if path.exists():
            ledger = opened(path)
            ledger.verify()
            assert ledger.remaining == PureDP(1)
            ledger.close()
    assert code == 0
    assert line > 60


class InterruptedHereError(BaseException):
    pass


def interrupt() -> None:
    raise InterruptedHereError


@at_lines
@pytest.mark.parametrize("change", CHANGES)
@in_a_child
def test_interrupted_at_any_line(path: Path, change: str, step: int) -> None:
    """As Ctrl-C does: the same object and another one can be used at once."""
    prepare, make, was_made = CHANGES[change]
    ledger = with_two_blocks(path)
    other = BudgetLedger.open(path)
    line, done = 0, False
    while not done:
        line += step
        prepare(other, str(line))
        if line % 2:
            ledger.close()
        try:
            at_line(line, interrupt, partial(make, ledger, str(line)))
            done = True
        except InterruptedHereError:
            pass
        was_made(other, str(line))
        other.charge(PureDP("1e-9"), blocks=["a"])
        ledger.charge(PureDP("1e-9"), blocks=["a"])
    ledger.verify()
    assert was_made(other, str(line))
    assert line > 30
    gc.collect()  # while warnings of connections are ignored


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # in __del__
@at_lines
@in_a_child
def test_creating_is_interrupted_at_any_line(tmp_path: Path, step: int) -> None:
    line, done = 0, False
    while not done:
        line += step
        try:
            at_line(line, interrupt, partial(new, tmp_path / "ledger"))
            done = True
        except InterruptedHereError:
            if (tmp_path / "ledger").exists():
                opened(tmp_path / "ledger").verify()
                (tmp_path / "ledger").unlink()
    assert line > 60
    gc.collect()  # while warnings of connections are ignored


def test_a_full_disk_releases_nothing(tmp_path: Path) -> None:
    """The size of files is limited in a child, as a full disk does."""
    path = tmp_path / "ledger"
    new(path, PureDP(1000)).close()
    limit = path.stat().st_size + 60_000
    code = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
ledger, done = BudgetLedger.open(sys.argv[1]), 0
try:
    while True:
        ledger.charge(PureDP("0.01"), label="x" * 500)
        done += 1
except LedgerError as error:
    print(done)
"""
    done = int(child(code, str(path), str(limit)).communicate()[0])
    assert done > 3
    ledger = BudgetLedger.open(path)
    ledger.verify()
    assert sum(entry["kind"] == "charge" for entry in ledger.history()) >= done
