"""No noise twice: fork, fork beside threads, clone without handlers, spawn."""

import ctypes
import multiprocessing
import os
import platform
import signal
import sys
import threading
from collections.abc import Callable

import pytest
from accounting.ledger.ledger_processes import ended, forked
from generator.pool_noise import noise
from generator.streams import Stream

import cydp

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    # Python 3.12 and later warn of fork in a process with threads, which is what is tested.
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

CLONE = {"x86_64": 56, "aarch64": 220}  # numbers of the system call


@pytest.fixture
def g(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> cydp.Generator:
    """A generator of the stream; this thread's default one, and children's, are then of it too."""
    monkeypatch.setenv("CYDP_STREAM", stream)
    monkeypatch.setattr(cydp._default_generator._thread, "generator", cydp.Generator(stream=stream))
    return cydp.Generator(stream=stream)


def draw(g: cydp.Generator) -> bytes:
    """Bytes of a generator and of this thread's default one, and noise that is never equal."""
    noise = cydp.discrete_laplace(2**40, 2).tobytes()
    return g.bytes(16) + cydp._default_generator.default_generator().bytes(16) + noise


def from_children(fork: Callable[[], int], g: cydp.Generator) -> list[bytes]:
    """Draws of four children."""
    read, write = os.pipe()
    for _ in range(4):
        pid = fork()
        if pid == 0:
            signal.alarm(30)  # a deadlock in the child is a failure, not a hang
            os.write(write, draw(g))
            os._exit(0)
        os.waitpid(pid, 0)
    os.close(write)
    with open(read, "rb") as pipe:
        drawn = pipe.read()
    return [drawn[i : i + 48] for i in range(0, len(drawn), 48)]


def all_differ(draws: list[bytes], expected: int) -> None:
    assert len(draws) == expected
    for part in (slice(0, 16), slice(16, 32), slice(32, 48)):
        assert len({one[part] for one in draws}) == expected


def test_fork(g: cydp.Generator) -> None:
    first = draw(g)
    all_differ([first, *from_children(os.fork, g), draw(g)], 6)


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in CLONE, reason="a Linux system call"
)
def test_clone_without_handlers(g: cydp.Generator) -> None:
    """From a process of one thread.

    If another thread has asked for the GIL, a clone hands it over, and waits for that thread, which
    it does not have.
    """
    libc = ctypes.PyDLL(None)  # keeps the GIL, which the child must hold

    def clone() -> int:
        return int(libc.syscall(CLONE[platform.machine()], signal.SIGCHLD, 0, 0, 0, 0))

    def work() -> None:
        first = draw(g)
        all_differ([first, *from_children(clone, g), draw(g)], 6)

    assert ended(forked(work)) == 0


def test_fork_while_threads_draw(g: cydp.Generator) -> None:
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            g.discrete_laplace(1, 100)

    threads = [threading.Thread(target=busy) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        draws = [one for _ in range(3) for one in from_children(os.fork, g)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    all_differ(draws, 12)


def test_fork_while_threads_share_large_calls(
    g: cydp.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cydp._threads, "NUM_THREADS", 3)
    stop = threading.Event()
    n = cydp._threads.THREADS_FROM + 1

    def busy() -> None:
        while not stop.is_set():
            g.discrete_laplace(1, n)

    def fork() -> int:
        pid = os.fork()
        if pid == 0:
            g.discrete_laplace(2, n)  # the child has threads of its own
        return pid

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        draws = [one for _ in range(2) for one in from_children(fork, g)]
    finally:
        stop.set()
        thread.join()
    all_differ(draws, 8)


def test_fork_in_a_thread(g: cydp.Generator) -> None:
    draws = list[bytes]()
    draws.append(draw(g))
    thread = threading.Thread(target=lambda: draws.extend(from_children(os.fork, g)))
    thread.start()
    thread.join()
    all_differ([*draws, draw(g)], 6)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.usefixtures("g")
def test_multiprocessing(method: str) -> None:
    noise(0)  # the parent's default generator exists before the pool
    with multiprocessing.get_context(method).Pool(3) as pool:
        draws = pool.map(noise, range(50), chunksize=1)
    assert len(set(draws)) == 50
