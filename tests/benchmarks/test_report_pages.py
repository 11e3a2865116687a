"""Results are read, pages are written beside them, and a stale or broken page is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.record import Record, Turn
from harness.results import FORMAT, Results
from report import pages
from report.documents import filled, marked
from report.load import load, load_all

from benchmarks import sample

MARKED = "above\n<!-- made by benchmarks/report: {} -->\nold\n<!-- end -->\nbelow\n"
PAGE = MARKED.format("speed") + MARKED.format("two-words")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "README.md").write_text(MARKED.format("speed"))
    text = "\n".join(MARKED.format(name) for name in ("machines", "aims", "losses"))
    (tmp_path / "benchmarks" / "README.md").write_text(text)
    return tmp_path


def test_what_a_run_writes_is_what_is_read(tmp_path: Path) -> None:
    """By the code that writes it; of another format it is refused."""
    record = Record.of("a work", {"cydp": [Turn(1, 0.5, 0.5)], "numpy": [Turn(1, 2, 2)]}, moved=8)
    run = Results()
    run.add("a work", {"record": record, "said": "more"})
    run.add("growth", {"curve": {"work": "growth", "points": []}})
    run.watch.look()
    run.write(tmp_path / "here" / "results.json")
    found = load(tmp_path / "here")
    assert (found.name, found.records) == ("here", {"a work": record})
    assert found.works() == {"a work", "growth"}
    assert found.notes["a work"]["said"] == "more"
    with pytest.raises(ValueError, match=f"there: format {FORMAT + 1}, not {FORMAT}"):
        load(sample.write(tmp_path, "there", sample.results(format=FORMAT + 1)))


def test_machines_come_before_kernels_that_were_chosen(tmp_path: Path) -> None:
    forced = sample.results(machine__forced={"CYDP_FORCE_ISA": "avx2"}, state__warnings=["busy"])
    for name, found in (("c", sample.FOUND), ("a", forced), ("b", sample.FOUND)):
        sample.write(tmp_path, name, found)
    read = load_all(tmp_path)
    assert [(each.name, each.warnings) for each in read] == [("b", []), ("c", []), ("a", ["busy"])]
    assert load_all(tmp_path / "nothing") == []


def test_the_kind_of_kernels(tmp_path: Path) -> None:
    for (isa, stream, aes), kernels in {
        ("avx512", "aes", "vaes512"): "AVX-512",
        ("avx2", "aes", "vaes"): "AVX2",
        ("avx512", "aes", "aesni"): "AES-NI",
        ("avx2", "chacha20", "vaes"): "ChaCha20",
        ("portable", "chacha20", "none"): "portable",
        ("neon", "aes", "armv8"): "neon",
    }.items():
        found = sample.results(
            machine__build__isa=isa, machine__build__stream=stream, machine__build__aes=aes
        )
        assert load(sample.write(tmp_path, "m", found)).kernels == kernels


def test_parts_are_found_and_replaced_and_nothing_else() -> None:
    assert marked(PAGE) == {"speed": "old\n", "two-words": "old\n"}
    parts = {"speed": "| new |\n\n", "two-words": r"\1 & \g<name>", "other": "not here"}
    expected = PAGE.replace("old", "| new |", 1).replace("old", r"\1 & \g<name>")
    assert filled(PAGE, parts) == filled(expected, parts) == expected
    assert filled("text\n", {"speed": "new"}) == "text\n"
    for page, says in (
        (PAGE.replace("<!-- end -->", "", 1), "other half"),
        (PAGE + "<!-- end -->", "other half"),
        (PAGE.replace("speed -->", "speed-->"), "other half"),
        (PAGE.replace("report: speed", "report:"), "other half"),
        (PAGE.replace("two-words", "speed"), "marked twice: speed"),
        (PAGE.replace("two-words", "more"), "nothing makes the part more"),
    ):
        with pytest.raises(ValueError, match=says):
            filled(page, parts)


def test_without_results_nothing_changes_and_a_broken_mark_raises(root: Path) -> None:
    before = {page: page.read_text() for page in root.rglob("*.md")}
    assert pages.check(root) == pages.write(root) == []
    assert {page: page.read_text() for page in root.rglob("*.md")} == before
    (root / "README.md").write_text(MARKED.format("speed").replace("<!-- end -->", ""))
    with pytest.raises(ValueError, match="other half"):
        pages.check(root)


def test_pages_are_written_once_and_a_changed_figure_is_noticed(root: Path) -> None:
    own = sample.write(root, pages.MAIN, sample.FOUND) / "README.md"
    forced = sample.results(machine__forced={"CYDP_STREAM": "chacha20"}, state__warnings=["busy"])
    another = sample.write(root, "another", forced)
    (another / "growth_rows.png").touch()
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
    assert "![growth rows](growth_rows.png)" in (another / "README.md").read_text()
    own.write_text(own.read_text().replace("800 us", "700 us"))
    (root / "README.md").write_text(readme.replace("800 us", "700 us"))
    assert {*pages.check(root)} == {own, root / "README.md"}


def test_results_of_other_machines_leave_the_projects_pages_alone(root: Path) -> None:
    before = (root / "README.md").read_text()
    sample.write(root, "another", sample.FOUND)
    assert [page.parent.name for page in pages.write(root)] == ["another"]
    assert (root / "README.md").read_text() == before
