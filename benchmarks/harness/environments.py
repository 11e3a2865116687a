"""Libraries with requirements that clash run in an environment and a process of their own."""

import hashlib
import os
import pickle
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
FOREIGN = HERE / "foreign"
RUNNING: list["subprocess.Popen[bytes]"] = []  # they end with this process


class UnavailableError(Exception):
    """Why a library cannot be measured here, for a person to read."""


class ForeignWay:
    """A way to an answer in another process, and the seconds that its last turn took there."""

    def __init__(self, process: "Process", number: int) -> None:
        self._process = process
        self._number = number
        self.taken = 0.0, 0.0

    def __call__(self) -> Any:
        self.taken, answer = self._process.ask("run", self._number)
        return answer


class Process:
    """A Python of an environment of its own, which runs functions of one file in foreign/."""

    def __init__(self, python: Path, module: str) -> None:
        self._process = subprocess.Popen(
            [python, Path(__file__).with_name("worker.py"), FOREIGN / module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={name: os.environ[name] for name in os.environ if name != "PYTHONPATH"},
        )
        RUNNING.append(self._process)

    def way(self, function: str, *arguments: Any) -> ForeignWay:
        """Call a function there, which returns the way; only the way's calls are timed."""
        return ForeignWay(self, self.ask("prepare", function, arguments))

    def ask(self, *question: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(question, self._process.stdin, protocol=5)
        self._process.stdin.flush()
        try:
            failed, answer = pickle.load(self._process.stdout)
        except EOFError:
            raise RuntimeError("the process of another library has ended") from None
        if failed:
            raise RuntimeError(answer)
        return answer


def python_with(requirements: tuple[str, ...]) -> Path:
    """Return the Python of an environment with these requirements, which is made if it is new."""
    name = hashlib.sha256("\n".join((sys.version, *requirements)).encode()).hexdigest()[:16]
    folder = HERE / ".environments" / name
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    done = folder / "installed"
    if not done.exists():
        venv.create(folder, with_pip=True, clear=True)
        install = [scripts / "python", "-m", "pip", "install", "--quiet", *requirements]
        found = subprocess.run(install, capture_output=True, text=True, check=False)
        if found.returncode:
            said = [line for line in found.stderr.splitlines() if "ERROR" in line]
            raise UnavailableError((said or ["pip failed"])[-1].removeprefix("ERROR: "))
        done.touch()
    return scripts / "python"


def started(requirements: tuple[str, ...], module: str) -> Callable[..., ForeignWay]:
    """Start the process that runs a file of foreign/, and return what prepares its ways."""
    return Process(python_with(requirements), module).way
