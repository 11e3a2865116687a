"""The examples of docs/sampling.md and docs/teach/dp_sgd.md run."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("page", "least"), [("sampling.md", 15), ("teach/dp_sgd.md", 5)])
def test_examples_run(page: str, least: int) -> None:
    result = doctest.testfile(str(DOCS / page), module_relative=False)
    assert result.failed == 0
    assert result.attempted > least
