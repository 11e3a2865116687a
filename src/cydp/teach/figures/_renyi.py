# SPDX-License-Identifier: MIT
"""Renyi divergences over their order: the curve of a cost beside the straight line of a rho."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._extras import EPSILON, RHO, with_letters
from cydp._numbers.rational import float_of, format_number, read_exact
from cydp.accounting import ZCDP, Loss, Plan, PureDP, renyi_divergence
from cydp.mechanisms import Laplace
from cydp.sampling import Sampled
from cydp.teach._pictures import HATCHES, draw_line, new_axes, set_words
from cydp.teach.meaning._curves import CostOrPlan, label_of

__all__ = ["renyi_curves"]

_MOST_LINES = len(HATCHES) - 1
_MOST_ORDER = 1000
_RENYI = "R\N{LATIN SMALL LETTER E WITH ACUTE}nyi"
_ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
_POINTS = 64
_ABOVE_ONE = Fraction(1, 1024)  # the least order that is drawn is 1 and this


@explain_arguments
def renyi_curves(*costs: CostOrPlan, largest_order: Number = 8, ax: Any = None) -> Any:
    """Draw the Renyi divergence of several costs over its order.

    Parameters
    ----------
    *costs : loss, mechanism, release or Plan
        Up to 5, each with an epsilon alone or a known rho. Default: Laplace noise of epsilon 1, any
        loss of epsilon 1, and a rho of 1/2, which is the straight line of Gaussian noise.
    largest_order : number > 1, at most 1000, default 8
        Where the axis of orders ends; it begins at 1.
    ax : matplotlib Axes, optional
        Default: axes of a new figure.

    Returns
    -------
    matplotlib Axes
        A line for each cost, of 64 points: the order, and the divergence in nats. A point
        (alpha, D) says that the cost has (alpha, D)-Renyi differential privacy [1]_.

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a parameter is not allowed.
    MeasureMismatchError
        For a cost without Renyi divergences, such as an ApproxDP.

    Notes
    -----
    It reads no data, and costs nothing.

    References
    ----------
    .. [1] Mironov, "Renyi differential privacy", 2017.

    Examples
    --------
    >>> import cydp
    >>> from cydp.teach import figures
    >>> ax = figures.renyi_curves(cydp.ZCDP("1/2"), cydp.PureDP(1), largest_order=4)
    >>> [round(float(line.get_ydata()[-1]), 4) for line in ax.lines]
    [2.0, 0.8959]

    """
    if len(costs) > _MOST_LINES:
        raise ValueError(f"costs must be at most {_MOST_LINES}, not {len(costs)}")
    last = read_exact(largest_order, "largest_order")
    if not 1 < last <= _MOST_ORDER:
        raise ValueError(
            f"largest_order must be above 1 and at most {_MOST_ORDER}, not {format_number(last)}"
        )
    orders = np.linspace(1 + float_of(min(_ABOVE_ONE, last - 1)), float_of(last), _POINTS)
    chosen = costs or (Laplace(epsilon=1, sensitivity=1), PureDP(1), ZCDP("1/2"))
    curves = [renyi_divergence(cost, orders) for cost in chosen]
    ax = new_axes(ax)
    for number, (cost, curve) in enumerate(zip(chosen, curves, strict=True)):
        draw_line(ax, orders, curve, with_letters(_label_of(cost)), number)
    set_words(
        ax,
        f"{_RENYI} divergence: a {RHO} is a straight line,\nand an {EPSILON} is a ceiling",
        f"order {_ALPHA}",
        f"largest {_RENYI} divergence (nats)",
    )
    ax.set_xlim(1, float_of(last))
    ax.set_ylim(bottom=0)
    ax.legend(loc="upper left")
    return ax


def _label_of(cost: CostOrPlan) -> str:
    """Return a cost in short, with the name of a mechanism: its curve is lower than its loss's."""
    if isinstance(cost, Loss | Plan | Sampled):
        return label_of(cost)
    return f"{type(cost).__name__}, {label_of(cost)}"
