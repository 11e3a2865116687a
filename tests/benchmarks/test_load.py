"""Files of results are read into types, and a format that is not known is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness.record import Record, Turn
from harness.results import FORMAT, Results
from report.load import load, load_all

from benchmarks import sample


def test_what_a_run_writes_is_what_is_read(tmp_path: Path) -> None:
    """By the code that writes it."""
    record = Record.of("a work", {"cydp": [Turn(1, 0.5, 0.5)], "numpy": [Turn(1, 2, 2)]}, moved=8)
    run = Results()
    run.add("a work", {"record": record, "said": "more"})
    run.add("growth", {"curve": {"work": "growth", "points": []}})
    run.watch.look()
    run.write(tmp_path / "here" / "results.json")
    found = load(tmp_path / "here")
    assert found.name == "here"
    assert found.records == {"a work": record}
    assert found.works() == {"a work", "growth"}
    assert found.notes["a work"]["said"] == "more"


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"there: format {FORMAT + 1}, not {FORMAT}"):
        load(sample.write(tmp_path, "there", sample.results(format=FORMAT + 1)))


def test_machines_come_before_kernels_that_were_chosen(tmp_path: Path) -> None:
    forced = sample.results(machine__forced={"CYDP_FORCE_ISA": "avx2"})
    for name, found in (("c", sample.FOUND), ("a", forced), ("b", sample.FOUND)):
        sample.write(tmp_path, name, found)
    assert [results.name for results in load_all(tmp_path)] == ["b", "c", "a"]
    assert load_all(tmp_path / "nothing") == []


@pytest.mark.parametrize(
    ("build", "kernels"),
    [
        (("avx512", "aes", "vaes512"), "AVX-512"),
        (("avx2", "aes", "vaes"), "AVX2"),
        (("avx2", "aes", "aesni"), "AES-NI"),
        (("avx512", "aes", "aesni"), "AES-NI"),
        (("avx2", "chacha20", "vaes"), "ChaCha20"),
        (("portable", "chacha20", "none"), "portable"),
        (("neon", "aes", "armv8"), "neon"),
    ],
)
def test_the_kind_of_kernels(tmp_path: Path, build: tuple[str, str, str], kernels: str) -> None:
    parts: dict[str, Any] = {
        f"machine__build__{name}": part
        for name, part in zip(("isa", "stream", "aes"), build, strict=True)
    }
    assert load(sample.write(tmp_path, "m", sample.results(**parts))).kernels == kernels


def test_warnings_are_those_of_the_machine(tmp_path: Path) -> None:
    busy = sample.results(state__warnings=["busy: 20%"])
    assert load(sample.write(tmp_path, "m", busy)).warnings == ["busy: 20%"]
    assert load(sample.write(tmp_path, "m", sample.FOUND)).warnings == []
