"""Another library that cannot be had is missing with a reason; one that fails says what failed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rivals
from harness import environments
from harness.environments import Process, UnavailableError, python_with


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path / "environments")
    monkeypatch.setattr(environments, "FOREIGN", tmp_path)
    monkeypatch.setattr(environments, "RUNNING", [])
    return tmp_path


@pytest.fixture
def made(here: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The environments that were made, empty."""
    folders: list[Path] = []

    def create(folder: Path, **_: Any) -> None:
        folders.append(folder)
        python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()

    monkeypatch.setattr(environments.venv, "create", create)
    return folders


def pip(monkeypatch: pytest.MonkeyPatch, code: int, said: str) -> None:
    def run(command: list[Any], **_: Any) -> Any:
        return subprocess.CompletedProcess(command, code, "", said)

    monkeypatch.setattr(environments.subprocess, "run", run)


def test_what_cannot_be_installed_is_missing_with_pips_reason(
    made: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is tried again, from an empty folder; what was installed is not."""
    for said, why in (
        ("WARNING: retrying\nERROR: first\nERROR: No matching\n", "pip: No matching"),
        ("something\nKilled\n", "pip: Killed"),
        ("WARNING: connection broken\nERROR: none\n", "pip reaches no package index"),
    ):
        pip(monkeypatch, 1, said)
        with pytest.raises(UnavailableError) as missing:
            python_with(("nothing==0",))
        assert str(missing.value) == why
    assert len(made) == 3
    pip(monkeypatch, 0, "")
    assert python_with(("a",)) == python_with(("a",)) != python_with(("b",))
    assert len(made) == 5


def test_a_rival_that_cannot_be_had_is_skipped_with_its_reason(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create(*_: Any, **__: Any) -> None:
        raise subprocess.CalledProcessError(1, ["ensurepip"])

    for name in ("PROCESSES", "SKIPPED"):
        monkeypatch.setattr(rivals, name, {})
    monkeypatch.setattr(environments.venv, "create", create)
    assert rivals.way("OpenDP", "laplace", 1, 10) is None
    assert "no environment can be made" in rivals.SKIPPED["OpenDP"]
    assert "no environment can be made" in rivals.versions()["OpenDP"]
    monkeypatch.setitem(sys.modules, "boost_histogram", None)
    assert rivals.boost_histogram([], 1, 0, 1) is None
    assert "boost_histogram" in rivals.SKIPPED["boost-histogram"]


FILE = """
def given():
    import given_there
    return lambda: given_there.value

def sum_to(n):
    print("what a library prints")
    return lambda: sum(range(n))

def broken():
    return lambda: 1 / 0
"""


def test_another_process_answers_and_says_what_it_took_and_what_failed(here: Path) -> None:
    file, elsewhere = here / "ways.py", here / "elsewhere"
    file.write_text(FILE)
    elsewhere.mkdir()
    (elsewhere / "given_there.py").write_text("value = 5")
    process = Process(Path(sys.executable), file, path=(elsewhere,))
    assert process.way("given")() == 5
    way = process.way("sum_to", 1000)
    assert way() == 499_500
    assert min(way.taken) >= 0
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        process.way("broken")()
    with pytest.raises(RuntimeError, match="nothing_of_this_name"):
        process.way("nothing_of_this_name")
    assert way() == 499_500  # after errors, too
    process.end()
    assert process._process.returncode == 0
    process.end()  # at exit, again
    with pytest.raises(ValueError, match="closed"):
        way()


def test_a_library_that_cannot_be_imported_is_missing_with_its_reason(here: Path) -> None:
    (here / "ways.py").write_text("import a_library_that_is_broken\n")
    with pytest.raises(UnavailableError, match=r"installed, but: .*a_library_that_is_broken"):
        Process(Path(sys.executable), "ways.py")
    assert [process.poll() for process in environments.RUNNING] == [0]
