# SPDX-License-Identifier: MIT
"""Privacy losses on a grid, tilted: how they are added, and how wrong floats may be.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["ROUNDING", "Floats", "Layers", "LossGrid", "convolve", "cut", "raised"]

Floats: TypeAlias = NDArray[Any]  # of float64

ROUNDING = sys.float_info.epsilon / 2  # of one operation
_PER_LEVEL = 8 * ROUNDING  # of a Fourier transform, for each halving of its length: mu + gamma_4
_FEW = 512  # points of the shorter one: a sum of so many products is as good as a transform
_FEW_PRODUCTS = 2**22


@dataclass(frozen=True, slots=True)
class LossGrid:
    """A privacy loss, or at least as large a one, at multiples of a step.

    Attributes
    ----------
    exponent : int
        The step is unit * 2**exponent nats.
    first : int
        The multiple of the step at which the first mass is.
    masses : array
        P has the mass ``masses * exp(log_scale - tilt * loss)``. They add up to about 1.
    log_scale : float
    tilt : float
    error : float
        The masses of a pair that dominates differ from these by at most so much, all together.
    unit : float
        In nats; 1, unless all losses are multiples of another number.
    rate : float
        What the bounds of the rounding are for; see `log_moved`.
    log_moved : pair of floats
        ln of at least E exp(tilt * loss + rate * D) under P, and of the same with -rate, where D is
        by how much rounding to grids has moved the loss up. A lower end of delta needs them.

    """

    exponent: int
    first: int
    masses: Floats
    log_scale: float
    tilt: float
    error: float
    unit: float = 1.0
    rate: float = 0.0
    log_moved: tuple[float, float] = (0.0, 0.0)

    @property
    def step(self) -> float:
        """The step, in nats."""
        return math.ldexp(self.unit, self.exponent)


@dataclass(frozen=True, slots=True)
class Layers:
    """A loss on a grid, and its rare values, far from the others, on a coarser one."""

    fine: LossGrid
    coarse: LossGrid | None = None

    def added_to(self, other: Layers, most: float) -> Layers:
        """Return the sum of two independent losses; at each end `most` may be cut off."""
        fine = convolve(self.fine, other.fine, most)
        coarse = None
        if self.coarse and self is other:  # c (2 f + c) is one sum less than c (f + c) + f c
            up, down = self.fine.log_moved
            twice = replace(
                self.fine,
                log_scale=self.fine.log_scale + math.log(2),
                log_moved=(up + math.log(2), down + math.log(2)),
            )
            coarse = convolve(self.coarse, Layers(twice, self.coarse).joined(), most)
        elif self.coarse:
            coarse = convolve(self.coarse, other.joined(), most)
        if other.coarse and self is not other:
            coarse = _mixture(coarse, convolve(other.coarse, self.fine, most))
        return Layers(fine, coarse)

    def in_steps_of(self, exponent: int) -> Layers:
        """Return the fine layer in a coarser step, joined with the other if that has the step."""
        fine = in_steps_of(self.fine, exponent)
        if self.coarse and self.coarse.exponent <= fine.exponent:
            return Layers(_mixture(fine, in_steps_of(self.coarse, fine.exponent)))
        return Layers(fine, self.coarse)

    def joined(self) -> LossGrid:
        """Return both layers as one."""
        if self.coarse is None:
            return self.fine
        return _mixture(in_steps_of(self.fine, self.coarse.exponent), self.coarse)


def raised(base: Layers, count: int, exponent: int, most: float) -> LossGrid:
    """Return the sum of `count` losses on a grid.

    Parameters
    ----------
    base : Layers
        One loss.
    count : int >= 1
    exponent : int
        Of the step of the result. A sum of half as many has a step that is smaller by the root of
        2, so that rounding to any of these grids adds the same to the variance of the result.
    most : float
        The masses that are cut off may add up to so much.

    """
    bits = bin(count)[3:]
    share = most / (8 * count * (len(bits) + 1))
    total = base
    for done, bit in enumerate(bits, 1):
        step = exponent - (len(bits) - done + 1) // 2
        total = total.added_to(total, share * 2.0**done).in_steps_of(step)
        if bit == "1":
            base = base.in_steps_of(step)
            total = total.added_to(base, share * 2.0**done)
    return in_steps_of(total.joined(), exponent)


def _mixture(one: LossGrid | None, other: LossGrid) -> LossGrid:
    """Return the masses of two grids of one step together."""
    if one is None:
        return other
    if other.log_scale > one.log_scale:
        one, other = other, one
    factor = math.exp(other.log_scale - one.log_scale)
    first = min(one.first, other.first)
    last = max(one.first + len(one.masses), other.first + len(other.masses))
    masses = np.zeros(last - first)
    masses[one.first - first :][: len(one.masses)] = one.masses
    masses[other.first - first :][: len(other.masses)] += factor * other.masses
    error = one.error + factor * other.error + 8 * ROUNDING * float(masses.sum())
    up, down = np.logaddexp(one.log_moved, other.log_moved).tolist()
    return replace(one, first=first, masses=masses, error=error, log_moved=(up, down))


def convolve(one: LossGrid, other: LossGrid, most: float) -> LossGrid:
    """Return the sum of two independent losses; at each end a mass of `most` may be cut off."""
    exponent = max(one.exponent, other.exponent)
    one, other = in_steps_of(one, exponent), in_steps_of(other, exponent)
    a, b = one.masses, other.masses
    shorter = min(len(a), len(b))
    total_a, total_b = float(a.sum()), float(b.sum())
    inherited = one.error * total_b + other.error * total_a + one.error * other.error
    if shorter <= _FEW or len(a) * len(b) <= _FEW_PRODUCTS:
        found = np.convolve(a, b)
        new, noise = 2 * shorter * ROUNDING * total_a * total_b, 0.0
    else:
        size = len(a) + len(b) - 1
        length = 1 << (size - 1).bit_length()
        transform = np.fft.rfft(a, length)
        transform *= transform if a is b else np.fft.rfft(b, length)
        # What is below 0 is rounding: the exact sums are not, so that 0 is closer to them.
        found = np.maximum(np.fft.irfft(transform, length)[:size], 0)
        norms = _norm(a) * total_b, _norm(b) * total_a
        level = length.bit_length() * _PER_LEVEL
        new = 2 * level * max(norms) + level * min(norms)
        new = noise = math.sqrt(size) * (new + 8 * ROUNDING * min(norms)) * 1.001
    grid = LossGrid(
        exponent, one.first + other.first, found, one.log_scale + other.log_scale, one.tilt,
        inherited + new, one.unit, one.rate,
        (one.log_moved[0] + other.log_moved[0], one.log_moved[1] + other.log_moved[1]),
    )  # fmt: skip
    return cut(grid, max(most, noise / 4))


def _norm(masses: Floats) -> float:
    return math.sqrt(float(np.square(masses).sum()))


def cut(grid: LossGrid, most: float) -> LossGrid:
    """Return a grid without masses at both ends of `most` each, with a total of 1."""
    masses = grid.masses
    low = int(np.searchsorted(np.cumsum(masses), most, side="right"))
    high = len(masses) - int(np.searchsorted(np.cumsum(masses[::-1]), most, side="right"))
    if high <= low:  # all is within the error
        low, high = 0, len(masses)
    kept = masses[low:high]
    total = float(kept.sum())
    lost = float(masses[:low].sum() + masses[high:].sum())
    return replace(
        grid,
        first=grid.first + low,
        masses=kept / total,
        log_scale=grid.log_scale + math.log(total),
        error=(grid.error + lost * 1.001) / total + 2 * ROUNDING,
    )


def in_steps_of(grid: LossGrid, exponent: int) -> LossGrid:
    """Return a grid of a coarser step, on which the masses under P and under Q are kept.

    A mass between two points goes to both; upwards (1 - e**-h) / (1 - e**-2h).
    """
    while grid.exponent < exponent:
        h, masses = grid.step, grid.masses
        if grid.first % 2:
            masses = np.concatenate([[0.0], masses])
        if len(masses) % 2 == 0:
            masses = np.concatenate([masses, [0.0]])
        up, down = _ways(grid.tilt, h)
        found = masses[::2].copy()
        found[1:] += up * masses[1::2]
        found[:-1] += down * masses[1::2]
        grid = replace(
            grid,
            exponent=grid.exponent + 1,
            first=grid.first // 2,
            masses=found,
            error=max(up + down, 1.0) * (grid.error + 8 * ROUNDING * float(masses.sum())),
            log_moved=(
                grid.log_moved[0] + max(math.log(sum(_ways(grid.tilt + grid.rate, h))), 0.0),
                grid.log_moved[1] + max(math.log(sum(_ways(grid.tilt - grid.rate, h))), 0.0),
            ),
        )
    return grid


def _ways(tilt: float, h: float) -> tuple[float, float]:
    """Return what a tilted mass halfway is multiplied by on its way up by h, and down by h."""
    up = float(np.exp(tilt * h)) / (1 + math.exp(-h))
    return up, float(np.exp(-(1 + tilt) * h)) / (1 + math.exp(-h))
