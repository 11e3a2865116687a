"""Refuses to measure anything but an installed release build; keeps and prints what was found.

pytest benchmarks -n 0                       prints times and ratios
pytest benchmarks -n 0 --small               runs all once on small input, and checks answers
pytest benchmarks -n 0 --small --one-each    runs the first benchmark of each file alone
pytest benchmarks -n 0 --results FILE.json   also writes what was found, as run.py does
"""

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import sizes
from harness.results import Results

import cydp

os.environ["POLARS_MAX_THREADS"] = "1"  # before anything imports it: a rival has one thread, too
RESULTS = pytest.StashKey[Results]()
PASSED = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cydp")
    group.addoption("--small", action="store_true", help="small input, one round: only answers")
    group.addoption("--one-each", action="store_true", help="only the first of each file")
    group.addoption("--results", type=Path, help="the file to which what was found is written")


def pytest_configure(config: pytest.Config) -> None:
    if not cydp.build.build_info()["release"]:
        raise pytest.UsageError("benchmarks need a release build of cydp")
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("benchmarks run one after the other: add -n 0")
    sizes.SMALL = config.getoption("--small")
    if sizes.SMALL and config.getoption("--results"):
        raise pytest.UsageError("small input gives no results: leave out --small or --results")
    config.stash[RESULTS] = Results()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--one-each"):
        first = {item.path: item for item in reversed(items)}
        config.hook.pytest_deselected(items=[i for i in items if first[i.path] is not i])
        items[:] = [item for item in items if first[item.path] is item]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    return report


@pytest.fixture(autouse=True)
def found(benchmark: Any, request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep what a benchmark found, and how fast and how busy the machine was."""
    yield
    results = request.config.stash[RESULTS]
    if request.node.stash.get(PASSED, False):  # a time without a right answer is no result
        results.add(benchmark.group, dict(benchmark.extra_info))
    benchmark.extra_info.clear()  # a record is no JSON
    if not sizes.SMALL:
        results.watch.look()


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    results, file = config.stash[RESULTS], config.getoption("--results")
    for line in results.lines():
        terminalreporter.write_line(line)
    if file and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        results.write(file)
        terminalreporter.write_line(f"written: {file}")
