"""docs/local.md: its code runs."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "local.md").read_text().replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "docs/local.md", None, 0)
    assert len(examples.examples) > 20
    assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0
