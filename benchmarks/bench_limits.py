"""What this machine can give: bytes of memory and of keystream in a second.

The roofline (`report/roofline.py`) divides by them. Memory is read, written and copied by numpy's
loops, whose speed is that of the memory: a maximum, a fill and a copy of int64. 8 MB stay in the
cache of most machines, and are passed over many times; 80 and 160 MB do not. A copy reads one half
of them and writes the other. Each thread has a part of its own.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import pytest
from harness import in_turn, sizes
from numpy.typing import NDArray

import cydp

MEGABYTES = {8: 32, 80: 1, 160: 1}  # and how often one call passes over them
BLOCK, BLOCKS = 2**18, 32  # bytes; a block stays in the cache, in memory that was used before


def read(part: NDArray[np.int64]) -> Any:
    return part.max()


def write(part: NDArray[np.int64]) -> Any:
    part.fill(7)
    return 7


def copy(part: NDArray[np.int64]) -> Any:
    half = len(part) // 2
    np.copyto(part[half : 2 * half], part[:half])
    return 7


def write_new(part: NDArray[np.int64]) -> Any:
    """As an array that is made for an answer: the system gives each page as it is touched."""
    return int(np.full(len(part), 7)[-1])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("megabytes", MEGABYTES)
@pytest.mark.parametrize("way", [read, write, copy])
def bench_memory(benchmark: Any, way: Callable[..., Any], megabytes: int, threads: int) -> None:
    passes = MEGABYTES[megabytes]
    benchmark.group = f"limit: {way.__name__} {megabytes} MB, {threads} thread{'s'[: threads - 1]}"
    measure(benchmark, way, megabytes, passes, threads)


@pytest.mark.parametrize("threads", [1, 2])
def bench_new_pages(benchmark: Any, threads: int) -> None:
    benchmark.group = f"limit: write new pages, 80 MB, {threads} thread{'s'[: threads - 1]}"
    measure(benchmark, write_new, 80, 1, threads)


def measure(
    benchmark: Any, way: Callable[..., Any], megabytes: int, passes: int, threads: int
) -> None:
    data = np.full(sizes.size(megabytes * 10**6 // 8), 7)  # zeros might be one page of the system
    if way is copy:
        data[len(data) // 2 :] = 0
    parts = np.array_split(data, threads)

    def pass_over(part: NDArray[np.int64]) -> Any:
        for _ in range(passes):
            answer = way(part)
        return answer

    with ThreadPoolExecutor(threads) as pool:
        call = (lambda: list(map(pass_over, parts))) if threads == 1 else (
            lambda: list(pool.map(pass_over, parts))
        )  # fmt: skip
        answers = in_turn.measure(
            benchmark, {"numpy": call}, rounds=15, per=passes, moved=data.nbytes * passes,
            threads=threads,
        )  # fmt: skip
    assert answers["numpy"] == [7] * threads
    if threads == 1:
        assert np.all(data == 7)


@pytest.mark.parametrize("stream", ["aes", "chacha20"])
def bench_keystream(benchmark: Any, stream: Literal["aes", "chacha20"]) -> None:
    benchmark.group = f"limit: keystream {stream}, 8 MB, 1 thread"
    if stream == "aes" and cydp.build.build_info()["aes"] == "none":
        pytest.skip("the kernels in use have no AES")
    g = cydp.Generator(stream=stream)

    def draw() -> bytes:
        for _ in range(BLOCKS):
            block = g.bytes(BLOCK)
        return block

    block = in_turn.measure(benchmark, {"cydp": draw}, keystream=BLOCK * BLOCKS)["cydp"]
    counts = np.bincount(np.frombuffer(block, np.uint8), minlength=256)
    assert abs(counts / (BLOCK / 256) - 1).max() < 8 / (BLOCK / 256) ** 0.5
