"""The pictures of the site, drawn when it is built."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import drawn_names
import matplotlib as mpl
from matplotlib import pyplot as plt
from PIL import Image

import cydp
from cydp import teach
from cydp.testing import SeededGenerator

DATA = Path(__file__).parents[2] / "examples" / "data"
mpl.use("agg")

MOST_BYTES = 60_000


def ages() -> Any:
    """Draw the histogram of the first example."""
    table, rng = str(DATA / "pums.csv"), SeededGenerator(1)
    return cydp.histogram(table, 10, (0, 100), column="age", epsilon=1, rng=rng).plot().figure


def noise() -> Any:
    """Draw answers from two tables that differ in one person, at two epsilons."""
    return teach.figures.two_epsilons()[0].figure


def loss() -> Any:
    """Draw the privacy loss of discrete Gaussian noise, and its delta."""
    return teach.privacy_loss(cydp.DiscreteGaussian(rho="1/2", sensitivity=1)).plot(1).figure


PICTURES: dict[str, Callable[[], Any]] = {"ages": ages, "noise": noise, "loss": loss}


def write(source: Path) -> None:
    """Draw what is missing below `source`, and what is older than the code."""
    folder = source / "pictures"
    folder.mkdir(exist_ok=True)
    sources = [*Path(__file__).parent.glob("*.py"), *Path(cydp.__file__).parent.rglob("*.py")]
    changed = max(source.stat().st_mtime for source in sources)
    by_name = {name: partial(drawn_names.draw, name) for name in drawn_names.DRAWN}
    for name, draw in (PICTURES | by_name).items():
        path = folder / f"{name}.png"
        if not path.exists() or path.stat().st_mtime < changed:
            drawn = io.BytesIO()
            figure = draw()
            figure.savefig(drawn, bbox_inches="tight", dpi=110)
            plt.close(figure)
            Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"{path} has {path.stat().st_size:,} bytes")
