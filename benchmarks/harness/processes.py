"""Runs code in a new Python process, which has memory and modules of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.environments import ForeignWay

START = """
__file__ = "-c"  # DuckDB takes a program without it for an interactive one, and prints its progress
import json, sys
from time import perf_counter, process_time

def peak():
    "The most memory so far, in bytes; getrusage would tell the parent's."
    try:
        with open("/proc/self/status") as status:
            return next(1024 * int(line.split()[1]) for line in status if line[:5] == "VmHWM")
    except OSError:
        return None

def answer(**found):
    print(json.dumps(found))
"""

ONE_THREAD = {"CYDP_NUM_THREADS": "1"}


def run(
    code: str,
    *arguments: Any,
    python: Path | str = sys.executable,
    variables: Mapping[str, str] = ONE_THREAD,
) -> Any:
    """Return what the code gives to its function `answer`, by name.

    The process has these variables besides the ones here: unless others are given, one thread
    computes.
    """
    done = subprocess.run(
        [python, "-c", START + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **variables},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


class NewProcess(ForeignWay):
    """A way whose code answers with the `wall` and `cpu` seconds of what is measured."""

    def __init__(self, code: str, *arguments: Any, python: Path | str = sys.executable) -> None:
        self._code, self._arguments, self._python = code, arguments, python
        self.taken = 0.0, 0.0

    def __call__(self) -> Any:
        found = run(self._code, *self._arguments, python=self._python)
        self.taken = found.pop("wall"), found.pop("cpu")
        return found
