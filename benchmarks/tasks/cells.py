"""A cell of the table: one task from one input, in a process of its own."""

import json
import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import rivals
from harness.code import body, function
from harness.environments import python_with
from harness.processes import run
from tasks.answers import CONFIDENCE, Answer, of_dict
from tasks.checks import check, check_files
from tasks.commands import COMMANDS

BENCHMARKS = Path(__file__).parents[1]
PYTHON = """
from importlib import import_module
import os

names, task, folder = sys.argv[1].split(), *sys.argv[2:]
began = perf_counter()
modules = [import_module(name) for name in names]
if task == "picture":
    import matplotlib.pyplot
imported, before = perf_counter() - began, peak()
function = next(vars(module)[task] for module in modules if task in vars(module))
os.chdir(folder)
start = perf_counter()
visits = eval(modules[0].OPEN, vars(modules[0]))
made = function(visits)
wall = perf_counter() - start
answer(wall=wall, imported=imported, before=before, peak=peak(),
       found=None if made is None else modules[-1].answers(made))
"""
COMMAND = """
import resource, subprocess

command, folder = sys.argv[1:]
start = perf_counter()
done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
wall = perf_counter() - start
if done.returncode:
    sys.exit(done.stderr)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
answer(wall=wall, peak=used * (1 if sys.platform == "darwin" else 1024), found=done.stdout)
"""


class Way(NamedTuple):
    """How the tasks are done: the modules with their functions, the first of which opens it."""

    title: str
    modules: tuple[str, ...]  # none: the command line
    library: str = "cydp"
    needs: tuple[str, ...] = ()  # besides what the library needs, in its own environment
    rows: bool = False  # whether rows are counted where the others count users


WAYS = {
    "pandas": Way("pandas", ("tasks.from_pandas", "tasks.snippets")),
    "polars": Way("polars, lazy", ("tasks.from_polars", "tasks.snippets")),
    "duckdb": Way("DuckDB", ("tasks.from_duckdb", "tasks.snippets")),
    "path": Way("path", ("tasks.from_path", "tasks.snippets")),
    "command": Way("command line", ()),
    "diffprivlib": Way(
        "diffprivlib", ("foreign.diffprivlib_tasks",), "diffprivlib",
        ("matplotlib", "pandas", "pyarrow"), rows=True,
    ),
    "OpenDP": Way("OpenDP", ("foreign.opendp_tasks",), "OpenDP", ("matplotlib",)),
}  # fmt: skip
NONE = {  # why a cell is empty
    ("top_ten", "diffprivlib"): "it selects no keys: all must be known",
    ("unknown", "diffprivlib"): "it selects no keys: all must be known",
    ("export", "diffprivlib"): "it states no errors, so that there are no intervals",
}


def code_of(task: str, name: str) -> str:
    """Return the code of a cell, as a user would write it, without imports."""
    if name == "command":
        return COMMANDS[task]
    files = [BENCHMARKS / f"{module.replace('.', '/')}.py" for module in WAYS[name].modules]
    code = next(code for file in files if (code := body(file, task)) is not None)
    return code.replace("  # fmt: skip", "")


def shared(name: str) -> str | None:
    """Return what comes before the code of each task: the line that opens the table, and others."""
    parts = []
    for module in WAYS[name].modules:
        file = BENCHMARKS / f"{module.replace('.', '/')}.py"
        parts += [code for code in [function(file, "query")] if code is not None]
        parts += re.findall("(?m)^OPEN = '(.*)'$", file.read_text())
    return "\n\n".join([*parts[:-1], f"visits = {parts[-1]}"]) if parts else None


def python_of(name: str) -> Path:
    """Return the Python of a way; raise UnavailableError if its library cannot be installed."""
    way = WAYS[name]
    if way.library == "cydp":
        return Path(sys.executable)
    return python_with((*rivals.RIVALS[way.library].requirements, *way.needs))


def measure(task: str, name: str, visits: Path, exact: Mapping[str, Any]) -> dict[str, Any]:
    """Do a task once, check its answer, and return its seconds and bytes."""
    python = python_of(name)
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {"PYTHONPATH": str(BENCHMARKS), "PATH": scripts, "MPLBACKEND": "agg"}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for file in visits.iterdir():
            (folder / file.name).symlink_to(file)
        if name == "command":
            found = run(COMMAND, checkable(task), folder, variables=variables)
            texts = found.pop("found")
            answers = [of_dict(json.loads(line)) for line in texts.splitlines() if line[:1] == "{"]
        else:
            found = run(
                PYTHON, " ".join(WAYS[name].modules), task, folder,
                python=python, variables=variables,
            )  # fmt: skip
            answers = [Answer(*each) for each in found.pop("found") or ()]
        if task in ("export", "picture"):
            check_files(task, exact, folder)
        else:
            check(task, exact, answers, rows=WAYS[name].rows)
    return dict(found)


def checkable(task: str) -> str:
    """Return the command of a task, which prints what can be checked."""
    if task in ("export", "picture"):
        return COMMANDS[task]
    options = f"--epsilon 1 --json --confidence {CONFIDENCE}"
    return re.sub(r"(?m)^(?!cydp ledger)(.*)--epsilon 1\b", rf"\1{options}", COMMANDS[task])
