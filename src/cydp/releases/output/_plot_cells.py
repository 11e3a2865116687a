# SPDX-License-Identifier: MIT
"""Drawings of tables: bins as stairs, keys as bars, two axes as lines or as an image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp.releases.output._pyplot import DASHES, ink_of, plain_words
from cydp.releases.output._sheet import Axis, Numbers, Sheet
from cydp.releases.output._words import axis_labels

__all__ = [
    "MOST_KEYS",
    "draw_bins",
    "draw_image",
    "draw_intervals",
    "draw_keys",
    "draw_lines",
    "names_of",
    "words_of",
]


_MOST_BARS = 60  # bins with an error bar each; more have a band
MOST_KEYS = 25  # bars that have room for their labels
_MOST_LINES = 6


_MOST_STAIRS = 2000  # `stairs` takes seconds for more: it looks at each side of each step

_MOST_STEPS = 20_000  # more take seconds to draw, and share pixels

_COLUMNS = 4000

_Floats = NDArray[np.float64]


def draw_bins(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw bins as stairs with error bars, or with a band if they are many."""
    column, edges = sheet.columns[0], _finite(sheet.axes[0])
    values = np.asarray(column.values, np.float64)
    is_fine = len(values) > _MOST_BARS
    _fill_steps(ax, 0, values, edges, alpha=0.35, color="C0")
    _draw_steps(ax, values, edges, color="C0", linewidth=0.6 if is_fine else 1.2)
    if column.lower is not None:
        lower, upper = _ends(column)
        if is_fine:
            _fill_steps(ax, lower, upper, edges, alpha=0.4, color=ink_of(ax))
        else:
            draw_intervals(ax, (edges[:-1] + edges[1:]) / 2, lower, upper)
    _draw_zero(ax, values)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_xlabel(names_of(sheet.axes[0]))
    ax.set_ylabel(label)
    return ax.yaxis


def draw_keys(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw keys as bars to the right, the first key on top."""
    column, n = sheet.columns[0], min(sheet.cells, MOST_KEYS)
    values, places = np.asarray(column.values, np.float64)[:n], np.arange(n)
    ax.barh(places, values, color="C0", alpha=0.35, edgecolor="C0", linewidth=1.2)
    if column.lower is not None:
        lower, upper = (end[:n] for end in _ends(column))
        draw_intervals(ax, places, lower, upper, along_x=True)
    ax.set_yticks(places, words_of(sheet.axes[0], n))
    ax.set_ylim(n - 0.4, -0.6)
    if values.min() < 0:
        ax.axvline(0, color=ink_of(ax), linewidth=0.8)
    shown = f", the first {n} of {sheet.cells:,}" if n < sheet.cells else ""
    ax.set_ylabel(names_of(sheet.axes[0]) + shown)
    ax.set_xlabel(label)
    return ax.xaxis


def draw_lines(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw each key's bins as a line of steps with error bars."""
    column, edges = sheet.columns[0], _finite(sheet.axes[1])
    keys = sheet.axes[0]
    n, width = min(len(keys), _MOST_LINES), np.diff(edges)
    values = np.asarray(column.values, np.float64)
    for i, word in enumerate(words_of(keys, n)):
        colour, dashes = f"C{i}", DASHES[i]
        _draw_steps(
            ax, values[i], edges, color=colour, linestyle=dashes, linewidth=1.6,
            label=_as_label(word),
        )  # fmt: skip
        if column.lower is not None and len(width) <= _MOST_BARS:
            lower, upper = (end[i] for end in _ends(column))
            places = edges[:-1] + width * (i + 1) / (n + 1)  # side by side
            draw_intervals(ax, places, lower, upper, colour=colour)
        elif column.lower is not None:
            lower, upper = (end[i] for end in _ends(column))
            _fill_steps(ax, lower, upper, edges, alpha=0.25, color=colour)
    _draw_zero(ax, values[:n])
    shown = f", the first {n} of {len(keys):,}" if n < len(keys) else ""
    ax.legend(
        title=names_of(keys) + shown, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0
    )
    ax.set_xlim(edges[0], edges[-1])
    ax.set_xlabel(names_of(sheet.axes[1]))
    ax.set_ylabel(label)
    return ax.yaxis


def draw_image(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw two columns of bins as an image with a colour bar."""
    x, y = map(_finite, sheet.axes)
    values = np.asarray(sheet.columns[0].values, np.float64)
    image = ax.pcolormesh(x, y, values.T, cmap="cividis", rasterized=True)
    ax.figure.colorbar(image, ax=ax, label=label)
    for i, (set_label, place) in enumerate([(ax.set_xlabel, "first"), (ax.set_ylabel, "second")]):
        axis = sheet.axes[i]
        set_label(names_of(axis) if axis.names[0] else f"bin of the {place} column")


def draw_intervals(
    ax: Any,
    places: Any,
    lower: Any,
    upper: Any,
    *,
    along_x: bool = False,
    colour: Any = None,
    capsize: float = 2.5,
) -> None:
    """Draw intervals by their ends: a post-processed number may be outside its own."""
    lengths = np.stack([np.zeros_like(lower), np.subtract(upper, lower)])
    x, y = (lower, places) if along_x else (places, lower)
    size = {"xerr": lengths} if along_x else {"yerr": lengths}
    colour = colour or ink_of(ax)
    ax.errorbar(x, y, **size, fmt="none", ecolor=colour, elinewidth=1.2, capsize=capsize)


def _ends(column: Numbers) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.asarray(column.lower, np.float64), np.asarray(column.upper, np.float64)


def _draw_zero(ax: Any, values: NDArray[np.float64]) -> None:
    """Draw a line at 0 where noise has made counts negative; else the axis begins at 0."""
    if values.min() < 0:
        ax.axhline(0, color=ink_of(ax), linewidth=0.8)
    else:
        ax.set_ylim(bottom=0)


def _finite(axis: Axis) -> NDArray[np.float64]:
    """Return the edges; an infinite one is drawn as far out as its neighbours are apart."""
    edges = np.array(axis.edges, np.float64)
    widths = np.diff(edges[np.isfinite(edges)])
    width = widths.max(initial=0) or 1.0
    if np.isneginf(edges[0]):
        edges[0] = (edges[1] if np.isfinite(edges[1]) else 0) - width
    if np.isposinf(edges[-1]):
        edges[-1] = edges[-2] + width
    return edges


def names_of(axis: Axis) -> str:
    """Return the names of the columns of keys, of which matplotlib reads none as a formula."""
    return plain_words(", ".join(filter(None, axis.names)) or axis.what)


def words_of(axis: Axis, n: int) -> list[str]:
    """Return the first keys as words, of which matplotlib reads none as a formula."""
    columns = axis_labels(axis, np.arange(n))
    return [plain_words(", ".join(row)) for row in zip(*columns, strict=True)]


def _as_label(word: str) -> str:
    """Return a word that the legend shows: it leaves labels out that begin with an underscore."""
    return f" {word}" if word.startswith("_") else word


def _draw_steps(ax: Any, values: _Floats, edges: _Floats, **style: Any) -> None:
    """Draw a line whose heights are values between edges."""
    if len(values) <= _MOST_STAIRS:
        ax.stairs(values, edges, baseline=None, **style)
        return
    if len(values) > _MOST_STEPS:
        starts = _starts_of(edges)
        edges = np.append(edges[starts], edges[-1])
        middles = (edges[:-1] + edges[1:]) / 2
        least, largest = (ends.reduceat(values, starts) for ends in (np.minimum, np.maximum))
        edges = np.append(_alternating(edges[:-1], middles), edges[-1])
        values = _alternating(least, largest)
    ax.plot(edges, _closed(values), drawstyle="steps-post", **style)


def _fill_steps(ax: Any, lower: Any, upper: _Floats, edges: _Floats, **style: Any) -> None:
    """Fill what lies between two such lines, or between 0 and one."""
    if len(upper) <= _MOST_STAIRS:
        ax.stairs(upper, edges, baseline=lower, fill=True, linewidth=0, **style)
        return
    bottom, top = np.minimum(lower, upper), np.maximum(lower, upper)
    if len(upper) > _MOST_STEPS:
        starts = _starts_of(edges)
        edges = np.append(edges[starts], edges[-1])
        bottom, top = np.minimum.reduceat(bottom, starts), np.maximum.reduceat(top, starts)
    ax.fill_between(edges, _closed(bottom), _closed(top), step="post", linewidth=0, **style)


def _starts_of(edges: _Floats) -> NDArray[np.intp]:
    """Return where runs of bins begin that are drawn as one, from their least to their largest.

    A run is in one of `_COLUMNS` columns of equal width, which are thinner than a pixel. A bin that
    is in several columns is a run of its own.
    """
    shares = edges / 2 - edges[0] / 2  # halves, of which no difference is infinite
    column = (shares / shares[-1] * _COLUMNS).astype(np.intp)
    left, right = column[:-1], column[1:]
    is_start = np.ones(len(left), np.bool_)
    is_start[1:] = (left[1:] != left[:-1]) | (right[1:] != left[1:]) | (right[:-1] != left[:-1])
    return np.flatnonzero(is_start)


def _alternating(first: _Floats, second: _Floats) -> _Floats:
    return np.stack([first, second], axis=-1).ravel()


def _closed(values: _Floats) -> _Floats:
    return np.append(values, values[-1])
