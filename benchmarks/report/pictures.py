"""Draws the pictures of one file of results: ratios, growth, roofline."""

from collections.abc import Mapping
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from report import growth_picture, ratios_picture, roofline_picture
from report.topics import OTHER, TOPICS

NOISE = ("Keystream", "Noise", "Mechanisms")
CALLS = ("Releases", "Budgets and plans", "Small calls", "Pictures", "Package")
TABLES = tuple(topic for topic in (*TOPICS, OTHER) if topic not in (*NOISE, *CALLS))
PICTURES = {  # a screen or two each
    "ratios_noise.png": partial(ratios_picture.figure, topics=NOISE),
    "ratios_tables.png": partial(ratios_picture.figure, topics=TABLES),
    "ratios_calls.png": partial(ratios_picture.figure, topics=CALLS),
    "growth_rows.png": partial(growth_picture.figure, grows=("rows",)),
    "growth_others.png": partial(
        growth_picture.figure, grows=("keys", "users", "threads", "scale")
    ),
    "roofline_noise.png": partial(roofline_picture.figure, topics=NOISE),
    "roofline_tables.png": partial(roofline_picture.figure, topics=(*TABLES, *CALLS)),
}
DOTS = 115  # an inch, of which a picture is 9 wide: more than the width of a page
COLORS = 32  # a palette makes files a third as large
STYLE = {
    "font.family": "DejaVu Sans",  # matplotlib's own: the same picture everywhere
    "font.size": 9,
    "hatch.linewidth": 0.7,
    "axes.edgecolor": "0.4",
    "axes.titlesize": 9.5,
}


def draw(
    results: Mapping[str, Any], folder: Path, pictures: Mapping[str, Any] = PICTURES
) -> list[Path]:
    """Draw what a file of results has, as `json.load` returns it, and return the pictures' files.

    The width of a picture is what GitHub shows of a page. Its ground is white, for dark pages too.
    """
    from matplotlib import rc_context
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    for name in pictures:  # of a run that measured more
        (folder / name).unlink(missing_ok=True)
    drawn = []
    for name, figure in pictures.items():
        with rc_context(STYLE):
            picture = figure(results)
            if picture is None:
                continue
            whole = BytesIO()
            picture.savefig(whole, dpi=DOTS, facecolor="white")
        image = Image.open(whole).convert("RGB")
        image = image.quantize(COLORS, kmeans=1, dither=Image.Dither.NONE)
        image.save(folder / name, optimize=True)
        drawn.append(folder / name)
    return drawn
