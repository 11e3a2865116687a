"""What outputs refuse, and in which words."""

from __future__ import annotations

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
    check_refusals(refusals)
