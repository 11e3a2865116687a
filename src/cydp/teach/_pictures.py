# SPDX-License-Identifier: MIT
"""What the pictures share: axes, titles, and fills and lines that differ in grey. docs/teach.md."""

from __future__ import annotations

import textwrap
from typing import Any

from cydp.releases.output._pyplot import DASHES, import_pyplot

__all__ = [
    "HATCHES",
    "MARKERS",
    "draw_fill",
    "draw_line",
    "draw_lollipops",
    "new_axes",
    "set_words",
]

HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")  # of fills, which differ in grey too
MARKERS = "osD^vX"
_TITLE_WIDTH = 78
_SIZE = (6.4, 4.0)  # inches


def new_axes(
    ax: Any = None, panels: int = 1, *, size: tuple[float, float] | None = None, **options: Any
) -> Any:
    """Return axes to draw on: those that were given, or those of a new figure.

    Parameters
    ----------
    ax : matplotlib Axes, or None
    panels : int, default 1
        How many axes side by side; for more than one `ax` must be None.
    size : (float, float), optional
        Width and height of a new figure, in inches.
    **options : object
        Of `matplotlib.pyplot.subplots`, such as ``sharey=True``.

    Returns
    -------
    matplotlib Axes, or an array of them for more than one panel

    """
    plt = import_pyplot()
    if ax is not None:
        return ax
    wide = size or (_SIZE[0] if panels == 1 else 4.4 * panels, _SIZE[1])
    return plt.subplots(1, panels, figsize=wide, layout="constrained", **options)[1]


def set_words(ax: Any, title: str, x: str, y: str) -> None:
    """Set the title of axes, and their labels, each of which names its unit or what it counts."""
    words = "\n".join(textwrap.fill(line, _TITLE_WIDTH) for line in title.split("\n"))
    ax.set_title(words, loc="left", fontsize="medium")
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def draw_line(ax: Any, x: Any, y: Any, label: str, number: int, **options: Any) -> None:
    """Draw one of several lines, which differ by colour and by dashes."""
    given = {"linewidth": 1.8, "color": f"C{number}", "linestyle": DASHES[number % len(DASHES)]}
    ax.plot(x, y, label=label, **given | options)


def draw_fill(ax: Any, x: Any, low: Any, high: Any, label: str, number: int) -> None:
    """Fill the area between two curves, with a hatch that can be seen in grey."""
    ax.fill_between(
        x, low, high, label=label, facecolor=(f"C{number}", 0.35), edgecolor=f"C{number}",
        hatch=HATCHES[number % len(HATCHES)], linewidth=0.8,
    )  # fmt: skip


def draw_lollipops(ax: Any, x: Any, y: Any, label: str, number: int) -> None:
    """Draw the probabilities of single points, each as a stem with a marker."""
    colour = f"C{number}"
    ax.vlines(x, 0, y, color=colour, linewidth=1.4, linestyle=DASHES[number % len(DASHES)])
    filled = colour if number % 2 == 0 else ax.get_facecolor()
    ax.plot(
        x, y, MARKERS[number % len(MARKERS)], color=colour, markerfacecolor=filled, label=label,
        markersize=4.5,
    )  # fmt: skip
