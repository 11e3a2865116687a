# SPDX-License-Identifier: MIT
"""A result as a plot, by matplotlib. docs/releases/output.md."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

import numpy as np

from cydp.releases.output._plot_cells import (
    MOST_KEYS,
    draw_bins,
    draw_image,
    draw_intervals,
    draw_keys,
    draw_lines,
    names_of,
    words_of,
)
from cydp.releases.output._pyplot import import_pyplot, plain_words
from cydp.releases.output._sheet import Numbers, Sheet
from cydp.releases.output._words import bars_words, error_lines

__all__ = ["plot_of"]


_TITLE_WIDTH = 64
_MOST_PLAIN = 1e9  # above which ticks have an exponent


def plot_of(sheet: Sheet, ax: Any) -> Any:
    """Draw the first column of a sheet, and return the axes."""
    plt = import_pyplot()
    from matplotlib.ticker import MaxNLocator

    draw = _drawing_of(sheet)
    if ax is None:
        ax = plt.subplots(figsize=_size_of(sheet), layout="constrained")[1]
    column = sheet.columns[0]
    if not sheet.cells:
        ax.text(0.5, 0.5, "no keys", transform=ax.transAxes, ha="center", va="center")
        values = ax.yaxis
        ax.set_ylabel(_label_of(column))
    else:
        values = draw(sheet, ax, _label_of(column))
    if values is not None:
        values.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        if np.abs(column.values).max(initial=0) < _MOST_PLAIN:
            values.set_major_formatter(lambda tick, _: f"{tick + 0.0:,.10g}")
    lines = [f"{sheet.title}: {sheet.cost}", *_error_of(sheet)]
    words = "\n".join(textwrap.fill(line, _TITLE_WIDTH) for line in lines)
    ax.set_title(plain_words(words), loc="left", fontsize="medium")
    return ax


def _size_of(sheet: Sheet) -> tuple[float, float]:
    """Return the size of a figure of its own, in inches: as high as its rows need."""
    if not sheet.axes:
        return 6.4, 1.6 + 0.4 * len(sheet.columns)
    if len(sheet.axes) == 1 and sheet.axes[0].edges is None:
        return 6.4, min(max(2.4, 1.6 + 0.28 * min(sheet.cells, MOST_KEYS)), 9)
    return 6.4, 4.8


def _label_of(column: Numbers) -> str:
    """Return the label of an axis of values."""
    name = plain_words(column.name)
    return f"{name} ({column.unit})" if column.unit == "rows" else name


def _drawing_of(sheet: Sheet) -> Any:
    """Return what draws a sheet.

    Raises
    ------
    ValueError
        If there are more axes than a plot has.

    """
    bins = [axis.edges is not None for axis in sheet.axes]
    if not bins:
        return _draw_numbers
    if bins == [True]:
        return draw_bins
    if bins == [False]:
        if sheet.axes[0].what == "quantile":
            return _draw_quantiles
        return _draw_ranks if sheet.columns[0].unit == "rank" else draw_keys
    if bins == [False, True]:
        return draw_lines
    if bins == [True, True]:
        return draw_image
    raise ValueError(
        f"a table with {len(bins)} axes, {' x '.join(map(str, sheet.shape))} cells, has no plot: "
        "to_pandas has its cells"
    )


def _error_of(sheet: Sheet) -> list[str]:
    """Return what error bars show, or the error in words where there are none."""
    column = sheet.columns[0]
    is_image = len(sheet.axes) == 2 and sheet.axes[0].edges is not None
    if not sheet.cells:
        return []
    if column.lower is not None and not is_image:
        return [bars_words(sheet)]
    if column.bound is None:
        return []
    widest = replace(column, bound=np.max(column.bound).item())
    return error_lines(replace(sheet, columns=(widest,)))


def _draw_numbers(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw each number as a point on a line of its own, with its interval."""
    names = [plain_words(column.name) for column in sheet.columns]
    for i, column in enumerate(sheet.columns):
        ax.plot([float(column.values)], [i], "o", color="C0")
        if column.lower is not None and column.upper is not None:
            ends = (np.asarray([end], np.float64) for end in (column.lower, column.upper))
            draw_intervals(ax, [i], *ends, along_x=True, capsize=4)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel(label if len(names) == 1 else "value")
    return ax.xaxis


def _draw_quantiles(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw quantiles as points over q; their errors are in ranks, which has no bars."""
    ax.plot(sheet.axes[0].keys[0], sheet.columns[0].values, "o", color="C0")
    ax.set_xlim(-0.03, 1.03)
    ax.set_xlabel("q")
    ax.set_ylabel(label)
    return ax.yaxis


def _draw_ranks(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw selected keys in their order, the first on top."""
    ranks = np.asarray(sheet.columns[0].values)
    ax.plot(ranks, ranks, "o", color="C0")
    ax.set_yticks(ranks, words_of(sheet.axes[0], len(ranks)))
    ax.set_ylim(len(ranks) + 0.5, 0.5)
    ax.set_xlim(0.5, len(ranks) + 0.5)
    ax.set_xticks(ranks[:: max(len(ranks) // 10, 1)])
    ax.set_xlabel(label)
    ax.set_ylabel(names_of(sheet.axes[0]))
