"""The examples of pages about sensitivities, scores, the median by halving and shares run."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "page", ["teach/sensitivity.md", "teach/scores.md",
             "teach/median_by_halving.md", "teach/publish_share.md"],
)  # fmt: skip
def test_examples_run(page: str) -> None:
    result = doctest.testfile(str(DOCS / page), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 1
