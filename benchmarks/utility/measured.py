"""The error of a library in a task: the mean over runs of its module, here or in another process.

Each module has a function for each kind of task that the library answers. It is given what the
task gives, here with a generator before, and returns what draws an answer, or the error itself.
"""

import inspect
import math
import zlib
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np
import rivals
from harness.environments import ForeignWay, UnavailableError, started
from utility import best, formulas, ours
from utility.errors import WRONG, Error, error_of
from utility.tasks import Task, tasks

from cydp.testing import SeededGenerator

HERE = {
    "cydp": (ours, SeededGenerator),
    "formulas": (formulas, np.random.default_rng),
    "best": (best, np.random.default_rng),
}
FOREIGN = {
    "OpenDP": "opendp_utility.py",
    "diffprivlib": "diffprivlib_utility.py",
    "python-dp": "pydp_utility.py",
}
LIBRARIES = (*HERE, *FOREIGN)
SECONDS, LEAST, BATCH = 10, 20, 5  # of runs in another process: how long, how many, at a time
FEW = 10  # runs of a small benchmark
FAR = 100  # times the best error, above which an answer is wrong


class WrongAnswerError(Exception):
    """What a library has answered is not what was asked."""


def measure(name: str, task: Task, library: str, few: bool) -> dict[str, Any]:
    """Return the least error over the choices of the task, or why there is none."""
    cell: dict[str, Any] = {"task": name, "library": library}
    try:
        found = [(error, choice) for choice, error in errors(name, task, library, few)]
    except UnavailableError as error:
        return cell | {"none": f"it cannot be installed: {error}"}
    if not found:
        return cell | {"none": "it has no such release"}
    error, choice = min(found, key=lambda pair: pair[0].value)
    chosen = {"choice": choice} if choice else {}
    return cell | {"error": error.value, "spread": error.spread, "runs": error.runs} | chosen


def check(cells: list[dict[str, Any]]) -> None:
    """Refuse errors that are far above the best one of the same task; a share never is."""
    best_of = {
        cell["task"]: cell["error"]
        for cell in cells
        if cell["library"] == "best" and tasks()[cell["task"]].measure is not WRONG
    }
    for cell in cells:
        least = best_of.get(cell["task"])
        if least and cell.get("error", 0) > FAR * least:
            raise WrongAnswerError(
                f"{cell['task']}: {cell['library']} has an error of {cell['error']:.3g}, "
                f"best {least:.3g}"
            )


def errors(
    name: str, task: Task, library: str, few: bool
) -> Iterator[tuple[dict[str, int], Error]]:
    """Yield the error for each choice of the public parameters that the library has."""
    parameters = takes(library, task.kind)
    if parameters is None:
        return
    choices = [
        {key: value} for key in task.choices if key in parameters for value in task.choices[key]
    ]
    for choice in choices or [{}]:
        seed = zlib.crc32(f"{name} {choice}".encode())
        given = {**task.given, **choice}
        found = answers(library, task.kind, given, FEW if few else task.runs, seed)
        if not isinstance(found, Error):
            found = error_of(task.measure, [task.measure.loss(each, task.exact) for each in found])
        if not math.isfinite(found.value):
            raise WrongAnswerError(f"{name}: {library} has an error of {found.value}")
        yield choice, found


def takes(library: str, kind: str) -> list[str] | None:
    """Return the parameters of the function that answers; None: there is none."""
    if library in FOREIGN:
        found: list[str] | None = process(library, "takes", kind)()
        return found
    function = getattr(HERE[library][0], kind, None)
    return function and [*inspect.signature(function).parameters]


def answers(library: str, kind: str, given: dict[str, Any], runs: int, seed: int) -> Any:
    """Return the answers of all runs, or an error that is known without any."""
    if library in FOREIGN:
        return in_time(process(library, "answers", kind, given, min(runs, BATCH)), runs)
    module, generator = HERE[library]
    draw = getattr(module, kind)(generator(seed), **given)
    return draw if isinstance(draw, Error) else (draw() for _ in range(runs))


def in_time(way: ForeignWay, runs: int) -> list[Any]:
    """Return the answers of as many runs as there is time for, and of some if there is none."""
    start, found = perf_counter(), way()
    while len(found) < runs and (len(found) < LEAST or perf_counter() - start < SECONDS):
        found += way()
    return found


PROCESSES: dict[str, Any] = {}


def process(library: str, function: str, *given: Any) -> ForeignWay:
    """Prepare a way in the library's environment, whose process starts once."""
    if library not in PROCESSES:
        requirements = rivals.RIVALS[library].requirements
        PROCESSES[library] = started(requirements, FOREIGN[library])
    way: ForeignWay = PROCESSES[library](function, *given)
    return way


def versions() -> dict[str, str]:
    """Return the version of each library whose process was started."""
    return {library: process(library, "version")() for library in PROCESSES}
