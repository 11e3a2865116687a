"""What all pictures have: a title, the machine and its kernels, and warnings."""

import re
from collections.abc import Mapping
from textwrap import wrap
from typing import Any

WIDTH = 9.0  # inches; 72 points each
TOP, BOTTOM, LINE = 0.62, 0.8, 0.17
OURS, OTHER, LOSS, GRID = "#0b4f8a", "#8a4b08", "#b3261e", "0.85"
RAISED = str.maketrans("0123456789-.", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻·")


def new(results: Mapping[str, Any], title: str, height: float) -> tuple[Any, float, float]:
    """Return a figure with room for `height` inches, and its bottom and top as parts of it."""
    from matplotlib.figure import Figure

    warned = [line for text in warnings(results) for line in wrap(text, 105)]
    head = TOP + LINE * (len(warned) + bool(warned))
    tall = head + height + BOTTOM
    figure = Figure(figsize=(WIDTH, tall))
    figure.text(0.015, 1 - 0.24 / tall, title, size=13, weight="bold", va="center")
    figure.text(0.015, 1 - 0.47 / tall, machine(results), size=8.5, va="center", color="0.25")
    if warned:
        figure.text(
            0.02, 1 - (0.68 + LINE * (len(warned) - 1) / 2) / tall, "\n".join(warned), size=8.5,
            va="center", weight="bold", color=LOSS, linespacing=1.25,
            bbox={"facecolor": "#fff1ef", "edgecolor": LOSS, "pad": 3},
        )  # fmt: skip
    return figure, BOTTOM / tall, 1 - head / tall


def machine(results: Mapping[str, Any]) -> str:
    """Say in a line on what was measured."""
    machine = results["machine"]
    build = machine["build"]
    stream = f"{build['stream']} by {build['aes']}" if build["stream"] == "aes" else build["stream"]
    forced = " (chosen by hand)" if machine["forced"] else ""
    return (
        f"{machine['cpu']}  |  kernels {build['isa']}, stream {stream}{forced}  |  "
        f"cydp {machine['cydp']}  |  {machine['date']}"
    )


def warnings(results: Mapping[str, Any]) -> list[str]:
    """Say what makes the figures of this run worse than they could be."""
    return [f"MEASURED WHILE {text}" for text in results["state"]["warnings"]]


def raised(text: str) -> str:
    """Write powers with raised digits."""
    return re.sub(r"(\d|[a-z])\^(-?[\d.]+\d|-?\d)", lambda m: m[1] + m[2].translate(RAISED), text)


def number(value: float) -> str:
    """Two digits, three near 1, and commas above a thousand."""
    if value < 2:
        return f"{value:.2f}"
    return f"{float(f'{value:.2g}'):,.{value < 10:d}f}"


def foot(figure: Any, *lines: str) -> None:
    """Say below the axes how to read them."""
    tall = figure.get_size_inches()[1]
    for i, line in enumerate(reversed(lines)):
        figure.text(0.015, (0.11 + LINE * i) / tall, line, size=8, color="0.25", va="center")
