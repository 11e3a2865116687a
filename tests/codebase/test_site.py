"""docs/site: every public name has a page, and every block of the pages for users runs."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from codebase import public_api
from codebase.reader import ROOT, Reader, blocks_of, reader_in

DOCS = ROOT / "docs"
PAGE = re.compile(r"docs/[\w/]+\.md")
PAGES = [DOCS / "start.md", DOCS / "faq.md", *sorted((DOCS / "howto").glob("*.md"))]
PAGES += [DOCS / f"{page}.md" for page in ("exact", "mechanisms", "sensitivity")]
PAGES += [page for page in sorted((DOCS / "mechanisms").glob("*.md")) if blocks_of(page)]
PAGES += [page for page in sorted((DOCS / "exact").glob("*.md")) if blocks_of(page)]
PAGES += [DOCS / "cli.md", DOCS / "publishing.md"]
PAGES += [DOCS / "columns.md", DOCS / "releases.md", *sorted((DOCS / "releases").glob("*.md"))]
SHOWN = ("", "c", "console", "py", "sql")  # what is shown as it is: output, or what is not here


def of_site(name: str) -> ModuleType:
    """Import a module of docs/site, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def site_pages() -> ModuleType:
    of_site("proofs")
    return of_site("pages")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    return reader_in(tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs_and_prints_what_is_shown(page: Path, reader: Reader) -> None:
    for kind, text in blocks_of(page):
        if kind not in SHOWN:
            getattr(reader, kind)(text)


def test_every_public_name_is_in_the_reference(tmp_path: Path) -> None:
    pages = site_pages()
    there = {id(thing) for things in pages.public().values() for thing in things.values()}
    for module in public_api.MODULES:
        for name, thing in pages.names_of(module):
            assert id(thing) in there, f"{module.__name__}.{name}"
    pages.write(tmp_path)
    written = list((tmp_path / "reference").glob("cydp*.rst"))
    assert len(written) == len(there) + len(pages.MODULES)
    assert ".. autofunction:: cydp.count" in (tmp_path / "reference/cydp.count.rst").read_text()


def test_links_to_what_is_not_on_the_site_lead_to_the_repository() -> None:
    pages = site_pages()
    source = ["[a](../examples/x.py) [b](columns.md) [c](../LICENSE#z)"]
    pages.to_repository(None, "start", source)
    assert source[0].startswith(f"[a]({pages.REPOSITORY}examples/x.py) [b](columns.md) ")
    nested = ["[a](../columns.md) [b](../../README.md)"]
    pages.to_repository(None, "exact/bins", nested)
    assert nested == [f"[a](../columns.md) [b]({pages.REPOSITORY}README.md)"]


def test_a_name_leads_to_its_proofs(tmp_path: Path) -> None:
    """The page of a name links the pages whose boxes name its file, or the nearest folder."""
    pages, proofs = site_pages(), of_site("proofs")
    assert proofs.proving("src/cydp/mechanisms/_snapping.py") == ["mechanisms/snapping"]
    assert proofs.proving("src/cydp/local/_compare.py") == ["local"]
    assert proofs.proving("src/elsewhere.py") == []
    pages.write(tmp_path)
    snapping = (tmp_path / "reference/cydp.mechanisms.Snapping.rst").read_text()
    assert ":doc:`Snapping </mechanisms/snapping>`" in snapping


def test_docstrings_name_no_page_that_the_wheel_lacks() -> None:
    docstrings = [(one.name, inspect.getdoc(one.thing) or "") for one in public_api.EVERYTHING]
    docstrings += [(module.__name__, module.__doc__ or "") for module in public_api.MODULES]
    assert len(docstrings) > 700
    assert [name for name, text in docstrings if PAGE.search(text)] == []


def test_functions_and_bars_of_a_formula_have_the_spaces_of_tex() -> None:
    pytest.importorskip("sphinx")
    from docutils.nodes import math

    translated = of_site("mathematics")._translated
    formula = translated(math("", r"t \ln \lvert x \rvert"))
    parts = "".join(line.strip() for line in formula.splitlines()[1:-1])
    thin = '<mspace width="0.17em"></mspace>'
    name = "<mi>ln</mi><mo>&ApplyFunction;</mo>"
    bars = '<mo form="prefix">|</mo><mi>x</mi><mo form="postfix">|</mo>'
    assert parts == f"<mi>t</mi>{thin}{name}{bars}"
    for unspaced in (r"1 - \ln(x)", r"1 - \max(x, 0)"):
        assert thin not in translated(math("", unspaced))
    assert f"{thin}<mi>max</mi>" in "".join(translated(math("", r"x \max(y, 0)")).split("\n  "))


def test_no_line_breaks_between_a_formula_and_its_punctuation() -> None:
    pytest.importorskip("sphinx")
    from docutils import nodes
    from docutils.utils import new_document

    tree = new_document("page")
    formula = nodes.math("", "x")
    rest = nodes.Text("). Then ["), nodes.math("", "y")
    tree += nodes.paragraph("", "", nodes.Text("("), formula, *rest)
    mathematics = of_site("mathematics")
    mathematics.join_punctuation(None, tree, "page")
    assert tree.astext() == "x Then y"
    writer = SimpleNamespace(body=[])
    with pytest.raises(nodes.SkipNode):
        mathematics.inline(writer, formula)
    assert writer.body[0].startswith('<span class="word">(<math')
    assert writer.body[0].endswith("</math>).</span>")
