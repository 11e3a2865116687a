"""docs/site: every public name has a page, and every block of the pages for users runs."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from codebase import public_api
from codebase.reader import ROOT, Reader, blocks_of, made_by, reader_in

import cydp
import cydp.teach.utility

DOCS = ROOT / "docs"
PAGE = re.compile(r"docs/[\w/]+\.md")
ELSEWHERE = {"architecture.md", "backend.md", "teach.md"}  # tests of their own look at more
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if blocks_of(page) and page.relative_to(DOCS).as_posix() not in ELSEWHERE
]
SHOWN = ("", "c", "console", "py", "sql")  # what is shown as it is: output, or what is not here


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    yield reader_in(tmp_path, monkeypatch)
    if "matplotlib.pyplot" in sys.modules:  # which warns of many open figures
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs_and_prints_what_is_shown(page: Path, reader: Reader) -> None:
    for kind, text in blocks_of(page):
        if kind not in SHOWN:
            getattr(reader, kind)(text)


def test_every_public_name_is_in_the_reference(tmp_path: Path) -> None:
    pages = made_by("pages")
    there = {id(thing) for things in pages.public().values() for thing in things.values()}
    for module in public_api.MODULES:
        for name, thing in pages.names_of(module):
            assert id(thing) in there, f"{module.__name__}.{name}"
    pages.write(tmp_path)
    written = list((tmp_path / "reference").glob("cydp*.rst"))
    assert len(written) == len(there) + len(pages.MODULES)
    assert ".. autofunction:: cydp.count" in (tmp_path / "reference/cydp.count.rst").read_text()
    shown = re.findall(r"^\| \[(.*)\]\(.*\) \| (.*) \|$", (DOCS / "reference.md").read_text(), re.M)
    assert dict(shown) == pages.MODULES


def test_links_to_what_is_not_on_the_site_lead_to_the_repository() -> None:
    pages = made_by("pages")
    source = ["[a](../examples/x.py) [b](columns.md) [c](../LICENSE#z)"]
    pages.to_repository(None, "start", source)
    assert source[0].startswith(f"[a]({made_by('rst').REPOSITORY}examples/x.py) [b](columns.md) ")
    nested = ["[a](../columns.md) [b](../../README.md)"]
    pages.to_repository(None, "exact/bins", nested)
    assert nested == [f"[a](../columns.md) [b]({made_by('rst').REPOSITORY}README.md)"]


def test_a_name_leads_to_its_proofs(tmp_path: Path) -> None:
    """The page of a name links the pages whose boxes name its file, or the nearest folder."""
    pages, proofs = made_by("pages"), made_by("proofs")
    assert proofs.proving("src/cydp/mechanisms/_snapping.py") == ["mechanisms/snapping"]
    assert proofs.proving("src/cydp/local/_compare.py") == ["local"]
    assert proofs.proving("src/elsewhere.py") == []
    pages.write(tmp_path)
    snapping = (tmp_path / "reference/cydp.mechanisms.Snapping.rst").read_text()
    assert ":doc:`Snapping </mechanisms/snapping>`" in snapping
    assert "rubric:: Why it is private" in snapping


def test_pages_of_classes_leave_out_the_members_of_python_s_own() -> None:
    """A number's `conjugate` and an error's `add_note` say nothing about cydp."""
    pages = made_by("pages")
    bases = {
        base
        for things in pages.public().values()
        for one in things.values()
        if inspect.isclass(one)
        for base in one.__mro__
        if not base.__module__.startswith("cydp")
    }
    shown = {base.__name__ for base in bases if any(name[0] != "_" for name in vars(base))}
    assert {"BaseException", "Fraction"} <= shown <= set(pages._FOREIGN.split(", "))


def test_a_class_that_nobody_calls_has_no_signature() -> None:
    pages = made_by("pages")

    def signature(what: str, thing: object) -> object:
        return pages.without_signature(None, what, "", thing, None, "(x)", None)

    for result in (cydp.releases.MeanRelease, cydp.BudgetLedger, cydp.mechanisms.Estimate):
        assert signature("class", result) == ("", None)
    assert signature("exception", cydp.BudgetExceededError) == ("", None)
    for called in (cydp.PureDP, cydp.sensitivity.Sensitivity, cydp.Session):
        assert signature("class", called) is None
    assert signature("method", cydp.BudgetLedger.close) is None


def test_a_method_with_the_docstring_of_python_is_left_out() -> None:
    def skipped(thing: object) -> object:
        return made_by("pages").skip_foreign(None, "class", "", thing, False, None)

    assert skipped(cydp.sensitivity.Sensitivity.from_float)
    assert skipped(cydp.BudgetLedger.create) is None
    assert skipped(cydp.sensitivity.Sensitivity.relation) is None


def test_what_makes_nothing_private_leads_to_no_proof() -> None:
    proofs = made_by("proofs")
    for thing in (cydp.value_counts, cydp.DiscreteLaplace, cydp.sensitivity.Sensitivity):
        assert "Why it is private" in proofs.links(thing)
    for thing in (cydp.exact.bincount, cydp.testing.SeededGenerator, cydp.teach.posterior):
        assert "rubric:: Read on" in proofs.links(thing)
    refusal = proofs.links(cydp.BudgetExceededError)
    assert "rubric:: Read on" in refusal
    assert "</reference/errors>" in refusal


def test_a_value_has_words_of_its_own_on_its_page() -> None:
    """Python's words for a dict or a union would tell nothing about it."""
    pages = made_by("pages")
    values = {
        (path, name): one
        for path, things in pages.public().items()
        for name, one in things.items()
        if not inspect.isroutine(one) and not inspect.isclass(one)
    }
    assert {f"{path}.{name}" for path, name in values} == set(pages.VALUES)
    for (path, name), one in values.items():
        assert pages.first_line(f"{path}.{name}", one) in pages.page_of(path, name, one)
    workloads = cydp.teach.utility.WORKLOADS
    page = pages.page_of("cydp.teach.utility", "WORKLOADS", workloads)
    assert [name for name in workloads if f"- ``{name!r}``: {workloads[name]}" not in page] == []


def test_docstrings_name_no_page_that_the_wheel_lacks() -> None:
    docstrings = [(one.name, inspect.getdoc(one.thing) or "") for one in public_api.EVERYTHING]
    docstrings += [(module.__name__, module.__doc__ or "") for module in public_api.MODULES]
    assert len(docstrings) > 700
    assert [name for name, text in docstrings if PAGE.search(text)] == []
