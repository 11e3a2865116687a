"""cli/_progress.py: a line on a terminal, and nothing anywhere else."""

import io
import sys
import time

import pytest
from cli.commands import PUMS, Run, parquet

from cydp.cli._progress import watching


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock)
    return clock


def test_it_begins_after_two_seconds_and_is_erased(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with watching(lambda: 95_000_000) as watch:
        assert watch is not None
        for now, rows in [(1, 5), (1.9, 6), (2, 12_000_000), (2.1, 13_000_000), (3, 14_000_000)]:
            clock.now = now
            watch(rows)
    lines = terminal.getvalue().split("\r\x1b[K")
    assert lines == [
        "", "read 12,000,000 of 95,000,000 rows", "read 14,000,000 of 95,000,000 rows", "",
    ]  # fmt: skip


@pytest.mark.usefixtures("clock")
def test_a_short_read_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """And without a terminal nothing is counted."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with watching(lambda: None) as watch:
        assert watch is not None
        watch(10)
    assert terminal.getvalue() == ""
    for stream in (io.StringIO(), None):
        monkeypatch.setattr(sys, "stderr", stream)
        with watching(lambda: pytest.fail("the rows were asked for")) as watch:
            assert watch is None


def test_a_release_reports_its_rows(
    run: Run, tmp_path: object, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def later() -> float:
        clock.now += 3
        return clock.now

    monkeypatch.setattr(time, "monotonic", later)
    for file, total in ((parquet(tmp_path), " of 1,000"), (PUMS, "")):  # type: ignore[arg-type]
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert run("sum", file, "--column", "age", "--bounds", "0:100", "--epsilon", "1")[0] == 0
        assert f"read 1,000{total} rows\r\x1b[K" in terminal.getvalue()
        assert terminal.getvalue().endswith("\r\x1b[K")
