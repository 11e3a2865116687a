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
    pip(monkeypatch, 1, "WARNING: retrying\nERROR: first\nERROR: No matching distribution found\n")
    with pytest.raises(UnavailableError, match=r"^pip: No matching distribution found$"):
        python_with(("nothing==0",))
    with pytest.raises(UnavailableError):  # it is tried again, from an empty folder
        python_with(("nothing==0",))
    assert len(made) == 2


def test_a_pip_without_an_error_is_quoted(
    made: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pip(monkeypatch, 2, "something\nKilled\n")
    with pytest.raises(UnavailableError, match=r"^pip: Killed$"):
        python_with(("nothing==0",))


def test_no_network_is_a_reason(made: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    pip(monkeypatch, 1, "WARNING: connection broken by NewConnectionError\nERROR: no version\n")
    with pytest.raises(UnavailableError, match=r"^pip reaches no package index$"):
        python_with(("nothing==0",))


def test_a_python_without_venv_is_a_reason(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def create(*_: Any, **__: Any) -> None:
        raise subprocess.CalledProcessError(1, ["ensurepip"])

    monkeypatch.setattr(environments.venv, "create", create)
    with pytest.raises(UnavailableError, match="no environment can be made"):
        python_with(("nothing==0",))


def test_an_environment_is_made_once_for_its_requirements(
    made: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pip(monkeypatch, 0, "")
    assert python_with(("a",)) == python_with(("a",))
    assert python_with(("a",)) != python_with(("b",))
    assert len(made) == 2


@pytest.mark.long
def test_pip_itself_refuses_a_requirement_that_is_nowhere(here: Path) -> None:
    """Without a network: the only place to look is an empty folder."""
    nowhere = ("--no-index", "--find-links", str(here), "cydp-has-no-such-requirement")
    with pytest.raises(UnavailableError, match="cydp-has-no-such-requirement"):
        python_with(nowhere)


def test_a_rival_that_cannot_be_installed_is_skipped_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def started(*_: Any) -> Any:
        raise UnavailableError("no such version")

    monkeypatch.setattr(rivals, "started", started)
    monkeypatch.setattr(rivals, "PROCESSES", {})
    monkeypatch.setattr(rivals, "SKIPPED", {})
    assert rivals.way("OpenDP", "laplace", 1, 10) is None
    assert rivals.SKIPPED == {"OpenDP": "no such version"}
    assert "no such version" in rivals.versions()["OpenDP"]


def test_a_rival_that_is_not_installed_here_is_skipped_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rivals, "SKIPPED", {})
    monkeypatch.setitem(sys.modules, "boost_histogram", None)
    assert rivals.boost_histogram([], 1, 0, 1) is None
    assert "boost_histogram" in rivals.SKIPPED["boost-histogram"]


FILE = """
def version():
    return lambda: "1.2"

def sum_to(n):
    print("what a library prints")
    return lambda: sum(range(n))

def broken():
    return lambda: 1 / 0
"""


def test_another_process_imports_from_the_folders_that_it_is_given(here: Path) -> None:
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "given_there.py").write_text("value = 5")
    file = here / "ways.py"
    file.write_text("def value():\n    import given_there\n    return lambda: given_there.value\n")
    assert Process(Path(sys.executable), file, path=(elsewhere,)).way("value")() == 5
    with pytest.raises(RuntimeError, match="given_there"):
        Process(Path(sys.executable), file).way("value")


def test_another_process_answers_and_says_what_it_took(here: Path) -> None:
    (here / "ways.py").write_text(FILE)
    process = Process(Path(sys.executable), "ways.py")
    way = process.way("sum_to", 1000)
    assert way() == 499_500
    wall, cpu = way.taken
    assert wall > 0
    assert cpu >= 0
    assert process.way("version")() == "1.2"
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
    with pytest.raises(
        UnavailableError, match=r"^it is installed, but: .*a_library_that_is_broken"
    ):
        Process(Path(sys.executable), "ways.py")
    assert [process.poll() for process in environments.RUNNING] == [0]


def test_a_call_may_stand_for_many(here: Path) -> None:
    (here / "ways.py").write_text(FILE)
    process = Process(Path(sys.executable), "ways.py")
    way = process.way("sum_to", 10)
    way()
    once = way.taken
    way.share = 10**6
    way()
    assert way.taken[0] > 100 * once[0]
    process.end()
