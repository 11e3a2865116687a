"""Libraries that clash with others run in an environment and a process of their own."""

import atexit
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
ENVIRONMENTS = HERE.parent / ".benchmarks" / "environments"  # beside pytest-benchmark's files
RUNNING: list["subprocess.Popen[bytes]"] = []  # they end with this process


class UnavailableError(Exception):
    """Why a library cannot be measured here, for a person to read."""


class ForeignWay:
    """A way to an answer in another process, and the seconds that its last turn took there.

    `share` is how many of our calls one of its calls stands for: a slow library makes 3 calls where
    we make 300, and 100 times the seconds are kept.
    """

    def __init__(self, process: "Process", number: int) -> None:
        self._process = process
        self._number = number
        self.share = 1.0
        self.taken = 0.0, 0.0

    def __call__(self) -> Any:
        (wall, cpu), answer = self._process.ask("run", self._number)
        self.taken = wall * self.share, cpu * self.share
        return answer


class Process:
    """A Python of an environment of its own, which runs functions of one file in foreign/.

    It imports from the folders of `path` too; a module with an absolute path may lie elsewhere.
    """

    def __init__(self, python: Path, module: str | Path, path: tuple[Path, ...] = ()) -> None:
        self._process = subprocess.Popen(
            [python, Path(__file__).with_name("worker.py"), FOREIGN / module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(path),
        )
        RUNNING.append(self._process)
        atexit.register(self.end)
        try:
            self.ask("load")
        except RuntimeError as error:
            self.end()
            raise UnavailableError(f"it is installed, but: {last_line(str(error))}") from None

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

    def end(self) -> None:
        """Let it end: it does so when nobody can ask it any more."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def environment(path: tuple[Path, ...] = ()) -> dict[str, str]:
    """This process's variables, with `path` instead of the paths of its modules."""
    others = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
    return others | ({"PYTHONPATH": os.pathsep.join(map(str, path))} if path else {})


def python_with(requirements: tuple[str, ...]) -> Path:
    """Return the Python of an environment with these requirements, which is made if it is new."""
    name = hashlib.sha256("\n".join((sys.version, *requirements)).encode()).hexdigest()[:16]
    folder = ENVIRONMENTS / name
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    done = folder / "installed"
    if not (done.exists() and (scripts / "python").exists()):
        try:
            venv.create(folder, with_pip=True, clear=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise UnavailableError(f"no environment can be made: {error}") from None
        pip = [scripts / "python", "-m", "pip", "--disable-pip-version-check"]
        install = [*pip, "install", "--retries", "1", *requirements]
        found = subprocess.run(
            install, capture_output=True, text=True, check=False, env=environment()
        )
        if found.returncode:
            raise UnavailableError(reason(found.stderr))
        done.touch()
    return scripts / "python"


def reason(said: str) -> str:
    """Say why pip installed nothing, in a line."""
    if "connection broken" in said:
        return "pip reaches no package index"
    errors = [line for line in said.splitlines() if line.startswith("ERROR: ")]
    return "pip: " + (errors[-1].removeprefix("ERROR: ") if errors else last_line(said) or "failed")


def last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]


def started(requirements: tuple[str, ...], module: str) -> Callable[..., ForeignWay]:
    """Start the process that runs a file of foreign/, and return what prepares its ways."""
    return Process(python_with(requirements), module).way
