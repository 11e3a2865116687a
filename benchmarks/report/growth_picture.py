"""How time and memory grow with rows, keys, threads and scales."""

from collections.abc import Mapping, Sequence
from typing import Any

from report import frame

PANEL, GAP, LEFT, RIGHT, MIDDLE = 1.4, 0.68, 0.075, 0.985, 0.085
SECTION = 0.34  # inches of a heading
HEADINGS = {
    "rows": "More rows",
    "keys": "More keys",
    "users": "More users",
    "threads": "More threads",
    "scale": "Larger scales of noise",
}
LINES = {  # ours, then numpy's: colour, marker, filled, dash
    True: (frame.OURS, "o", True, "-"),
    False: (frame.OTHER, "s", False, "--"),
}
THREADS_LEFT = 0.37  # room for the names of works
GROUND = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # lines end at a name
LEAST = 2.0**14  # bytes; less is not seen by what counts pages

Curve = Mapping[str, Any]


def figure(results: Mapping[str, Any], grows: Sequence[str]) -> Any:
    """Draw the curves over these axes; None if there are none."""
    by_axis: dict[str, list[Curve]] = {}
    for curve in results["curves"]:
        by_axis.setdefault(curve["axis"], []).append(curve)
    shown = [(axis, by_axis[axis]) for axis in grows if axis in by_axis]
    if not shown:
        return None
    rows = [(axis, row) for axis, curves in shown for row in rows_of(axis, curves)]
    height = len(rows) * (PANEL + GAP) + SECTION * len(shown) + 0.3
    picture, _, high = frame.new(results, "How cost grows", height)
    tall = picture.get_size_inches()[1]
    y, before = high * tall - 0.05, ""
    for axis, panels in rows:
        if axis != before:
            y -= SECTION
            picture.text(0.015, (y + 0.1) / tall, HEADINGS[axis], size=11, weight="bold")
            before = axis
        y -= PANEL + GAP
        width = (RIGHT - LEFT - MIDDLE) / 2
        for i, (draw, curves) in enumerate(panels):
            left = LEFT + i * (width + MIDDLE)
            if axis == "threads":
                left, width = THREADS_LEFT, RIGHT - THREADS_LEFT
            axes = picture.add_axes((left, (y + 0.44) / tall, width, PANEL / tall))
            axes.grid(color=frame.GRID, linewidth=0.6)
            axes.set_axisbelow(True)
            draw(axes, curves)
    frame.foot(
        picture,
        "s: slope, the exponent of growth (1: twice the input takes twice the time), fitted by "
        "least squares to the logarithms",
        "of the points that take at least 4 times the least time, or of all where fewer than three "
        "do. Bands: quartiles.",
        "Memory: how much the peak of the process rose in a call; its data were there before. "
        "Hardly any: under 0.25 MiB; a point at the bottom may be 0.",
        "numpy is not private. One thread, but where more are said.",
    )
    return picture


def rows_of(axis: str, curves: Sequence[Curve]) -> list[list[Any]]:
    """Return the panels of an axis, at most two in a row: what draws each, and its curves."""
    if axis == "threads":
        return [[(draw_threads, curves)]]
    both = [curve for curve in curves if curve["points"][0]["peak"] is not None]
    panels = [(draw_time, [curve]) for curve in curves if curve not in both]
    pairs = [panels[i : i + 2] for i in range(0, len(panels), 2)]
    return [*([(draw_time, [curve]), (draw_memory, [curve])] for curve in both), *pairs]


def ways(curve: Curve) -> list[tuple[str, bool, Curve]]:
    """Ours and others: name, whether it is ours, and its points."""
    others = curve.get("beside", {}).items()
    return [("cydp", True, curve), *((name, False, found) for name, found in others)]


def draw_time(axes: Any, curves: Sequence[Curve]) -> None:
    curve = curves[0]
    for name, ours, found in ways(curve):
        seconds = [point["seconds"] for point in found["points"]]
        said = f"{name}, s = {found['slope']:.2f}"
        line(axes, found, [median for _, median, _ in seconds], ours, said)
        x = [point["x"] for point in found["points"]]
        axes.fill_between(
            x, [low for low, *_ in seconds], [high for *_, high in seconds],
            color=LINES[ours][0], alpha=0.2, linewidth=0,
        )  # fmt: skip
    finish(axes, f"{curve['work']}: time", curve["unit"], "seconds")


def draw_memory(axes: Any, curves: Sequence[Curve]) -> None:
    curve = curves[0]
    for name, ours, found in ways(curve):
        peaks = [max(point["peak"] or 0, LEAST) for point in found["points"]]
        grows = memory_words(found.get("memory_slope"), peaks)
        line(axes, found, [peak / 2**20 for peak in peaks], ours, f"{name}, {grows}")
    finish(axes, f"{curve['work']}: memory", curve["unit"], "MiB")


def memory_words(slope: float | None, peaks: Sequence[float]) -> str:
    if slope is None:
        return "hardly any"
    most = max(peaks) / min(peaks)
    return f"grows {most:.2g} times in all" if most < 4 else f"s = {slope:.2f}"


def line(axes: Any, curve: Curve, y: Sequence[float], ours: bool, label: str) -> None:
    color, marker, filled, dash = LINES[ours]
    x = [point["x"] for point in curve["points"]]
    axes.plot(x, y, dash, marker=marker, color=color, markersize=4.5, linewidth=1.5, label=label,
              markerfacecolor=color if filled else "white")  # fmt: skip


def finish(axes: Any, title: str, unit: str, what: str) -> None:
    axes.set(xscale="log", yscale="log", ylabel=what)
    axes.set_xlabel(unit, labelpad=1)
    axes.set_title(frame.raised(title), loc="left", pad=3)
    low, high = axes.get_ylim()
    high = max(high, 30 * low)
    axes.set_ylim(low / 1.2, high * (high / low) ** 0.55)  # room for the words
    axes.minorticks_off()
    axes.tick_params(labelsize=8)
    axes.legend(loc="upper left", fontsize=8, frameon=True, framealpha=0.9, edgecolor="none",
                borderpad=0.2, labelspacing=0.25, handlelength=2.6)  # fmt: skip


def draw_threads(axes: Any, curves: Sequence[Curve]) -> None:
    """A row for each work: its speed and its CPU time, beside those of one thread."""
    most = max(point["x"] for curve in curves for point in curve["points"])
    axes.set(ylim=(len(curves), 0), xlim=(0, most * 1.25))
    axes.set_yticks(
        [i + 0.5 for i in range(len(curves))], [frame.raised(c["work"]) for c in curves], size=8.5
    )
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.axvline(1, color="black", linewidth=1.2)
    axes.axvline(most, color="black", linewidth=1.2, linestyle="--")
    labels = {"speed": "speed (ideal: dashed)",
              "cpu": "CPU time (ideal: 1x)"}  # fmt: skip
    for i, curve in enumerate(curves):
        one, *more = curve["points"]
        for point in more:
            found = {
                "speed": one["seconds"][1] / point["seconds"][1],
                "cpu": point["cpu"] / one["cpu"],
            }
            for (what, value), up, ours in zip(
                found.items(), (0.32, 0.7), (True, False), strict=True
            ):
                color, marker, filled, _ = LINES[ours]
                axes.plot(
                    value, i + up, marker, color=color, markersize=5, label=labels.pop(what, None),
                    linestyle="", markerfacecolor=color if filled else "white",
                )  # fmt: skip
                axes.annotate(f"{value:.2f}x", (value, i + up), xytext=(6, 0), size=8, va="center",
                              textcoords="offset points", color=color, bbox=GROUND)  # fmt: skip
    axes.set_xlabel(f"{most:g} threads beside 1 thread (ratio)", labelpad=1)
    axes.legend(loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=2, fontsize=8.5, frameon=False)
