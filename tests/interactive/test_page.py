"""docs/interactive.md: its examples run."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_examples_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs" / "interactive.md"
    done = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert done.failed == 0
    assert done.attempted > 25
