# SPDX-License-Identifier: MIT
"""Figures 2 to 4 of the introduction: what is released for a value, and for its neighbour."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, format_number, read_exact, read_positive
from cydp.mechanisms._laplace import Laplace
from cydp.releases.output._pyplot import ink_of
from cydp.teach._pictures import draw_fill, draw_line, new_axes, set_words

__all__ = ["neighbours", "read_values", "two_epsilons"]

_VALUE, _NEIGHBOUR = 5, 12
_POINTS = 801
_LEAST_WRITTEN, _MOST_WRITTEN = 1e-4, 700  # an epsilon, of which the power is a number


@explain_arguments
def neighbours(
    ax: Any = None,
    *,
    value: Number = _VALUE,
    neighbour: Number = _NEIGHBOUR,
    epsilon: Number = 0.5,
) -> Any:
    """Draw the densities of what is released for f(D) and for f(D'), with Laplace noise.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Default: axes of a new figure.
    value, neighbour : number, default 5 and 12
        f(D) and f(D'). They are taken to be as far apart as neighbours can be: the sensitivity is
        their distance, 7.
    epsilon : number > 0, default 0.5
        Privacy cost of the release, in nats.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a number is not allowed.

    Notes
    -----
    For 5, 12 and 0.5 the scale of the noise is 14 and its variance 392. The two densities are
    farthest apart at f(D) and beyond it: by the factor e**epsilon, which is marked there.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> figures.neighbours().get_xlabel()
    'released value (unit of f)'

    """
    values, cost = read_values(value, neighbour), read_positive(epsilon, "epsilon")
    return _draw(new_axes(ax), *values, cost, _reach(*values, cost))


@explain_arguments
def two_epsilons(
    *,
    value: Number = _VALUE,
    neighbour: Number = _NEIGHBOUR,
    epsilon: Number = 0.5,
    other_epsilon: Number = 10,
) -> Any:
    """Draw `neighbours` for two epsilons side by side: one that hides, and one that does not.

    Parameters
    ----------
    value, neighbour : number, default 5 and 12
        As in `neighbours`.
    epsilon, other_epsilon : number > 0, default 0.5 and 10
        Of the left and of the right panel.

    Returns
    -------
    array of two matplotlib Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a number is not allowed.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> len(figures.two_epsilons())
    2

    """
    values = read_values(value, neighbour)
    costs = read_positive(epsilon, "epsilon"), read_positive(other_epsilon, "other_epsilon")
    axes = new_axes(None, 2)
    for ax, cost in zip(axes, costs, strict=True):
        _draw(ax, *values, cost, min(_reach(*values, min(costs)), 6 * _reach(*values, cost)))
    return axes


def read_values(value: Number, neighbour: Number) -> tuple[Fraction, Fraction]:
    """Read f(D) and f(D'), which must differ."""
    found = read_exact(value, "value"), read_exact(neighbour, "neighbour")
    if found[0] == found[1]:
        raise ValueError(
            f"neighbour must differ from value, {format_number(found[0])}: their distance is the "
            "sensitivity"
        )
    return found


def _reach(value: Fraction, neighbour: Fraction, epsilon: Fraction) -> float:
    """Return how far from the two values the picture goes."""
    # For a large epsilon far enough, that words above a value do not cross the axis.
    return float_of(abs(value - neighbour) * max(Fraction("3.2") / epsilon, Fraction(1, 4)))


def _draw(ax: Any, value: Fraction, neighbour: Fraction, epsilon: Fraction, reach: float) -> Any:
    sensitivity = abs(value - neighbour)
    noise = Laplace(epsilon=epsilon, sensitivity=sensitivity)
    low, high = sorted(map(float_of, (value, neighbour)))
    x = np.union1d(np.linspace(low - reach, high + reach, _POINTS), [low, high])
    for number, (name, center) in enumerate((("f(D)", value), ("f(D')", neighbour))):
        y = noise.pdf(x, value=center)
        label = f"released for {name} = {format_number(center)}"
        draw_line(ax, x, y, label, number)
        draw_fill(ax, x, 0, y, "", number)
    at = float_of(value)
    ends = noise.pdf([at], value=neighbour)[0], noise.pdf([at], value=value)[0]
    ax.plot([at, at], ends, color=ink_of(ax), linewidth=2.2, marker="_", markersize=9)
    written = _power(epsilon)
    ax.annotate(
        f"x {written}", (at, ends[1]), xytext=(0, 5), textcoords="offset points", ha="center",
        color=ink_of(ax), fontweight="bold",
    )  # fmt: skip
    scale, variance = float_of(noise.scale), noise.variance
    set_words(
        ax,
        f"epsilon = {format_number(epsilon)}: noise of scale {scale:.6g}, variance {variance:.6g}\n"
        f"the densities differ by a factor of up to {written}",
        "released value (unit of f)",
        "density (1 / unit of f)",
    )
    ax.set_ylim(0, 1.32 * ends[1])
    ax.set_xlim(x[0], x[-1])
    ax.legend(loc="upper right", fontsize="small")
    return ax


def _power(epsilon: Fraction) -> str:
    """Return e**epsilon as words: never 1, and never a number that is too small by far."""
    power = float_of(epsilon)
    if not _LEAST_WRITTEN <= power <= _MOST_WRITTEN:
        return f"e^{format_number(epsilon)}"
    factor = math.exp(power)
    if factor < 10:
        return f"{factor:.{2 if power >= 0.01 else 6}f}"
    return f"{factor:,.0f}" if 1e3 <= factor < 1e7 else f"{factor:.3g}"
