"""The pictures of the site, drawn when it is built.

Those here are of lessons alone; lessons also have pictures of the reference, by their names.
"""

from __future__ import annotations

import csv
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

DATA = Path(__file__).parents[2] / "examples" / "data"
mpl.use("agg")

MOST_BYTES = 60_000


def linkage() -> Any:
    """Draw how often a secret is found by what is known of a person."""
    columns = pums()
    incomes = [0, 1, 10_000, 20_000, 30_000, 50_000, 100_000, 1_000_000]
    known = {"age": (100, (0, 100)), "sex": [0, 1], "educ": range(1, 17), "race": range(1, 7)}
    return (
        teach.attacks.linkage(columns, {**known, "income": (incomes, None)}, "income").plot().figure
    )


def salary() -> Any:
    """Draw what an expected salary becomes."""
    change = teach.expected_change(cydp.PureDP("0.1", relation="add-remove"), 10_000)
    return change.plot().figure


def pums() -> dict[str, list[float]]:
    """Return the columns of the census table."""
    with (DATA / "pums.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


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
    "linkage": linkage,
    "salary": salary,
    "ranges": ranges,
    "sampled": sampled,
}


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
