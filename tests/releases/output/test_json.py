"""releases/output/_exportable.py: what a release is, as JSON."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
from releases.output.made import KEYS, MADE, failing, made, with_counts

import cydp
from cydp.releases._histogram_release import TableRelease
from cydp.testing import SeededGenerator


def strict(text: str) -> Any:
    """Read JSON that has neither NaN nor infinities."""

    def refuse(word: str) -> Any:
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


def check_every_release_is_json(name: str) -> None:
    release = made(name)
    found = strict(release.to_json())
    assert found == release.to_dict()
    assert (found["epsilon"], found["exact"]["epsilon"]) == (0.5, "1/2")
    assert found["relation"] == "add-remove"
    assert found["metadata"] == release.metadata
    assert found["query"] == release.certificate()["query"]
    assert pickle.loads(pickle.dumps(release)).to_json() == release.to_json()
    again = MADE[name](epsilon="1/2", rng=SeededGenerator(7))
    assert again.to_json() == release.to_json()


def test_every_release_is_json() -> None:
    assert failing(check_every_release_is_json, MADE) == {}


def test_a_histogram_has_counts_edges_and_errors() -> None:
    release = made("histogram by")
    found = release.to_dict("0.9")
    assert found["axes"] == [
        {"name": None, "keys": {"key": KEYS}},
        {"name": "x", "edges": release.edges.tolist()},
    ]
    count = found["columns"]["count"]
    lower, upper = release.interval("0.9")
    assert count == {
        "unit": "rows",
        "values": release.counts.tolist(),
        "lower": lower.tolist(),
        "upper": upper.tolist(),
        "error": {
            "confidence": 0.9,
            "each": release.error_bound("0.9"),
            "together": release.error_bound("0.9", count=9),
        },
    }


def test_a_table_has_a_column_for_each_number() -> None:
    release = made("group_by")
    found = release.to_dict()
    columns = found["columns"]
    assert list(columns) == ["n", "sum_x", "mean_x", "median_x", "q90_x"]
    assert columns["mean_x"]["error"]["each"] == release.error_bound(column="mean_x").tolist()
    assert columns["q90_x"]["error"]["unit"] == "ranks"
    assert columns["q90_x"]["lower"] is None
    steps = found["exact"]["steps"]
    assert steps["n"] == release["n"].tolist()
    step = release.query.parts["sum_x"].step
    assert [float(units * step) for units in steps["sum_x"]] == columns["sum_x"]["values"]
    assert found["axes"][0]["keys"]["day"] == ["2026-01-01", "2026-01-02"]


def check_exact_numbers_are_text(name: str) -> None:
    release = made(name)
    found = release.to_dict()
    assert Fraction(found["exact"]["value"]) == release.exact
    assert found["columns"][name]["values"] == release.value
    assert [found["columns"][name][end] for end in ("lower", "upper")] == [*release.interval()]


def test_exact_numbers_are_text() -> None:
    assert failing(check_exact_numbers_are_text, ["count", "sum", "mean", "variance"]) == {}


def test_other_costs() -> None:
    rho = cydp.count([1], rho="1/3").to_dict()
    assert (rho["rho"], rho["exact"]["rho"], "epsilon" in rho) == (1 / 3, "1/3", False)
    both = cydp.count([1], epsilon=1, delta="1e-6", noise="gaussian").to_dict()
    assert (both["epsilon"], both["delta"]) == (1.0, 1e-6)
    assert both["exact"]["delta"] == "1/1000000"


def test_what_is_not_finite_is_no_number() -> None:
    found = made("infinite edges").to_dict()
    assert found["axes"][0]["edges"] == ["-inf", 0.0, 50.0, "inf"]
    blank = cydp.value_counts([], [1.5, 2.5], epsilon=1)
    keys = np.array([math.nan, math.inf])
    release = TableRelease(
        query=blank.query, key_names=(None,), key_columns=(keys,), steps=(np.array([1, 2]),)
    )
    assert strict(release.to_json())["axes"][0]["keys"] == {"key": ["nan", "inf"]}


def test_numbers_keep_their_digits() -> None:
    counts = [2**53 + 1, -(2**62)]
    assert strict(with_counts(counts).to_json())["columns"]["count"]["values"] == counts


def test_labels_that_json_cannot_hold_are_text() -> None:
    keys = np.empty(6, object)
    keys[:] = [None, b"a", (1, 2), True, np.int8(3), 2**70]
    blank = cydp.value_counts([], list(range(6)), epsilon=1)
    release = TableRelease(
        query=blank.query, key_names=("k",), key_columns=(keys,), steps=(np.arange(6),)
    )
    assert strict(release.to_json())["axes"][0]["keys"]["k"] == [
        None, "b'a'", "(1, 2)", True, 3, 2**70
    ]  # fmt: skip


def test_notes_are_in_it() -> None:
    assert any("public fallback" in note for note in made("no bounds").to_dict()["notes"])
