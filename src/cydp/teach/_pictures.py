# SPDX-License-Identifier: MIT
"""What the pictures share: axes, titles, and fills and lines that differ in grey. docs/teach.md."""

from __future__ import annotations

import textwrap
from typing import Any

from cydp._extras import DASHES, import_pyplot

__all__ = [
    "EDGE",
    "HATCHES",
    "MARKERS",
    "TIMES",
    "draw_fill",
    "draw_line",
    "draw_lollipops",
    "new_axes",
    "set_numbers",
    "set_words",
]

HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")  # of fills, which differ in grey too
MARKERS = "osD^vX"
TIMES = "\N{MULTIPLICATION SIGN}"
EDGE = 1.0  # points: a style may have no edges, and hollow markers would vanish
_TITLE_WIDTH = 78  # letters at most
_LETTER = 0.5  # width of a letter, in the size of its font
_USED = 0.9  # of the width of a panel: the rest is for the words of its axis
_USUAL_FONT = 10.0  # points, which the sizes of figures assume
_SIZE = (6.4, 4.0)  # inches


def new_axes(
    ax: Any = None, panels: int = 1, *, size: tuple[float, float] | None = None, **options: Any
) -> Any:
    """Return axes to draw on: the given ones, or the axes of a new figure.

    Parameters
    ----------
    ax : matplotlib Axes, or None
    panels : int, default 1
        How many axes side by side; for more than one `ax` must be None.
    size : (float, float), optional
        Width and height of a new figure, in inches, for letters of 10 points. The figure grows
        with the letters of the style in use.
    **options : object
        Of `matplotlib.pyplot.subplots`, such as ``sharey=True``.

    Returns
    -------
    matplotlib Axes, or an array of them for more than one panel

    Raises
    ------
    TypeError
        If `ax` is no axes: an array of several panels, a figure, a file name.

    """
    if ax is not None:
        if not hasattr(ax, "barh"):
            raise TypeError(f"ax must be Axes of matplotlib, not {type(ax).__name__}")
        return ax
    plt = import_pyplot()
    wide = size or (_SIZE[0] if panels == 1 else 4.4 * panels, _SIZE[1])
    grown = max(1, _points_of_words() / _USUAL_FONT)
    inches = wide[0] * grown, wide[1] * grown
    figure, axes = plt.subplots(1, panels, figsize=inches, layout="constrained", **options)
    if panels > 1:
        figure.get_layout_engine().set(wspace=0.06)  # the last number of an axis and the next's 0
    return axes


def set_words(ax: Any, title: str, x: str, y: str) -> None:
    """Set the title of axes, and their labels: a label names its unit, or what it counts."""
    points = _points_of_words()
    letters = min(_TITLE_WIDTH, max(20, int(_USED * _width_of(ax) * 72 / (_LETTER * points))))
    words = "\n".join(textwrap.fill(line, letters) for line in title.split("\n"))
    ax.set_title(words, loc="left", fontsize=points)
    ax.set_xlabel(x)
    ax.set_ylabel(y)


def set_numbers(*axes: Any) -> None:
    """Let the ticks of axes, which may be logarithmic, be numbers: 1,000, and no power of 10."""
    for axis in axes:
        axis.set_major_formatter("{x:,.10g}")


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
        markersize=4.5, markeredgewidth=EDGE,
    )  # fmt: skip


def _points_of_words() -> float:
    """Return the size of the labels of axes in the style in use, in points."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams["axes.labelsize"]).get_size_in_points())


def _width_of(ax: Any) -> float:
    """Return the width of the part of a figure that axes have, in inches."""
    whole, place = float(ax.figure.get_figwidth()), ax.get_subplotspec()
    if place is None:
        return whole * float(ax.get_position().width)
    return whole * len(place.colspan) / int(place.get_gridspec().ncols)
