"""_generator.py: bytes, seeds, copies and threads."""

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest
from generator.streams import Stream

import cydp
from cydp.testing import SeededGenerator


def test_bytes(stream: Stream) -> None:
    g = cydp.Generator(stream=stream)
    for n in [0, 1, 3, 4, 1024, 1025, 5000, 3 * 2**20 + 1]:
        assert type(g.bytes(n)) is bytes
        assert len(g.bytes(n)) == n
    counts = np.bincount(np.frombuffer(g.bytes(2**20), np.uint8), minlength=256)
    assert (np.abs(counts - 4096) < 8 * 64).all()  # 8 standard deviations
    for bad, error in [(-1, ValueError), (1.5, TypeError), (True, TypeError), (None, TypeError),
                       (2**63, ValueError)]:  # fmt: skip
        with pytest.raises(error, match="n must"):
            g.bytes(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [cydp.Generator, lambda: SeededGenerator(1)])
@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_generators_are_not_copied(make: Any, copied: Any) -> None:
    with pytest.raises(TypeError, match="noise would repeat"):
        copied(make())
    with pytest.raises(TypeError, match="cannot be pickled"):
        copied(make()._stream)


def test_a_generator_takes_no_seed() -> None:
    with pytest.raises(TypeError):
        cydp.Generator(1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("seed", "error"),
    [(-1, ValueError), (2**256, ValueError), (1.0, TypeError), ("1", TypeError), (True, TypeError)],
)
def test_bad_seeds(seed: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="seed must"):
        SeededGenerator(seed)


def test_threads_share_a_generator(stream: Stream) -> None:
    """16 threads; draws of 16 bytes from one generator, none twice."""
    g, drawn = cydp.Generator(stream=stream), [b""] * 16

    def draw(i: int) -> None:
        drawn[i] = b"".join(g.bytes(16) for _ in range(20_000)) + g.bytes(16 * 10**5)

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    words = np.frombuffer(b"".join(drawn), np.uint64).reshape(-1, 2)
    assert len(np.unique(words, axis=0)) == 16 * 120_000


def test_threads_have_default_generators_of_their_own() -> None:
    drawn: list[bytes] = []

    def draw() -> None:
        drawn.append(cydp._default_generator.default_generator().bytes(16))

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 8


def test_a_stream_may_be_named_by_a_string_of_numpy() -> None:
    for name in ("chacha20", cydp.Generator().stream):
        g = cydp.Generator(stream=np.str_(name))  # type: ignore[arg-type]
        assert g.stream == name
        assert type(g.stream) is str
    with pytest.raises(ValueError, match="must be 'aes' or 'chacha20', not 'rc4'"):
        cydp.Generator(stream=np.str_("rc4"))  # type: ignore[arg-type]
