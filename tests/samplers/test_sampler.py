"""csrc/samplers/sampler.c: seeded calls replayed in Python, from the key to the values.

It holds keys, nonces, planes, rounds and extension bits to what docs/samplers.md says of them.
"""

from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded, Stream, needs_aes
from samplers.replay import Law, Replay

from cydp import RandomizedResponse
from cydp.testing import SeededGenerator, category_offset_sampler

# Long enough that most have undecided candidates, with extension bits that matter, and span several
# chunks. Of the Gaussian with sigma 16, a chunk rejects more candidates than it has to spare.
LARGE = [
    ("discrete_laplace", "1/7", 6000),
    ("discrete_laplace", "5.5", 6000),
    ("discrete_laplace", "1000", 8000),
    ("discrete_laplace", "1048576", 2100),
    ("discrete_laplace", str(2**40), 2100),
    ("discrete_gaussian", "7.9", 6000),
    ("discrete_gaussian", "14.49", 6000),
    ("discrete_gaussian", "14.5", 3000),
    ("discrete_gaussian", "16", 12_000),
    ("discrete_gaussian", "20", 3000),
    ("discrete_gaussian", "24", 3000),
    ("discrete_gaussian", "1000", 3000),
    ("discrete_gaussian", str(2**20), 2300),
    ("discrete_gaussian", str(2**40), 2100),
    ("bernoulli", "1/3", 3000),
]


def test_large_calls(stream: Stream, seeded: Seeded) -> None:
    wrong = []
    for name, parameter, n in LARGE:
        replay = Replay(1, stream)
        drawn = getattr(seeded(1), name)(parameter, n).tolist()
        rounds = 2 if parameter == "16" else 1
        if (drawn, rounds) != (replay.draw(name, parameter, n), replay.rounds):
            wrong.append((name, parameter))
    assert wrong == []


@needs_aes
def test_keys_of_66_chunks() -> None:
    """Some keys are drawn together: keys of later chunks are no earlier ones."""
    drawn = SeededGenerator(1, stream="aes").bernoulli("1/3", 66_000).tolist()
    assert drawn == Replay(1, "aes").draw("bernoulli", "1/3", 66_000)


def test_small_calls_across_refills(stream: Stream, seeded: Seeded) -> None:
    rng, replay = seeded(2), Replay(2, stream)
    for n in (1, 256, 7, 255, 100, 256):
        for name, parameter, _ in LARGE:
            drawn = getattr(rng, name)(parameter, n)
            assert drawn.tolist() == replay.draw(name, parameter, n), (name, parameter, n)


def test_scalars_and_calls_of_all_sizes_follow_each_other(stream: Stream, seeded: Seeded) -> None:
    rng, replay = seeded(4), Replay(4, stream)
    for name, parameter, _ in LARGE * 2:
        assert [getattr(rng, name)(parameter)] == replay.draw(name, parameter, 1)
    for n in (3, 257, 1, 300, 256, 1000):
        drawn = rng.discrete_gaussian(100, n)
        assert drawn.tolist() == replay.draw("discrete_gaussian", "100", n)


def test_extension_bits_of_many_small_calls(stream: Stream, seeded: Seeded) -> None:
    """Of 16,000 candidates, twelve or so are undecided: each has extension bits of its own."""
    rng, replay = seeded(5), Replay(5, stream)
    for call in range(1000):
        for law in (("discrete_laplace", "5.5"), ("discrete_gaussian", "7.9")):
            assert getattr(rng, law[0])(law[1], 8).tolist() == replay.draw(*law, 8), (law, call)


def respond(replay: Replay, w: Fraction, k: int, codes: list[int]) -> list[int]:
    """Reports by randomized response: two keys a call, of offsets and of uniform categories."""
    keys = [replay.call_key(), replay.call_key()]
    drawn = [
        replay.chunks(key, Law(category_offset_sampler(weight, k)), len(codes))
        for key, weight in zip(keys, [w, Fraction(1, k)], strict=True)
    ]
    return [
        (code + offset) % k if 0 <= code < k else other
        for code, offset, other in zip(codes, *drawn, strict=True)
    ]


# Few categories have a table; the words of more than 64 have 32 bits, and of more than 2^16, 63.
@pytest.mark.parametrize("k", [2, 40, 70, 70_000])
def test_reports(stream: Stream, seeded: Seeded, k: int) -> None:
    rng, replay, m = seeded(6), Replay(6, stream), RandomizedResponse(epsilon=1, n_categories=k)
    w = (1 - m.p_truth) / (k - 1)
    # A chunk is 2,048 reports, a batch four chunks.
    for n in (1, 3, 256, 257, 2049, 8300 if k < 50 else 2100):
        codes = [i * i % (k + 1) for i in range(n)]
        released = m.release(np.array(codes, np.int32), rng=rng).tolist()
        assert released == respond(replay, w, k, codes)
    assert rng.discrete_laplace(10) == replay.draw("discrete_laplace", "10", 1)[0]
