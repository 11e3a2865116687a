"""What outputs refuse, and in which words."""

from __future__ import annotations

from pathlib import Path

from refusals import Refusal, check_refusals
from releases.output.made import MADE, made


def test_what_outputs_refuse() -> None:
    refusals: dict[str, Refusal] = {
        f"{name}: confidence {wrong}": (
            lambda name=name, wrong=wrong: made(name).to_text(wrong), ValueError, ("confidence",)
        )
        for name in MADE
        for wrong in (0, 1, 2.0)
    }  # fmt: skip
    for name in MADE:
        refusals[f"{name}: confidence None"] = (
            lambda name=name: made(name).to_html(None), TypeError, ("confidence",)
        )  # fmt: skip
    axes = "3 x 2 x 2 cells", "has no plot", "to_pandas"
    refusals["a plot of three axes"] = lambda: made("three axes").plot(), ValueError, axes
    for name, ax in {"a file": "ages.png", "a path": Path("ages.png")}.items():
        refusals[name] = (
            lambda ax=ax: made("histogram").plot(ax), TypeError,
            ("ax must be Axes of matplotlib, not", "plot().figure.savefig('x.png')"),
        )  # fmt: skip
    refusals["a number as a file"] = (
        lambda: made("histogram").to_csv(3),  # type: ignore[arg-type]
        TypeError, ("path must be a path or an open text file, not int",),
    )  # fmt: skip
    check_refusals(refusals)
