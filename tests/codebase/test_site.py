"""docs/site: every public name has a page, and every block of the pages for users runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from codebase import public_api
from codebase.reader import ROOT, Reader, blocks_of, reader_in

DOCS = ROOT / "docs"
PAGES = [DOCS / "start.md", DOCS / "faq.md", *sorted((DOCS / "howto").glob("*.md"))]
PAGES += [DOCS / "accounting.md", *sorted((DOCS / "accounting").glob("*.md"))]
PAGES += sorted((DOCS / "teach").glob("*.md"))
SHOWN = ("", "c", "console", "py", "sql")  # what is shown as it is: output, or what is not here


def site_pages(name: str = "pages") -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    return reader_in(tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs_and_prints_what_is_shown(page: Path, reader: Reader) -> None:
    for kind, text in blocks_of(page):
        if kind not in SHOWN:
            getattr(reader, kind)(text)


def test_max_and_a_bar_with_an_exponent_stand_as_tex_sets_them() -> None:
    pytest.importorskip("sphinx")
    from docutils.nodes import math

    translated = site_pages("mathematics")._translated
    assert '<mo lspace="0.17em" rspace="0">max</mo>' in translated(math("", r"a \max(b, c)"))
    assert "<mo>max</mo>" in translated(math("", r"\max x"))
    exponent = '<mo form="postfix" stretchy="false">|</mo>'
    assert exponent in translated(math("", r"\lvert x \rvert^2"))
    assert exponent not in translated(math("", r"\lvert x \rvert"))


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


def test_functions_and_bars_of_a_formula_have_the_spaces_of_tex() -> None:
    pytest.importorskip("sphinx")
    from docutils.nodes import math

    translated = site_pages("mathematics")._translated
    formula = translated(math("", r"t \ln \lvert x \rvert"))
    parts = "".join(line.strip() for line in formula.splitlines()[1:-1])
    thin = '<mspace width="0.17em"></mspace>'
    name = "<mi>ln</mi><mo>&ApplyFunction;</mo>"
    bars = '<mo form="prefix">|</mo><mi>x</mi><mo form="postfix">|</mo>'
    assert parts == f"<mi>t</mi>{thin}{name}{bars}"
    assert thin not in translated(math("", r"1 - \ln(x)"))
