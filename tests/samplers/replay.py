"""SeededGenerator, slowly: calls replayed in Python, from the key to the values."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from generator.streams import Stream
from reference import chacha20, discrete_gaussian, from_bits, keystream
from reference.keystream import GROUP, nonce

from cydp.testing import (
    bernoulli_sampler,
    discrete_gaussian_sampler,
    discrete_laplace_sampler,
)

Map = Callable[[list[int], bool, from_bits.Extension, from_bits.Extension], int | None]


def distribution(name: str, parameter: str) -> tuple[Map, tuple[tuple[int, ...], bool], int, int]:
    """Return the map of a candidate, its layout, and the values and spare of a chunk."""
    value = Fraction(parameter)
    if name == "discrete_laplace":
        sampler, spare = discrete_laplace_sampler(value), 0
        return (lambda *bits: from_bits.laplace(value, *bits)), sampler.layout, sampler.chunk, spare
    if name == "discrete_gaussian":
        sampler, spare = (
            discrete_gaussian_sampler(value),
            gaussian_spare(value**2) if value**2 >= discrete_gaussian.LEAST_SPLIT else 0,
        )
        return (
            (lambda *bits: from_bits.gaussian(value**2, *bits)),
            sampler.layout,
            sampler.chunk,
            spare,
        )
    sampler = bernoulli_sampler(value)
    coin: Map = lambda words, _, one, __: from_bits.bernoulli(value, words, one)  # noqa: E731
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


def extension(key: bytes, decision: int, round_: int, chunk: int, i: int) -> from_bits.Extension:
    @lru_cache
    def level(of: int) -> bytes:
        return chacha20.block(key, nonce(decision, of, round_, chunk), i)

    return lambda word: int.from_bytes(level(word // 8)[8 * (word % 8) :][:8], "little")


class Replay:
    """SeededGenerator, slowly."""

    def __init__(
        self,
        seed: int,
        stream: Stream,
        chunk_key: Callable[[bytes, int], bytes] = keystream.chunk_key,
    ) -> None:
        self.key, self.stream = seed.to_bytes(32, "little"), stream
        self.chunk_key = chunk_key  # of AES
        self.buffer, self.at, self.candidates = b"", 0, 0
        self.rounds = 0  # the most that a chunk needed

    def refill(self) -> None:
        self.buffer = keystream.refill(self.stream, self.key)
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
            chunk_key = self.chunk_key(key, c) if self.stream == "aes" else key
            for round_ in range(100):
                candidates = wanted + math.ceil(wanted * spare / 1024)
                groups = math.ceil(plane_bytes(layout, candidates) / GROUP)
                planes = keystream.of_chunk(self.stream, chunk_key, round_, c, groups)
                for i, (words, sign) in enumerate(split(planes, layout, candidates)):
                    ends = (extension(key, d, round_, c, i) for d in (1, 2))
                    value = of(words, sign, *ends)
                    if value is not None and wanted:
                        wanted -= 1
                        yield value
                if not wanted:
                    self.rounds = max(self.rounds, round_ + 1)
                    break
