# SPDX-License-Identifier: MIT
"""Composition: the losses of independent releases are added. docs/teach/loss.md, "Composition"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from cydp._numbers.rational import float_of
from cydp.teach.loss._continuous import NormalNoise
from cydp.teach.loss._distribution_pair import (
    LEAST_DELTA,
    DistributionPair,
    Floats,
    Lattice,
    TablePair,
    exact_floats,
)
from cydp.teach.loss._mechanism_pairs import equal_pair

__all__ = ["Parts", "compose"]

Parts: TypeAlias = Sequence[tuple[DistributionPair, int]]

_MOST_DIRECT = 4096  # points of a sum that is computed without a Fourier transform
_MOST_POINTS = 2**20  # of losses that are kept as they are
_POINTS = 2**17  # of the grid that losses are spread to
_WIDTH = 20  # standard deviations that the grid spans
_TAIL = 1e-15  # the probability of losses that are left out
_ROUNDING = 4e-16  # of a transform, for each release
_ROUNDING_ONCE = 2e-13
_MOST_STEP = 256  # nats: e**step is still a float
_MISSING = 0.01  # of the probabilities of a pair: floats lose all at once
_RATES = np.logspace(-1, 2, 40)


def compose(parts: Parts) -> DistributionPair:
    """Return the pair of all outputs together; each pair is used as often as stated."""
    kept = [(pair, times) for pair, times in _join_normal(parts) if times and not _is_equal(pair)]
    if not kept:
        return next((pair for pair, times in parts if times), equal_pair())
    if len(kept) == 1 and kept[0][1] == 1:
        return kept[0][0]
    lattices = [(pair.lattice, times) for pair, times in kept]
    exact = [(lattice, times) for lattice, times in lattices if lattice is not None]
    steps = [lattice.step for lattice, _ in exact if len(lattice.p) > 1]
    step, width = _common_step(steps), _width(kept)
    if len(exact) == len(kept) and width / float_of(step) <= _MOST_POINTS:
        return _sum(exact, step, kept, 0.0)
    finest = max([width, *(_reach(pair) for pair, _ in kept)]) / _POINTS
    step = Fraction(2) ** math.ceil(math.log2(finest))
    while True:
        spread = [(_spread(pair, step), times) for pair, times in kept]
        low, high = _range(*_sides(spread, step))
        if high - low <= _MOST_POINTS:
            break
        step *= 2 ** math.ceil(math.log2((high - low) / _MOST_POINTS))
    rounding = float_of(step) * sum(times for _, times in kept)
    return _sum(spread, step, kept, rounding)


def _spread(pair: DistributionPair, step: Fraction) -> Lattice:
    """Return a pair on a grid; a ValueError where floats hold only a part of what P or Q gives."""
    if step <= _MOST_STEP:
        found = pair.spread(step)
        totals = found.p.sum() + found.p_only, found.q.sum() + found.q_only
        if all(abs(total - 1) < _MISSING for total in totals):
            return found
    raise ValueError(
        "cost must lose less in all: floats do not hold the probabilities of losses of so many nats"
    )


def _is_equal(pair: DistributionPair) -> bool:
    """Whether P and Q are the same."""
    return pair.mean == 0 and pair.variance == 0


def _common_step(steps: Sequence[Fraction]) -> Fraction:
    """Return the greatest common divisor of steps; 1 for none."""
    found = Fraction(0)
    for each in steps:
        found = Fraction(
            math.gcd(found.numerator * each.denominator, each.numerator * found.denominator),
            found.denominator * each.denominator,
        )
    return found or Fraction(1)


def _width(parts: Parts) -> float:
    """Return about how far the sums of losses under P and under Q reach."""
    between = variance = 0.0
    for pair, times in parts:
        for each in (pair, pair.reverse()):
            mean, square = each.finite_moments
            between += times * mean
            variance += times * square
    return max(between, 0.0) + _WIDTH * math.sqrt(variance)


def _reach(pair: DistributionPair) -> float:
    """Return the range of the finite losses of a table; in a sample it is far beyond the width."""
    if not isinstance(pair, TablePair):
        return 0.0
    finite = pair.losses[np.isfinite(pair.losses)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def _join_normal(parts: Parts) -> Parts:
    """Return the parts with all normal noise as one: its losses have a normal sum."""
    normal = [(pair, times) for pair, times in parts if isinstance(pair, NormalNoise) and times]
    if sum(times for _, times in normal) < 2:
        return parts
    rho = sum((pair.rho * times for pair, times in normal), Fraction(0))
    end = math.sqrt(2 * float_of(rho))  # in standard deviations
    others = [(pair, times) for pair, times in parts if not isinstance(pair, NormalNoise)]
    return [*others, (NormalNoise(0.0, end, rho), 1)]


@dataclass(frozen=True, slots=True)
class _Masses:
    """Masses at multiples of a number of steps, and how often they are added to themselves."""

    masses: Floats
    stride: int
    times: int

    @property
    def last(self) -> int:
        """The largest index."""
        return (len(self.masses) - 1) * self.stride

    def cumulant(self, rates: Floats) -> Floats:
        """Return ln E[e**(rate (i - mean))] of the sum, for each rate per step; see `mean`."""
        at = (self.stride * np.arange(len(self.masses)) - self._middle) * 1.0
        there = self.masses > 0
        at, logs = at[there], np.log(self.masses[there] / self.masses.sum())
        exponents = rates[:, None] * at + logs
        top = exponents.max(axis=1)
        found: Floats = self.times * (top + np.log(np.exp(exponents - top[:, None]).sum(axis=1)))
        return found

    @property
    def _middle(self) -> float:
        at = self.stride * np.arange(len(self.masses))
        return float((self.masses * at).sum() / self.masses.sum())

    @property
    def mean(self) -> float:
        """Mean of the sum."""
        return self.times * self._middle

    @property
    def variance(self) -> float:
        """Variance of the sum."""
        at = self.stride * np.arange(len(self.masses)) - self._middle
        return self.times * float((self.masses * at**2).sum() / self.masses.sum())


def _sum(
    lattices: Sequence[tuple[Lattice, int]], step: Fraction, parts: Parts, rounding: float
) -> TablePair:
    """Return the pair of the sums of losses."""
    origin = sum((lattice.origin * times for lattice, times in lattices), Fraction(0))
    sides = _sides(lattices, step)
    last = sum(each.last * each.times for each in sides[0])
    count = sum(times for _, times in lattices)
    p_only, q_only = (
        -math.expm1(sum(n * math.log1p(-getattr(each, f"{side}_only")) for each, n in lattices))
        if all(getattr(each, f"{side}_only") < 1 for each, _ in lattices)
        else 1.0
        for side in "pq"
    )
    is_direct = last <= _MOST_DIRECT
    if is_direct:
        low, high = 0, last
        p, q = (_convolve(side) for side in sides)
    else:
        windows = [_window(side, last) for side in sides]
        low, high = min(a for a, _ in windows), max(b for _, b in windows)
        p, q = (
            _transform(side, low, high, window, 1 - beyond)
            for side, window, beyond in zip(sides, windows, (p_only, q_only), strict=True)
        )
    at = np.flatnonzero((p > 0) | (q > 0))
    losses = exact_floats(origin + low * step, step, at)
    ends = [(math.inf, p_only, 0.0)] * (p_only > 0) + [(-math.inf, 0.0, q_only)] * (q_only > 0)
    losses = np.append(losses, [loss for loss, _, _ in ends])
    slack = 0.0 if is_direct else 2 * _TAIL + _ROUNDING_ONCE + _ROUNDING * count
    return TablePair(
        outputs=losses,
        losses=losses,
        p=np.append(p[at], [mass for _, mass, _ in ends]),
        q=np.append(q[at], [mass for _, _, mass in ends]),
        moments=tuple(
            sum(times * getattr(pair, each) for pair, times in parts)
            for each in ("mean", "variance")
        ),
        largest=_largest(lattices, parts, rounding),
        slack=slack,
        least_delta=10 * slack or LEAST_DELTA,
        rounding=rounding,
    )


def _sides(lattices: Sequence[tuple[Lattice, int]], step: Fraction) -> list[list[_Masses]]:
    """Return the masses of P and of Q."""
    return [
        [_Masses(_rescale(each, side), max(round(each.step / step), 1), n) for each, n in lattices]
        for side in "pq"
    ]


def _range(*sides: Sequence[_Masses]) -> tuple[int, int]:
    """Return the indices between which the sums lie, but for a probability of `_TAIL`."""
    last = sum(each.last * each.times for each in sides[0])
    windows = [_window(side, last) for side in sides]
    return min(a for a, _ in windows), max(b for _, b in windows)


def _largest(lattices: Sequence[tuple[Lattice, int]], parts: Parts, rounding: float) -> float:
    """Return the largest loss of the sum."""
    if rounding or not all(math.isfinite(pair.supremum) for pair, _ in parts):
        return sum(times * pair.supremum for pair, times in parts)
    tops = [
        times * (each.origin + each.step * int(np.flatnonzero(each.p)[-1]))
        for each, times in lattices
    ]
    return float_of(sum(tops, Fraction(0)))


def _rescale(lattice: Lattice, side: str) -> Floats:
    """Return masses that add up to the chance of a finite loss: a power would enlarge a gap."""
    masses: Floats = getattr(lattice, side)
    beyond, total = getattr(lattice, f"{side}_only"), float(masses.sum())
    return masses * ((1 - beyond) / total) if total else masses


def _convolve(side: Sequence[_Masses]) -> Floats:
    """Return the masses of the sum, from sums of positive products: relative errors stay small."""
    total = np.ones(1)
    for each in side:
        power = np.zeros(each.last + 1)
        power[:: each.stride] = each.masses
        left = each.times
        while left:
            left, odd = divmod(left, 2)
            if odd:
                total = np.convolve(total, power)
            if left:
                power = np.convolve(power, power)
    return total


def _window(side: Sequence[_Masses], last: int) -> tuple[int, int]:
    """Return a window of indices that the sum leaves with probability _TAIL at most a side.

    It is Chernoff's bound, at the best of some rates.
    """
    mean, unit = sum(each.mean for each in side), sum(each.variance for each in side) ** 0.5
    rates = _RATES / max(unit, 1e-9)
    ends = []
    for sign in (-1, 1):
        with np.errstate(over="ignore"):
            cumulants = sum(each.cumulant(sign * rates) for each in side)
        ends.append(float(np.nanmin((cumulants - math.log(_TAIL)) / rates)))
    return max(math.floor(mean - ends[0]), 0), min(math.ceil(mean + ends[1]), last)


def _transform(
    side: Sequence[_Masses], low: int, high: int, window: tuple[int, int], total: float
) -> Floats:
    """Return the masses of the sum from low to high, by a Fourier transform of that period.

    Their total is given: a power of a sum of floats would differ from it by 1e-16 for each release.
    """
    size = 1 << (high - low).bit_length()
    product = np.ones(size // 2 + 1, complex)
    for each in side:
        at = np.arange(len(each.masses)) * each.stride % size
        product *= np.fft.rfft(np.bincount(at, each.masses, size)) ** each.times
    if product[0].real > 0:
        product *= total / product[0].real
    found = np.roll(np.fft.irfft(product, size), -(low % size))[: high - low + 1]
    found[: window[0] - low] = found[window[1] - low + 1 :] = 0
    return np.maximum(found, 0)
