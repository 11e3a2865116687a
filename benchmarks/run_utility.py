"""Measures the errors of cydp and of others in some thirty tasks, beside the best method known.

    python benchmarks/run_utility.py            # writes benchmarks/results/utility/
    python benchmarks/run_utility.py --small    # a few runs, and nothing is written
    python benchmarks/run_utility.py --before   # cydp alone, for later versions to be compared with

With --tasks or --libraries it measures these anew, and keeps the others. cydp's noise has fixed
seeds, so its figures repeat; those of others have a standard error.
"""

import argparse
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from harness.machine import commit
from report import pages, utility_page, utility_picture
from utility import expected, measured
from utility.tasks import tasks

import cydp

HERE = Path(__file__).parent


def main() -> int:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Measure the error of releases.")
    parser.add_argument("--small", action="store_true", help="a few runs; nothing is written")
    parser.add_argument("--before", action="store_true", help="cydp alone, kept as before")
    parser.add_argument("--tasks", nargs="+", choices=tasks(), default=[*tasks()], metavar="TASK")
    parser.add_argument(
        "--libraries", nargs="+", choices=measured.LIBRARIES, default=[*measured.LIBRARIES]
    )
    asked = parser.parse_args()
    libraries = ["cydp"] if asked.before else asked.libraries
    found = []
    for name in asked.tasks:
        for library in libraries:
            start = perf_counter()
            cell = measured.measure(name, tasks()[name], library, few=asked.small)
            found.append(cell)
            print(f"{said(cell)} ({perf_counter() - start:.1f} s)", flush=True)
    measured.check(found)
    expect = "cydp" in libraries and not asked.before
    shares = expected.measure(few=asked.small) if expect else None
    if not asked.small:
        file = utility_page.BEFORE if asked.before else utility_page.NOW
        write(HERE.parent / utility_page.FOLDER / file, found, shares)
    return 0


def said(cell: dict[str, Any]) -> str:
    """Return a line for a terminal."""
    head = f"{cell['task']}; {cell['library']}: "
    if "none" in cell:
        return head + cell["none"]
    chosen = "".join(f", {key} {value}" for key, value in cell.get("choice", {}).items())
    return f"{head}{cell['error']:.5g} +- {cell['spread']:.2g}{chosen}"


def write(file: Path, found: list[dict[str, Any]], shares: list[dict[str, Any]] | None) -> None:
    """Write what was found, beside the cells of an earlier run that were not measured anew."""
    earlier = json.loads(file.read_text()) if file.exists() else {}
    measured_now = {(cell["task"], cell["library"]) for cell in found}
    kept = [
        cell
        for cell in earlier.get("cells", ())
        if (cell["task"], cell["library"]) not in measured_now and cell["task"] in tasks()
    ]
    result = earlier | {
        "versions": earlier.get("versions", {}) | measured.versions(),
        "cells": kept + found,
    }
    if any(cell["library"] == "cydp" for cell in found):
        result |= {"cydp": cydp.__version__, "commit": commit()}
    if shares:
        result["expected"] = shares
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
    for page in pages.write(HERE.parent):
        print(f"written: {page.relative_to(HERE.parent)}")
    if utility_page.complete(file.parent):
        picture = file.with_name(utility_page.PICTURE)
        picture.write_text(utility_picture.svg(utility_page.read(file.parent)[0]))
        print(f"written: {picture.relative_to(HERE.parent)}")


if __name__ == "__main__":
    sys.exit(main())
