"""Measures counts and sums of visits by key on Spark, beside others on the same Spark and file.

    python benchmarks/run_cluster.py           # up to 10^9 rows, 20 minutes on two cores
    python benchmarks/run_cluster.py --small   # 10^6 rows, once: only answers are checked

It needs `cydp[all,spark]` and a Java. The first writes `results/<machine>/cluster.json`, and
`cluster.md` beside it. Each cell is a process of its own with a session of its own; its first turn,
in which Java compiles, is told apart. A wrong answer is an error.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cluster import visits
from harness.environments import RUNNING, Process, UnavailableError, last_line, python_with
from harness.machine import Watch, described
from report import cluster_page, cluster_picture, pages, pictures
from report.cluster_page import WAYS
from run import name_of_machine

HERE = Path(__file__).parent
TURNS, LONG = 3, 60  # a way that took so many seconds has no further turn
OF_ROWS = "ours_of_rows", "plain"
LOCAL = "alone_of_rows", "duckdb"
COMPARED = "ours", "windows", *OF_ROWS
PIPELINE_DP = "pipeline-dp==0.3.1", "pyspark>=4,<5"


def cells(*, small: bool) -> Iterator[tuple[int, int, int, str]]:
    """Yield rows, keys, threads and way of each cell; cells of a file are next to each other."""
    for way in WAYS:
        yield 10**6, 10**3, 2, way
    if small:
        return
    for keys in (10**2, 10**4, 10**6):
        for way in COMPARED:
            yield 10**6, keys, 2, way
    for way in WAYS:
        if way != "pipeline_dp":  # it would take ten minutes
            yield 10**7, 10**3, 2, way
    for way in COMPARED:
        yield 10**7, 10**3, 1, way
    for way in (*OF_ROWS, *LOCAL):
        yield 10**8, 10**3, 2, way
    for way in LOCAL:
        yield 10**9, 10**3, 2, way
    for keys in (10**2, 10**4, 10**6, 10**7):
        for way in LOCAL:
            yield 10**7, keys, 2, way


def main() -> int:
    """Measure all cells, and write what was found."""
    parser = argparse.ArgumentParser(description="Measure counts and sums by key on Spark.")
    parser.add_argument("--small", action="store_true", help="10^6 rows; nothing is written")
    parser.add_argument("--name", help="the folder of benchmarks/results that is written")
    parser.add_argument("--folder", help="for files of up to 1 GB (default: a temporary one)")
    asked = parser.parse_args()
    watch, found, made = Watch(), list[dict[str, Any]](), None
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        files, exact = "", dict[str, float]()
        for rows, keys, threads, way in cells(small=asked.small):
            if made != (rows, keys):
                files, exact = visits.write(Path(folder), rows, keys)
                made = rows, keys
            cell = {"rows": rows, "keys": keys, "threads": threads, "way": way}
            found.append(cell | measured(way, files, threads, keys, exact, asked.small))
            print(cluster_page.said(found[-1]), flush=True)
            watch.look()
    if not asked.small:
        versions = {name: text for cell in found for name, text in cell.pop("versions", {}).items()}
        result = {
            "machine": described(), "state": state_of(watch), "versions": versions, "cells": found,
        }  # fmt: skip
        written = HERE / "results" / (asked.name or name_of_machine()) / cluster_page.FILE
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(json.dumps(result, indent=1, allow_nan=False) + "\n")
        pictures.draw(result, written.parent, {cluster_page.PICTURE: cluster_picture.figure})
        for page in pages.write(HERE.parent):
            print(f"written: {page.relative_to(HERE.parent)}")
    return 0


def state_of(watch: Watch) -> dict[str, Any]:
    """Return the machine's state without what others took: Java and its children count as such."""
    state = watch.found()
    warnings = [each for each in state["warnings"] if not each.startswith("busy")]
    return state | {"others": None, "warnings": warnings}


def measured(
    way: str, file: str, threads: int, keys: int, exact: dict[str, float], small: bool
) -> dict[str, Any]:
    """Return the seconds of each turn, by the clock and of all cores; or why there are none."""
    taken: dict[str, Any] = {"load": os.getloadavg()[0], "wall": [], "cpu": [], "peak": 0}
    try:
        process = started(way)
    except UnavailableError as error:
        return {"none": str(error)}
    try:
        function = {"pipeline_dp": "users", "duckdb": "duckdb_groups"}.get(way, way)
        run, pid = process.way(function, file, threads, keys), RUNNING[-1].pid
        for _ in range(1 if small else 1 + TURNS):
            before = seconds_of_tree(pid)
            answer = run()
            taken["cpu"].append(seconds_of_tree(pid) - before)
            taken["wall"].append(run.taken[0])
            taken["peak"] = max(taken["peak"], sum(map(peak_of, family_of(pid))))
            check(way, answer, keys, exact)
            if sum(taken["wall"]) > LONG:
                break
        return taken | {"versions": process.way("versions")()}
    except RuntimeError as error:
        if WAYS[way].ours:
            raise
        return {"none": f"it fails: {last_line(str(error))}"}
    finally:
        process.end()


def started(way: str) -> Process:
    """Return a new process that has the way."""
    if way == "pipeline_dp":
        return Process(python_with(PIPELINE_DP), "pipeline_dp_cluster.py")
    return Process(Path(sys.executable), HERE / "cluster" / "ways.py")


def check(way: str, answer: tuple[float, float], keys: int, exact: dict[str, float]) -> None:
    """Raise an AssertionError for totals that noise, and the choice of rows, do not explain.

    The scale of noise is 6 for a user's three keys and two answers; the euros of the rows that a
    user keeps are those of some rows, or all of a key as one.
    """
    n, euros = answer
    noise = 10 * 6 * (2 * keys) ** 0.5
    wanted = exact["kept"] if WAYS[way].users else exact["rows"]
    assert abs(n - wanted) <= noise, (way, n, wanted)
    whole = exact["euros"] / exact["rows"] * wanted
    assert abs(euros - whole) <= 50 * noise + (0.1 * whole if WAYS[way].users else 0), (way, euros)


def seconds_of_tree(root: int) -> float:
    """Return the seconds of a core that a process, its children and theirs have used so far."""
    ticks = (map(int, stat_of(pid)[11:15]) for pid in family_of(root))
    return sum(map(sum, ticks)) / os.sysconf("SC_CLK_TCK")


def family_of(root: int) -> set[int]:
    """Return a process, its children and theirs."""
    pids = [int(stat.parent.name) for stat in Path("/proc").glob("[0-9]*/stat")]
    parents = {pid: int(stat_of(pid)[1]) for pid in pids}
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def stat_of(pid: int) -> list[str]:
    """Return what the system says of a process; zeros if it has ended meanwhile."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ["0"] * 20


def peak_of(pid: int) -> int:
    """Return the most memory that a process has had, in bytes; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)


if __name__ == "__main__":
    sys.exit(main())
