# SPDX-License-Identifier: MIT
"""Steps over bins, as a line or as an area, of any number of bins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_steps", "fill_steps"]

_MOST_STAIRS = 2000  # `stairs` takes seconds for more: it looks at each side of each step

_Floats = NDArray[np.float64]


def draw_steps(ax: Any, values: _Floats, edges: _Floats, **style: Any) -> None:
    """Draw a line whose heights are values between edges."""
    if len(values) <= _MOST_STAIRS:
        ax.stairs(values, edges, baseline=None, **style)
    else:
        ax.plot(edges, _closed(values), drawstyle="steps-post", **style)


def fill_steps(ax: Any, lower: Any, upper: _Floats, edges: _Floats, **style: Any) -> None:
    """Fill what lies between two such lines, or between 0 and one."""
    if len(upper) <= _MOST_STAIRS:
        ax.stairs(upper, edges, baseline=lower, fill=True, linewidth=0, **style)
        return
    bottom = lower if np.ndim(lower) == 0 else _closed(lower)
    ax.fill_between(edges, bottom, _closed(upper), step="post", linewidth=0, **style)


def _closed(values: _Floats) -> _Floats:
    return np.append(values, values[-1])
