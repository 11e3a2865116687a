"""Every example in a docstring runs."""

import doctest
import importlib
import pkgutil

import pytest

import cydp

MODULES = [m.name for m in pkgutil.walk_packages(cydp.__path__, "cydp.")]


@pytest.mark.parametrize("name", ["cydp", *MODULES])
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_there_are_examples() -> None:
    tests = doctest.DocTestFinder().find(cydp.Generator)
    assert sum(len(test.examples) for test in tests) >= 4
