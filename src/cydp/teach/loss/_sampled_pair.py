# SPDX-License-Identifier: MIT
"""The pair of a mechanism on a Poisson sample. docs/teach/loss.md, "On a sample"."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from cydp._numbers.rational import float_of
from cydp.teach.loss._pair import Floats, Pair, TablePair

__all__ = ["sampled_pair"]

_POINTS = 2**17  # of losses of continuous noise
_WIDTH = 24  # standard deviations, over which they are
_FINEST = 2.0**-60  # a step, in nats


def sampled_pair(pair: Pair, share: Fraction) -> Pair:
    """Return (1 - q) Q + q P beside Q, q the share: a row that is in the sample with chance q.

    Continuous noise is first spread to a grid, on which it is at least as far apart.
    """
    if share == 1 or (pair.mean == 0 and pair.variance == 0):
        return pair
    table = pair if isinstance(pair, TablePair) else _on_a_grid(pair)
    q = float_of(share)
    top, bottom = pair.supremum, -pair.reverse().supremum
    return TablePair(
        outputs=table.outputs, p=(1 - q) * table.q + q * table.p, q=table.q,
        losses=_mixed(table.losses, q), rounding=table.rounding,
        rest=tuple(
            ((1 - q) * other + q * mass, other, _mix_one(loss, q))
            for mass, other, loss in table.rest
        ),
        largest=_mix_one(top, q), largest_reversed=-_mix_one(bottom, q),
    )  # fmt: skip


def _mixed(losses: Floats, q: float) -> Floats:
    """Return ln(1 - q + q e**loss)."""
    small = np.log1p(q * np.expm1(np.minimum(losses, 1.0)))
    with np.errstate(over="ignore"):
        large = losses + np.log(q + (1 - q) * np.exp(-np.maximum(losses, 1.0)))
    found: Floats = np.where(losses > 1, large, small)
    return found


def _mix_one(loss: float, q: float) -> float:
    return float(_mixed(np.array([loss]), q)[0])


def _on_a_grid(pair: Pair) -> TablePair:
    """Return a table of losses in steps."""
    width = 2 * abs(pair.mean) + _WIDTH * math.sqrt(pair.variance)
    step = Fraction(2) ** math.ceil(math.log2(max(width / _POINTS, _FINEST)))
    lattice = pair.spread(step)
    losses = float_of(lattice.origin) + float_of(step) * np.arange(len(lattice.p))
    return TablePair(
        outputs=losses, p=lattice.p, q=lattice.q, losses=losses, rounding=float_of(step)
    )
