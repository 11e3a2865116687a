"""The example of docs/distributed.md runs, and is short."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "distributed.md"


def test_the_example_runs() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.failed == 0
    assert result.attempted > 8
    lines = [
        line for line in PAGE.read_text().splitlines() if line.startswith(("    >>>", "    ..."))
    ]
    assert len(lines) <= 15
