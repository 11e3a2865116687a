"""The figures of the adapters: a table at the end of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Record = Callable[[str, str, float, float], None]
TITLES = "host", "work", "before", "after", "ratio"


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Record:
    """Return what records a line: a host with its version, the work, seconds before and after."""

    def record(host: str, work: str, before: float, after: float) -> None:
        record_property("figures", (host, work, before, after))

    return record


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = terminalreporter.getreports("passed")
    rows = [TITLES]
    for name, value in (line for report in reports for line in report.user_properties):
        if name == "figures":
            host, work, before, after = value
            seconds = f"{1e3 * before:.3g} ms", f"{1e3 * after:.3g} ms"
            rows.append((host, work, *seconds, f"{before / after:.3g}"))
    if len(rows) > 1:
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        terminalreporter.section("adapters: medians of turns in one run", sep="-")
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            terminalreporter.write_line("  ".join(cells).rstrip())
