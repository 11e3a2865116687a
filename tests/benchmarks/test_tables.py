"""Tables say what the results do: losses bold, warnings first, missing rivals with their reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report import cells, tables
from report.aims import AIMS, BYTES, Aim
from report.load import Results, load
from report.pages import machine_page
from report.speed import SHOWN, speed_table
from rivals import RIVALS, Rival

from benchmarks import sample


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return load(sample.write(tmp_path, "m", sample.FOUND))


def changed(tmp_path: Path, **given: Any) -> Results:
    return load(sample.write(tmp_path, "changed", sample.results(**given)))


def cells_of(table: str, *beginning: str) -> list[str]:
    """The cells of the one line of a table that begins with these."""
    lines = [line.strip("| ").split(" | ") for line in table.splitlines()]
    (found,) = [line for line in lines if tuple(line[: len(beginning)]) == beginning]
    return found


def test_all_works_and_their_ways_are_shown(results: Results) -> None:
    text = tables.works_tables(results)
    assert text.index("### Noise") < text.index("### Sums")
    assert cells_of(text, "discrete Laplace, 10^6, scale 1")[1:] == [
        "800 us (160 us)", "cydp, fixed work", "1.12 ms (224 us)", "1.4 (1.26 to 1.54)",
    ]  # fmt: skip
    for record in results.records.values():
        for way in list(record.ways)[1:]:
            assert f"| {tables.called(way)} |" in text
    threads = cells_of(text, "two threads: discrete Laplace, 10^7, scale 10")
    assert threads[1::2] == ["8 ms (1.6 ms), CPU 16 ms", "15.2 ms (3.04 ms), CPU 30.4 ms"]
    assert text.count("CPU") == 2


def test_where_a_rival_is_faster_x_is_bold(results: Results, tmp_path: Path) -> None:
    text = tables.works_tables(results)
    faster = "| numpy, sum alone (not private) | 2.88 ms (576 us) | **0.96 (0.864 to 1.06)** |"
    assert faster in text
    assert text.count("**") == 2
    assert tables.losses(results) == [("clamped sum, 10^7 float64", "numpy, sum alone", 0.96)]
    loss = cells_of(tables.losses_table(results), "clamped sum, 10^7 float64")
    assert loss[1:3] == ["numpy, sum alone (not private)", "**0.96**"]
    assert "memory limits both" in loss[3]
    assert cells.ratio((0.5, 0.999, 2)) == "**0.999 (0.5 to 2)**"
    assert cells.ratio((0.5, 1.0, 2)) == "1 (0.5 to 2)"
    record = sample.record("a work", 1, {"cydp, fixed work": 0.5, "one thread": 0.5})
    ours = changed(tmp_path, records=[record])  # slower ways of our own are no losses
    assert tables.losses(ours) == []
    assert "**" not in tables.works_tables(ours)


def test_aims_say_what_was_asked_and_measured(results: Results) -> None:
    wheel = Aim("wheel", "", {"AVX-512": 850_000}, {}, BYTES, "bytes of it")
    text = tables.aims_table(results, aims=(*AIMS, wheel))
    laplace = cells_of(text, "discrete Laplace, 10^6, scale 1", "numpy (not private)")
    assert laplace[2:6] == ["20x", "28x", "21 (18.9 to 23.1)", "pass, below the aim"]
    assert laplace[6]  # why
    assert cells_of(text, "wheel")[2:6] == ["850 kB at most", "", "800 kB", "pass"]
    total = cells_of(text, "clamped sum, 10^7 float64", "numpy (not private)")
    assert (total[2], total[5]) == ("6x", "**gap**")
    assert "not measured" in text


def test_rivals_have_a_version_or_a_reason_and_say_whether_they_are_private(
    results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = tables.rivals_table(results)
    assert cells_of(text, "numpy")[2:] == ["no", "2.4.6"]
    assert cells_of(text, "OpenDP")[2:] == ["yes", "No matching distribution found for opendp"]
    assert cells_of(text, "polars")[3] == "not asked for"
    doubles = Rival("", "no from PCG64; in doubles from secure bits", (), "")
    monkeypatch.setitem(RIVALS, "jax_privacy", doubles)
    for way, said in {
        "numpy, exact": " (not private)", "OpenDP": "", "cydp, one thread": "",
        "jax_privacy's method, PCG64": " (not private)",
        "jax_privacy's method, OpenSSL": " (noise in doubles)",
    }.items():  # fmt: skip
        assert tables.called(way) == way + said


def test_a_bad_state_is_said_before_any_figure(tmp_path: Path, results: Results) -> None:
    assert "Warning" not in machine_page(results, []) + speed_table(results)
    busy = changed(tmp_path, state__warnings=["busy: other programs took 30% of all cores"])
    for text in (machine_page(busy, []), speed_table(busy)):
        warning = "> **Warning: busy: other programs took 30% of all cores.**"
        assert 0 <= text.index(warning) < text.index("|")


def test_the_short_table_has_the_best_rivals(results: Results) -> None:
    text = speed_table(results)
    assert cells_of(text, "10^6 discrete Laplace, scale 1")[1:4] == [
        "800 us", "numpy (not private) 16.8 ms", "21 (18.9 to 23.1)",
    ]  # fmt: skip
    assert "100 durable charges" in SHOWN
    assert "100 durable charges" not in text  # it was not measured


def test_how_figures_are_written() -> None:
    numbers = [0.0012345, 9.999, 999.4, 1000, 72345.0]
    assert list(map(cells.number, numbers)) == ["0.00123", "10", "999", "1,000", "72,000"]
    counts = [0.1, 2, 999, 10**9, 1024, 1500]
    assert list(map(cells.count, counts)) == ["0.1", "2", "999", "10^9", "2^10", "1,500"]
    assert cells.table(["a"], [["x | y"]]).splitlines()[2] == "| x / y |"
    assert cells.table(["a"], []) == ""
