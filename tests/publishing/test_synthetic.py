"""publishing/_synthetic.py: the tables of synthetic rows are the published ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import polars
import pytest
from publishing.tables import TABLES, publish, rows_of
from scipy.stats import binom

import cydp
from cydp.publishing import _synthetic, contingency_tables
from cydp.testing import SeededGenerator

LIMIT, REJECTED = 1e-6, 1e-12
DRAWN = 20_000


def differing(published: Any, rows: Any) -> list[str]:
    """Return the published tables that differ from the tables of the rows."""
    return [
        name
        for columns, name in zip(published.query.columns, published.query.names, strict=True)
        if columns and not np.array_equal(rows_of(rows, columns), published[name].counts)
    ]


@pytest.mark.parametrize(
    "tables", [["educ"], TABLES, [("race", "sex"), ("race", "married", "sex"), "age"]],
    ids=["one", "chain", "nested"],
)  # fmt: skip
def test_all_tables_of_as_many_rows_are_exactly_those(tables: Any) -> None:
    published = publish(tables)
    for seed, within_bins in enumerate(("uniform", "middle")):
        rows = published.sample(within_bins=within_bins, rng=SeededGenerator(seed))
        assert rows.n == published.total
        assert not differing(published, rows)
    assert not differing(published, published.sample(published.total))
    assert "age" not in rows or set(rows["age"] % 10) == {5.0}


def p_value(published: Any, rows: Any, columns: tuple[str, ...]) -> float:
    """Return the least exact tail probability of a cell, times the number of tails."""
    n, share = rows.n, published[columns].counts.ravel() / published.total
    found = rows_of(rows, columns).ravel()
    tails = np.minimum(binom.cdf(found, n, share), binom.sf(found - 1, n, share))
    return float(min(tails.min() * 2 * tails.size, 1))


def test_tables_of_another_number_of_rows_are_so_on_average(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    published = publish()
    rows = published.sample(DRAWN, rng=SeededGenerator(3))
    assert rows.n == DRAWN
    for columns in TABLES:
        assert p_value(published, rows, columns) > LIMIT
    rest = published.sample(7, rng=SeededGenerator(3))
    assert rest.n == 7
    right, single = np.searchsorted, publish([TABLES[0]])
    monkeypatch.setattr(np, "searchsorted", lambda a, v, side: right(a, v * 9 // 10, side=side))
    wrong = single.sample(DRAWN, rng=SeededGenerator(3))
    assert p_value(single, wrong, TABLES[0]) < REJECTED


def test_columns_that_no_table_links_are_independent_and_it_says_so() -> None:
    published = publish([("sex", "age"), "race"])
    rows = published.sample(rng=SeededGenerator(1))
    assert rows.notes == ("independent of each other, since no table links them: sex, age; race",)
    assert "independent" in repr(rows)
    assert publish().sample().notes == ()
    # Given ages, races are matched at random: each pair of halves is hypergeometric.
    young, first = rows["age"] < 40, rows["race"] == 1
    both, n = np.count_nonzero(young & first), rows.n
    expected = np.count_nonzero(young) * np.count_nonzero(first) / n
    assert abs(both - expected) < 5 * np.sqrt(n) / 4


def test_numbers_are_within_their_bins() -> None:
    edges = [0, 0.5, 0.5, 0.5 + 2**-53, 1, 3]
    data = {"x": [0.2, *[0.5] * 60, 0.75, 3.0]}  # 60 rows in a bin of a single number
    published = contingency_tables(data, {"x": (edges, None)}, ["x"], epsilon=5000)
    assert published["x"].counts.sum() == 63
    for within_bins in ("uniform", "middle"):
        rows = published.sample(within_bins=within_bins)
        assert np.array_equal(np.histogram(rows["x"], edges)[0], published["x"].counts)
    uniform = publish(["age"]).sample(DRAWN, rng=SeededGenerator(5))["age"]
    low = np.count_nonzero(uniform % 10 < 5)
    assert LIMIT < binom.cdf(low, DRAWN, 0.5) < 1 - LIMIT


def test_an_empty_total_gives_uniform_rows_if_any() -> None:
    published = publish(total=0, epsilon=1)
    assert published.sample().n == 0
    rows = published.sample(50)
    assert rows.n == 50
    assert rows.notes == ("the total is 0: rows are uniform over the domains",)
    assert publish().sample(0).n == 0


def test_rows_are_a_table_for_frames_and_releases() -> None:
    published = publish()
    rows = published.sample()
    assert list(rows.to_pandas()) == list(rows) == ["sex", "age", "educ", "married", "race"]
    assert len(rows.to_pandas()) == rows.n
    assert cydp.count(rows, epsilon=5000).value == rows.n
    assert rows.loss == published.loss
    assert rows.release is published
    columns = dict(rows)  # as polars 1 takes them
    assert polars.DataFrame(columns).height == len(pandas.DataFrame(columns)) == rows.n


def test_the_same_words_give_the_same_rows() -> None:
    one, two = (publish().sample(rng=SeededGenerator(9)) for _ in range(2))
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert _synthetic.SyntheticTable.__eq__(one, two) is False
