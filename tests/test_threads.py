"""threads.py: the same values for any number, and errors that arrive."""

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from cydp import threads
from cydp.testing import SeededGenerator

N = 2**20 + 12345  # more than SHARED_ABOVE, and no whole number of chunks


def draws() -> dict[str, Any]:
    rng = SeededGenerator(1)
    return {
        "laplace 1": rng.discrete_laplace(1, N),
        "laplace 10": rng.discrete_laplace(10, N),
        "laplace 2^40": rng.discrete_laplace(2**40, N),
        "gaussian 2": rng.discrete_gaussian(2, N),
        "gaussian 100": rng.discrete_gaussian(100, N),
        "bernoulli": rng.bernoulli("1/3", N),
        "small": rng.discrete_laplace(10, 1000),
    }


@pytest.mark.parametrize("number", [2, 3, 16])
def test_any_number_of_threads_gives_the_same_values(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 1)
    alone = draws()
    monkeypatch.setattr(threads, "NUM_THREADS", number)
    for name, drawn in draws().items():
        assert np.array_equal(drawn, alone[name]), name


def test_each_task_runs_once_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 4)
    together, seen = threading.Barrier(4, timeout=30), list[tuple[int, int]]()

    def task(i: int) -> None:
        if i < 4:
            together.wait()  # passes only if four threads are here
        seen.append((i, threading.get_ident()))

    threads.share(task, 100)
    assert sorted(i for i, _ in seen) == list(range(100))
    assert len({thread for _, thread in seen}) == 4


def test_an_error_arrives_and_stops_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 2)
    seen: list[int] = []

    def task(i: int) -> None:
        seen.append(i)
        raise OSError("no random bytes")

    with pytest.raises(OSError, match="no random bytes"):
        threads.share(task, 1000)
    assert len(seen) <= 2


def test_no_thread_outlives_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 8)
    SeededGenerator(1).discrete_laplace(1, N)
    assert not [thread for thread in threading.enumerate() if thread.name == "cydp"]


def number_of_threads(given: str) -> subprocess.CompletedProcess[str]:
    code = "from cydp import threads; print(threads.NUM_THREADS)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=False, env=os.environ | {"CYDP_NUM_THREADS": given})  # fmt: skip


def test_the_environment_decides() -> None:
    assert number_of_threads("3").stdout == "3\n"
    assert int(number_of_threads("").stdout) >= 1


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5", "1025", "9" * 5000])
def test_a_bad_environment_is_refused(given: str) -> None:
    done = number_of_threads(given)
    assert done.returncode != 0
    assert "CYDP_NUM_THREADS must be from 1 to 1024" in done.stderr
