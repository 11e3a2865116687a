"""docs/teach/loss.md: its code runs."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / "teach" / "loss.md").read_text().replace("```", "")
    examples = doctest.DocTestParser().get_doctest(text, {}, "docs/teach/loss.md", None, 0)
    assert len(examples.examples) > 20
    assert doctest.DocTestRunner(verbose=False).run(examples).failed == 0
