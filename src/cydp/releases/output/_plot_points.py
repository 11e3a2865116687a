# SPDX-License-Identifier: MIT
"""Drawings of single numbers, quantiles and ranks: points with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp.releases.output._plot_cells import draw_intervals, names_of, words_of
from cydp.releases.output._pyplot import plain_words
from cydp.releases.output._sheet import Sheet

__all__ = ["draw_numbers", "draw_quantiles", "draw_ranks"]


def draw_numbers(sheet: Sheet, ax: Any, label: str) -> Any:
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


def draw_quantiles(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw quantiles as points over q; their errors are in ranks, which has no bars."""
    ax.plot(sheet.axes[0].keys[0], sheet.columns[0].values, "o", color="C0")
    ax.set_xlim(-0.03, 1.03)
    ax.set_xlabel("q")
    ax.set_ylabel(label)
    return ax.yaxis


def draw_ranks(sheet: Sheet, ax: Any, label: str) -> Any:
    """Draw selected keys in their order, the first on top."""
    ranks = np.asarray(sheet.columns[0].values)
    ax.plot(ranks, ranks, "o", color="C0")
    ax.set_yticks(ranks, words_of(sheet.axes[0], len(ranks)))
    ax.set_ylim(len(ranks) + 0.5, 0.5)
    ax.set_xlim(0.5, len(ranks) + 0.5)
    ax.set_xticks(ranks[:: max(len(ranks) // 10, 1)])
    ax.set_xlabel(label)
    ax.set_ylabel(names_of(sheet.axes[0]))
