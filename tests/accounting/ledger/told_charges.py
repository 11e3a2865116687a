"""Processes that charge one ledger by ids until they are killed, and tell how each charge went."""

from __future__ import annotations

import itertools
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

from accounting.ledger.ledger_processes import ended, forked

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.accounting import ChargeInDoubtError

__all__ = ["TINY", "Counted", "Told", "Wait", "count", "told_until_killed"]

TINY = PureDP("1e-9")
Wait = Callable[[int], None]


class Told(NamedTuple):
    """What processes have told: the ids that they asked for, and what they heard of each."""

    asked: frozenset[str]
    acknowledged: frozenset[str]
    refused: int  # "nothing was charged": they tried again
    wrongly_refused: frozenset[str]  # ids of which they heard so, and which were charged

    @property
    def in_doubt(self) -> frozenset[str]:
        """The ids of charges that were in flight when a process was killed."""
        return self.asked - self.acknowledged

    def and_of(self, other: Told) -> Told:
        """Return what both have told."""
        return Told(
            *(
                a | b if isinstance(a, frozenset) else a + b
                for a, b in zip(self, other, strict=True)
            )
        )


class Counted(NamedTuple):
    """What a ledger has of the charges that were told."""

    acknowledged: int
    lost: int  # acknowledged, and not there
    twice: int  # there more than once
    in_doubt: int
    charged: int  # of those in doubt
    refused: int
    wrongly_refused: int


def _charge_by_ids(path: Path, writer: str, tell: int, barrier: Barrier, *, again: bool) -> None:
    """Charge without end. An error is raised; `again`: the same id is charged until it is."""
    with BudgetLedger.open(path) as ledger:
        barrier.wait(300)
        for count in itertools.count(1):
            charge_id, refused = f"{writer}:{count}", False
            os.write(tell, b"asked %s\n" % charge_id.encode())
            while True:
                try:
                    ledger.charge(TINY, charge_id=charge_id)
                    os.write(tell, b"acknowledged %s\n" % charge_id.encode())
                    break
                except ChargeInDoubtError:
                    if not again:
                        raise
                    if refused:
                        os.write(tell, b"wrong %s\n" % charge_id.encode())
                    break
                except LedgerError:
                    if not again:
                        raise
                    refused = True
                    os.write(tell, b"refused %s\n" % charge_id.encode())
                    time.sleep(0.02)


def _wait_for_charges(told: int, number: int) -> None:
    def acknowledged() -> int:
        return os.pread(told, os.fstat(told).st_size, 0).count(b"acknowledged")

    wanted, end = acknowledged() + number, time.monotonic() + 300
    while acknowledged() < wanted:
        assert time.monotonic() < end, "nothing is charged any more"
        time.sleep(0.01)


def told_until_killed(
    path: Path, name: str, writers: int, meanwhile: Callable[[Wait], object], *, again: bool
) -> Told:
    """Let processes charge while a function runs, and kill them; a failure if one has ended.

    The function begins when all have opened the ledger. What it is called with waits until so many
    more charges were acknowledged, however busy the machine is.
    """
    barrier = get_context("fork").Barrier(writers + 1)
    with tempfile.TemporaryFile() as told:  # a pipe would be full, and stop the writers
        charging = [
            forked(
                partial(_charge_by_ids, path, f"{name}:{n}", told.fileno(), barrier, again=again),
                seconds=900,
            )
            for n in range(writers)
        ]
        try:
            barrier.wait(300)
            meanwhile(partial(_wait_for_charges, told.fileno()))
        finally:
            for writer in charging:
                os.kill(writer, signal.SIGKILL)
            codes = [ended(writer) for writer in charging]
        assert codes == [-signal.SIGKILL] * writers
        told.seek(0)
        heard = [line.decode().split() for line in told]
    ids = {
        what: frozenset(charge_id for kind, charge_id in heard if kind == what)
        for what in ("asked", "acknowledged", "wrong")
    }
    refused = sum(kind == "refused" for kind, _ in heard)
    return Told(ids["asked"], ids["acknowledged"], refused, ids["wrong"])


def count(path: Path, told: Told) -> Counted:
    """Look for all charges in the ledger, which is verified, and ask for each of those in doubt.

    Who repeats a charge in doubt is told that it was charged, or is charged.
    """
    with BudgetLedger.open(path) as ledger:
        ledger.verify()
        there = Counter(entry["charge_id"] for entry in ledger.history(kind="charge"))
        assert ledger.spent == PureDP(there.total() * TINY.epsilon)
        charged = 0
        for charge_id in sorted(told.in_doubt):
            try:
                assert ledger.charge(TINY, charge_id=charge_id).fresh
                assert charge_id not in there
            except ChargeInDoubtError:
                assert charge_id in there
                charged += 1
        ledger.verify()
        assert ledger.spent == PureDP(len(told.asked) * TINY.epsilon)
    return Counted(
        len(told.acknowledged), len(told.acknowledged - there.keys()),
        sum(times > 1 for times in there.values()), len(told.in_doubt), charged, told.refused,
        len(told.wrongly_refused),
    )  # fmt: skip
