"""The picture of errors: each task's errors over the least one, of cydp before and now, and others.

Its file is SVG with text, and the same for the same results.
"""

from io import StringIO
from typing import Any

from report import frame
from report.utility_page import GOAL, LIBRARIES, Found, least, ratio, shown_tasks

ROW, HEAD, FOOT = 0.2, 0.75, 0.75  # inches
LABELS = 0.42  # where the axis begins, as a part of the width
MOST = 30.0  # ratios above are drawn at the edge
WAYS = {  # marker, colour, whether it is filled
    "before": ("o", frame.OURS, False),
    "cydp": ("o", frame.OURS, True),
    "best": ("|", "black", True),
    **dict.fromkeys(LIBRARIES, ("s", frame.OTHER, True)),
}
NAMES = {"before": "cydp before", "cydp": "cydp now", "best": "best known"}
MARKERS = dict(zip(LIBRARIES, "s^Dx", strict=True))
STYLE = {
    "font.family": "DejaVu Sans",
    "svg.fonttype": "none",
    "svg.hashsalt": "cydp",
    "axes.edgecolor": "0.4",
}


def svg(found: Found) -> str:
    """Draw it, as the text of a file."""
    from matplotlib import rc_context

    with rc_context(STYLE):
        whole = StringIO()
        figure(found).savefig(whole, format="svg", facecolor="white", metadata={"Date": None})
    return "".join(line.rstrip() + "\n" for line in whole.getvalue().splitlines())


def figure(found: Found) -> Any:
    from matplotlib.figure import Figure

    shown = shown_tasks(found)
    tall = HEAD + ROW * len(shown) + FOOT
    picture = Figure(figsize=(frame.WIDTH, tall))
    picture.text(0.015, 1 - 0.22 / tall, "Error over the least error of each task",
                 size=13, weight="bold", va="center")  # fmt: skip
    picture.text(0.015, 1 - 0.45 / tall, "The same epsilon, unit and data; 1 is the least. "
                 f"Above {MOST:g}: at the edge.", size=8.5, va="center", color="0.25")  # fmt: skip
    axes = picture.add_axes((LABELS, FOOT / tall, 0.98 - LABELS, ROW * len(shown) / tall))
    axes.set(xscale="log", xlim=(0.93, MOST * 1.08), ylim=(len(shown) - 0.5, -0.5))
    axes.set_yticks(range(len(shown)), [f"{t.title} ({t.data})" for t in shown.values()], size=7.5)
    ticks = [1, 1.5, 2, 3, 5, 10, 20, 30]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.axvspan(0.93, GOAL, color="#dcecdc", zorder=0)
    axes.grid(color=frame.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for place, name in enumerate(shown):
        best, _ = least(found, name)
        for library, (_, color, filled) in WAYS.items():
            cell = found.get((name, library), {})
            if "error" in cell:
                axes.plot(
                    min(ratio(cell["error"], best), MOST), place, **look(library, color, filled)
                )
    drawn = [library for library in WAYS if any((name, library) in found for name in shown)]
    picture.legend(handles=[handle(library) for library in drawn], loc="lower left", frameon=False,
                   ncols=len(drawn), fontsize=7.5, columnspacing=1.2, handletextpad=0.3,
                   bbox_to_anchor=(0.005, 0.02 / tall))  # fmt: skip
    return picture


def look(library: str, color: str, filled: bool) -> dict[str, Any]:
    """How a library's points look; the newer figures of cydp are above the others."""
    marker = MARKERS.get(library, WAYS[library][0])
    return {
        "marker": marker, "color": color, "linestyle": "", "clip_on": False,
        "markersize": 9 if marker == "|" else 6 if library in NAMES else 4,
        "markerfacecolor": color if filled else "white", "zorder": 4 if library == "cydp" else 3,
    }  # fmt: skip


def handle(library: str) -> Any:
    from matplotlib.lines import Line2D

    _, color, filled = WAYS[library]
    return Line2D([], [], label=NAMES.get(library, library), **look(library, color, filled))
