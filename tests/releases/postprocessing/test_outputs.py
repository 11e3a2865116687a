"""Every output of a post-processed table says by what it was made, and has its numbers."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from releases.postprocessing.made import COUNTS, RELEASES, histogram_of, table_of

from cydp._extras import EPSILON

CHAINS: dict[str, Callable[[Any], Any]] = {
    "counts": lambda release: release.nonnegative().with_total(100),
    "shares": lambda release: release.nonnegative().normalized(),
    "unbiased": lambda release: release.with_total(20),
}
each_made = pytest.mark.parametrize(
    ("kind", "chain"),
    [("histogram", "counts"), ("table", "unbiased"), ("table", "shares"), ("histogram", "shares")],
)


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def title_of(made: Any) -> str:
    steps = made.made_by.removeprefix("made from noisy counts by ").partition(";")[0]
    return f"{made.release._sheet(0.95, False).title}, {steps}{' (biased)' * made.biased}"


@each_made
def test_every_output_says_how_it_was_made(kind: str, chain: str) -> None:
    made, shares = CHAINS[chain](RELEASES[kind](COUNTS)), chain == "shares"
    assert made.made_by in in_one_line(repr(made))
    assert in_one_line(repr(made)).startswith(f"{title_of(made)}: 4")
    assert made.made_by in in_one_line(html.unescape(made._repr_html_()))
    within = "the noise in the total is in all shares"
    if not shares:
        within = "each number without noise within the interval beside it"
        words = "error: all 4 numbers without noise together within the intervals beside them"
        assert words in made.to_text(simultaneous=True)
    assert within in repr(made)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = made.plot()
    assert in_one_line(ax.get_title("left")).startswith(f"{title_of(made)}: {EPSILON}=1")
    matplotlib.pyplot.close(ax.figure)


@each_made
def test_every_output_has_the_numbers(kind: str, chain: str) -> None:
    made, shares = CHAINS[chain](RELEASES[kind](COUNTS)), chain == "shares"
    lower, upper = (None, None) if shares else (end.tolist() for end in made.interval(0.9))
    found = made.to_dict(0.9)
    assert json.loads(made.to_json()) == made.to_dict()
    assert (found["noisy_counts"], found["made_by"]) == (COUNTS, made.made_by)
    assert found["biased"] == made.biased
    assert made.made_by in found["notes"]
    ((name, column),) = found["columns"].items()
    assert name == ("share" if shares else {"histogram": "count", "table": "n"}[kind])
    assert column["values"] == np.asarray(made).tolist()
    assert column["error"] == {"confidence": 0.9, "each": None, "together": None}
    assert (column["lower"], column["upper"]) == (lower, upper)
    assert ("total" in column["why_no_error"]) == shares
    frame = made.to_pandas(confidence=0.9)
    assert frame[name].tolist() == np.asarray(made).tolist()
    if not shares:
        assert frame[f"{name}_lower"].tolist() == lower
        assert frame[f"{name}_upper"].tolist() == upper
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(made)[name].to_list() == np.asarray(made).tolist()


def test_histograms_are_drawn_by_other_tools() -> None:
    made = histogram_of([COUNTS, [1, 2, 3, 4]]).nonnegative()
    drawable = made.to_uhi()
    assert drawable.values().tolist() == made.counts.tolist()
    assert drawable.variances() is None


@pytest.mark.hosts
def test_variances_of_post_processed_counts_are_not_known() -> None:
    bh = pytest.importorskip("boost_histogram")
    made = histogram_of(COUNTS).nonnegative()
    found = bh.Histogram(made.to_uhi())
    assert found.values().tolist() == made.counts.tolist()
    assert np.isnan(found.variances()).all()


def test_tables_without_cells_have_outputs() -> None:
    for made in (table_of([]).nonnegative(), histogram_of(np.zeros((0, 3))).normalized()):
        assert made.made_by in in_one_line(made.to_text())
        assert made.made_by in in_one_line(html.unescape(made.to_html()))
        assert json.loads(made.to_json())["noisy_counts"] == []
