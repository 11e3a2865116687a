"""Draws the pictures of one file of results: ratios, growth, roofline."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from report import growth_picture, ratios_picture, roofline_picture

PICTURES = {
    "ratios.png": ratios_picture.figure,
    "growth.png": growth_picture.figure,
    "roofline.png": roofline_picture.figure,
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


def draw(results: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw what a file of results has, as `json.load` returns it, and return the pictures' files.

    The width of a picture is what GitHub shows of a page. Its ground is white, for dark pages too.
    """
    from matplotlib import rc_context
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, figure in PICTURES.items():
        (folder / name).unlink(missing_ok=True)  # of an earlier run that measured more
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
