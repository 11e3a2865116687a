# SPDX-License-Identifier: MIT
"""Figure 5 of the introduction: the mean of repeated runs finds the exact value, for a price."""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._generator import Generator
from cydp._numbers.rational import (
    float_of,
    format_number,
    read_integer,
    read_positive,
)
from cydp.mechanisms._laplace import Laplace
from cydp.releases.output._pyplot import ink_of
from cydp.teach._pictures import draw_fill, draw_line, new_axes, set_words
from cydp.teach.figures._neighbours import read_values

__all__ = ["averages"]

_MOST_RUNS = 10**6
_SHOWN = 400  # points of a line


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
    center, other = read_values(value, neighbour)
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
    ax.set_xlim(1, count)
    set_words(
        ax,
        f"Averages find f(D): after {count:,} releases the standard deviation is "
        f"{float(deviation[-1]):.2g},\nfor epsilon = {format_number(count * cost)}",
        "releases so far (count)",
        "mean of the releases (unit of f)",
    )
    ax.legend(loc="upper left", bbox_to_anchor=(0, -0.16), ncols=2, frameon=False)
    return ax
