"""The page of counts and sums by key on Spark: `results/<machine>/cluster.md`."""

import json
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from harness.record import duration
from report import cells as shown

FILE, PAGE, PICTURE = "cluster.json", "cluster.md", "cluster.png"


class Way(NamedTuple):
    """A way to the answer: its title, whether it is ours, and whether it bounds users."""

    title: str
    ours: bool
    users: bool


WAYS = {
    "ours": Way("cydp on Spark, users", True, True),
    "windows": Way("windows of Spark SQL (bounded, no noise)", False, True),
    "grouped": Way("aggregate and window of Spark SQL (bounded, no noise)", False, True),
    "pipeline_dp": Way("PipelineDP on Spark, users", False, True),
    "alone": Way("cydp without Spark, users", True, True),
    "duckdb_windows": Way("DuckDB, aggregate and window (bounded, no noise)", False, True),
    "ours_of_rows": Way("cydp on Spark, rows", True, False),
    "plain": Way("groupBy of Spark (not private)", False, False),
    "alone_of_rows": Way("cydp without Spark, rows", True, False),
    "duckdb": Way("group by of DuckDB (not private)", False, False),
}
HOW = """
Visits are counted by public keys, and euros between 0 and 50 are added up. There are a tenth as
many users as rows. Of each user, one row in each of three keys counts; ways called "rows" protect a
row instead. "Time" is the median of the turns after the first, in one session of Spark: `local[2]`
unless the table says otherwise, with 16 partitions for a shuffle. "First turn" includes the time in
which Java compiles. "CPU time" is of all processes, Java's and Python's. "Memory" is the sum of the
peaks of these processes. Without Spark, each library has its default number of threads. All ways
read the same Parquet file. All answers are checked: whichever rows of a user are kept, the exact
answer is known. PipelineDP was measured at 10^6 rows only: 10^7 would take ten minutes. Above 10^7
rows, the files are 10 or 100 names of one file of 10^7 rows, which stays in the system's memory.
"""


def said(cell: Mapping[str, Any]) -> str:
    """Return a line for a terminal."""
    head = (
        f"{shown.count(cell['rows'])} rows, {shown.count(cell['keys'])} keys, "
        f"local[{cell['threads']}], {WAYS[cell['way']].title}: "
    )
    return head + (cell["none"] if "none" in cell else ", ".join(figures(cell)))


def figures(cell: Mapping[str, Any]) -> list[str]:
    """The seconds of a turn, of the first one, and of all processors; and the peak of memory."""
    if "none" in cell:
        return [cell["none"], "", "", ""]
    seconds, processors = (duration(typical(cell, kind)) for kind in ("wall", "cpu"))
    return [seconds, duration(cell["wall"][0]), processors, shown.size(cell["peak"])]


def typical(cell: Mapping[str, Any], kind: str) -> float:
    """Return the median of the turns after the first, if there are some."""
    return float(statistics.median(cell[kind][1:] or cell[kind]))


def page(name: str, found: Mapping[str, Any]) -> str:
    """All that one run found."""
    machine, state = found["machine"], found["state"]
    warned = "".join(f"**Warning: {each}.**\n\n" for each in state["warnings"])
    loads = [cell["load"] for cell in found["cells"] if "load" in cell]
    about = (
        f"{machine['cpu']}, {machine['cores']} cores, {shown.size(machine['memory'])} of memory, "
        f"{machine['system']}, Python {machine['python']}, cydp {machine['cydp']} "
        f"({machine['commit']}), {machine['date']}. Load average as a cell began: "
        f"{min(loads):.1f} to {max(loads):.1f}. "
        + ", ".join(f"{library} {version}" for library, version in found["versions"].items())
        + ".\n"
    )
    rows = [
        [
            shown.count(cell["rows"]), shown.count(cell["keys"]), str(cell["threads"]),
            WAYS[cell["way"]].title, *figures(cell),
        ]
        for cell in found["cells"]
    ]  # fmt: skip
    head = ["rows", "keys", "threads", "way", "time", "first turn", "CPU time", "memory"]
    title = f"# Counts and sums on Spark: {name}\n\n{warned}{about}"
    drawn = f"\n![growth]({PICTURE})\n\n"
    return f"{title}{HOW}{drawn}{shown.table(head, rows)}"


def pages(root: Path) -> dict[Path, str]:
    """Return the page of each machine that has measured it."""
    files = sorted((root / "benchmarks" / "results").glob(f"*/{FILE}"))
    return {
        file.with_name(PAGE): page(file.parent.name, json.loads(file.read_text())) for file in files
    }
