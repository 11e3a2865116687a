"""The pictures of the site, drawn when it is built."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

import cydp
from cydp import teach
from cydp.testing import SeededGenerator

DATA = Path(__file__).parents[2] / "examples" / "data"
MOST_BYTES = 60_000


def ages() -> Any:
    """Draw the histogram of the first example."""
    table = str(DATA / "pums.csv")
    return cydp.histogram(table, 10, (0, 100), column="age", epsilon=1).plot().figure


def noise() -> Any:
    """Draw answers from two tables that differ in one person, at two epsilons."""
    return teach.figures.two_epsilons()[0].figure


def loss() -> Any:
    """Draw the privacy loss of discrete Gaussian noise, and its delta."""
    return teach.privacy_loss(cydp.DiscreteGaussian(rho="1/2", sensitivity=1)).plot(1).figure


def averages() -> Any:
    """Draw the mean of many releases, with noise of a fixed key, so that builds are alike."""
    return teach.figures.averages(rng=SeededGenerator(1)).figure


def votes() -> Any:
    """Draw what the exponential mechanism chooses in a vote."""
    return teach.figures.votes().plot().figure


def ranges() -> Any:
    """Draw the errors of ranges of bins, from a histogram and from a tree."""
    names = ["ranges by histogram", "ranges by tree"]
    return teach.utility.measure(names, [10, 100, 1000], epsilon=1, trials=0).plot().figure


def sampled() -> Any:
    """Draw delta over epsilon for a step on a sample, and on all rows."""
    noise = cydp.Gaussian(sigma=4, sensitivity=1)
    step = teach.privacy_loss(cydp.sampling.Sampled(noise, "1/10"))
    return step.plot_curve(teach.privacy_loss(noise)).figure


PICTURES: dict[str, Callable[[], Any]] = {
    "ages": ages, "noise": noise, "loss": loss, "averages": averages, "votes": votes,
    "ranges": ranges, "sampled": sampled,
}  # fmt: skip


def write(source: Path) -> None:
    """Draw what is missing below `source`."""
    folder = source / "pictures"
    folder.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        path = folder / f"{name}.png"
        if not path.exists():
            drawn = io.BytesIO()
            draw().savefig(drawn, bbox_inches="tight", dpi=110)
            Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path} has {path.stat().st_size:,} bytes")
