"""How many times faster than the best rival, work by work."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

from report import frame
from report.tables import library, protection
from report.topics import topic

ROW, HEADING = 0.215, 0.28  # inches
LABELS, NAMES = 0.37, 0.66  # where labels end and names begin, as parts of the width
LONG = 36  # characters of a name
KINDS = {  # what a rival's noise is: marker, filled, words
    "no": ("o", False, "library is NOT private"),
    "in doubles": ("s", False, "library adds secure noise in doubles"),
    "yes": ("s", True, "library is private too"),
    "bits only": ("^", True, "library gives no noise: cipher or accountant"),
    "budgets only": ("^", True, "library gives no noise: cipher or accountant"),
}


@dataclass(frozen=True)
class Best:
    """The fastest rival of a kind in a work, and its time over ours."""

    name: str
    kind: str
    x: tuple[float, float, float]  # quartiles


def best(record: Mapping[str, Any]) -> list[Best]:
    """Return the fastest rival of each kind, the fastest of all first."""
    found: dict[str, Best] = {}
    first, *others = record["ways"]
    for name in others if library(first) is None else ():
        if library(name) is None:
            continue
        way = record["ways"][name]
        here = Best(name, protection(name), tuple(way["ratio"]))
        if here.kind not in found or here.x[1] < found[here.kind].x[1]:
            found[here.kind] = here
    return sorted(found.values(), key=lambda rival: rival.x[1])


def lines(results: Mapping[str, Any], topics: Sequence[str]) -> Iterator[tuple[str, list[Best]]]:
    """The headings, without rivals, and below each its works."""
    works = [(record["group"], best(record)) for record in results["records"]]
    for name in topics:
        here = [(work, rivals) for work, rivals in works if rivals and topic(work) == name]
        if here:
            yield name, []
            yield from here


def figure(results: Mapping[str, Any], topics: Sequence[str]) -> Any:
    """Draw the ratios of works of these topics; None if no rival was measured."""
    shown = list(lines(results, topics))
    if not shown:
        return None
    height = sum(ROW if rivals else HEADING for _, rivals in shown) + 0.35
    title = "How many times faster cydp is than the best other library of each kind"
    picture, low, high = frame.new(results, title, height)
    axes = picture.add_axes((LABELS, low, NAMES - LABELS - 0.01, high - low))
    left, right = ends(shown)
    axes.set(xscale="log", xlim=(left, right), ylim=(height, 0), yticks=[])
    axes.set_xlabel("other library's time over cydp's time (ratio, logarithmic; bar: quartiles)")
    axes.axvspan(left, 1, facecolor="#f6dcd9", edgecolor="0.75", hatch="//", linewidth=0, zorder=0)
    axes.axvline(1, color="black", linewidth=1.4)
    axes.grid(axis="x", color=frame.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    said = {"size": 8.5, "weight": "bold", "va": "center"}
    for words, side, color in (("cydp slower", -1, frame.LOSS), ("cydp faster", 1, frame.OURS)):
        axes.annotate(words, (1, 0.17), xytext=(6 * side, 0), textcoords="offset points",
                      ha="right" if side < 0 else "left", color=color, **said)  # fmt: skip
    y = 0.35
    for work, rivals in shown:
        step = ROW if rivals else HEADING
        y += step
        if rivals:
            draw_row(axes, work, rivals, y - step / 2)
        else:
            text = {"size": 9, "weight": "bold", "va": "center", "ha": "left"}
            axes.text(-LABELS / (NAMES - LABELS - 0.01) + 0.03, y - 0.4 * step, work,
                      transform=axes.get_yaxis_transform(), **text)  # fmt: skip
            axes.axhline(y - step * 0.95, color="0.6", linewidth=0.6, xmin=0)
    step = math.ceil(math.log10(right / left) / 6)
    powers = [k for k in range(-5 * step, 9 * step, step) if left < 10.0**k < right]
    axes.set_xticks([10.0**k for k in powers], [frame.raised(power(k)) for k in powers])
    axes.minorticks_off()
    kinds = {KINDS[rival.kind] for _, rivals in shown for rival in rivals}
    legend(picture, kinds)
    return picture


def power(k: int) -> str:
    """A power of ten, as a ratio."""
    return f"10^{k}x" if abs(k) > 4 else f"{10**k:,}x" if k >= 0 else f"{10.0**k:g}x"


def ends(shown: list[tuple[str, list[Best]]]) -> tuple[float, float]:
    """Return the ends of the axis: powers of ten, a tenth and a hundred at least."""
    every = [x for _, rivals in shown for rival in rivals for x in rival.x]
    low = min(-1, math.floor(math.log10(min(every)) - 0.1))
    return 10.0**low, 10.0 ** max(2, math.ceil(math.log10(max(every)) + 0.1))


def called(rival: Best) -> str:
    return f"{shorten(rival.name)} {frame.number(rival.x[1])}x"


def shorten(name: str) -> str:
    """Cut the detail of a long name."""
    return name if len(name) <= LONG else f"{name[: LONG - 1].rstrip(', ')}…"


def draw_row(axes: Any, work: str, rivals: list[Best], y: float) -> None:
    loses = rivals[0].x[1] < 1
    color = frame.LOSS if loses else "black"
    label = fill(frame.raised(work), 58)
    axes.text(-0.012, y, label, transform=axes.get_yaxis_transform(), ha="right", va="center",
              size=7.5 if "\n" not in label else 6.5, color=color, linespacing=0.95,
              weight="bold" if loses else "normal")  # fmt: skip
    axes.axhline(y, color="0.93", linewidth=0.6, zorder=0.5)
    for rival in rivals:
        low, median, high = rival.x
        color = frame.LOSS if median < 1 else frame.OURS
        marker, filled, _ = KINDS[rival.kind]
        axes.plot([low, high], [y, y], color=color, linewidth=2, solid_capstyle="butt")
        axes.plot(median, y, marker, color=color, markersize=5.5, markeredgewidth=1.4,
                  markerfacecolor=color if filled else "white")  # fmt: skip
    names = ", ".join(map(called, rivals))  # in the order of their points
    axes.text(1.03, y, names, transform=axes.get_yaxis_transform(), size=7, va="center",
              color=frame.LOSS if loses else frame.OURS)  # fmt: skip


def legend(picture: Any, kinds: set[tuple[str, bool, str]]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker=marker, linestyle="", color=frame.OURS, label=words,
               markerfacecolor=frame.OURS if filled else "white", markeredgewidth=1.4)
        for marker, filled, words in sorted(kinds)
    ]  # fmt: skip
    tall = picture.get_size_inches()[1]
    picture.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.005, 0.02 / tall),
                   ncols=len(handles), frameon=False, fontsize=7.5,
                   columnspacing=1.2, handletextpad=0.3)  # fmt: skip
