"""csrc/samplers/prefetch.c from Python: arrays drawn ahead, each served once."""

import gc
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded, Stream
from samplers.children import from_child, needs_fork

import cydp
from cydp.testing import SeededGenerator

LARGE = 2**56  # two values are equal by chance with a probability of 2^-58
N = 3000  # values of an array that is drawn ahead
LAWS: list[tuple[str, dict[str, Any], str]] = [
    ("discrete_laplace", {"scale": LARGE}, "int64"),
    ("discrete_laplace", {"scale": "1/3"}, "int32"),
    ("discrete_gaussian", {"sigma": 10}, "int64"),
    ("discrete_gaussian", {"sigma2": 3}, "int32"),
    ("bernoulli", {"p": "1/3"}, "bool"),
]


@pytest.mark.parametrize(("law", "given", "dtype"), LAWS)
def test_the_arrays_are_those_of_calls(
    seeded: Seeded, law: str, given: dict[str, Any], dtype: str
) -> None:
    as_int32 = {"dtype": dtype} if dtype == "int32" else {}
    for size in (0, 1, 256, 257, N, (3, 0), (20, 50), ()):
        g, ahead = seeded(7), seeded(7, fixed_work="sigma" in given)
        with getattr(ahead, f"{law}_prefetch")(**given, size=size, **as_int32) as arrays:
            assert iter(arrays) is arrays
            for _ in range(3):
                array, drawn = next(arrays), np.empty(size, dtype)
                getattr(g, law)(**given, out=drawn)
                assert np.array_equal(array, drawn)
                assert array.shape == arrays.shape == drawn.shape
                assert array.dtype == arrays.dtype == drawn.dtype


def test_arrays_that_several_threads_draw(seeded: Seeded) -> None:
    n = 2**19
    g = seeded(3)
    with seeded(3).bernoulli_prefetch("1/3", n) as arrays:
        for _ in range(3):
            assert np.array_equal(next(arrays), g.bernoulli("1/3", n))


def test_an_array_of_the_caller_is_filled() -> None:
    g, again = SeededGenerator(5), SeededGenerator(5)
    arrays = g.discrete_laplace_prefetch(LARGE, (30, 100))
    out = np.empty((30, 100), np.int64)
    assert arrays.take(out=out) is out
    assert np.array_equal(out, again.discrete_laplace(LARGE, (30, 100)))
    wrong: list[tuple[Any, str]] = [
        (np.empty((30, 100), np.int32), "out must have dtype int64"),
        (np.empty(3000, np.int64), r"size must equal the shape of out, \(3000,\)"),
        (np.empty((30, 200), np.int64)[:, ::2], "out must be C-contiguous"),
        ([0] * 3000, "out must be a numpy array of int64, not list"),
    ]
    for bad, message in wrong:
        with pytest.raises((TypeError, ValueError), match=f"^{message}"):
            arrays.take(out=bad)
    assert np.array_equal(next(arrays), again.discrete_laplace(LARGE, (30, 100)))  # none was lost


def test_the_generator_and_the_sampler_are_kept() -> None:
    arrays = cydp.Generator().discrete_laplace_prefetch("199999999999999999/3", N)
    junk = [cydp.Generator().discrete_laplace(i + 1) for i in range(300)]  # the sampler is dropped
    assert len(junk) == 300
    values = np.concatenate([next(arrays) for _ in range(3)])
    assert len(np.unique(values)) == 3 * N


def test_a_closed_iterator_serves_nothing() -> None:
    for taken in (0, 1, 2):
        arrays = cydp.Generator().discrete_gaussian_prefetch(10, N)
        assert all(next(arrays).shape == (N,) for _ in range(taken))
        assert repr(arrays) == f"<cydp: an iterator of noise, int64 of shape ({N},)>"
        arrays.close()
        arrays.close()
        for _ in range(2):  # an end of the iteration would drop values in a zip
            with pytest.raises(ValueError, match=r"^this iterator of noise is closed$"):
                next(arrays)
        assert repr(arrays) == f"<cydp: an iterator of noise, int64 of shape ({N},), closed>"
    with cydp.Generator().bernoulli_prefetch("1/3", 5) as coins:
        next(coins)
    with pytest.raises(ValueError, match="closed"):
        coins.take()


def tasks() -> int:
    """How many threads this process has. One that was joined is listed until it has ended."""
    found = 0
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            flags = (task / "stat").read_text().rpartition(")")[2].split()[6]
            found += not int(flags) & 4  # PF_EXITING
    return found


def test_closing_and_deleting_end_the_thread() -> None:
    """Also in the middle of a long array: the next calls have nothing to wait for."""
    before = tasks() if sys.platform == "linux" else 0
    arrays = cydp.Generator().discrete_laplace_prefetch(1, 2 * 10**7, dtype=np.int32)
    arrays.close()
    deleted = cydp.Generator().discrete_laplace_prefetch(1, 2 * 10**7, dtype=np.int32)
    del deleted
    assert sys.platform != "linux" or tasks() <= before


def test_the_collector_frees_nothing_that_a_thread_reads() -> None:
    """A prefetch in a cycle; nothing else keeps its samplers."""

    class Host:
        def __init__(self, sigma: int, dtype: str) -> None:
            g = cydp.Generator()
            self.arrays = g.discrete_gaussian_prefetch(sigma, 10**5, dtype=dtype)
            self.behind = [self, self.arrays, self.arrays._arrays]

    for sigma, dtype in ((5000, "int64"), (5001, "int32")):
        host = Host(sigma, dtype)
        next(host.arrays)
        for other in range(300):  # more samplers than are kept
            cydp.discrete_gaussian(10 + other)
        del host
        gc.collect()


def test_closing_while_another_thread_takes() -> None:
    """It gets an array, or the error; nothing is drawn afterwards."""
    for _ in range(5):
        arrays = cydp.Generator().discrete_laplace_prefetch(1, N)
        errors: list[str] = []

        def take(arrays: Any = arrays, errors: list[str] = errors) -> None:
            try:
                while True:
                    next(arrays)
            except ValueError as error:
                errors.append(str(error))

        thread = threading.Thread(target=take)
        thread.start()
        arrays.close()
        thread.join()
        assert errors == ["this iterator of noise is closed"]


@needs_fork
def test_parent_and_child_share_no_array(stream: Stream) -> None:
    """Forks without handlers, and in the middle of draws, are in the tests of csrc."""
    arrays = cydp.Generator(stream=stream).discrete_laplace_prefetch(LARGE, N)
    seen = [*next(arrays)]
    for _ in range(3):
        threads, *values = from_child(
            lambda: [tasks() if sys.platform == "linux" else 1, *next(arrays)]
        )
        assert threads == 1
        seen += [*values, *next(arrays)]
    assert len(set(seen)) == len(seen) == 7 * N
