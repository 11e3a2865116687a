# SPDX-License-Identifier: MIT
"""Probabilities of keeping a partition, by its count, and coins that have them exactly.

Proofs: docs/mechanisms/partition_selection.md.
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

__all__ = ["MOST_COUNTS", "KeepTable", "draw", "keep_table"]

MOST_COUNTS = 10**6  # the count by which a partition must be sure to be kept
_LARGEST = Fraction(600)  # no larger share of epsilon is used
_SPARE_BITS = 64  # of the grid, below delta
_BLOCK = 2**16  # counts at a time, whose words stay in the cache


@dataclass(frozen=True)
class KeepTable:
    """pi(0) = 0 to the first pi(n) = 1, in several forms.

    Attributes
    ----------
    steps : callable
        () -> iterator of the pi(n), as integers of `bits` bits behind the point.
    words : ndarray of uint64
        Their first 64 bits; 2**64 - 1 at the end.
    chances : ndarray of float64
        The nearest floats.
    """

    steps: Callable[[], Iterator[int]]
    bits: int
    words: NDArray[np.uint64]
    chances: NDArray[np.float64]

    def places(self, counts: NDArray[np.int64]) -> NDArray[np.intp]:
        """Return where counts of any size stand."""
        return np.clip(counts, 0, len(self.words) - 1)


@lru_cache(16)
def keep_table(epsilon: Fraction, delta: Fraction, counts: int = 1) -> KeepTable:
    """Compute the probabilities, for what so many counts may cost together.

    Raises
    ------
    ValueError
        If there are more than 10**6 of them.

    """
    delta /= counts
    ratio = exp_below(min(epsilon / counts, _LARGEST))
    # 2**-bits <= delta * 2**-64
    bits = _SPARE_BITS + delta.denominator.bit_length() - delta.numerator.bit_length() + 1
    least = (delta.numerator << bits) // delta.denominator

    def steps() -> Iterator[int]:
        return _steps(ratio, least, bits)

    if _least_length(float_of(ratio - 1), delta) > MOST_COUNTS:
        raise _too_long()
    words, chances = [], []
    for n, share in enumerate(steps()):
        if n > MOST_COUNTS:
            raise _too_long()
        words.append(share >> (bits - 64))
        chances.append(share / (1 << bits))
    words[-1] -= 1  # of the 1: 2**64 has no place, and `draw` knows
    return KeepTable(steps, bits, np.array(words, np.uint64), np.array(chances))


def _steps(ratio: Fraction, least: int, bits: int) -> Iterator[int]:
    """Yield each pi(n) from the one before, rounded down, up to 1."""
    one, over, under = 1 << bits, ratio.numerator, ratio.denominator
    share = 0
    while share < one:
        yield share
        up = share * over // under + least
        # 1 - (1 - pi - delta) / E, rounded down
        down = one + (share + least - one) * under // over
        share = min(up, down, one)
    yield one


def _least_length(excess: float, delta: Fraction) -> float:
    """Return less than the steps to 1, of which half lead to 1/2: so refusals take no second.

    Up to there pi(n) <= delta (E**n - 1) / (E - 1), and 1 - pi goes down as pi went up.
    """
    log_delta = math.log(delta.numerator) - math.log(delta.denominator)
    rate = math.log1p(excess)
    if rate * MOST_COUNTS < 1e-3:  # next to n delta
        return math.exp(min(-log_delta, 700)) * 0.99 - 2
    # E**n = 1 + (E - 1) / (2 delta)
    log_growth = math.log(excess / 2) - log_delta
    steps = (log_growth if log_growth > 40 else math.log1p(math.exp(log_growth))) / rate
    return 0.99 * 2 * steps - 2


def _too_long() -> ValueError:
    return ValueError(
        f"epsilon and delta must be larger, or max_partitions smaller: a partition of {MOST_COUNTS}"
        " users would not be sure to be kept"
    )


def draw(
    table: KeepTable, counts: NDArray[np.int64], take: Callable[[int], bytes]
) -> NDArray[np.bool_]:
    """Return for each count whether U < pi(count), for a uniform U of its own.

    U begins with a word of 64 bits. Where these equal those of pi, U goes on: words behind those
    of the block, taken in the order of the counts.
    """
    places = table.places(counts.reshape(-1))
    kept = np.empty(places.shape, np.bool_)
    for start in range(0, len(places), _BLOCK):
        at = places[start : start + _BLOCK]
        words = np.frombuffer(take(8 * len(at)), np.dtype("<u8"))
        ends = table.words[at]
        part = kept[start : start + _BLOCK]
        np.less(words, ends, out=part)
        for i in np.flatnonzero(words == ends).tolist():
            part[i] = _goes_on_below(table, int(at[i]), take)
    return kept.reshape(counts.shape)


def _goes_on_below(table: KeepTable, n: int, take: Callable[[int], bytes]) -> bool:
    """Whether U < pi(n), whose first 64 bits are equal: about once in 2**64 draws."""
    share = next(share for i, share in enumerate(table.steps()) if i == n)
    left = table.bits - 64
    rest = share - (int(table.words[n]) << left)  # over 2**left; 1 if pi is
    while 0 < rest < 1 << left:
        rest <<= 64
        word, end = int.from_bytes(take(8), "little"), rest >> left
        if word != end:
            return word < end
        rest -= end << left
    return rest > 0
