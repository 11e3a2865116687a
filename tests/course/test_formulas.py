"""Pages for students and users typeset their formulas: none stands as plain text in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from codebase.reader import ROOT

DOCS = ROOT / "docs"
PAGES = [
    *sorted((DOCS / "course").glob("*.md")),
    *(DOCS / f"{name}.md" for name in ("course", "faq", "index", "start")),
    *sorted((DOCS / "howto").glob("*.md")),
]
CODE = re.compile(r"^```.*?^```$|`[^`]+`|^:alt:.*?$", re.DOTALL | re.MULTILINE)
TYPESET = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.DOTALL)
PLAIN = re.compile(
    r"\w\^[\w(-]|\bsqrt\b|<= |>= |\(epsilon, delta\)|\bf\(D\)|^ {4}\S.* = ", re.MULTILINE
)


def plain_formulas(text: str) -> list[str]:
    """Return what looks like a formula outside of code and of typeset formulas."""
    return PLAIN.findall(TYPESET.sub("", CODE.sub("", text)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_formula_is_plain_text(page: Path) -> None:
    assert plain_formulas(page.read_text()) == []


def test_a_plain_formula_is_found() -> None:
    text = "By $x^2$ and `a^b`:\n\n$$\ny^2\n$$\n\n```text\nz^2\n```\n"
    assert plain_formulas(text) == []
    for wrong in ("at most e^epsilon", "\n    L(o) = ln(P(o) / Q(o))", "a <= b", "f(D) = 5"):
        assert plain_formulas(text + wrong), wrong
