"""_generator.py: bytes, seeds, copies and threads."""

import threading

import numpy as np
import pytest
from generator.streams import Stream

import cydp
from cydp.accounting import PrivacyFilter, PureDP
from cydp.testing import SeededGenerator


def test_bytes(stream: Stream) -> None:
    g = cydp.Generator(stream=stream)
    for n in [0, 1, 3, 4, 1024, 1025, 5000, 3 * 2**20 + 1]:
        assert type(g.bytes(n)) is bytes
        assert len(g.bytes(n)) == n
    counts = np.bincount(np.frombuffer(g.bytes(2**20), np.uint8), minlength=256)
    assert (np.abs(counts - 4096) < 8 * 64).all()  # 8 standard deviations


def test_a_generator_takes_no_seed() -> None:
    with pytest.raises(TypeError):
        cydp.Generator(1)  # type: ignore[call-arg]


def test_threads_share_a_generator(stream: Stream) -> None:
    """8 threads; draws of 16 bytes from one generator, none twice."""
    g, drawn = cydp.Generator(stream=stream), [b""] * 8

    def draw(i: int) -> None:
        drawn[i] = b"".join(g.bytes(16) for _ in range(2000)) + g.bytes(16 * 10**4)

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    words = np.frombuffer(b"".join(drawn), np.uint64).reshape(-1, 2)
    assert len(np.unique(words, axis=0)) == 8 * 12_000


def test_a_stream_may_be_named_by_a_string_of_numpy() -> None:
    for name in ("chacha20", cydp.Generator().stream):
        g = cydp.Generator(stream=np.str_(name))  # type: ignore[arg-type]
        assert g.stream == name
        assert type(g.stream) is str


def test_budgets_refuse_a_seed() -> None:
    """A person who knows the seed can subtract the noise."""
    budget = PrivacyFilter(PureDP(1))
    with pytest.raises(TypeError, match="seeded"):
        cydp.histogram([1], 2, (0, 1), epsilon=1, budget=budget, rng=SeededGenerator(1))
    assert budget.spent == PureDP(0)
