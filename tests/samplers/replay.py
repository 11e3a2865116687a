"""SeededGenerator, slowly: calls replayed in Python, from the key to the bits of each candidate.

What a sampler makes of given bits is held to oracles elsewhere; here `map_bits` makes it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from generator.streams import Stream
from reference import chacha20, discrete_gaussian, keystream
from reference.keystream import GROUP, nonce

from cydp._core import Sampler
from cydp.testing import (
    bernoulli_sampler,
    discrete_gaussian_sampler,
    discrete_laplace_sampler,
    map_bits,
)


@dataclass(frozen=True)
class Law:
    """A sampler, and how many candidates beyond the values wanted a chunk draws, in 1,024."""

    sampler: Sampler
    spare: int = 0


def law_of(name: str, parameter: str) -> Law:
    value = Fraction(parameter)
    if name == "discrete_laplace":
        return Law(discrete_laplace_sampler(value))
    if name == "bernoulli":
        return Law(bernoulli_sampler(value))
    split = value**2 >= discrete_gaussian.LEAST_SPLIT
    return Law(discrete_gaussian_sampler(value), gaussian_spare(value**2) if split else 0)


def gaussian_spare(sigma2: Fraction) -> int:
    base = sigma2 / 4 ** discrete_gaussian.split_bits(sigma2)
    return 126 if base < 23 else 108 if base < 32 else 93 if base < 45 else 80


def columns(planes: bytes, sampler: Sampler, n: int) -> tuple[list[np.ndarray], np.ndarray | None]:
    """Return the words of n candidates, plane by plane, and their signs."""
    widths, signs = sampler.layout
    words, at = [], 0
    for width in filter(None, widths):
        words.append(np.frombuffer(planes, f"<u{width}", n, at))
        at += width * n
    if not signs:
        return words, None
    bits = np.frombuffer(planes, np.uint8, offset=at)
    return words, np.unpackbits(bits, count=n, bitorder="little").astype(bool)


def plane_bytes(sampler: Sampler, n: int) -> int:
    widths, signs = sampler.layout
    size = sum(widths) * n + (math.ceil(n / 8) if signs else 0)
    return math.ceil(size / 8) * 8


def values_of(
    law: Law, planes: bytes, n: int, key: bytes, round_: int, chunk: int, first: int = 0
) -> list[int]:
    """Return the values of n candidates with extension bits from this address of a key on.

    The bits of a decision are computed for the candidates that ask for them.
    """
    words, signs = columns(planes, law.sampler, n)
    extensions = np.full((2, n, 16), 2**63, np.uint64)
    asked = map_bits(law.sampler, words, signs, extensions).asked
    for decision, i in np.argwhere(asked).tolist():
        for level in (0, 1):
            at = nonce(decision + 1, level, round_, chunk)
            block = chacha20.block(key, at, first + i)
            extensions[decision, i, 8 * level : 8 * level + 8] = np.frombuffer(block, "<u8")
    mapped = map_bits(law.sampler, words, signs, extensions)
    assert np.array_equal(mapped.asked, asked)
    return mapped.values.tolist()


def chunk_bits(stream: Stream, key: bytes, chunk: int, size: int, round_: int = 0) -> bytes:
    """Return the bytes, at least `size`, that a chunk of a call draws in a round."""
    of = keystream.chunk_key(key, chunk) if stream == "aes" else key
    return keystream.of_chunk(stream, of, round_, chunk, math.ceil(size / GROUP))


class Replay:
    """SeededGenerator, slowly."""

    def __init__(self, seed: int, stream: Stream) -> None:
        self.key, self.stream = seed.to_bytes(32, "little"), stream
        self.buffer, self.at, self.candidates = b"", 0, 0
        self.rounds = 0  # the most that a chunk needed

    def refill(self) -> None:
        self.buffer = keystream.refill(self.stream, self.key)
        self.key, self.extend = self.buffer[:32], self.buffer[32:64]
        self.at, self.candidates = 64, 0

    def draw(self, name: str, parameter: str, n: int) -> list[int]:
        law = law_of(name, parameter)
        return list(self.small(law, n) if n <= 256 else self.chunks(self.call_key(), law, n))

    def small(self, law: Law, n: int) -> Iterator[int]:
        while n:
            self.at = math.ceil(self.at / 8) * 8
            left, fitting = len(self.buffer) - self.at, n
            while fitting and plane_bytes(law.sampler, fitting) > left:
                fitting -= 1
            if not fitting:
                self.refill()
                continue
            planes = self.buffer[self.at : self.at + plane_bytes(law.sampler, fitting)]
            values = values_of(law, planes, fitting, self.extend, 0, 0, self.candidates)
            yield from values
            n -= len(values)
            self.at += len(planes)
            self.candidates += fitting

    def call_key(self) -> bytes:
        self.at = math.ceil(self.at / 8) * 8
        if self.at >= len(self.buffer):
            self.refill()
        self.at += 32
        return self.buffer[self.at - 32 : self.at]

    def chunks(self, key: bytes, law: Law, n: int) -> Iterator[int]:
        chunk = law.sampler.chunk
        for c in range(math.ceil(n / chunk)):
            wanted, round_ = min(chunk, n - c * chunk), 0
            while wanted:
                candidates = wanted + math.ceil(wanted * law.spare / 1024)
                size = plane_bytes(law.sampler, candidates)
                planes = chunk_bits(self.stream, key, c, size, round_)
                values = values_of(law, planes, candidates, key, round_, c)[:wanted]
                yield from values
                wanted, round_ = wanted - len(values), round_ + 1
            self.rounds = max(self.rounds, round_)
