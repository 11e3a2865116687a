"""Hosts of the adapters: processes in environments of their own, and figures of what they do."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from harness.environments import ForeignWay, Process, UnavailableError, python_with

import cydp

ROOT = Path(__file__).parents[3]
ADAPTERS = ROOT / "examples" / "adapters"
WAYS = Path(__file__).with_name("ways")
TURNS = 5

Way = Callable[..., ForeignWay]


def start(folder: Path, module: str, *requirements: str) -> Way:
    """Start a host, beside the cydp that is tested here, and return what prepares its ways.

    A host that cannot be installed is skipped with the reason; whatever fails later is a failure.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    try:
        python = python_with((*requirements, *project["dependencies"]))
    except UnavailableError as error:
        pytest.skip(f"{requirements[0]}: {error}")
    (folder / "cydp").symlink_to(Path(cydp.__file__).parent)
    return Process(python, WAYS / module, path=(folder, ADAPTERS)).way


def in_turn(before: ForeignWay, after: ForeignWay) -> tuple[float, float, Any, Any]:
    """Return the median seconds of each way, and what each gave last."""
    seconds: dict[ForeignWay, list[float]] = {before: [], after: []}
    answers = {}
    for _ in range(1 + TURNS):  # the first warms up
        for way, taken in seconds.items():
            answers[way] = way()
            taken.append(way.taken[0])
    medians = [median(taken[1:]) for taken in seconds.values()]
    return medians[0], medians[1], answers[before], answers[after]
