# SPDX-License-Identifier: MIT
"""Steps over bins, as a line or as an area, of any number of bins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_steps", "fill_steps"]

_MOST_STAIRS = 2000  # `stairs` takes seconds for more: it looks at each side of each step
_MOST_STEPS = 20_000  # more take seconds to draw, and share pixels
_COLUMNS = 4000

_Floats = NDArray[np.float64]


def draw_steps(ax: Any, values: _Floats, edges: _Floats, **style: Any) -> None:
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


def fill_steps(ax: Any, lower: Any, upper: _Floats, edges: _Floats, **style: Any) -> None:
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
