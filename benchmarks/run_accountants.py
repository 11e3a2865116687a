"""Measures what accountants find for published and other plans, how long it takes them, and memory.

    python benchmarks/run_accountants.py           # all plans, and 10,000 random ones: 40 minutes
    python benchmarks/run_accountants.py --small   # three plans, once; nothing is written

It needs `cydp[bench]`; Opacus and prv_accountant run in environments of their own, which need a
network once. The first writes `results/<machine>/accountants.json`, and `accountants.md` beside it.
Each turn is a process of its own, whose first call is measured. An epsilon of ours that is below
a lower end of dp-accounting is an error. Random plans that were compared before, by this commit,
are kept in `.benchmarks/`, so that a run can be resumed.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from accountants import random_plans, ways
from accountants.cases import CASES, Case
from harness.environments import RUNNING, Process, UnavailableError, last_line, python_with
from harness.machine import Watch, described
from report import accountants_page, pages
from report.accountants_page import WAYS
from run import name_of_machine
from run_cluster import peak_of

import cydp

HERE = Path(__file__).parent
KEPT = HERE.parent / ".benchmarks" / "accountants"
OPACUS = "--no-deps", "opacus>=1.6", "numpy", "scipy"  # its analysis needs no torch
PRV = ("prv-accountant>=0.2",)
HOSTS = {  # of each way: what its environment needs, and its file
    "cydp": ((), HERE / "accountants" / "ways.py"),
    "pld": ((), HERE / "accountants" / "ways.py"),
    "rdp": ((), HERE / "accountants" / "ways.py"),
    "opacus": (OPACUS, "opacus_accountant.py"),
    "prv": (PRV, "prv_accountant_ways.py"),
}
FUNCTIONS = {"cydp": "cydp", "pld": "pld", "rdp": "rdp", "opacus": "rdp", "prv": "prv"}
TURNS, LONG = 3, 20  # a way that took so many seconds has no further turn
PLANS = 10_000
SMALL = "opacus", "mobility", "responses"


class WrongAnswerError(Exception):
    """An epsilon that the plan cannot have."""


def main() -> int:
    """Measure all plans, and write what was found."""
    parser = argparse.ArgumentParser(description="Measure accountants beside each other.")
    parser.add_argument("--small", action="store_true", help="three plans, once")
    parser.add_argument("--name", help="the folder of benchmarks/results that is written")
    parser.add_argument("--plans", type=int, default=PLANS, help="how many random plans")
    parser.add_argument("--ways", nargs="+", choices=[*WAYS], default=[*WAYS])
    asked = parser.parse_args()
    if not cydp.build.build_info()["release"]:
        parser.error("benchmarks need a release build of cydp")
    watch, cells = Watch(), list[dict[str, Any]]()
    for name in SMALL if asked.small else CASES:
        lower = ways.lower_end(CASES[name].items, CASES[name].delta)()
        for way in asked.ways:
            cells.append({"case": name, "way": way} | measured(way, CASES[name], asked.small))
            check(cells[-1], lower)
            print(accountants_page.said(cells[-1]), flush=True)
        cells.append({"case": name, "way": "lower end", "epsilon": lower})
        watch.look()
    state, machine = watch.found(), described()
    kept = KEPT / f"{machine['commit']}.jsonl"
    count = 20 if asked.small else asked.plans
    plans = random_plans.summary(random_plans.all_of(count, kept))
    print(", ".join(f"{name} {value:.6g}" for name, value in plans.items()))
    if not asked.small:
        result = {
            "machine": machine, "state": state, "versions": versions(asked.ways),
            "cells": cells, "plans": plans,
        }  # fmt: skip
        written = HERE / "results" / (asked.name or name_of_machine()) / accountants_page.FILE
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
        for page in pages.write(HERE.parent):
            print(f"written: {page.relative_to(HERE.parent)}")
    return 0


def started(way: str) -> Process:
    """Return a new process that has the way."""
    requirements, file = HOSTS[way]
    return Process(python_with(requirements) if requirements else Path(sys.executable), file)


def measured(way: str, case: Case, small: bool) -> dict[str, Any]:
    """Return the epsilon, the seconds and the largest memory; or why there are none."""
    seconds, peak, answers = list[float](), 0, set[float | None]()
    try:
        for _ in range(1 if small else TURNS):
            process = started(way)
            run = process.way(FUNCTIONS[way], [tuple(item) for item in case.items], case.delta)
            answers.add(run())
            seconds.append(run.taken[0])
            peak = max(peak, peak_of(RUNNING[-1].pid))
            process.end()
            if None in answers or seconds[-1] > LONG:
                break
    except UnavailableError as error:
        return {"none": str(error)}
    except RuntimeError as error:
        if WAYS[way].ours:
            raise
        return {"none": f"it fails: {last_line(str(error))}"}
    if None in answers:
        return {"none": "does not know it"}
    (epsilon,) = answers  # no accountant draws
    return {"epsilon": epsilon, "seconds": statistics.median(seconds), "peak": peak}


def check(cell: dict[str, Any], lower: float) -> None:
    """Raise a WrongAnswerError for an epsilon of ours below the lower end of another library."""
    if WAYS[cell["way"]].ours and cell["epsilon"] < lower * (1 - random_plans.ROUNDING):
        raise WrongAnswerError(f"{cell['case']}: {cell['epsilon']} is below {lower}")


def versions(asked: list[str]) -> dict[str, str]:
    """Return the version of each library that was asked for, or why it is not here."""
    found = {"dp-accounting": ways.version()()}
    for name, way in (("opacus", "opacus"), ("prv-accountant", "prv")):
        if way in asked:
            try:
                found[name] = started(way).way("version")()
            except UnavailableError as error:
                found[name] = f"skipped: {error}"
    return found


if __name__ == "__main__":
    sys.exit(main())
