"""Docstrings of releases: each parameter has its own text, and the same one in all of them."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import cydp
from cydp import models, publishing, workloads
from cydp.releases._run import RELEASES

MODULES = (models, publishing, workloads)  # whose releases are registered when they are imported

SHARED = {
    "epsilon", "rho", "delta", "relation", "user", "unit", "max_rows", "max_partitions",
    "max_rows_per_partition", "max_rows_per_unit", "budget", "rng", "missing", "bounds", "column",
}  # fmt: skip
OTHERWISE = {
    ("count", "column"): "without one, all rows are counted",
    ("group_by", "missing"): "it decides whether means share the count",
    ("RunningCounts", "*"): "a stream has events, and pays when it is made",
    ("Session", "*"): "it says them for all questions",
}


def entries_of(thing: Any) -> dict[str, str]:
    """Return the text of each parameter in a docstring, by the line that begins it."""
    text = (inspect.getdoc(thing) or "").split("Parameters\n----------\n")[1]
    section = re.split(r"\n\n\w+\n-+\n", text)[0]
    parts = re.split(r"^(?=\S)", section, flags=re.MULTILINE)
    return {part.split(" : ")[0].strip("*"): part.partition("\n")[2] for part in parts if part}


EXPLAINED: list[Callable[..., Any]] = [*RELEASES, workloads.RunningCounts, cydp.Session]


@pytest.mark.parametrize("thing", EXPLAINED, ids=lambda thing: thing.__name__)
def test_each_parameter_has_an_entry_of_its_own(thing: Any) -> None:
    entries = entries_of(thing)
    assert list(entries) == list(inspect.signature(thing).parameters)
    elsewhere = [name for name, text in entries.items() if re.search("as (in|of) `", text, re.I)]
    assert elsewhere == []


def test_a_shared_parameter_has_one_text() -> None:
    texts: dict[str, set[str]] = {}
    for thing in EXPLAINED:
        name = thing.__name__
        for parameter, text in entries_of(thing).items():
            if parameter in SHARED and not {(name, parameter), (name, "*")} & OTHERWISE.keys():
                texts.setdefault(parameter, set()).add(text)
    assert texts.keys() == SHARED
    assert {parameter for parameter, found in texts.items() if len(found) > 1} == set()


def test_a_bunch_of_parameters_is_noticed() -> None:
    def bunch(x: int, y: int) -> None:
        """Add.

        Parameters
        ----------
        x, y : int
            Numbers.

        """

    assert list(entries_of(bunch)) == ["x, y"]
