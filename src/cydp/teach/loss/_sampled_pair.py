# SPDX-License-Identifier: MIT
"""The pair of a mechanism that sees a secret sample. docs/teach/loss.md, "Which pair"."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._numbers.rational import float_of
from cydp.teach.loss._pair import LEAST_DELTA, Floats, Pair, TablePair

__all__ = ["sampled_pair"]

_POINTS = 2**15  # of losses that are continuous
_WIDTH = 20  # standard deviations, over which they are
_TAIL = 1e-27  # of normal losses beyond 11 standard deviations, which are not listed
_MISSING = 1e-12  # of the probabilities of a table
_LARGE = 30.0  # nats, beyond which e**loss is not computed
_LEAST_SHARE = 1e-300  # a larger share costs no less


def sampled_pair(pair: Pair, share: Fraction) -> Pair:
    """Return share P + (1 - share) Q, for a table with the row, and Q, for one without it."""
    q = max(float_of(share), _LEAST_SHARE)  # rounded to 1, it costs no less either
    if q == 1:
        return pair
    table = pair if isinstance(pair, TablePair) else _tabulate(pair)
    _check_masses(table)
    losses = _mix(table.losses, q)
    largest, least = (
        None if each is None else _mix(np.array([each]), q).item()
        for each in (table.largest, table.least)
    )
    return TablePair(
        outputs=table.outputs, losses=losses,
        p=q * table.p + (1 - q) * table.q, q=table.q, largest=largest, least=least,
        rounding=table.rounding, slack=table.slack, least_delta=table.least_delta,
        rest=tuple(
            (q * p + (1 - q) * other, other, _mix(np.array([loss]), q).item())
            for p, other, loss in table.rest
        ),
    )  # fmt: skip


def _check_masses(table: TablePair) -> None:
    """Refuse losses so large that floats hold only a part of what P or Q gives."""
    for side in (0, 1):
        listed = (table.p, table.q)[side].sum() + sum(row[side] for row in table.rest)
        if abs(listed - 1) > _MISSING:
            raise ValueError(
                "cost must lose less where it is sampled: floats do not hold the probabilities of "
                "losses of hundreds of nats"
            )


def _mix(losses: Any, q: float) -> Floats:
    """Return ln(q e**L + 1 - q)."""
    small, large = np.minimum(losses, _LARGE), np.maximum(losses, _LARGE)
    mixed: Floats = np.where(
        losses < _LARGE,
        np.log1p(q * np.expm1(small)),
        large + math.log(q) + np.log1p((1 - q) / q * np.exp(-large)),
    )
    return mixed


def _tabulate(pair: Pair) -> TablePair:
    """Return continuous losses on a grid, which is at least as far apart."""
    width = pair.mean + _WIDTH * math.sqrt(pair.variance)
    step = Fraction(2) ** math.ceil(math.log2(width / _POINTS))
    found = pair.spread(step)
    slack = 0.0 if math.isfinite(pair.supremum) else _TAIL
    losses = float_of(found.origin) + float_of(step) * np.arange(len(found.p))
    return TablePair(
        outputs=losses, p=found.p, q=found.q, losses=losses, largest=pair.supremum,
        least=-pair.supremum, rounding=float_of(step), slack=slack,
        least_delta=10 * slack or LEAST_DELTA,
    )  # fmt: skip
