"""Every example in a docstring runs."""

import doctest
import importlib
import pkgutil
from collections import defaultdict

import pytest

import cydp

SLOW = {
    "accounting",
    "mechanisms",
    "releases",
    "sampling",
    "teach",
}  # a test each, to run side by side
ROOMS: dict[str, list[str]] = defaultdict(list)
for found in pkgutil.walk_packages(cydp.__path__, "cydp."):
    room = found.name.split(".")[1]
    ROOMS[room if room in SLOW else "all others"].append(found.name)


@pytest.mark.parametrize("room", ROOMS)
def test_examples(room: str) -> None:
    failed = {name: doctest.testmod(importlib.import_module(name)).failed for name in ROOMS[room]}
    assert {name for name, count in failed.items() if count} == set()


def test_there_are_examples() -> None:
    tests = doctest.DocTestFinder().find(cydp.Generator)
    assert sum(len(test.examples) for test in tests) >= 4
    assert doctest.testmod(cydp).failed == 0
