# SPDX-License-Identifier: MIT
"""The picture of trade-offs: true positives over false positives, for one or several losses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._numbers.rational import float_of
from cydp._numbers.rounding import delta_float_above
from cydp.accounting._conversion import RocBound
from cydp.releases.output._pyplot import ink_of
from cydp.teach._pictures import draw_line, new_axes, set_words

__all__ = ["draw_trade_offs"]

_STEPS = 80


def draw_trade_offs(curves: Sequence[tuple[str, RocBound]], question: str, ax: Any = None) -> Any:
    """Draw curves with their labels; for a single one its best bet is marked.

    `question` is that of all curves, or empty if labels say it.
    """
    ax = new_axes(ax, size=(5.6, 4.6))
    points = [Fraction(step, _STEPS) for step in range(_STEPS + 1)]
    points += [Fraction(step, 20 * _STEPS) for step in range(1, 20)]
    points += [1 - curve.chance for _, curve in curves]  # the corners
    points.sort()
    x = np.array([float_of(point) for point in points])
    for number, (label, curve) in enumerate(curves):
        y = [float_of(curve.most(point)) for point in points]
        draw_line(ax, x, y, f"most for {label}", number)
    draw_line(ax, [0, 1], [0, 1], "guessing", 5, color=ink_of(ax), linestyle=":", linewidth=1)
    if len(curves) == 1:
        chance = float_of(curves[0][1].chance)
        label = f"best fair bet: {delta_float_above(curves[0][1].chance):.6g} right"
        ax.plot([1 - chance], [chance], "o", color="C1", label=label)
    set_words(
        ax,
        "No test does better than the curve" + (f". The question:\n{question}" if question else ""),
        "rate of false positives (probability)",
        "rate of true positives (probability)",
    )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.legend(loc="lower right")
    return ax
