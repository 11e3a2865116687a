# SPDX-License-Identifier: MIT
"""The probability of keeping a partition, by its count, and exact draws with that probability.

docs/mechanisms/partition_selection.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.intervals import exp_below
from cydp._numbers.rational import float_of

__all__ = ["MOST_COUNT", "KeepTable", "compute_table", "draw_kept"]

MOST_COUNT = 10**6  # partitions with this count must be kept with certainty
_MOST_EPSILON = Fraction(600)  # the probabilities use no more than this of epsilon
_SPARE_BITS = 64  # of the probabilities, below the highest bit of delta
_BLOCK = 2**16  # counts at a time, whose words stay in the cache


@dataclass(frozen=True)
class KeepTable:
    """The probabilities from pi(0) = 0 to the first pi(n) = 1, in several forms.

    Attributes
    ----------
    exact : callable
        Returns an iterator of all pi(n) * 2**bits, which are integers.
    bits : int
        The number of bits of the probabilities.
    words : ndarray of uint64
        The first 64 bits of each; 2**64 - 1 instead of the 1 at the end.
    floats : ndarray of float64
        The nearest floats.
    """

    exact: Callable[[], Iterator[int]]
    bits: int
    words: NDArray[np.uint64]
    floats: NDArray[np.float64]

    def index(self, counts: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return the index of the probability of each count."""
        return np.clip(counts, 0, len(self.words) - 1)


@lru_cache(16)
def compute_table(epsilon: Fraction, delta: Fraction, partitions: int = 1) -> KeepTable:
    """Compute the probabilities with which one user's partitions together cost (epsilon, delta).

    Raises
    ------
    ValueError
        If there are more than 10**6 probabilities.

    """
    delta /= partitions
    ratio = exp_below(min(epsilon / partitions, _MOST_EPSILON))
    # 2**-bits <= delta * 2**-64
    bits = _SPARE_BITS + delta.denominator.bit_length() - delta.numerator.bit_length() + 1
    least = (delta.numerator << bits) // delta.denominator

    def exact() -> Iterator[int]:
        return _iterate(ratio, least, bits)

    if _least_length(float_of(ratio - 1), delta) > MOST_COUNT:
        raise _length_error()
    words, floats = [], []
    for n, probability in enumerate(exact()):
        if n > MOST_COUNT:
            raise _length_error()
        words.append(probability >> (bits - 64))
        floats.append(probability / (1 << bits))
    # Probability 1 would be the word 2**64, which uint64 does not hold; `draw_kept` allows for it.
    words[-1] -= 1
    return KeepTable(exact, bits, np.array(words, np.uint64), np.array(floats))


def _iterate(ratio: Fraction, least: int, bits: int) -> Iterator[int]:
    """Yield each pi(n) from its predecessor, rounded down, up to 1."""
    one, above, below = 1 << bits, ratio.numerator, ratio.denominator
    probability = 0
    while probability < one:
        yield probability
        up = probability * above // below + least
        # 1 - (1 - pi - delta) / E, rounded down
        down = one + (probability + least - one) * below // above
        probability = min(up, down, one)
    yield one


def _least_length(excess: float, delta: Fraction) -> float:
    """Return a lower bound of the number of probabilities, so that refusals are quick.

    Half of them lead to 1/2. Up to there pi(n) <= delta (E**n - 1) / (E - 1); from there on 1 - pi
    decreases as pi increased.
    """
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    rate = math.log1p(excess)
    if rate * MOST_COUNT < 1e-3:  # pi(n) is close to n delta
        return math.exp(min(-log_delta, 700)) * 0.99 - 2
    # E**n = 1 + (E - 1) / (2 delta)
    log_growth = math.log(excess / 2) - log_delta
    steps = (log_growth if log_growth > 40 else math.log1p(math.exp(log_growth))) / rate
    return 0.99 * 2 * steps - 2


def _length_error() -> ValueError:
    return ValueError(
        f"epsilon and delta must be larger, or max_partitions smaller: a partition of {MOST_COUNT}"
        " users would not be sure to be kept"
    )


def draw_kept(
    table: KeepTable, counts: NDArray[np.int64], read_bytes: Callable[[int], bytes]
) -> NDArray[np.bool_]:
    """Return for each count whether U < pi(count), where each count has its own uniform U.

    The first 64 bits of U are a word. If they equal those of pi, the next words of U are read after
    the words of the block, in the order of the counts.
    """
    indices = table.index(counts.reshape(-1))
    kept = np.empty(indices.shape, np.bool_)
    for start in range(0, len(indices), _BLOCK):
        block = indices[start : start + _BLOCK]
        words = np.frombuffer(read_bytes(8 * len(block)), np.dtype("<u8"))
        bounds = table.words[block]
        kept_in_block = kept[start : start + _BLOCK]
        np.less(words, bounds, out=kept_in_block)
        for i in np.flatnonzero(words == bounds).tolist():
            kept_in_block[i] = _compare_next_words(table, int(block[i]), read_bytes)
    return kept.reshape(counts.shape)


def _compare_next_words(table: KeepTable, n: int, read_bytes: Callable[[int], bytes]) -> bool:
    """Return whether U < pi(n), if their first 64 bits are equal: about once in 2**64 draws."""
    probability = next(pi for i, pi in enumerate(table.exact()) if i == n)
    bits = table.bits - 64
    rest = probability - (int(table.words[n]) << bits)  # over 2**bits; it is 1 if pi is 1
    while 0 < rest < 1 << bits:
        rest <<= 64
        word, bound = int.from_bytes(read_bytes(8), "little"), rest >> bits
        if word != bound:
            return word < bound
        rest -= bound << bits
    return rest > 0
