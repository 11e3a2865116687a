"""The share of the machine's limit that each kernel reaches."""

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from harness.record import duration
from report import frame
from report.roofline import limits, shares
from report.topics import topic

ROW, LABELS = 0.215, 0.4
PARTS = {  # colour and hatch of the parts of the least time
    "keystream": ("#9cc3e6", "//"),
    "memory": ("#f0c48a", ".."),
}


def figure(results: Mapping[str, Any], topics: Sequence[str]) -> Any:
    """Draw a bar for each kernel of these topics; None if no limit or no kernel was measured."""
    found = [share for share in shares(results) if topic(share["group"]) in topics]
    if not found:
        return None
    by_topic = {name: [s for s in found if topic(s["group"]) == name] for name in topics}
    rows = [row for name, here in by_topic.items() if here for row in (name, *here)]
    height = ROW * len(rows) + 0.1
    title = "How close each kernel comes to the limit of the machine"
    picture, low, high = frame.new(results, title, height + 0.55)
    tall = picture.get_size_inches()[1]
    low += 0.3 / tall
    axes = picture.add_axes((LABELS, low, 0.985 - LABELS, high - low - 0.25 / tall))
    most = max(1.0, *(share["share"] + 0.15 for share in found))
    right = most * 1.9  # room for what is written
    axes.set(ylim=(len(rows), 0), xlim=(0, right), yticks=[])
    axes.set_xlabel("least possible time divided by time taken (share of the limit)")
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    axes.axvline(1, color="black", linewidth=1.6)
    axes.grid(axis="x", color=frame.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    bold = {"size": 8, "weight": "bold"}
    axes.text(1, -0.25, "limit", ha="center", **bold)
    columns = most + 0.05 * right, most + 0.32 * right
    for x, words in zip(columns, ("takes, least possible", "limited by"), strict=True):
        axes.text(x, -0.25, words, **bold)
    for i, row in enumerate(rows):
        if isinstance(row, str):
            edge = -LABELS / (0.985 - LABELS) + 0.02
            axes.text(edge, i + 0.6, row, transform=axes.get_yaxis_transform(), size=9,
                      weight="bold", va="center")  # fmt: skip
            axes.axhline(i, color="0.6", linewidth=0.6)
        else:
            draw_row(axes, row, i + 0.5, columns)
    legend(picture)
    frame.foot(picture, *described(results))
    return picture


def draw_row(axes: Any, share: Mapping[str, Any], y: float, columns: tuple[float, float]) -> None:
    label = fill(frame.raised(share["group"]), 58)
    axes.text(-0.012, y, label, transform=axes.get_yaxis_transform(), ha="right", va="center",
              size=7.5 if "\n" not in label else 6.5, linespacing=0.95)  # fmt: skip
    start = 0.0
    for part, (color, hatch) in PARTS.items():
        width = share[f"{part}_seconds"] / share["seconds"]
        axes.barh(y, width, 0.68, left=start, color=color, hatch=hatch, edgecolor="0.2",
                  linewidth=0.7)  # fmt: skip
        start += width
    said = f"{share['share']:.0%}" if share["share"] >= 0.01 else "<1%"
    axes.text(start + 0.012, y, said, va="center", size=8, weight="bold",
              bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8})  # fmt: skip
    times = f"{duration(share['seconds'])}, {duration(share['limit_seconds'])}"
    for x, words in zip(columns, (times, share["bound"]), strict=True):
        axes.text(x, y, words, va="center", size=7.5)


def described(results: Mapping[str, Any]) -> list[str]:
    """Say the limits, as they were measured in the same run."""
    known = limits(results)
    rates = [
        f"{size / 1e6:.0f} MB {rate / 1e9:.0f} GB/s"
        for (size, threads), rate in sorted(known.memory.items())
        if threads == 1
    ]
    keystream = f"; keystream {known.keystream / 1e9:.1f} GB/s" if known.keystream else ""
    said = f"memory {', '.join(rates)}{keystream}"
    return [
        f"Limits measured in the same run, one thread: {said}.",
        "Above 100%: data had stayed in a cache, or memory and keystream were read at once.",
    ]


def legend(picture: Any) -> None:
    from matplotlib.patches import Patch

    words = {"keystream": "time to read the keystream", "memory": "time to move bytes in memory"}
    handles = [
        Patch(facecolor=color, hatch=hatch, edgecolor="0.2", label=words[part])
        for part, (color, hatch) in PARTS.items()
    ]
    tall = picture.get_size_inches()[1]
    place = {"loc": "lower left", "bbox_to_anchor": (0.005, 0.32 / tall)}
    picture.legend(
        handles=handles,
        ncols=2,
        frameon=False,
        fontsize=8.5,
        handlelength=3,
        handleheight=1.2,
        **place,
    )
