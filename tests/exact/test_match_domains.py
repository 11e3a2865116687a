"""exact.match_domains: the place of each row in labels and bins, by plain Python."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from cydp import exact

SEXES = ["f", "m"]
EDGES = [0.0, 18.0, 65.0, 120.0]
DOMAINS = {"sex": SEXES, "age": (EDGES, None)}
TABLE: dict[str, list[Any]] = {
    "sex": ["f", "m", None, "x", "m", "f", "f"],
    "age": [0.0, 18.0, 17.5, 120.0, 121.0, -1.0, float("nan")],
}


def place_of_age(age: float) -> int:
    """The last bin includes its right edge."""
    if not EDGES[0] <= age <= EDGES[-1]:  # NaN, too
        return 3
    return min(bisect_right(EDGES, age) - 1, 2)


PLACES = (
    [SEXES.index(sex) if sex in SEXES else 2 for sex in TABLE["sex"]],
    list(map(place_of_age, TABLE["age"])),
)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "duckdb"])
def test_each_row_has_its_place(kind: str) -> None:
    frame = pd.DataFrame(TABLE)
    table = {
        "dict": TABLE, "pandas": frame, "polars": pl.DataFrame(TABLE),
        "duckdb": duckdb.from_df(frame),
    }[kind]  # fmt: skip
    [(codes, shape), (again, one)] = exact.match_domains(table, DOMAINS, {"age": (EDGES, None)})
    assert shape == (2, 3)
    assert [each.tolist() for each in codes] == [*PLACES]
    assert one == (3,)
    assert np.array_equal(again[0], codes[1])


def test_it_agrees_with_the_counts() -> None:
    rng = np.random.default_rng(1)
    table = {"a": rng.integers(0, 7, 10_000), "b": rng.normal(size=10_000)}
    [(codes, shape)] = exact.match_domains(table, {"a": [1, 5], "b": (8, (-2, 2))})
    inside = (codes[0] < shape[0]) & (codes[1] < shape[1])
    cells = np.ravel_multi_index([each[inside] for each in codes], shape)
    wanted = [
        np.histogram(table["b"][table["a"] == label], 8, (-2, 2))[0].tolist() for label in (1, 5)
    ]
    assert np.bincount(cells, minlength=16).reshape(shape).tolist() == wanted


def test_wrong_domains_are_refused() -> None:
    for domains, kind, words in (
        ([1, 2], TypeError, "domains must be a dict by column"),
        ({}, ValueError, "domains must name a column"),
        ({"height": [1]}, ValueError, "each key of a dict must be a column of table"),
        ({"sex": (["f", "m"], None)}, (TypeError, ValueError), "the domain of sex"),
    ):
        with pytest.raises(kind, match=words):
            exact.match_domains(TABLE, domains)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="length"):
        exact.match_domains({"a": [1, 2], "b": [1]}, {"a": [1], "b": [1]})
