# SPDX-License-Identifier: MIT
"""Running counts by the square root of their matrix. docs/workloads.md, "The square root"."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import ClassVar, NamedTuple

import numpy as np

from cydp._generator import Generator
from cydp._numbers.rounding import root_above
from cydp.releases._noise_split import Aggregate
from cydp.releases._release import recorded
from cydp.releases._unit import Change
from cydp.workloads._geometric_sums import GeometricSums, square_root_of_sums
from cydp.workloads._stream_query import Noise, StreamQuery

__all__ = ["SquareRootQuery"]

_UNIT_BITS = 12  # of an event, besides half the bits of the horizon
_STATE_BITS = 10  # rounding of the sums moves what has noise by 2**-10 at most
_ROUNDED = Fraction(1, 2) + Fraction(1, 2**_STATE_BITS)  # how far rounding moves it, at most
_MOVED = 2 * _ROUNDED  # between two streams
_FLOATS = 1 + Fraction(1, 2**30)  # above the relative error of the closed forms in doubles
_APART = 1.01  # the ratio of the distances between two steps that are tried

_FINE = 80  # bits behind the point of what outsiders can compute


class _Root(NamedTuple):
    """The integers by which counts are weighted, and what follows from them."""

    weights: tuple[int, ...]
    counts: GeometricSums  # how much of an event is in the sum with noise, k steps later
    noise: GeometricSums  # how much of the noise is in the total, k steps later
    state_bits: int


@lru_cache(64)
def _root_of(horizon: int) -> _Root:
    real = square_root_of_sums(horizon)
    unit = 2 ** (_UNIT_BITS + horizon.bit_length() // 2)
    weights = tuple(max(round(each * unit), 1) for each in real.weights.tolist())
    counts = GeometricSums(np.array(weights, np.float64), real.decays)
    spread = sum(each * 4**place for place, each in enumerate(weights))
    return _Root(weights, counts, counts.inverse(), spread.bit_length() + _STATE_BITS)


@recorded
@dataclass(frozen=True, repr=False)
class SquareRootQuery(StreamQuery):
    """The total after each step of a stream, by weighted sums of all steps before it.

    A step's weight falls as the root of the time since. The noisy sums of all steps so far make the
    total.

    Attributes
    ----------
    horizon : int
        How many steps there are.

    """

    strategy: ClassVar[str] = "square_root"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.refuse_noise_that_stops()

    def stream(self) -> SquareRootStream:
        """Return the sums before the first step."""
        root = _root_of(self.horizon)
        return SquareRootStream(self.part.noise, root.weights, root.state_bits)

    def aggregates(self) -> list[Aggregate]:
        """Return the weighted sums: a row is in all sums from its step on."""
        rows, root = self.unit.max_rows, _root_of(self.horizon)
        square = root.counts.squares(self.horizon)
        total = root.counts.total(self.horizon)
        if self.unit.rows_may_become_others:
            square, total = max(square, self._most_apart), 2 * total
        l1 = rows * Fraction(total) * _FLOATS + self.horizon * _MOVED
        l2 = rows * root_above(Fraction(square) * _FLOATS)
        l2 += root_above(Fraction(self.horizon)) * _MOVED
        change = Change(l1, l2, self.horizon, self.unit.relation)
        return [Aggregate("sums", change, step=Fraction(1, sum(root.weights)))]

    @property
    def _most_apart(self) -> float:
        """The largest square of the distance of two steps' weights, or a little more."""
        counts, steps = _root_of(self.horizon).counts, self.horizon
        distances = [1]
        while distances[-1] < steps:
            distances.append(min(max(distances[-1] + 1, int(distances[-1] * _APART)), steps))
        first = np.array(distances, np.float64)
        last = np.append(first[1:] - 1, steps)
        # Both fall with the distance: from the first to the last of a range of distances, the
        # one is at most as at the first, and the other at least as at the last.
        alone = counts.products(steps - first, np.zeros(len(first)))
        both = counts.products(steps - last, last)
        return counts.squares(steps) + float(np.max(alone - 2 * both))

    def squares(self, step: int) -> float:
        """Return the variance of the total after a step, in variances of the noise."""
        return _root_of(self.horizon).noise.squares(step)

    @property
    def mean_squares(self) -> float:
        """The mean of `squares` over all steps."""
        return _root_of(self.horizon).noise.mean_of_squares(self.horizon)

    @property
    def most_squares(self) -> float:
        """The largest of `squares`: that of the last step."""
        return self.squares(self.horizon)

    @property
    def rounding_error(self) -> float:
        """How far a total may be off by the rounding of the sums, in records."""
        return float(_ROUNDED) * _root_of(self.horizon).noise.total(self.horizon)


class SquareRootStream:
    """The weighted sums of exact counts, and those of the counts that outsiders can compute."""

    __slots__ = ("_bits", "_exact", "_known", "_noise", "_total", "_weights")

    def __init__(self, noise: Noise, weights: tuple[int, ...], state_bits: int) -> None:
        self._noise, self._weights, self._bits = noise, weights, state_bits
        self._exact = [0] * len(weights)  # sums that decay by 4**-place a step, in 2**-bits
        # The same, by the noisy sums so far, and the total: integers, since floats would add up
        # their rounding.
        self._known = [0] * len(weights)
        self._total = 0  # in 2**-_FINE

    def weigh(self, exact: int) -> tuple[list[int], int]:
        """Return the sums after a step, and the weighted sum of them that has noise."""
        bits = self._bits
        sums = [
            each - (each >> 2 * place) + (exact << bits) for place, each in enumerate(self._exact)
        ]
        return sums, sum(map(mul, self._weights, sums)) + (1 << bits - 1) >> bits

    def step(self, exact: int, rng: Generator | None) -> float:
        """End a step, and return the released total."""
        sums, weighted = self.weigh(exact)
        noisy = weighted + self._noise.release(0, rng=rng)
        # From here on, only noisy sums are used.
        known = [each - (each >> 2 * place) for place, each in enumerate(self._known)]
        expected = sum(map(mul, self._weights, known))
        count = ((noisy << _FINE) - expected) // sum(self._weights)
        # All or nothing: a step that an error cut short would be counted again by the next call.
        self._exact, self._known = sums, [each + count for each in known]
        self._total += count
        return self._total / (1 << _FINE)
