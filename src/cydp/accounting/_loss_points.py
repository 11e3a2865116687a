# SPDX-License-Identifier: MIT
"""Points of a privacy loss with their tilted masses, and how they are put on a grid.

docs/accounting/plans.md, "Privacy loss distributions", has the proofs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cydp.accounting._loss_grid import ROUNDING, Floats, Layers, LossGrid, cut

__all__ = ["Moments", "Points", "Setting", "least_exponent", "multiples", "nodes_between"]

_NEAR = 2**14  # steps around the largest mass, beyond which losses are rare
_MOST_POINTS = 2**17  # of one loss on a grid
_FINEST = 30  # binary digits by which a step may be smaller than the largest loss
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)


@dataclass(frozen=True, slots=True)
class Setting:
    """What the grids of a composition have in common.

    Attributes
    ----------
    tilt : float
    unit : float
        Of the steps, in nats.
    rate : float
        Of the bound of how far rounding moves a loss; 0 where none is needed.
    near : int
        Losses are rare from so many times 2**14 steps on.

    """

    tilt: float
    unit: float = 1.0
    rate: float = 0.0
    near: int = 1

    def reach(self, exponent: int) -> float:
        """Return how far from the largest mass losses are not rare, in a step."""
        return math.ldexp(self.near * _NEAR * self.unit, exponent)


@dataclass(frozen=True, slots=True)
class Moments:
    """Of a tilted loss: ln E exp(tilt * loss), and mean and variance of what is tilted."""

    log_scale: float
    mean: float
    variance: float


@dataclass(frozen=True, slots=True)
class Points:
    """Losses, rounded outwards, with tilted masses exp(logs), and how wrong each mass may be.

    `rounding` is relative.
    """

    losses: Floats
    logs: Floats
    rounding: Floats

    def only(self, which: Any) -> Points:
        """Return some of the points."""
        return Points(self.losses[which], self.logs[which], self.rounding[which])

    def moments(self) -> Moments:
        """Return the moments of what is tilted."""
        top = float(self.logs.max())
        masses = np.exp(self.logs - top)
        total = float(masses.sum())
        mean = float((masses * self.losses).sum()) / total
        variance = float((masses * (self.losses - mean) ** 2).sum()) / total
        return Moments(top + math.log(total), mean, variance)

    def in_layers(
        self,
        log_lost: float,
        where: tuple[float, int, int],
        setting: Setting,
        most: float,
        *,
        are_multiples: bool = False,
    ) -> Layers:
        """Return points on one grid about a middle, and those that are far from it on another.

        Parameters
        ----------
        log_lost : float
            ln of a mass that is beyond the points.
        where : (middle, fine, coarse)
            A loss, and the exponents of both steps.
        setting, most, are_multiples
            As in `on_grid`. Points of little mass are left out, too.

        """
        middle, fine, coarse = where
        top = float(self.logs.max())
        masses = np.exp(self.logs - top)
        likely = masses > most * masses.sum() / (4 * len(masses))
        rest = float(masses[~likely].sum()) + math.exp(log_lost - top)
        log_rest = top + math.log(rest) if rest else -math.inf
        is_near = np.abs(self.losses - middle) < setting.reach(fine)
        if not (likely & is_near).any() or not (likely & ~is_near).any():
            is_near = likely
        found = [
            self.only(likely & which).on_grid(
                log_left, exponent, setting, most, are_multiples=are_multiples
            )
            for which, log_left, exponent in (
                (is_near, log_rest, fine),
                (~is_near, -math.inf, max(fine, coarse)),
            )
            if (likely & which).any()
        ]
        return Layers(*found)

    def on_grid(
        self,
        log_rest: float,
        exponent: int,
        setting: Setting,
        most: float,
        *,
        are_multiples: bool = False,
    ) -> LossGrid:
        """Move each mass to the two multiples of the step around its loss; keep P and Q of it.

        The part that moves up is (1 - e**-x) / (1 - e**-step), x the distance to the lower one.

        Parameters
        ----------
        log_rest : float
            ln of a mass that is left out.
        exponent : int
            Of the step; a larger one is taken if these would be too many.
        setting : Setting
        most : float
            At each end of the grid so much may be cut off.
        are_multiples : bool
            Whether the losses are multiples of the unit, but for their rounding. In a step of the
            unit nothing is moved then.

        """
        tilt, unit, rate = setting.tilt, setting.unit, setting.rate
        top = float(self.logs.max())
        losses, masses = self.losses, np.exp(self.logs - top)
        exponent = max(exponent, least_exponent(losses, unit, setting.near))
        step = math.ldexp(unit, exponent)
        if are_multiples and exponent == 0:
            below = np.rint(losses / step)
            x = np.zeros_like(losses)
        else:
            below = np.floor(losses / step)
            x = losses - below * step
        up = masses * np.expm1(-x) / math.expm1(-step) * np.exp(tilt * (step - x))
        down = masses * np.exp(-(1 + tilt) * x) * np.expm1(x - step) / math.expm1(-step)
        first = int(below.min())
        at = (below - first).astype(np.int64)
        size = int(at.max()) + 2
        counts = np.bincount(at, minlength=size) + np.bincount(at + 1, minlength=size)
        found = np.bincount(at, down, size) + np.bincount(at + 1, up, size)
        relative = self.rounding + 16 * ROUNDING * (1 + tilt * step)
        error = float((relative * masses).sum()) * float(np.exp(tilt * step))
        error += float((found * counts).sum()) * ROUNDING
        error = error * 1.001 + math.exp(log_rest - top)
        grid = LossGrid(exponent, first, found, top, tilt, error, unit)
        if rate:
            relative += (len(x) + 16 * rate * step) * ROUNDING
            higher, lower = (
                top
                + math.log(
                    float(
                        (
                            (up * np.exp(by * (step - x)) + down * np.exp(-by * x))
                            * (1 + 2 * relative)
                        ).sum()
                    )
                )
                for by in (rate, -rate)
            )
            grid = replace(grid, rate=rate, log_moved=(higher, lower))
        return cut(grid, most)


def nodes_between(edges: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of the integrals between edges next to each other."""
    widths = np.diff(edges)
    nodes = edges[:-1, None] + widths[:, None] * ((1 + _NODES) / 2)
    return nodes.ravel(), (widths[:, None] * (_WEIGHTS / 2)).ravel()


def multiples(exponent: int, low: float, high: float, near: int) -> Floats:
    """Return the multiples of a step from low to high; of a larger step if they are too many."""
    exponent = max(exponent, least_exponent(np.array([low, high]), 1.0, near))
    step = math.ldexp(1.0, exponent)
    return step * np.arange(math.ceil(low / step), math.floor(high / step) + 1)


def least_exponent(losses: Floats, unit: float, near: int) -> int:
    """Return the exponent of a step in which these losses are not too many points."""
    losses = losses / unit
    low, high = float(losses.min()), float(losses.max())
    most = near * _MOST_POINTS
    finest = max((high - low) / most, math.ldexp(max(abs(low), abs(high)), -_FINEST))
    return math.ceil(math.log2(finest)) if finest > 0 else -1000
