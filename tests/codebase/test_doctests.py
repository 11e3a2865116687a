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
MODULES: dict[str, list[str]] = defaultdict(list)
for found in pkgutil.walk_packages(cydp.__path__, "cydp."):
    package = found.name.split(".")[1]
    MODULES[package if package in SLOW else "all others"].append(found.name)


@pytest.mark.parametrize("package", MODULES)
def test_examples(package: str) -> None:
    failed = {
        name: doctest.testmod(importlib.import_module(name)).failed for name in MODULES[package]
    }
    assert {name for name, count in failed.items() if count} == set()


def test_there_are_examples() -> None:
    tests = doctest.DocTestFinder().find(cydp.Generator)
    assert sum(len(test.examples) for test in tests) >= 4
    assert doctest.testmod(cydp).failed == 0
