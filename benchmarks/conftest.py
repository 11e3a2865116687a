"""Refuses to measure anything but an installed release build; prints ratios."""

from collections.abc import Iterator
from typing import Any

import pytest

import cydp

RATIOS: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    if not cydp.build_info()["release"]:
        raise pytest.UsageError("benchmarks need a release build of cydp")


@pytest.fixture(autouse=True)
def ratios(benchmark: Any) -> Iterator[None]:
    """Keep what a benchmark says beside its own time."""
    yield
    RATIOS.extend(
        f"{benchmark.group}: {what} {value}" for what, value in benchmark.extra_info.items()
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in RATIOS:
        terminalreporter.write_line(line)
