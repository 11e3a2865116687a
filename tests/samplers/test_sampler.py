"""csrc/samplers/sampler.c: seeded calls replayed in Python, from the key to the values.

It holds keys, nonces, planes, rounds and extension bits to what docs/samplers.md says of them.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded, Stream, needs_aes
from reference import from_bits, keystream
from samplers.replay import Map, Replay

from cydp import RandomizedResponse
from cydp.testing import SeededGenerator, category_offset_sampler

# Long enough that each has 10 undecided candidates or more, whose extension bits matter, and
# spans several chunks.
LARGE = [
    ("discrete_laplace", "1/7", 20_000),
    ("discrete_laplace", "5.5", 12_000),
    ("discrete_laplace", "1000", 8000),
    ("discrete_laplace", "1048576", 2100),
    ("discrete_laplace", str(2**40), 2100),
    ("discrete_gaussian", "7.9", 20_000),
    ("discrete_gaussian", "14.49", 12_000),
    ("discrete_gaussian", "14.5", 12_000),
    ("discrete_gaussian", "16", 12_000),
    ("discrete_gaussian", "20", 3000),
    ("discrete_gaussian", "24", 3000),
    ("discrete_gaussian", "1000", 3000),
    ("discrete_gaussian", str(2**20), 2300),
    ("discrete_gaussian", str(2**40), 2100),
    ("bernoulli", "1/3", 70_000),
]


@pytest.mark.parametrize(("name", "parameter", "n"), LARGE)
def test_large_calls(stream: Stream, seeded: Seeded, name: str, parameter: str, n: int) -> None:
    drawn = getattr(seeded(1), name)(parameter, n)
    replay = Replay(1, stream)
    assert drawn.tolist() == replay.draw(name, parameter, n)
    # Of 16, a chunk rejects more candidates than it has to spare.
    assert replay.rounds == (2 if parameter == "16" else 1)


MUTANTS: dict[str, tuple[Callable[[bytes, int], bytes], int]] = {
    "the call's key": (lambda key, _: key, 300),
    "one key for all chunks": (lambda key, _: keystream.chunk_key(key, 0), 2100),
    "the halves swapped": (lambda key, chunk: keystream.chunk_key(key, chunk ^ 1), 300),
    "the first keys again": (lambda key, chunk: keystream.chunk_key(key, chunk % 32), 66_000),
}


@needs_aes
@pytest.mark.parametrize("mutant", MUTANTS)
def test_other_keys_of_chunks_are_noticed(mutant: str) -> None:
    chunk_key, n = MUTANTS[mutant]
    drawn = SeededGenerator(1, stream="aes").bernoulli("1/3", n).tolist()
    assert drawn != Replay(1, "aes", chunk_key).draw("bernoulli", "1/3", n)
    assert drawn[:300] == Replay(1, "aes").draw("bernoulli", "1/3", 300)


def test_small_calls_across_refills(stream: Stream, seeded: Seeded) -> None:
    rng, replay = seeded(2), Replay(2, stream)
    calls = [
        (name, parameter, n)
        for n in (1, 256, 7, 255, 100, 256)
        for name, parameter, _ in LARGE
        for _ in range(1 if parameter != "1000" else 12)
    ]
    for name, parameter, n in calls:
        drawn = getattr(rng, name)(parameter, n)
        assert drawn.tolist() == replay.draw(name, parameter, n), (name, parameter, n)


def test_scalars_are_small_calls(stream: Stream, seeded: Seeded) -> None:
    rng, replay = seeded(3), Replay(3, stream)
    for name, parameter, _ in LARGE[:-1] * 3:
        assert [getattr(rng, name)(parameter)] == replay.draw(name, parameter, 1)


@pytest.mark.parametrize(
    ("name", "parameter"), [("discrete_laplace", "5.5"), ("discrete_gaussian", "7.9")]
)
def test_extension_bits_of_many_scalars(
    stream: Stream, seeded: Seeded, name: str, parameter: str
) -> None:
    """8,000 scalars, of which six or so are undecided: each has extension bits of its own."""
    rng, replay = seeded(5), Replay(5, stream)
    for _ in range(8000):
        assert [getattr(rng, name)(parameter)] == replay.draw(name, parameter, 1)


def test_calls_of_all_sizes_follow_each_other(stream: Stream, seeded: Seeded) -> None:
    rng, replay = seeded(4), Replay(4, stream)
    for n in (3, 257, 1, 300, 256, 1000):
        drawn = rng.discrete_gaussian(100, n)
        assert drawn.tolist() == replay.draw("discrete_gaussian", "100", n)


def respond(replay: Replay, w: Fraction, k: int, codes: list[int]) -> list[int]:
    """Reports by randomized response: two keys a call, of offsets and of uniform categories."""
    keys, drawn = [replay.call_key(), replay.call_key()], []
    for key, weight in zip(keys, [w, Fraction(1, k)], strict=True):
        sampler = category_offset_sampler(weight, k)
        of: Map = lambda words, _, one, __, w=weight: from_bits.category_offset(w, k, words, one)  # noqa: E731
        drawn.append(replay.chunks(key, of, sampler.layout, sampler.chunk, 0, len(codes)))
    return [
        (code + offset) % k if 0 <= code < k else other
        for code, offset, other in zip(codes, *drawn, strict=True)
    ]


@pytest.mark.parametrize(
    "k", [2, 3, 70, *(pytest.param(k, marks=pytest.mark.long) for k in (40, 300))]
)
def test_reports(stream: Stream, seeded: Seeded, k: int) -> None:
    rng, replay, m = seeded(6), Replay(6, stream), RandomizedResponse(epsilon=1, n_categories=k)
    w = (1 - m.p_truth) / (k - 1)
    for n in (1, 3, 256, 257, 2049, 9000 if k < 50 else 2100):  # a chunk is 2,048
        codes = [i * i % (k + 1) for i in range(n)]
        released = m.release(np.array(codes, np.int16), rng=rng).tolist()
        assert released == respond(replay, w, k, codes)
    assert rng.discrete_laplace(10) == replay.draw("discrete_laplace", "10", 1)[0]
