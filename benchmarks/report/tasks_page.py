"""The page of the twelve tasks, made from `tasks.json` and from nothing else."""

import json
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.record import duration
from report import cells as shown
from tasks.cells import WAYS
from tasks.questions import TASKS

FILE, PAGE = "tasks.json", "tasks.md"
BESIDE = {"diffprivlib": "pandas", "OpenDP": "polars"}  # the same input, for a comparison
HOW = """\
Each cell is measured in a process of its own, one after the other. Figures are medians of several
runs; another library that takes more than 20 s has one run. A time without a range is of one run.
**Seconds** are from the first line of the code to its end. They include opening the table (for
pandas, reading the frame), and exclude imports, except on the command line. **Memory** is the peak
of the process (of the largest one on the command line); in brackets is the memory in use after the
imports. All libraries may use all cores. **Bold**: better than cydp with the same input: pandas for
diffprivlib, polars for OpenDP. Every answer was checked against the exact one, within the error
that it states at a confidence of 1 - 10^-9 (for the command line, with `--json --confidence
0.999999999`); another library's answer within 25 scales of noise.

The table has 10^7 visits of a year, in the order of time, of 10^6 users with 1 to 19 visits each,
in up to three of 20 countries, and 1,000 places with Zipf frequencies. The bounds on users drop no
rows. Epsilon is 1, and delta is 10^-6 where keys are not public.
"""
LINES = """
Lines have at most 100 characters. Imports, public lists and the line that opens the table (none for
a path) are not counted; for OpenDP neither is its context.
"""
LESS = """\
- **diffprivlib has no users.** It protects a row: a user with 19 visits loses up to 19 times
  epsilon. It counts visits where the others count users (by month, two-way table, picture). For
  distinct users and the bound, it gets a table with one row for each user, which protects users.
  Its mean treats the number of rows as public. Its noise is in doubles, its budget is in memory,
  and it has no interval.
- **OpenDP protects users.** Its budget is in memory. So "daily" has 30 contexts, and no stored
  budget would refuse a second count of a day. It chooses the median and the bound among points that
  the caller lists. For the bound, it gets a table with one row for each user.
"""


def page(name: str, found: Mapping[str, Any]) -> str:
    """All that one run found."""
    cells = {(cell["task"], cell["way"]): cell for cell in found["cells"]}
    machine = found["machine"]
    warned = "".join(f"**Warning: {each}.**\n\n" for each in found["state"]["warnings"])
    about = (
        f"{machine['cpu']}, {machine['cores']} cores, {shown.size(machine['memory'])} of memory, "
        f"{machine['system']}, Python {machine['python']}, cydp {machine['cydp']} "
        f"({machine['commit']}), {machine['date']}. {loads(cells)}"
        + ", ".join(f"{library} {version}" for library, version in found["versions"].items())
        + ".\n"
    )
    sections = {
        "Seconds": table(cells, seconds),
        "Memory": table(cells, memory),
        "Lines of code": table(cells, lines) + LINES,
        "Imports": imports(cells),
        "Cells without figures": reasons(cells),
        "Where an answer protects less, or has more noise": LESS,
        "The code": code(cells, found["shared"]),
    }
    head = f"# Twelve tasks of a data engineer: {name}\n\n{warned}{about}\n{HOW}"
    return head + "".join(f"\n## {title}\n\n{text}" for title, text in sections.items() if text)


def loads(cells: Mapping[tuple[str, str], Any]) -> str:
    """How busy the machine was as the cells of each way began."""
    found: dict[str, list[float]] = {}
    for (_, way), cell in cells.items():
        found.setdefault(way, []).extend(cell.get("load", ()))
    each = [
        f"{WAYS[way].title} {statistics.median(load):.1f}" for way, load in found.items() if load
    ]
    return f"Load average as a cell began, median: {', '.join(each)}. "


def table(cells: Mapping[tuple[str, str], Any], figure: Callable[[Any, Any], str]) -> str:
    """One figure of each cell; `figure` is also given the cell that a rival is compared with."""
    ways = [way for way in WAYS if any(way == used for _, used in cells)]
    rows = []
    for task in TASKS:
        row = [TASKS[task].title]
        for way in ways:
            cell = cells.get((task, way), {"none": ""})
            beside = cells.get((task, BESIDE.get(way, "")))
            row.append("none" if "none" in cell else figure(cell, beside))
        rows.append(row)
    return shown.table(["task", *(WAYS[way].title for way in ways)], rows)


def lines(cell: Any, beside: Any) -> str:
    less = beside and cell["lines"] < beside["lines"]
    return f"**{cell['lines']}**" if less else str(cell["lines"])


def seconds(cell: Any, beside: Any) -> str:
    """Median and range."""
    wall = cell["wall"]
    text = duration(statistics.median(wall))
    if len(wall) > 1:
        text += f" ({duration(min(wall))} to {duration(max(wall))})"
    less = beside and statistics.median(wall) < statistics.median(beside["wall"])
    return f"**{text}**" if less else text


def memory(cell: Any, beside: Any) -> str:
    """The median of the peaks, and what the imports took."""
    if None in cell["peak"]:
        return "not known"
    peak = statistics.median(cell["peak"])
    text = shown.size(peak)
    if "before" in cell:
        text += f" ({shown.size(statistics.median(cell['before']))})"
    less = beside and peak < statistics.median(beside["peak"])
    return f"**{text}**" if less else text


def imports(cells: Mapping[tuple[str, str], Any]) -> str:
    """What the imports take, in seconds, for the tasks without a picture."""
    rows = []
    for way in WAYS:
        found = [
            each
            for (task, used), cell in cells.items()
            if used == way and task != "picture"
            for each in cell.get("imported", ())
        ]
        if found:
            rows.append([WAYS[way].title, duration(statistics.median(found))])
    return shown.table(["input", "seconds of imports"], rows)


def reasons(cells: Mapping[tuple[str, str], Any]) -> str:
    return "".join(
        f"- {WAYS[way].title}, {TASKS[task].title}: {cell['none']}.\n"
        for (task, way), cell in cells.items()
        if "none" in cell
    )


def code(cells: Mapping[tuple[str, str], Any], shared: Mapping[str, str]) -> str:
    """What was run: in Python once for all inputs that share it, and each command."""
    parts = ["COUNTRIES and PLACES are lists of names, and public.\n"]
    parts += [
        f"\nBefore each task, {way}, not counted:\n\n```python\n{text}\n```\n"
        for way, text in shared.items()
    ]
    for task in TASKS:
        written: dict[str, list[str]] = {}
        for way in WAYS:
            cell = cells.get((task, way), {})
            if "code" in cell:
                written.setdefault(cell["code"], []).append(WAYS[way].title)
        parts.append(f"\n### {TASKS[task].title}\n")
        for text, titles in written.items():
            language = "sh" if titles == [WAYS["command"].title] else "python"
            parts.append(f"\n{', '.join(titles)}:\n\n```{language}\n{text}\n```\n")
    return "".join(parts)


def pages(root: Path) -> dict[Path, str]:
    """Return the page of each machine that has measured the tasks."""
    files = sorted((root / "benchmarks" / "results").glob(f"*/{FILE}"))
    return {
        file.with_name(PAGE): page(file.parent.name, json.loads(file.read_text())) for file in files
    }
