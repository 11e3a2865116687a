"""The examples of docs/sampling.md run."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "sampling.md"


def test_examples_run() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 15
