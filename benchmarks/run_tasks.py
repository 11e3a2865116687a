"""Measures twelve tasks of a data engineer: lines of code, seconds and memory, from five inputs.

    python benchmarks/run_tasks.py           # a table of 10^7 rows
    python benchmarks/run_tasks.py --small   # 10^5 rows, once: only answers are checked

The first writes `results/<machine>/tasks.json`, and `tasks.md` beside it; with --ways or --tasks it
measures these anew, and keeps the others. Each cell is a process of
its own, one after the other. A wrong answer is an error.
"""

import argparse
import importlib.metadata
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import rivals
from harness.code import count
from harness.environments import UnavailableError, last_line
from harness.machine import Watch, described
from harness.processes import run
from report import pages, tasks_page
from run import name_of_machine
from tasks import cells, visits
from tasks.questions import TASKS

import cydp

HERE = Path(__file__).parent
ROWS, SMALL = 10**7, 10**5
LONG = 20  # seconds, from which a rival has one run
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow", "duckdb")
VERSION = "import importlib.metadata as m\nanswer(version=m.version(sys.argv[1]))"


def main() -> int:
    """Measure all cells, and write what was found."""
    parser = argparse.ArgumentParser(description="Measure twelve tasks of a data engineer.")
    parser.add_argument("--small", action="store_true", help="few rows, once; nothing is written")
    parser.add_argument("--name", help="the folder of benchmarks/results that is written")
    parser.add_argument("--runs", type=int, default=3, help="of each cell (default: 3)")
    parser.add_argument("--ways", nargs="+", choices=cells.WAYS, default=[*cells.WAYS])
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=[*TASKS])
    asked = parser.parse_args()
    if not cydp.build.build_info()["release"]:
        parser.error("benchmarks need a release build of cydp")
    name = asked.name or name_of_machine()
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name):
        parser.error(f"--name is small letters, digits and hyphens, not {name!r}")
    file = HERE / "results" / name / tasks_page.FILE
    watch = Watch()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        exact = visits.write(folder, SMALL if asked.small else ROWS)
        found = {
            (task, way): {"task": task, "way": way} for way in asked.ways for task in asked.tasks
        }
        for number in range(1 if asked.small else asked.runs):
            for way in asked.ways:
                for task in asked.tasks:
                    cell = found[task, way]
                    if "none" not in cell and not (number and is_long(cell)):
                        turn(task, way, cell, folder, exact)
                        print(said(cell), flush=True)
                if not asked.small:
                    watch.look()
                    measured = [cell for cell in found.values() if len(cell) > 2]
                    write(file, asked.ways, measured, watch)
    return 0


def write(file: Path, ways: list[str], found: list[dict[str, Any]], watch: Watch) -> None:
    """Write what was found, beside the cells of an earlier run that were not measured anew."""
    earlier = json.loads(file.read_text()) if file.exists() else {}
    measured = {(cell["task"], cell["way"]) for cell in found}
    kept = [
        cell for cell in earlier.get("cells", ()) if (cell["task"], cell["way"]) not in measured
    ]
    shared = {cells.WAYS[way].title: code for way in ways if (code := cells.shared(way))}
    result = {
        "machine": described(),
        "state": watch.found(),
        "rows": ROWS,
        "versions": earlier.get("versions", {}) | versions(ways),
        "shared": earlier.get("shared", {}) | shared,
        "cells": kept + found,
    }
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
    for page in pages.write(HERE.parent):
        print(f"written: {page.relative_to(HERE.parent)}")


def turn(task: str, way: str, cell: dict[str, Any], folder: Path, exact: Any) -> None:
    """Measure a cell once more, or say why there is nothing to measure."""
    if (task, way) in cells.NONE:
        cell["none"] = cells.NONE[task, way]
        return
    ours, load = cells.WAYS[way].library == "cydp", os.getloadavg()[0]
    try:
        measured = cells.measure(task, way, folder, exact)
    except UnavailableError as error:
        cell["none"] = f"it cannot be installed: {error}"
    except RuntimeError as error:
        if ours:
            raise
        why, *_ = last_line(str(error)).split(". ")
        cell["none"] = f"it fails: {why}"
    else:
        code = cells.code_of(task, way)
        cell |= {"code": code, "lines": count(code)}
        for key, value in {**measured, "load": load}.items():
            cell.setdefault(key, []).append(value)


def is_long(cell: dict[str, Any]) -> bool:
    """Whether one run of a rival is enough."""
    return cells.WAYS[cell["way"]].library != "cydp" and cell["wall"][0] > LONG


def said(cell: dict[str, Any]) -> str:
    """Return a line for a terminal."""
    head = f"{TASKS[cell['task']].title}; {cells.WAYS[cell['way']].title}: "
    if "none" in cell:
        return head + cell["none"]
    peak = statistics.median(filter(None, cell["peak"])) / 1e6 if any(cell["peak"]) else 0
    return f"{head}{cell['wall'][-1]:.2f} s, {peak:.0f} MB, {cell['lines']} lines"


def versions(ways: list[str]) -> dict[str, str]:
    """Return the versions of the libraries of all ways."""
    found = {name: importlib.metadata.version(name) for name in LIBRARIES}
    for way in ways:
        library = cells.WAYS[way].library
        if library in rivals.RIVALS:
            try:
                python = cells.python_of(way)
                found[library] = run(VERSION, library.lower(), python=python)["version"]
            except UnavailableError as error:
                found[library] = f"skipped: {error}"
    return found


if __name__ == "__main__":
    sys.exit(main())
