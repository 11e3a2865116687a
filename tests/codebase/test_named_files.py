"""Files that documents and comments name are there, and each source file names its page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from codebase import import_graph
from codebase import include_graph as graph

ROOT = Path(__file__).parents[2]
FOLDERS = ("benchmarks", "csrc", "docs", "examples", "src", "tests")
THERE = {file.relative_to(ROOT) for folder in FOLDERS for file in (ROOT / folder).rglob("*.*")}
THERE |= {file.relative_to(ROOT) for file in ROOT.glob("*.*")}
ENDS = {"/".join(path.parts[-n:]) for path in THERE for n in range(1, len(path.parts) + 1)}
PAGE = re.compile(r"docs/[\w/]+\.md")
# A path, or the end of one; not a pattern such as <thing>_<isa>.c.
NAMED = re.compile(r"(?<![\w/.*<>{}-])((?:[\w-]+/)*[\w-]+\.(?:py|pyx|pxd|pyi|c|h|md))(?![\w/*<>])")


def prose_of_pages() -> Iterator[tuple[Path, str]]:
    """Documents without their code; a changelog names what is gone."""
    for path in THERE:
        if path.suffix == ".md" and path.name != "CHANGELOG.md":
            text = re.sub(r"```.*?```", "", (ROOT / path).read_text(), flags=re.DOTALL)
            yield path, re.sub(r"^ {4}.*$", "", text, flags=re.MULTILINE)


def docstrings() -> Iterator[tuple[Path, str]]:
    """The first docstrings of modules and of tests."""
    for path in THERE:
        if path.suffix == ".py" and path.parts[0] in ("benchmarks", "src", "tests"):
            yield path, ast.get_docstring(ast.parse((ROOT / path).read_text())) or ""


def test_who_names_a_file_names_one_that_is_there() -> None:
    named = {
        (path.name, name)
        for path, text in [*prose_of_pages(), *docstrings()]
        for name in NAMED.findall(text)
    }
    assert len(named) > 150
    assert sorted((where, name) for where, name in named if name not in ENDS) == []


def test_a_name_that_is_not_there_is_noticed() -> None:
    found = NAMED.findall("`gone/away.c`, docs/README.md and `<thing>_avx2.c`, `a_{b}.py`")
    assert found == ["gone/away.c", "docs/README.md"]
    assert "gone/away.c" not in ENDS
    assert {"docs/README.md", "README.md", "_loss.py"} <= ENDS


def test_the_first_comment_of_a_source_names_its_page() -> None:
    unnamed = []
    for file in graph.files():
        first = file.read_text().partition("*/")[0]
        if file.suffix == ".c" and file.parent.name not in ("base", "include"):
            unnamed += [file.name] * (file.name != "kernels.c" and not PAGE.search(first))
    assert unnamed == []


def test_pages_that_sources_name_are_there() -> None:
    files = [*graph.files(), *import_graph.files().values(), *(ROOT / "tests").rglob("*.py")]
    pages = {page for file in files for page in PAGE.findall(file.read_text())}
    assert len(pages) > 15
    assert [page for page in pages if not (ROOT / page).is_file()] == []
