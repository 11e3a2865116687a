"""Values that a forked child draws."""

import os
import signal
import warnings
from collections.abc import Callable, Iterable

import numpy as np
import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def from_child(draw: Callable[[], Iterable[int]]) -> list[int]:
    """Return what a child draws."""
    read, write = os.pipe()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        pid = os.fork()  # beside threads
    if pid == 0:
        signal.alarm(30)  # a deadlock in the child is a failure, not a hang
        os.write(write, np.array(list(draw()), np.int64).tobytes())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as pipe:
        values = np.frombuffer(pipe.read(), np.int64)
    assert os.waitpid(pid, 0) == (pid, 0)
    return [int(value) for value in values]
