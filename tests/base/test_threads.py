"""csrc/base/parallel_for.c: the same values for any number of threads, and after trouble."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from generator.streams import Seeded, Stream, aes_is_long
from numpy.typing import NDArray

import cydp
from cydp import _threads as threads

N = threads.THREADS_FROM + 12345  # shared, and no whole number of parts or chunks
DISTRIBUTIONS = {  # one for each method
    "laplace": ["1/7", 1, 10, 2**20, 2**40],
    "gaussian": [2, 100, 2**20, 2**40],
    "bernoulli": ["1/3", 0],
}


def draw(
    rng: cydp.Generator, distribution: str, parameter: int | str, n: int
) -> NDArray[np.generic]:
    if distribution == "bernoulli":
        return rng.bernoulli(parameter, n)
    return getattr(rng, f"discrete_{distribution}")(parameter, n)


def test_any_number_of_threads_gives_the_same_values(
    seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    laws = [(name, parameter) for name, given in DISTRIBUTIONS.items() for parameter in given]
    for distribution, parameter in laws:
        drawn = []
        for number in (1, 2, 3, 8):
            monkeypatch.setattr(threads, "NUM_THREADS", number)
            rng = seeded(1, fixed_work=number == 3)
            drawn.append([draw(rng, distribution, parameter, n) for n in (N, 1000)])
        for others in drawn[1:]:
            for one, other in zip(drawn[0], others, strict=True):
                assert np.array_equal(one, other), (distribution, parameter)


def test_what_counts_as_large_changes_no_values(
    seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    """256 + 1 and 64 * 1024 + 1: the first value of a large call, and of a second part."""
    monkeypatch.setattr(threads, "NUM_THREADS", 3)
    sizes = (0, 1, 256, 257, 64 * 1024, 64 * 1024 + 1, 200_001)
    alone = [seeded(1).discrete_laplace(10, n) for n in sizes]
    monkeypatch.setattr(threads, "THREADS_FROM", 0)
    for n, values in zip(sizes, alone, strict=True):
        assert np.array_equal(seeded(1).discrete_laplace(10, n), values), n


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads in /proc")
def test_a_large_call_has_the_threads_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 3)
    over, most, until = threading.Event(), 0, time.monotonic() + 60

    def busy() -> None:
        out = np.empty(4 * N, np.int64)
        while not over.is_set():
            cydp.discrete_laplace(10, out=out)

    others = set(os.listdir("/proc/self/task"))  # some of which may end meanwhile
    caller = threading.Thread(target=busy)
    caller.start()
    while most < 3 and time.monotonic() < until:
        most = max(most, len(set(os.listdir("/proc/self/task")) - others))
    over.set()
    caller.join()
    assert most >= 3


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_an_interrupt_arrives_and_nothing_breaks(
    stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "NUM_THREADS", 3)
    g, out, drawn = cydp.Generator(stream=stream), np.empty(4 * N, np.int64), set[bytes]()
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for _ in range(5):
            with pytest.raises(KeyboardInterrupt):  # noqa: PT012
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                while True:
                    g.discrete_laplace(2**40, out=out)
            drawn.add(g.discrete_laplace(2**40, N).tobytes()[:64])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(drawn) == 5


CODE = """
import hashlib
from cydp import _threads as threads, testing
rng = testing.SeededGenerator(1, stream="{}")
drawn = rng.discrete_laplace(10, threads.THREADS_FROM + 12345)
print(threads.NUM_THREADS, hashlib.sha256(drawn.tobytes()).hexdigest())
"""


def with_environment(given: str, stream: Stream = "chacha20") -> subprocess.CompletedProcess[str]:
    code = CODE.format(stream)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=False, env=os.environ | {"CYDP_NUM_THREADS": given})  # fmt: skip


@aes_is_long
def test_the_environment_decides_how_many_but_not_what(stream: Stream) -> None:
    number, values = zip(
        *(with_environment(given, stream).stdout.split() for given in ("1", "3", "")), strict=True
    )
    assert number[:2] == ("1", "3")
    assert int(number[2]) >= 1
    assert len(set(values)) == 1


def test_a_bad_environment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    done = with_environment("1025")
    assert done.returncode != 0
    assert "CYDP_NUM_THREADS must be from 1 to 1024" in done.stderr
    for given in ("0", "-1", "two", "1.5", "1025", "9" * 5000):
        monkeypatch.setenv("CYDP_NUM_THREADS", given)
        with pytest.raises(ImportError, match="CYDP_NUM_THREADS must be from 1 to 1024"):
            threads._read_environment()
