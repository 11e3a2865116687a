"""docs/teach/loss.md: its code runs."""

from __future__ import annotations

import doctest
from pathlib import Path

from teach.looks import closed

PAGE = Path(__file__).parents[3] / "docs" / "teach" / "loss.md"


def test_the_lines_of_the_page_run() -> None:
    lines = PAGE.read_text().replace("```", "")
    found = doctest.DocTestParser().get_doctest(lines, {}, PAGE.name, None, 0)
    with closed():
        result = doctest.DocTestRunner(verbose=False).run(found)
    assert result.attempted == 11
    assert result.failed == 0
