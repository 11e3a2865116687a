"""How the time of counts and sums by key grows with rows, keys and threads of Spark."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from report import frame
from report.cluster_page import WAYS, typical

HIGH, PANEL = 3.4, 2.55  # inches
MOST = 0.02  # seconds a way takes at least to be part of a slope: less is the start of a query
LINES = {  # colour, marker and dash
    "ours": (frame.OURS, "o", "-"),
    "windows": (frame.OTHER, "s", "-"),
    "ours_of_rows": (frame.OURS, "o", "--"),
    "plain": (frame.OTHER, "s", "--"),
    "alone_of_rows": (frame.OURS, "^", ":"),
    "duckdb": (frame.OTHER, "v", ":"),
}
PANELS = (  # title, what is on the axis, and what the others are
    ("rows, $10^3$ keys", "rows", {"keys": 10**3, "threads": 2}),
    ("keys, $10^7$ rows without Spark, $10^6$ on it", "keys", {"threads": 2}),
    ("threads of Spark, $10^7$ rows", "threads", {"rows": 10**7, "keys": 10**3}),
)


def figure(results: Mapping[str, Any]) -> Any:
    """Draw the growth of each way that was measured at several sizes."""
    picture, low, high = frame.new(results, "Counts and sums by key: how time grows", HIGH)
    tall = picture.get_size_inches()[1]
    for i, (title, axis, others) in enumerate(PANELS):
        axes = picture.add_axes((0.065 + 0.325 * i, low + 0.42 / tall, 0.265, PANEL / tall))
        for way, (color, marker, dash) in LINES.items():
            points = points_of(results["cells"], way, axis, others)
            if len(points) > 1:
                x, y = zip(*points, strict=True)
                label = f"{WAYS[way].title.split(' (')[0]}, s = {slope(points):.2f}"
                axes.plot(x, y, dash, color=color, marker=marker, markersize=4, label=label)
        axes.set(xscale="log", yscale="log")
        axes.set_title(title, loc="left", size=9, pad=3)
        axes.grid(color=frame.GRID, linewidth=0.6)
        axes.minorticks_off()
        if axis == "threads":
            axes.set_xticks([1, 2], ["1", "2"])
        axes.tick_params(labelsize=8)
        bottom, top = axes.get_ylim()
        axes.set_ylim(bottom, top * (top / bottom) ** 0.75)  # room for the words
        axes.legend(
            loc="upper left", fontsize=6.3, frameon=False, labelspacing=0.2, handlelength=2.8
        )
    frame.foot(
        picture,
        "Seconds by the clock, the median of the turns after the first. s: slope, the exponent of "
        f"growth, of the points above {MOST} s.",
        "Above 10^7 rows all files are names of one file of 10^7, which is in memory.",
    )
    assert high
    return picture


def points_of(
    cells: Sequence[Mapping[str, Any]], way: str, axis: str, others: Mapping[str, int]
) -> list[tuple[float, float]]:
    """Return sizes and seconds of a way; over keys, at the number of rows measured most often."""
    kept = [
        cell for cell in cells
        if cell["way"] == way and "none" not in cell
        and all(cell[name] == value for name, value in others.items())
    ]  # fmt: skip
    if axis == "keys" and kept:
        rows = [cell["rows"] for cell in kept]
        most = max(sorted(set(rows)), key=rows.count)
        kept = [cell for cell in kept if cell["rows"] == most]
    return sorted((float(cell[axis]), typical(cell, "wall")) for cell in kept)


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the exponent of growth, by least squares.

    >>> slope([(1, 1.0), (10, 100.0)])
    2.0
    """
    counted = [each for each in points if each[1] >= MOST]
    x, y = zip(
        *(map(math.log, each) for each in (counted if len(counted) > 1 else points)), strict=True
    )
    return statistics.linear_regression(x, y).slope
