"""What each picture of `cydp.teach` must have, on a light and on a dark page, and in grey."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba
from matplotlib.text import Text

mpl.use("agg")

STYLES = ("default", "dark_background")
UNITS = re.compile(r"\(.+\)|probability|density|epsilon|delta|rows|records|factor")
SPELLED = re.compile(r"\b(epsilon|delta|rho|sigma)\b", re.IGNORECASE)  # pictures have letters
LEAST_CONTRAST = 3.0  # WCAG 2.1, 1.4.11: of lines and large text to their ground
PIXELS = 1.5  # of words that touch
LEAST_GREY = 0.15  # between the luminances of two series that differ by nothing else


def luminance(colour: Any) -> float:
    """Relative luminance, as WCAG 2.1 defines it."""
    rgb = np.asarray(to_rgba(colour)[:3])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: Any, other: Any) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@contextmanager
def closed() -> Iterator[None]:
    """Close all figures in the end; a picture must have left the settings as they were."""
    before = dict(mpl.rcParams)
    try:
        yield
        assert dict(mpl.rcParams) == before
    finally:
        plt.close("all")


def check(draw: Callable[[], Any], *styles: str) -> Any:
    """Draw a picture in each style, assert that it can be read, and return its axes."""
    for style in styles or ("dark_background",):
        with plt.style.context(style), closed():
            found = draw()
            axes = list(np.ravel(np.asarray(found, object)))
            figure = axes[0].figure
            figure.canvas.draw()
            ground = figure.get_facecolor()
            for ax in axes:
                check_words(ax)
                _check_grey(ax)
            for text in figure.findobj(Text):
                if text.get_visible() and text.get_text().strip():
                    assert not SPELLED.search(re.sub(r"\\\w+", "", text.get_text())), text
                    box = text.get_bbox_patch()
                    behind = box.get_facecolor() if box is not None else ground
                    assert contrast(text.get_color(), behind) >= LEAST_CONTRAST, text.get_text()
            _check_apart(figure)
    return found


def check_words(ax: Any) -> None:
    """Each axis has ticks and a label with a unit; the title is said once, and fits."""
    assert ax.get_title(loc="left") or ax.get_title() or len(ax.figure.axes) > 1
    for axis in (ax.xaxis, ax.yaxis):
        shared = not axis.get_visible() or not any(
            tick.label1.get_visible() for tick in axis.get_major_ticks()
        )
        label = axis.get_label().get_text()
        ticks = [tick.get_text() for tick in axis.get_ticklabels()]
        is_words = any(re.search(r"[A-Za-z]{2}", tick) for tick in ticks)
        assert shared or is_words or UNITS.search(label), f"no unit: {label!r}"
    words = (ax.title, ax._left_title, ax.xaxis.label, ax.yaxis.label)
    for text in (word for word in words if word.get_text()):
        box = text.get_window_extent()
        width, height = ax.figure.canvas.get_width_height()
        assert -1 <= box.x0 <= box.x1 <= width + 1, text.get_text()
        assert -1 <= box.y0 <= box.y1 <= height + 1, text.get_text()


def _check_apart(figure: Any) -> None:
    """No words cover others, and none are cut off."""
    unseen = set()  # labels of ticks beyond an axis
    for axis in [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]:
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks() + axis.get_minor_ticks():
            if not low <= tick.get_loc() <= high:
                unseen |= {tick.label1, tick.label2}
    seen = [
        (text.get_text(), text.get_window_extent())
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in unseen
    ]
    width, height = figure.canvas.get_width_height()
    for words, box in seen:
        assert min(box.x0, box.y0, width - box.x1, height - box.y1) >= -1, words
    for (one, first), (other, second) in combinations(seen, 2):
        wide = min(first.x1, second.x1) - max(first.x0, second.x0)
        high = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert min(wide, high) < PIXELS, (one, other)


def _check_grey(ax: Any) -> None:
    """Two lines of one legend differ by dashes, by markers or by their luminance."""
    named = [line for line in ax.lines if not line.get_label().startswith("_")]
    for one, other in combinations(named, 2):
        same = (
            all(
                getattr(one, name)() == getattr(other, name)()
                for name in ("get_linestyle", "get_marker", "get_dashes")
                if hasattr(one, name)
            )
            and one._dash_pattern == other._dash_pattern
        )  # type: ignore[attr-defined]
        grey = abs(luminance(one.get_color()) - luminance(other.get_color()))
        assert not same or grey >= LEAST_GREY, (one.get_label(), other.get_label())
