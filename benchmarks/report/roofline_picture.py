"""The share of the machine's limit that each kernel reaches."""

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from harness.record import duration
from report import frame
from report.roofline import limits, shares

ROW, LABELS = 0.27, 0.37
PARTS = {  # colour and hatch of the parts of the least time
    "keystream": ("#9cc3e6", "////"),
    "memory": ("#f0c48a", "...."),
}


def figure(results: Mapping[str, Any]) -> Any:
    """Draw a bar for each kernel; None if no limit or no kernel was measured."""
    shown = shares(results)
    if not shown:
        return None
    most = max(1.0, *(share["share"] + 0.12 for share in shown))
    height = ROW * len(shown) + 0.1
    title = "How close each kernel comes to the limit of the machine"
    picture, low, high = frame.new(results, title, height + 0.55)
    tall = picture.get_size_inches()[1]
    low += 0.3 / tall
    axes = picture.add_axes((LABELS, low, 0.985 - LABELS, high - low - 0.25 / tall))
    axes.set(ylim=(len(shown), 0), xlim=(0, most + 0.82))
    axes.set_xlabel("least possible time divided by time taken (share of the limit)")
    axes.set_yticks(
        [i + 0.5 for i in range(len(shown))],
        [fill(frame.raised(share["group"]), 50) for share in shown],
        size=8,
    )
    axes.tick_params(axis="y", length=0)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    axes.axvline(1, color="black", linewidth=1.6)
    axes.text(1, -0.25, "limit", size=8, weight="bold", ha="center")
    axes.grid(axis="x", color=frame.GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for i, share in enumerate(shown):
        start = 0.0
        for part, (color, hatch) in PARTS.items():
            width = share[f"{part}_seconds"] / share["seconds"]
            axes.barh(i + 0.5, width, 0.68, left=start, color=color, hatch=hatch, edgecolor="0.2",
                      linewidth=0.7)  # fmt: skip
            start += width
        axes.text(
            start + 0.012,
            i + 0.5,
            f"{share['share']:.0%}",
            va="center",
            size=8,
            weight="bold",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )
        said = f"{duration(share['seconds'])}, {duration(share['limit_seconds'])}"
        axes.text(most + 0.06, i + 0.5, said, va="center", size=8)
        axes.text(most + 0.56, i + 0.5, share["bound"], va="center", size=8)
    for x, words in ((0.06, "takes, least possible"), (0.56, "limited by")):
        axes.text(most + x, -0.25, words, size=8, weight="bold")
    legend(picture)
    frame.foot(picture, *described(results))
    return picture


def described(results: Mapping[str, Any]) -> list[str]:
    """Say the limits, as they were measured in the same run."""
    known = limits(results)
    rates = [
        f"{size / 1e6:.0f} MB {rate / 1e9:.0f} GB/s"
        for (size, threads), rate in sorted(known.memory.items())
        if threads == 1
    ]
    keystream = f"; keystream {known.keystream / 1e9:.1f} GB/s" if known.keystream else ""
    return [f"Limits measured in the same run, one thread: memory {', '.join(rates)}{keystream}."]


def legend(picture: Any) -> None:
    from matplotlib.patches import Patch

    words = {"keystream": "time to read the keystream", "memory": "time to move bytes in memory"}
    handles = [
        Patch(facecolor=color, hatch=hatch, edgecolor="0.2", label=words[part])
        for part, (color, hatch) in PARTS.items()
    ]
    tall = picture.get_size_inches()[1]
    place = {"loc": "lower left", "bbox_to_anchor": (0.005, 0.19 / tall)}
    picture.legend(
        handles=handles,
        ncols=2,
        frameon=False,
        fontsize=8.5,
        handlelength=3,
        handleheight=1.2,
        **place,
    )
