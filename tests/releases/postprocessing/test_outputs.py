"""Every output of a post-processed table says by what it was made, and has its numbers."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from releases.postprocessing.made import COUNTS, RELEASES, histogram_of, table_of

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
def test_texts_say_how_it_was_made(kind: str, chain: str) -> None:
    made = CHAINS[chain](RELEASES[kind](COUNTS))
    assert repr(made) == made.to_text()
    assert made.made_by in in_one_line(made.to_text())
    assert in_one_line(made.to_text()).startswith(f"{title_of(made)}: 4")
    assert made.made_by in in_one_line(html.unescape(made.to_html()))
    assert made._repr_html_() == made.to_html()
    if chain == "shares":
        assert "error: not stated, since the noise in the total is in all shares" in repr(made)
    else:
        assert (
            "error: each true number within the interval beside it, with 95 % confidence"
            in repr(made)
        )
        words = "error: all 4 true numbers together within the intervals beside them"
        assert words in made.to_text(simultaneous=True)


@each_made
def test_json_has_the_noisy_counts_too(kind: str, chain: str) -> None:
    made = CHAINS[chain](RELEASES[kind](COUNTS))
    found = json.loads(made.to_json())
    assert found == made.to_dict()
    assert found["noisy_counts"] == COUNTS
    assert found["made_by"] == made.made_by
    assert found["biased"] == made.biased
    assert made.made_by in found["notes"]
    (column,) = found["columns"].values()
    assert column["values"] == np.asarray(made).tolist()
    assert column["error"] == {"confidence": 0.95, "each": None, "together": None}
    assert made.to_dict(0.9)["columns"].popitem()[1]["error"]["confidence"] == 0.9
    if chain == "shares":
        assert column["lower"] is None
        assert column["why_no_error"] == "the noise in the total is in all shares"
    else:
        why = "a post-processed count depends on the noise in all counts"
        assert column["why_no_error"] == why
        lower, upper = made.interval()
        assert (column["lower"], column["upper"]) == (lower.tolist(), upper.tolist())


@each_made
def test_frames_have_the_numbers(kind: str, chain: str) -> None:
    pytest.importorskip("pandas")
    made = CHAINS[chain](RELEASES[kind](COUNTS))
    name = "share" if chain == "shares" else {"histogram": "count", "table": "n"}[kind]
    frame = made.to_pandas(confidence=0.9)
    assert frame[name].tolist() == np.asarray(made).tolist()
    if chain != "shares":
        lower, upper = made.interval(0.9)
        assert frame[f"{name}_lower"].tolist() == lower.tolist()
        assert frame[f"{name}_upper"].tolist() == upper.tolist()
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(made)[name].to_list() == np.asarray(made).tolist()


@each_made
def test_a_plot_says_how_it_was_made(kind: str, chain: str) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    made = CHAINS[chain](RELEASES[kind](COUNTS))
    ax = made.plot()
    assert in_one_line(ax.get_title("left")).startswith(f"{title_of(made)}: epsilon=1")
    matplotlib.pyplot.close(ax.figure)


def test_histograms_are_drawn_by_other_tools() -> None:
    made = histogram_of([COUNTS, [1, 2, 3, 4]]).nonnegative()
    drawable = made.to_uhi()
    assert drawable.values().tolist() == made.counts.tolist()
    assert drawable.variances() is None


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
