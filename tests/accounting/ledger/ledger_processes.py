"""A ledger, and the processes that use it beside the one that runs the tests."""

import functools
import gc
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from cydp import BudgetLedger, PureDP
from cydp.accounting.ledger import (
    _blocks,
    _charge,
    _create,
    _entries,
    _formats,
    _ledger,
    _ledger_blocks,
    _ledger_charges,
    _ledger_results,
    _open_file,
    _path,
    _postgres_rows,
    _postgres_store,
    _serialize,
    _sqlite_rows,
    _store,
)

LEDGER_FILES = {
    module.__file__
    for module in (
        _blocks, _charge, _create, _entries, _formats, _ledger, _ledger_blocks,
        _ledger_charges, _ledger_results, _open_file, _path, _postgres_rows, _postgres_store,
        _serialize, _sqlite_rows, _store,
    )
}  # fmt: skip

# They only read, and have many lines.
ONLY_READ = {_path.check_place.__code__, _path._mounts.__code__}


def new(path: Path, budget: Any = None, **more: Any) -> BudgetLedger:
    return BudgetLedger.create(path, budget or PureDP(1), privacy_unit="person", **more)


def child(code: str, *arguments: str, before: tuple[str, ...] = ()) -> "subprocess.Popen[bytes]":
    """Start another Python, which `before` may start in turn."""
    start = "import sys, os\nfrom cydp import *\nfrom cydp.accounting import *\n"
    return subprocess.Popen(
        [*before, sys.executable, "-c", start + code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def forked(
    work: Callable[[], object], fork: Callable[[], int] = os.fork, seconds: int = 300
) -> int:
    """Run in a forked child, and return its process id; it exits with 0 if nothing was raised."""
    process = fork()
    if process == 0:
        code = 1
        try:
            gc.freeze()  # as tests/conftest.py does, which Python does not tell of a clone
            signal.alarm(seconds)  # a deadlock in the child is a failure, not a hang
            work()
            code = 0
        finally:
            os._exit(code)
    return process


def ended(process: int) -> int:
    """Wait for a child, and return its exit code, or the signal that killed it below 0."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def in_a_child(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in a forked child, which may leave locks taken that the whole process shares.

    What a trace function raises at the end of a with statement leaves the block without `__exit__`,
    as no interruption by a signal does.
    """

    @functools.wraps(test)
    def run(**arguments: Any) -> None:
        def work() -> None:
            try:
                test(**arguments)
            except BaseException:
                traceback.print_exc()
                raise

        assert ended(forked(work, seconds=3000)) == 0

    return run


def at_line(number: int, do: Callable[[], None], work: Callable[[], object]) -> None:
    """Do something before a line of the ledger's code is executed, counted from 1, while working.

    >>> at_line(1, lambda: print("first"), lambda: _blocks.retired_message("mon"))
    first
    """
    lines = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if frame.f_code.co_filename not in LEDGER_FILES or frame.f_code in ONLY_READ:
            return None
        if event == "line":
            lines += 1
            if lines == number:
                do()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
