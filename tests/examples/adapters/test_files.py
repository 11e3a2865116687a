"""Each adapter is short, says its figures, and is in the table of examples/adapters/README.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from examples.adapters.hosts import ADAPTERS

FILES = sorted(ADAPTERS.glob("*.py"))
PAGE = (ADAPTERS / "README.md").read_text()


def test_there_are_four() -> None:
    assert len(FILES) == 4


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_adapter_is_one_short_file_with_figures(file: Path) -> None:
    text = file.read_text()
    assert len(text.splitlines()) <= 40
    said = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    before, after = re.findall(r"([\d.]+ m?s) (?:before|after)", said)
    (row,) = re.findall(rf"\| `{file.name}` \|.*\| {before} \| {after} \|", PAGE)
    assert row
