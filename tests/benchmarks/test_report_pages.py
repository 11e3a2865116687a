"""Pages are written where results are, marked parts are replaced, and a stale page is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from report import pages
from report.load import load_all

from benchmarks import sample

MARKED = "above\n<!-- made by benchmarks/report: {} -->\nold\n<!-- end -->\nbelow\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "README.md").write_text(MARKED.format("speed"))
    text = "\n".join(MARKED.format(name) for name in ("machines", "aims", "losses"))
    (tmp_path / "benchmarks" / "README.md").write_text(text)
    return tmp_path


def test_without_results_nothing_changes(root: Path) -> None:
    before = {page: page.read_text() for page in root.rglob("*.md")}
    assert pages.check(root) == pages.write(root) == []
    assert {page: page.read_text() for page in root.rglob("*.md")} == before


def test_pages_are_written_once(root: Path) -> None:
    sample.write(root, pages.MAIN, sample.FOUND)
    forced = sample.results(machine__forced={"CYDP_STREAM": "chacha20"}, state__warnings=["busy"])
    sample.write(root, "another", forced)
    (root / "benchmarks" / "results" / "another" / "growth_rows.png").touch()
    changed = pages.check(root)
    assert len(changed) == 4
    assert pages.write(root) == changed
    assert pages.check(root) == pages.write(root) == []
    readme = (root / "README.md").read_text()
    assert readme.startswith("above\n<!--")
    assert readme.endswith("<!-- end -->\nbelow\n")
    assert "old" not in readme
    assert "| 10^6 discrete Laplace, scale 1 | 800 us |" in readme
    machines = (root / "benchmarks" / "README.md").read_text()
    assert machines.index(pages.MAIN) < machines.index("[another]")
    assert "chosen by hand" in machines
    assert "**Warning: busy.**" in machines
    page = (root / "benchmarks" / "results" / "another" / "README.md").read_text()
    assert "![growth rows](growth_rows.png)" in page


def test_results_of_other_machines_leave_the_projects_pages_alone(root: Path) -> None:
    before = (root / "README.md").read_text()
    sample.write(root, "another", sample.FOUND)
    assert [page.parent.name for page in pages.write(root)] == ["another"]
    assert (root / "README.md").read_text() == before


def test_a_changed_figure_is_noticed(root: Path) -> None:
    page = sample.write(root, pages.MAIN, sample.FOUND) / "README.md"
    pages.write(root)
    page.write_text(page.read_text().replace("800 us", "700 us"))
    readme = root / "README.md"
    readme.write_text(readme.read_text().replace("**0.96 (", "0.96 (("))
    assert {*pages.check(root)} == {page, readme}


def test_a_broken_mark_raises_even_without_results(root: Path) -> None:
    (root / "README.md").write_text(MARKED.format("speed").replace("<!-- end -->", ""))
    with pytest.raises(ValueError, match="other half"):
        pages.check(root)


def test_all_parts_are_made(root: Path) -> None:
    sample.write(root, pages.MAIN, sample.FOUND)
    assert pages.parts(load_all(root)).keys() == {"speed", "machines", "aims", "losses"}
