# SPDX-License-Identifier: MIT
"""The picture of errors: predicted as lines, measured as points with bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cydp._extras import DASHES, EPSILON, RHO, plain_words, with_letters
from cydp._numbers.rational import float_of, read_exact
from cydp.teach._pictures import EDGE, MARKERS, new_axes, set_words
from cydp.teach.utility._workloads import READY

if TYPE_CHECKING:
    from cydp.teach.utility._table import UtilityRow

__all__ = ["draw_series"]

_X = {"dimension": "dimension", "epsilon": f"{EPSILON} (nats)", "rho": f"{RHO} (zCDP)"}
_SERIES = ("workload", "mechanism", "relation", "dimension", "epsilon", "rho", "delta")
_MOST_SERIES = 12
_MORE_DASHES = tuple(
    (0, pattern) for pattern in ((9, 3), (2, 2), (6, 1, 1, 1), (1, 4), (9, 2, 3, 2), (3, 1, 3, 4))
)


def draw_series(rows: Sequence[UtilityRow], x: str | None, ax: Any) -> Any:
    """Draw a line and points for each series, and return the axes."""
    x = _read_x(rows, x)
    by_name = _series_of(rows, x)
    if len(by_name) > _MOST_SERIES:
        raise ValueError(
            f"a picture must have at most {_MOST_SERIES} series, not {len(by_name)}: filter first"
        )
    words = sum(name.count("\n") + 1.3 for name in by_name)
    is_own = ax is None
    ax = new_axes(ax, size=(7.2, max(4.2, 0.2 * words)))  # inches; the legend is beside the axes
    for number, (name, series) in enumerate(by_name.items()):
        _draw_one(ax, x, name, series, number)
    _set_scales(ax)
    is_measured = any(row.measured is not None for row in rows)
    drawn = "Lines: predicted." + is_measured * " Points: measured, with two standard errors."
    units = list(dict.fromkeys(row.unit for row in rows))
    unit = units[0] if len(units) == 1 else "each in its unit"
    below = _X[x] if x != "dimension" else f"dimension ({_counted_by(rows)})"
    set_words(ax, f"{_lesson_of(rows, x)}\n{drawn}", below, f"error (root mean square, {unit})")
    if len(by_name) > 1 and is_own:
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=3.2)
    elif len(by_name) > 1:  # beside given axes there may be others
        ax.legend(loc="best", fontsize="x-small", handlelength=3.2)
    return ax


def _lesson_of(rows: Sequence[UtilityRow], x: str) -> str:
    """Return what the picture teaches, if its workloads teach one thing."""
    names = {row.setting.workload for row in rows}
    if x != "dimension":
        return with_letters(f"Errors fall as {x} grows.")
    lessons = {READY[name].lesson for name in names if name in READY}
    if len(lessons) == 1:
        return lessons.pop()
    return plain_words(f"Errors by dimension: {', '.join(sorted(names))}.")


def _counted_by(rows: Sequence[UtilityRow]) -> str:
    """Return what the dimension counts, if it is one thing for all workloads."""
    names = {row.setting.workload for row in rows}
    counted = {READY[name].dimension if name in READY else "" for name in names}
    counted_by_all = counted.pop() if len(counted) == 1 else ""
    return counted_by_all or "cells, answers, columns or rows"


def _set_scales(ax: Any) -> None:
    """Make both axes logarithmic, with ticks that are numbers and not powers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis, scale in ((ax.xaxis, ax.set_xscale), (ax.yaxis, ax.set_yscale)):
        scale("log")
        low, high = axis.get_view_interval()
        few = high < 1000 * low
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))
        axis.set_minor_formatter(NullFormatter())
    ax.grid(visible=True, which="major", linewidth=0.4, alpha=0.5)


def _read_x(rows: Sequence[UtilityRow], x: str | None) -> str:
    """Return the name of what goes to the right, which must vary."""
    if x is not None and x not in _X:
        raise ValueError(f"x must be 'dimension', 'epsilon' or 'rho', not {x!r}")
    varying = [name for name in _X if len({_value(row, name) for row in rows} - {None}) > 1]
    if not varying or (x is not None and x not in varying):
        raise ValueError(
            f"{x or 'dimension, epsilon or rho'} must have at least two values to be drawn"
        )
    return x or varying[0]


def _value(row: UtilityRow, name: str) -> Any:
    value = getattr(row.setting, name)
    return value if value is None or name not in _X else float_of(read_exact(value, name))


def _series_of(rows: Sequence[UtilityRow], x: str) -> dict[str, list[UtilityRow]]:
    """Return the rows of each series, named by what tells it from the others."""
    names = [name for name in _SERIES if name != x]
    for name in reversed(names):  # a name that the others imply is left out
        others = [each for each in names if each != name]
        if len({_values(row, others) for row in rows}) == len(
            {_values(row, names) for row in rows}
        ):
            names = others
    found: dict[str, list[UtilityRow]] = {}
    for row in rows:
        words = [_words(row, name) for name in names if _value(row, name) is not None]
        found.setdefault("\n".join(words), []).append(row)
    for series in found.values():
        series.sort(key=lambda row: _value(row, x))
    return found


def _values(row: UtilityRow, names: Sequence[str]) -> tuple[Any, ...]:
    return tuple(_value(row, name) for name in names)


def _words(row: UtilityRow, name: str) -> str:
    value = _value(row, name)
    return (
        plain_words(value) if isinstance(value, str) else f"{with_letters(name)} = {float(value):g}"
    )


def _draw_one(ax: Any, x: str, name: str, series: list[UtilityRow], number: int) -> None:
    dashes = (*DASHES, *_MORE_DASHES)[number]
    marker = MARKERS[(number + number // len(DASHES)) % len(MARKERS)]
    colour = f"C{number}"
    lines = [(_value(row, x), _line_of(row)) for row in series if _line_of(row)]
    if all(row.predicted is None for row in series):
        name += "\n(line: bound of 95 %)" if lines else ""
    points = [row for row in series if row.measured]
    if lines:
        ax.plot(*zip(*lines, strict=True), color=colour, linestyle=dashes, linewidth=1.6)
    if points:
        ax.errorbar(
            [_value(row, x) for row in points], [row.measured for row in points],
            yerr=[_below_measured(row) for row in points],
            color=colour, linestyle="none", marker=marker, markersize=5.5, capsize=2.5,
            markerfacecolor=colour if number % 2 == 0 else ax.get_facecolor(),
            markeredgewidth=EDGE,
        )  # fmt: skip
    ax.plot(
        [], [], color=colour, linestyle=dashes if lines else "none", linewidth=1.6, label=name,
        marker=marker if points else None, markersize=5.5,
        markerfacecolor=colour if number % 2 == 0 else ax.get_facecolor(),
        markeredgewidth=EDGE,
    )  # fmt: skip


def _line_of(row: UtilityRow) -> float | None:
    """Return what is predicted, or else its bound."""
    return row.predicted_bound if row.predicted is None else row.predicted


def _below_measured(row: UtilityRow) -> float:
    """Return two standard errors, cut before 0, which a logarithmic axis does not have."""
    assert row.measured is not None
    assert row.standard_error is not None
    return min(2 * row.standard_error, 0.99 * row.measured)
