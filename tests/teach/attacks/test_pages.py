"""The examples of the attacks' pages run."""

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[3] / "docs" / "teach"


@pytest.mark.parametrize("name", ["low_bits", "timing"])
def test_examples_run(name: str) -> None:
    result = doctest.testfile(str(PAGES / f"{name}.md"), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 4
