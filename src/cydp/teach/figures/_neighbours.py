# SPDX-License-Identifier: MIT
"""Figures 2 to 5 of the introduction: releases of a value and its neighbour, and their mean."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._extras import EPSILON, ink_of
from cydp._numbers.rational import (
    float_of,
    format_number,
    read_exact,
    read_integer,
    read_positive,
)
from cydp.mechanisms import Laplace
from cydp.random import Generator
from cydp.teach._pictures import TIMES, draw_fill, draw_line, new_axes, set_numbers, set_words

__all__ = ["averages", "neighbours", "two_epsilons"]

_VALUE, _NEIGHBOUR = 5, 12
_NAMES = ("f(D)", "f(D')")
_X_LABEL, _Y_LABEL = "released value (unit of f)", "density (1 / unit of f)"
_POINTS = 801
_LARGEST = 1e300
_MOST_RATIO = 500  # epsilon, beyond which densities are too small for floats
_LEAST_WRITTEN, _MOST_WRITTEN = 1e-4, 700  # epsilons with a power that is written out
_MOST_RUNS = 10**6
_SHOWN = 400  # points of a line


@explain_arguments
def neighbours(
    *,
    value: Number = _VALUE,
    neighbour: Number = _NEIGHBOUR,
    epsilon: Number = 0.5,
    event: tuple[Number | None, Number | None] | None = None,
) -> Any:
    """Draw an event in what is released for f(D) and for f(D'), and the ratio of the densities.

    Parameters
    ----------
    value, neighbour : number, default 5 and 12
        f(D) and f(D'). They are taken to be as far apart as neighbours can be: the sensitivity is
        their distance, 7.
    epsilon : number > 0, at most 500, default 0.5
        Privacy cost of the release, in nats.
    event : (number or None, number or None), optional
        The released value is between these two; None is infinite. Default: it is nearer to f(D)
        than to f(D'), from which an attacker would guess D.

    Returns
    -------
    array of two matplotlib Axes
        Left the densities: the areas are the probabilities of the event. Right the density for
        f(D) over that for f(D').

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    The noise is of `cydp.Laplace`. The ratio of the densities is between e**-epsilon and e**epsilon
    at each value, so the probabilities of an event have such a ratio, too: each is a sum over the
    values of the event.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> densities, ratio = figures.neighbours()
    >>> ratio.get_xlabel()
    'released value (unit of f)'

    """
    values, cost = _read_values(value, neighbour), read_positive(epsilon, "epsilon")
    if cost > _MOST_RATIO:
        raise ValueError(
            f"epsilon must be at most {_MOST_RATIO}, not {format_number(cost)}: no picture shows a "
            "larger ratio"
        )
    ends = _read_event(event, *values)
    noise = Laplace(epsilon=cost, sensitivity=abs(values[0] - values[1]))
    x = np.union1d(
        _points(*values, _reach(*values, cost)), [end for end in ends if abs(end) < math.inf]
    )
    axes = new_axes(None, 2)
    _draw_event(axes[0], noise, values, x, ends, "nearer to f(D)" if event is None else "")
    _draw_ratio(axes[1], noise, values, x)
    return axes


@explain_arguments
def two_epsilons(
    *,
    value: Number = _VALUE,
    neighbour: Number = _NEIGHBOUR,
    epsilon: Number = 0.5,
    other_epsilon: Number = 10,
) -> Any:
    """Draw what is released for f(D) and f(D') at two epsilons: one that protects, and one not.

    Parameters
    ----------
    value, neighbour : number, default 5 and 12
        f(D) and f(D'); their distance is the sensitivity, as in `neighbours`.
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

    Notes
    -----
    For 5, 12 and 0.5 the scale of the noise is 14 and its variance 392. The two densities are
    farthest apart at f(D) and beyond it: by the factor e**epsilon, which is marked there.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> len(figures.two_epsilons())
    2

    """
    values = _read_values(value, neighbour)
    costs = read_positive(epsilon, "epsilon"), read_positive(other_epsilon, "other_epsilon")
    axes = new_axes(None, 2)
    for ax, cost in zip(axes, costs, strict=True):
        _draw(ax, *values, cost, min(_reach(*values, min(costs)), 6 * _reach(*values, cost)))
    return axes


def _read_values(value: Number, neighbour: Number) -> tuple[Fraction, Fraction]:
    """Read f(D) and f(D'), which must differ."""
    found = read_exact(value, "value"), read_exact(neighbour, "neighbour")
    if found[0] == found[1]:
        raise ValueError(
            f"neighbour must differ from value, {format_number(found[0])}: their distance is the "
            "sensitivity"
        )
    return found


def _read_event(event: Any, value: Fraction, neighbour: Fraction) -> tuple[float, float]:
    """Return the ends of an event; by default of what is nearer to f(D)."""
    if event is None:
        middle = (value + neighbour) / 2
        event = (None, middle) if value < neighbour else (middle, None)
    if not isinstance(event, tuple | list) or len(event) != 2:
        raise TypeError("event must be two numbers, of which either may be None: (None, 8)")
    low, high = (
        infinite if end is None else float_of(read_exact(end, "event"))
        for end, infinite in zip(event, (-math.inf, math.inf), strict=True)
    )
    if low >= high:
        raise ValueError("event must have a low end below its high one")
    return low, high


def _draw_event(
    ax: Any,
    noise: Laplace,
    values: tuple[Fraction, Fraction],
    x: Any,
    ends: tuple[float, float],
    words: str,
) -> None:
    low, high = ends
    chances = [_chance(noise, low, high, center) for center in values]
    for number, (name, center) in enumerate(zip(_NAMES, values, strict=True)):
        y, inside = noise.pdf(x, value=center), (x >= low) & (x <= high)
        draw_line(ax, x, y, f"{name} = {format_number(center)}", number)
        label = f"event: probability {chances[number]:.3g}"
        draw_fill(ax, x[inside], 0, y[inside], label, number)
    said = words or " and ".join(
        f"{word} {end:g}"
        for word, end in (("at least", low), ("at most", high))
        if abs(end) < math.inf
    )
    factor = f": ratio {chances[0] / chances[1]:.3g}" if all(chances) else ""
    title = f'The event "{said}" has probability {chances[0]:.3g} or {chances[1]:.3g}{factor}'
    set_words(ax, title, _X_LABEL, _Y_LABEL)
    peak = float(noise.pdf([float_of(values[0])], value=values[0])[0])
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(0, 1.75 * peak)
    ax.legend(loc="upper right", fontsize="small")


def _draw_ratio(ax: Any, noise: Laplace, values: tuple[Fraction, Fraction], x: Any) -> None:
    assert noise.epsilon is not None
    first, second = (noise.pdf(x, value=center) for center in values)
    draw_line(ax, x, first / second, "density for f(D) / density for f(D')", 0)
    for number, sign, power in ((1, "", noise.epsilon), (2, "-", -noise.epsilon)):
        bound = math.exp(float_of(power))
        label = f"$e^{{{sign}\\varepsilon}}$ = {bound:.3g}"
        draw_line(ax, x[[0, -1]], [bound] * 2, label, number, color=ink_of(ax), linewidth=1.2)
    epsilon, is_log = float_of(noise.epsilon), noise.epsilon > 1
    ax.set_yscale("log" if is_log else "linear")
    top = math.exp(1.8 * epsilon) if is_log else 1 + 1.8 * math.expm1(epsilon)
    ax.set_ylim(math.exp(-1.1 * epsilon), min(top, _LARGEST))  # with room for the legend
    title = (
        f"{EPSILON} = {format_number(noise.epsilon)}: the ratio of the densities is within "
        "$e^{\\pm\\varepsilon}$, and so is that of every event"
    )
    set_words(ax, title, _X_LABEL, "ratio of the densities (factor)")
    ax.set_xlim(x[0], x[-1])
    ax.legend(loc="upper right", fontsize="small")


def _chance(noise: Laplace, low: float, high: float, center: Fraction) -> float:
    """Return the probability of a release between two ends, from the tail that has its digits."""
    if low >= float_of(center):
        return _above(noise, low, center) - _above(noise, high, center)
    return _below(noise, high, center) - _below(noise, low, center)


def _above(noise: Laplace, end: float, center: Fraction) -> float:
    return 0.0 if end == math.inf else float(noise.sf(end, value=center))


def _below(noise: Laplace, end: float, center: Fraction) -> float:
    return float(end > 0) if abs(end) == math.inf else float(noise.cdf(end, value=center))


def _points(value: Fraction, neighbour: Fraction, reach: float) -> Any:
    """Return where densities are drawn: evenly, and at their peaks."""
    low, high = sorted(map(float_of, (value, neighbour)))
    return np.union1d(np.linspace(low - reach, high + reach, _POINTS), [low, high])


def _reach(value: Fraction, neighbour: Fraction, epsilon: Fraction) -> float:
    """Return how far from the two values the picture goes."""
    # For a large epsilon it is far enough that words above a value do not cross the axis.
    return float_of(abs(value - neighbour) * max(Fraction("3.2") / epsilon, Fraction(1, 4)))


def _draw(ax: Any, value: Fraction, neighbour: Fraction, epsilon: Fraction, reach: float) -> Any:
    sensitivity = abs(value - neighbour)
    noise = Laplace(epsilon=epsilon, sensitivity=sensitivity)
    x = _points(value, neighbour, reach)
    for number, (name, center) in enumerate(zip(_NAMES, (value, neighbour), strict=True)):
        y = noise.pdf(x, value=center)
        label = f"released for {name} = {format_number(center)}"
        draw_line(ax, x, y, label, number)
        draw_fill(ax, x, 0, y, "", number)
    at = float_of(value)
    ends = noise.pdf([at], value=neighbour)[0], noise.pdf([at], value=value)[0]
    ax.plot([at, at], ends, color=ink_of(ax), linewidth=2.2, marker="_", markersize=9)
    written = _power(epsilon)
    ax.annotate(
        f"{TIMES} {written}", (at, ends[1]), xytext=(0, 5), textcoords="offset points", ha="center",
        color=ink_of(ax), fontweight="bold",
    )  # fmt: skip
    scale, variance = float_of(noise.scale), noise.variance
    set_words(
        ax,
        f"{EPSILON} = {format_number(epsilon)}: noise of scale {scale:.6g}, variance "
        f"{variance:.6g}\nthe densities differ by a factor of up to {written}",
        _X_LABEL,
        _Y_LABEL,
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


@explain_arguments
def averages(
    ax: Any = None,
    *,
    value: Number = 5,
    neighbour: Number = 12,
    epsilon: Number = 0.5,
    runs: Integer = 1000,
    budget_epsilon: Number = 5,
    rng: Generator | None = None,
) -> Any:
    """Draw the mean of the first m releases of one value over m, and where a budget would stop.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Default: axes of a new figure.
    value, neighbour : number, default 5 and 12
        f(D) and f(D'); their distance is the sensitivity, as in `neighbours`.
    epsilon : number > 0, default 0.5
        Privacy cost of one release, in nats.
    runs : int from 10 to 10**6, default 1,000
        How many releases are drawn.
    budget_epsilon : number >= epsilon, default 5
        A budget, which pays for budget_epsilon / epsilon releases.
    rng : Generator, optional
        The source of the noise. Default: the calling thread's own generator.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    The mean of m releases has the standard deviation sqrt(2 / m) sensitivity / epsilon, which the
    band shows, and costs m epsilon. No data are read: value is what the picture assumes.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> figures.averages(runs=100).get_xlabel()
    'releases so far (count)'

    """
    center, other = _read_values(value, neighbour)
    cost, paid = read_positive(epsilon, "epsilon"), read_positive(budget_epsilon, "budget_epsilon")
    if paid < cost:
        raise ValueError(
            f"budget_epsilon must be at least epsilon, {format_number(cost)}, not "
            f"{format_number(paid)}"
        )
    count = read_integer(runs, "runs")
    if not 10 <= count <= _MOST_RUNS:
        raise ValueError(f"runs must be from 10 to 10**6, not {count}")
    noise = Laplace(epsilon=cost, sensitivity=abs(center - other), coordinates=1)
    middle, far = float_of(center), float_of(other)
    released = noise.release(np.full(count, middle), rng=rng)
    m = np.unique(np.geomspace(1, count, _SHOWN).astype(int))
    means = (np.cumsum(released) / np.arange(1, count + 1))[m - 1]
    deviation = np.sqrt(noise.variance / m)
    ax = new_axes(ax, size=(6.4, 4.8))
    draw_fill(
        ax, m, middle - deviation, middle + deviation, "one standard deviation of the mean", 0
    )
    draw_line(ax, m, means, "mean of the releases so far", 1, linestyle="-")
    for number, name, exact in ((2, "f(D)", center), (3, "f(D')", other)):
        label, place = f"{name} = {format_number(exact)}", float_of(exact)
        draw_line(ax, [1, count], [place, place], label, number, linewidth=1.2)
    most = int(paid / cost)
    if most < count:
        label = f"a budget of {format_number(paid)} ends"
        ax.axvline(most, color=ink_of(ax), linewidth=2, linestyle="--", label=label)
    reach = 1.25 * float(noise.variance) ** 0.5
    ax.set_ylim(min(middle, far) - reach, max(middle, far) + reach)
    ax.set_xscale("log")
    set_numbers(ax.xaxis)
    ax.set_xlim(1, count)
    set_words(
        ax,
        f"Averages find f(D): after {count:,} releases the standard deviation is "
        f"{float(deviation[-1]):.2g},\nfor {EPSILON} = {format_number(count * cost)}",
        "releases so far (count)",
        "mean of the releases (unit of f)",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(0, -0.16), ncols=2, frameon=False)
    return ax
