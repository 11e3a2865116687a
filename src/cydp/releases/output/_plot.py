# SPDX-License-Identifier: MIT
"""A result as a plot, by matplotlib. docs/releases/output.md."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._extras import DASHES, import_pyplot, ink_of, plain_words, with_letters
from cydp.releases.output._sheet import Axis, Numbers, Sheet, are_times, floats_of
from cydp.releases.output._short_times import with_short_times
from cydp.releases.output._words import axis_labels, bars_words, error_lines

__all__ = ["plot_of"]


_MOST_BARS = 60  # bins with an error bar each; more have a band
_MOST_KEYS = 25  # bars that have room for their labels
_MOST_LINES = 6


_MOST_STAIRS = 2000  # `stairs` takes seconds for more: it looks at each side of each step

_MOST_STEPS = 20_000  # more take seconds to draw, and share pixels

_COLUMNS = 4000

_Floats = NDArray[np.float64]


def _draw_bins(sheet: Sheet, ax: Any, label: str) -> Any:
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
            _draw_intervals(ax, (edges[:-1] + edges[1:]) / 2, lower, upper)
    _draw_zero(ax, values)
    ax.set_xlim(edges[0], edges[-1])
    _show_times(ax.xaxis, sheet.axes[0].edges)
    ax.set_xlabel(_names_of(sheet.axes[0]))
    ax.set_ylabel(label)
    return ax.yaxis


def _draw_keys(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw keys as bars to the right, the first key on top; of many found ones the largest."""
    column, n = sheet.columns[0], min(sheet.cells, _MOST_KEYS)
    values, places = _places_of(np.asarray(column.values)), np.arange(n)
    by_size = sheet.axes[0].are_found and n < sheet.cells
    chosen = np.argsort(-values, kind="stable")[:n] if by_size else places
    values = values[chosen]
    if are_times(np.asarray(column.values)):  # they have no 0
        ax.plot(values, places, "o", color="C0")
    else:
        ax.barh(places, values, color="C0", alpha=0.35, edgecolor="C0", linewidth=1.2)
    if column.lower is not None:
        lower, upper = (end[chosen] for end in _ends(column))
        _draw_intervals(ax, places, lower, upper, along_x=True)
    ax.set_yticks(places, _words_of(sheet.axes[0], chosen))
    ax.set_ylim(n - 0.4, -0.6)
    if values.min() < 0:
        ax.axvline(0, color=ink_of(ax), linewidth=0.8)
    which = "largest" if by_size else "first"
    shown = f", the {which} {n} of {sheet.cells:,}" if n < sheet.cells else ""
    ax.set_ylabel(_names_of(sheet.axes[0]) + shown)
    ax.set_xlabel(label)
    return ax.xaxis


def _draw_lines(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw each key's bins as a line of steps with error bars."""
    column, edges = sheet.columns[0], _finite(sheet.axes[1])
    keys = sheet.axes[0]
    n, width = min(len(keys), _MOST_LINES), np.diff(edges)
    values = np.asarray(column.values, np.float64)
    for i, word in enumerate(_words_of(keys, np.arange(n))):
        colour, dashes = f"C{i}", DASHES[i]
        _draw_steps(
            ax,
            values[i],
            edges,
            color=colour,
            linestyle=dashes,
            linewidth=1.6,
            label=_as_label(word),
        )
        if column.lower is not None and len(width) <= _MOST_BARS:
            lower, upper = (end[i] for end in _ends(column))
            places = edges[:-1] + width * (i + 1) / (n + 1)  # side by side
            _draw_intervals(ax, places, lower, upper, colour=colour)
        elif column.lower is not None:
            lower, upper = (end[i] for end in _ends(column))
            _fill_steps(ax, lower, upper, edges, alpha=0.25, color=colour)
    _draw_zero(ax, values[:n])
    shown = f", the first {n} of {len(keys):,}" if n < len(keys) else ""
    ax.legend(
        title=_names_of(keys) + shown, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0
    )
    ax.set_xlim(edges[0], edges[-1])
    _show_times(ax.xaxis, sheet.axes[1].edges)
    ax.set_xlabel(_names_of(sheet.axes[1]))
    ax.set_ylabel(label)
    return ax.yaxis


def _draw_image(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw two columns of bins as an image with a colour bar."""
    x, y = map(_finite, sheet.axes)
    values = np.asarray(sheet.columns[0].values, np.float64)
    image = ax.pcolormesh(x, y, values.T, cmap="cividis", rasterized=True)
    ax.figure.colorbar(image, ax=ax, label=label)
    for i, (set_label, place) in enumerate([(ax.set_xlabel, "first"), (ax.set_ylabel, "second")]):
        axis = sheet.axes[i]
        _show_times((ax.xaxis, ax.yaxis)[i], axis.edges)
        set_label(_names_of(axis) if axis.names[0] else f"bin of the {place} column")


def _draw_intervals(
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
    return _places_of(np.asarray(column.lower)), _places_of(np.asarray(column.upper))


def _draw_zero(ax: Any, values: NDArray[np.float64]) -> None:
    """Draw a line at 0 where noise has made counts negative; else the axis begins at 0."""
    if values.min() < 0:
        ax.axhline(0, color=ink_of(ax), linewidth=0.8)
    else:
        ax.set_ylim(bottom=0)


def _finite(axis: Axis) -> NDArray[np.float64]:
    """Return the edges; an infinite one is drawn as far out as its neighbours are apart."""
    assert axis.edges is not None
    edges = _places_of(axis.edges)
    widths = np.diff(edges[np.isfinite(edges)])
    width = widths.max(initial=0) or 1.0
    if np.isneginf(edges[0]):
        edges[0] = (edges[1] if np.isfinite(edges[1]) else 0) - width
    if np.isposinf(edges[-1]):
        edges[-1] = edges[-2] + width
    return edges


def _places_of(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return where values are drawn: times in days from 1970 on, as matplotlib counts them."""
    return floats_of(values) / 86_400 if are_times(values) else np.array(values, np.float64)


def _show_times(axis: Any, values: NDArray[Any] | None) -> None:
    """Let an axis of matplotlib show dates if values are times."""
    if values is not None and are_times(values):
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        zone = values.flat[0].tzinfo if values.dtype.kind == "O" else None
        axis.set_major_locator(AutoDateLocator(tz=zone))  # type: ignore[no-untyped-call]
        formatter: Any = ConciseDateFormatter
        axis.set_major_formatter(formatter(axis.get_major_locator(), tz=zone))


def _names_of(axis: Axis) -> str:
    """Return the names of the columns of keys, escaped for matplotlib."""
    return plain_words(", ".join(filter(None, with_short_times(axis).names)) or axis.what)


def _words_of(axis: Axis, chosen: NDArray[np.intp]) -> list[str]:
    """Return some keys as words, escaped for matplotlib."""
    columns = axis_labels(with_short_times(axis), chosen)
    return [plain_words(", ".join(row)) for row in zip(*columns, strict=True)]


def _as_label(word: str) -> str:
    """Return a word that the legend shows: it leaves labels out that begin with an underscore."""
    return f" {word}" if word.startswith("_") else word


def _draw_steps(ax: Any, values: _Floats, edges: _Floats, **style: Any) -> None:
    """Draw values between edges as the steps of a line."""
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
    """Return where runs of bins begin: a run is drawn as one, from its least to its largest value.

    A run is in one of `_COLUMNS` columns of equal width, which are thinner than a pixel. A bin that
    is in several columns is a run of its own.
    """
    shares = edges / 2 - edges[0] / 2  # halves: no difference of them is infinite
    column = (shares / shares[-1] * _COLUMNS).astype(np.intp)
    left, right = column[:-1], column[1:]
    is_start = np.ones(len(left), np.bool_)
    is_start[1:] = (left[1:] != left[:-1]) | (right[1:] != left[1:]) | (right[:-1] != left[:-1])
    return np.flatnonzero(is_start)


def _alternating(first: _Floats, second: _Floats) -> _Floats:
    return np.stack([first, second], axis=-1).ravel()


def _closed(values: _Floats) -> _Floats:
    return np.append(values, values[-1])


_TITLE_WIDTH = 64
_MOST_PLAIN = 1e9  # above which ticks have an exponent


def plot_of(sheet: Sheet, ax: Any) -> Any:
    """Draw the first column of a sheet, and return the axes."""
    if ax is not None and not hasattr(ax, "barh"):
        raise TypeError(
            f"ax must be Axes of matplotlib, not {type(ax).__name__}: "
            "plot().figure.savefig('x.png') writes a file, and plot(column=...) chooses a column"
        )
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
    if are_times(np.asarray(column.values)):
        _show_times(values, np.asarray(column.values))
    elif values is not None:
        values.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        if np.abs(column.values).max(initial=0) < _MOST_PLAIN:
            values.set_major_formatter(lambda tick, _: f"{tick + 0.0:,.10g}")
    lines = [f"{sheet.title}: {with_letters(sheet.cost)}", *_error_of(sheet)]
    words = "\n".join(textwrap.fill(line, _TITLE_WIDTH) for line in lines)
    ax.set_title(plain_words(words), loc="left", fontsize="medium")
    return ax


def _size_of(sheet: Sheet) -> tuple[float, float]:
    """Return the size of a figure of its own, in inches: as high as its rows need."""
    if not sheet.axes:
        return 6.4, 1.6 + 0.4 * len(sheet.columns)
    if len(sheet.axes) == 1 and sheet.axes[0].edges is None:
        return 6.4, min(max(2.4, 1.6 + 0.28 * min(sheet.cells, _MOST_KEYS)), 9)
    return 6.4, 4.8


def _label_of(column: Numbers) -> str:
    """Return the label of an axis of values."""
    has_unit = column.unit not in ("", column.name)
    return plain_words(f"{column.name} ({column.unit})" if has_unit else column.name)


def _drawing_of(sheet: Sheet) -> Any:
    """Return the function that draws a sheet.

    Raises
    ------
    ValueError
        If there are more axes than a plot has.

    """
    bins = [axis.edges is not None for axis in sheet.axes]
    if not bins:
        return _draw_numbers
    if bins == [True]:
        return _draw_bins
    if bins == [False]:
        if sheet.axes[0].what == "quantile":
            return _draw_quantiles
        return _draw_ranks if sheet.columns[0].unit == "rank" else _draw_keys
    if bins == [False, True]:
        return _draw_lines
    if bins == [True, True]:
        return _draw_image
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
        ax.plot(_places_of(np.asarray(column.values)).reshape(1), [i], "o", color="C0")
        if column.lower is not None and column.upper is not None:
            ends = (end.reshape(1) for end in _ends(column))
            _draw_intervals(ax, [i], *ends, along_x=True, capsize=4)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlabel(label if len(names) == 1 else "value")
    return ax.xaxis


def _draw_quantiles(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw quantiles as points over q, with intervals; errors in ranks have no bars."""
    column, qs = sheet.columns[0], sheet.axes[0].keys[0]
    ax.plot(qs, _places_of(column.values), "o", color="C0")
    if column.lower is not None:
        _draw_intervals(ax, qs, *_ends(column))
    ax.set_xlim(-0.03, 1.03)
    ax.set_xlabel("q")
    ax.set_ylabel(label)
    return ax.yaxis


def _draw_ranks(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw selected keys in their order, the first on top."""
    ranks = np.asarray(sheet.columns[0].values)
    ax.plot(ranks, ranks, "o", color="C0")
    ax.set_yticks(ranks, _words_of(sheet.axes[0], np.arange(len(ranks))))
    ax.set_ylim(len(ranks) + 0.5, 0.5)
    ax.set_xlim(0.5, len(ranks) + 0.5)
    ax.set_xticks(ranks[:: max(len(ranks) // 10, 1)])
    ax.set_xlabel(label)
    ax.set_ylabel(_names_of(sheet.axes[0]))
