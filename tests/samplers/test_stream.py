"""csrc/samplers/sampler.c: seeded calls replayed in Python, from the key to the values.

It holds keys, nonces, planes, rounds and extension bits to what docs/samplers.md says of them.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from reference import chacha20, discrete_gaussian, routes

from cydp import RandomizedResponse
from cydp.testing import (
    SeededGenerator,
    bernoulli_sampler,
    category_offset_sampler,
    discrete_gaussian_sampler,
    discrete_laplace_sampler,
)

Map = Callable[[list[int], bool, routes.Extension, routes.Extension], int | None]
GROUP = 1024  # bytes


def distribution(name: str, parameter: str) -> tuple[Map, tuple[tuple[int, ...], bool], int, int]:
    """Return the map of a candidate, its layout, and the values and spare of a chunk."""
    value = Fraction(parameter)
    if name == "discrete_laplace":
        sampler, spare = discrete_laplace_sampler(value), 0
        return (lambda *bits: routes.laplace(value, *bits)), sampler.layout, sampler.chunk, spare
    if name == "discrete_gaussian":
        sampler, spare = (
            discrete_gaussian_sampler(value),
            gaussian_spare(value**2) if value >= 8 else 0,
        )
        return (
            (lambda *bits: routes.gaussian(value**2, *bits)),
            sampler.layout,
            sampler.chunk,
            spare,
        )
    sampler = bernoulli_sampler(value)
    coin: Map = lambda words, _, one, __: routes.bernoulli(value, words, one)  # noqa: E731
    return coin, sampler.layout, sampler.chunk, 0


def gaussian_spare(sigma2: Fraction) -> int:
    base = sigma2 / 4 ** discrete_gaussian.split_bits(sigma2)
    return 126 if base < 23 else 108 if base < 32 else 93 if base < 45 else 80


def split(planes: bytes, layout: tuple[tuple[int, ...], bool], n: int) -> Iterator[tuple]:
    """Yield the words and the sign of each of n candidates."""
    widths, signs = layout
    columns, at = [], 0
    for width in filter(None, widths):
        columns.append(np.frombuffer(planes, f"<u{width}", n, at).tolist())
        at += width * n
    for i in range(n):
        bit = planes[at + i // 8] >> (i % 8) & 1 if signs else 0
        yield [column[i] for column in columns], bool(bit)


def plane_bytes(layout: tuple[tuple[int, ...], bool], n: int) -> int:
    widths, signs = layout
    size = sum(widths) * n + (math.ceil(n / 8) if signs else 0)
    return math.ceil(size / 8) * 8


def nonce(domain: int, level: int, round_: int, chunk: int) -> bytes:
    word = domain | level << 8 | round_ << 16
    return word.to_bytes(4, "little") + chunk.to_bytes(8, "little")


def extension(key: bytes, decision: int, round_: int, chunk: int, i: int) -> routes.Extension:
    @lru_cache
    def level(of: int) -> bytes:
        return chacha20.block(key, nonce(decision, of, round_, chunk), i)

    return lambda word: int.from_bytes(level(word // 8)[8 * (word % 8) :][:8], "little")


def keystream(key: bytes, groups: int, **address: int) -> bytes:
    words = chacha20.interleaved(key, nonce(0, 0, **address), 0, groups)
    return np.array(words, np.uint32).tobytes()


class Replay:
    """SeededGenerator, slowly."""

    def __init__(self, seed: int) -> None:
        self.key, self.buffer, self.at, self.candidates = seed.to_bytes(32, "little"), b"", 0, 0

    def refill(self) -> None:
        self.buffer = keystream(self.key, 4, round_=0, chunk=0)
        self.key, self.extend = self.buffer[:32], self.buffer[32:64]
        self.at, self.candidates = 64, 0

    def draw(self, name: str, parameter: str, n: int) -> list[int]:
        of, layout, chunk, spare = distribution(name, parameter)
        return list(
            self.small(of, layout, n) if n <= 256 else self.large(of, layout, chunk, spare, n)
        )

    def small(self, of: Map, layout: tuple, n: int) -> Iterator[int]:
        while n:
            self.at = math.ceil(self.at / 8) * 8
            left = len(self.buffer) - self.at
            fitting = max((m for m in range(n + 1) if plane_bytes(layout, m) <= left), default=0)
            if not fitting:
                self.refill()
                continue
            planes = self.buffer[self.at : self.at + plane_bytes(layout, fitting)]
            for i, (words, sign) in enumerate(split(planes, layout, fitting)):
                ends = (extension(self.extend, d, 0, 0, self.candidates + i) for d in (1, 2))
                value = of(words, sign, *ends)
                if value is not None:
                    n -= 1
                    yield value
            self.at += len(planes)
            self.candidates += fitting

    def large(self, of: Map, layout: tuple, chunk: int, spare: int, n: int) -> Iterator[int]:
        yield from self.chunks(self.call_key(), of, layout, chunk, spare, n)

    def call_key(self) -> bytes:
        self.at = math.ceil(self.at / 8) * 8
        if self.at >= len(self.buffer):
            self.refill()
        self.at += 32
        return self.buffer[self.at - 32 : self.at]

    def chunks(
        self, key: bytes, of: Map, layout: tuple, chunk: int, spare: int, n: int
    ) -> Iterator[int]:
        for c in range(math.ceil(n / chunk)):
            wanted = min(chunk, n - c * chunk)
            for round_ in range(100):
                candidates = wanted + math.ceil(wanted * spare / 1024)
                groups = math.ceil(plane_bytes(layout, candidates) / GROUP)
                planes = keystream(key, groups, round_=round_, chunk=c)
                for i, (words, sign) in enumerate(split(planes, layout, candidates)):
                    ends = (extension(key, d, round_, c, i) for d in (1, 2))
                    value = of(words, sign, *ends)
                    if value is not None and wanted:
                        wanted -= 1
                        yield value
                if not wanted:
                    break


# Long enough that each has 10 undecided candidates or more, whose extension bits matter, and
# spans several chunks.
LARGE = [
    ("discrete_laplace", "1/7", 20_000),
    ("discrete_laplace", "5.5", 12_000),
    ("discrete_laplace", "1000", 8000),
    ("discrete_laplace", "1048576", 2100),
    ("discrete_laplace", str(2**40), 2100),
    ("discrete_gaussian", "7.9", 20_000),
    ("discrete_gaussian", "8", 12_000),
    ("discrete_gaussian", "10", 3000),
    ("discrete_gaussian", "12", 3000),
    ("discrete_gaussian", "1000", 3000),
    ("discrete_gaussian", str(2**20), 2300),
    ("discrete_gaussian", str(2**40), 2100),
    ("bernoulli", "1/3", 70_000),
]


@pytest.mark.parametrize(("name", "parameter", "n"), LARGE)
def test_large_calls(name: str, parameter: str, n: int) -> None:
    drawn = getattr(SeededGenerator(1), name)(parameter, n)
    assert drawn.tolist() == Replay(1).draw(name, parameter, n)


def test_small_calls_across_refills() -> None:
    rng, replay = SeededGenerator(2), Replay(2)
    calls = [
        (name, parameter, n)
        for n in (1, 256, 7, 255, 100, 256)
        for name, parameter, _ in LARGE
        for _ in range(1 if parameter != "1000" else 12)
    ]
    for name, parameter, n in calls:
        drawn = getattr(rng, name)(parameter, n)
        assert drawn.tolist() == replay.draw(name, parameter, n), (name, parameter, n)


def test_scalars_are_small_calls() -> None:
    rng, replay = SeededGenerator(3), Replay(3)
    for name, parameter, _ in LARGE[:-1] * 3:
        assert [getattr(rng, name)(parameter)] == replay.draw(name, parameter, 1)


@pytest.mark.parametrize(
    ("name", "parameter"), [("discrete_laplace", "5.5"), ("discrete_gaussian", "7.9")]
)
def test_extension_bits_of_many_scalars(name: str, parameter: str) -> None:
    """8,000 scalars, of which six or so are undecided: each has extension bits of its own."""
    rng, replay = SeededGenerator(5), Replay(5)
    for _ in range(8000):
        assert [getattr(rng, name)(parameter)] == replay.draw(name, parameter, 1)


def test_calls_of_all_sizes_follow_each_other() -> None:
    rng, replay = SeededGenerator(4), Replay(4)
    for n in (3, 257, 1, 300, 256, 1000):
        drawn = rng.discrete_gaussian(100, n)
        assert drawn.tolist() == replay.draw("discrete_gaussian", "100", n)


def respond(replay: Replay, w: Fraction, k: int, codes: list[int]) -> list[int]:
    """Reports by randomized response: two keys a call, of shifts and of uniform categories."""
    keys, drawn = [replay.call_key(), replay.call_key()], []
    for key, weight in zip(keys, [w, Fraction(1, k)], strict=True):
        sampler = category_offset_sampler(weight, k)
        of: Map = lambda words, _, one, __, weight=weight: routes.shift(weight, k, words, one)  # noqa: E731
        drawn.append(replay.chunks(key, of, sampler.layout, sampler.chunk, 0, len(codes)))
    return [
        (code + shift) % k if 0 <= code < k else other
        for code, shift, other in zip(codes, *drawn, strict=True)
    ]


@pytest.mark.parametrize("k", [2, 3, 40, 70, pytest.param(300, marks=pytest.mark.long)])
def test_reports(k: int) -> None:
    rng, replay, m = SeededGenerator(6), Replay(6), RandomizedResponse(epsilon=1, n_categories=k)
    w = (1 - m.p_truth) / (k - 1)
    for n in (1, 3, 256, 257, 2049, 9000 if k < 50 else 2100):  # a chunk is 2,048
        codes = [i * i % (k + 1) for i in range(n)]
        released = m.release(np.array(codes, np.int16), rng=rng).tolist()
        assert released == respond(replay, w, k, codes)
    assert rng.discrete_laplace(10) == replay.draw("discrete_laplace", "10", 1)[0]
