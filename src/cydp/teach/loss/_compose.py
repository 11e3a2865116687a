# SPDX-License-Identifier: MIT
"""Composition: the losses of independent releases are added. docs/teach/loss.md, "Composition"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np

from cydp._numbers.rational import float_of
from cydp.accounting import LossDistribution
from cydp.teach.loss._continuous import NormalNoise
from cydp.teach.loss._distribution_pair import (
    DistributionPair,
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
_MOST_STEP = 256  # nats: e**step is still a float
_MISSING = 0.01  # of the probabilities of a pair: floats lose all at once


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
        rounding = float_of(step) * sum(times for _, times in kept)
        found = _sum(spread, step, kept, rounding)
        if len(found.p) <= _MOST_POINTS:
            return found
        step *= 2 ** math.ceil(math.log2(len(found.p) / _MOST_POINTS))


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


def _sum(
    lattices: Sequence[tuple[Lattice, int]], step: Fraction, parts: Parts, rounding: float
) -> TablePair:
    """Return the pair of the sums of losses."""
    left_out = sum(times * pair.slack for pair, times in parts)
    of_p, of_q = (
        reduce(add, [times * _distribution(each, side, step) for each, times in lattices])
        for side in "pq"
    )
    ends = of_p.first + len(of_p.losses), of_q.first + len(of_q.losses)
    low, size = min(of_p.first, of_q.first), max(ends) - min(of_p.first, of_q.first)
    p, q = np.zeros(size), np.zeros(size)
    for masses, found in ((p, of_p), (q, of_q)):
        masses[found.first - low :][: len(found.losses)] = found.probabilities
    at = np.flatnonzero((p > 0) | (q > 0))
    losses = exact_floats(of_p.offset + low * step, step, at)
    beyond = [(math.inf, of_p.infinite, 0.0)] * (of_p.infinite > 0)
    beyond += [(-math.inf, 0.0, of_q.infinite)] * (of_q.infinite > 0)
    losses = np.append(losses, [loss for loss, _, _ in beyond])
    last = sum((len(each.p) - 1) * round(each.step / step) * n for each, n in lattices)
    is_direct = last <= _MOST_DIRECT
    return TablePair(
        outputs=losses,
        losses=losses,
        p=np.append(p[at], [mass for _, mass, _ in beyond]),
        q=np.append(q[at], [mass for _, _, mass in beyond]),
        moments=tuple(
            sum(times * getattr(pair, each) for pair, times in parts)
            for each in ("mean", "variance")
        ),
        largest=_largest(lattices, parts, rounding),
        slack=left_out + (0.0 if is_direct else of_p.error),
        rounding=rounding,
        sums=None if is_direct else of_p,
    )


def _distribution(lattice: Lattice, side: str, step: Fraction) -> LossDistribution:
    """Return the law of the loss under P or Q, in a step that may be smaller."""
    masses, beyond = getattr(lattice, side), getattr(lattice, f"{side}_only")
    stride = max(round(lattice.step / step), 1)
    found = np.zeros((len(masses) - 1) * stride + 1)
    total = float(masses.sum())
    # What adds up to the chance of a finite loss: a power would enlarge a gap.
    found[::stride] = masses * ((1 - beyond) / total) if total else masses
    return LossDistribution(0, found, step=step, infinite=beyond, offset=lattice.origin)


def _largest(lattices: Sequence[tuple[Lattice, int]], parts: Parts, rounding: float) -> float:
    """Return the largest loss of the sum."""
    if rounding or not all(math.isfinite(pair.supremum) for pair, _ in parts):
        return sum(times * pair.supremum for pair, times in parts)
    tops = [
        times * (each.origin + each.step * int(np.flatnonzero(each.p)[-1]))
        for each, times in lattices
    ]
    return float_of(sum(tops, Fraction(0)))
