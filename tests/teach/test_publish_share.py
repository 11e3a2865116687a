"""teach/_publish_share.py: what it costs, and that it says what it does."""

from __future__ import annotations

import itertools
import math
import pickle
from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusals import check_refusals

from cydp import ApproxDP, BudgetExceededError, BudgetLedger, PrivacyFilter, PureDP
from cydp.accounting import MeasureMismatchError, RelationMismatchError
from cydp.teach import publish_share
from cydp.testing import SeededGenerator


def test_rows_are_published_as_they_are_in_their_order() -> None:
    rows = [f"person {i}" for i in range(1000)]
    shared = publish_share(rows, "1/10", exposes_rows=True)
    assert shared.rows == [row for row in rows if row in set(shared.rows)]
    assert 40 < len(shared.rows) < 180
    assert (shared.share, shared.loss.epsilon, shared.loss.delta) == (
        Fraction(1, 10), 0, Fraction(1, 10),
    )  # fmt: skip
    assert "protects: nobody" in repr(shared)
    assert "person" in repr(shared)
    assert "person 1" not in repr(shared)


def test_columns_of_a_table_lose_the_same_rows() -> None:
    table = {"i": list(range(1000)), "twice": [2 * i for i in range(1000)]}
    rows = publish_share(table, "1/2", exposes_rows=True).rows
    assert rows["twice"] == [2 * i for i in rows["i"]]


def test_rows_that_cannot_be_taken_are_refused_before_the_charge() -> None:
    budget = PrivacyFilter(ApproxDP(0, "0.9"))
    words = pd.Series(["a", "b"], dtype=pd.ArrowDtype(pa.string()))
    views = words.astype(pd.ArrowDtype(pa.string_view()))
    with pytest.raises(TypeError, match="must be cast first"):
        publish_share(views, "1/2", exposes_rows=True, budget=budget)
    assert budget.spent == ApproxDP(0, 0)


def test_what_pays(tmp_path: Path) -> None:
    for budget, error in (
        (PrivacyFilter(PureDP(9)), MeasureMismatchError),
        (PrivacyFilter(ApproxDP(9, "1e-6")), BudgetExceededError),
    ):
        with pytest.raises(error):
            publish_share([1], "1/2", exposes_rows=True, budget=budget)
    with BudgetLedger.create(tmp_path / "l", ApproxDP(0, "0.5"), privacy_unit="row") as ledger:
        publish_share([1], "1/2", exposes_rows=True, budget=ledger)
        assert ledger.spent == ApproxDP(0, "0.5")
        assert "publish_share(share=0.5" in list(ledger.history())[-1]["params"]


class Fixed(SeededGenerator):
    """A generator with a given sample."""

    __slots__ = ("stays",)

    def bernoulli(self, p: Any, size: Any = None, **_: Any) -> Any:
        return self.stays


KINDS: dict[str, Any] = {
    "list": list, "array": np.array, "frame": lambda x: pd.DataFrame({"a": x}),
    "series": lambda x: pd.Series(x, name="a"),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_without_the_row_in_the_sample_are_published_alike(kind: str) -> None:
    """(0, share): if the other row is not chosen, nothing differs: no label, order or dtype."""
    without = [1, 2, 3, 4]
    for chosen in itertools.product((False, True), repeat=4):
        drawn: list[Any] = []
        for rows, stays in ((without, chosen), ([9, *without], (False, *chosen))):
            rng = Fixed(1)
            rng.stays = np.array(stays)  # type: ignore[misc]
            made = publish_share(KINDS[kind](rows), "1/2", exposes_rows=True, rng=rng)
            drawn.append(made.rows)
        first, second = drawn
        assert type(first) is type(second)
        assert repr(first) == repr(second)


def published(table: tuple[int, ...], size: int) -> Counter[tuple[int, ...]]:
    """Return the probability of each outcome: a set of so many rows, in their order."""
    ways = list(itertools.combinations(table, size))
    chances: Counter[tuple[int, ...]] = Counter()
    for way in ways:
        chances[way] += Fraction(1, len(ways))  # type: ignore[assignment]
    return chances


def hockey_stick(one: Counter[Any], other: Counter[Any], factor: Fraction) -> Fraction:
    """Return the sum of p - factor q over the outcomes where that is positive."""
    return sum((max(p - factor * other[way], Fraction(0)) for way, p in one.items()), Fraction(0))


def test_a_size_of_the_rows_costs_size_over_rows_and_no_less() -> None:
    """Of all tables of at most five rows, and all rows that one becomes: m / n, at any epsilon."""
    for n, records in ((2, 3), (3, 3), (4, 3), (5, 2)):
        for size in range(1, n):
            stated = publish_share([0] * n, size=size, rows=n, exposes_rows=True).loss
            assert (stated.epsilon, stated.relation) == (0, "change-one")
            found = {factor: Fraction(0) for factor in (Fraction(1), Fraction(3), Fraction(10**6))}
            for table in itertools.product(range(records), repeat=n):
                for i, record in itertools.product(range(n), range(records)):
                    other = (*table[:i], record, *table[i + 1 :])
                    pair = published(table, size), published(other, size)
                    for factor in found:
                        found[factor] = max(found[factor], hockey_stick(*pair, factor))
            assert set(found.values()) == {stated.delta} == {Fraction(size, n)}


def test_a_size_that_follows_the_rows_tells_their_number() -> None:
    """Under add-remove half of three rows is one row, and half of four rows is two."""
    three, four = published((1, 2, 3), 3 // 2), published((1, 2, 3, 4), 4 // 2)
    assert hockey_stick(three, four, Fraction(10**6)) == 1
    # A size that stays: the fewer rows there are, the more it costs, up to all of it.
    costs = [hockey_stick(published((*range(n), 9), 1), published(tuple(range(n)), 1), Fraction(1))
             for n in (1, 2, 3)]  # fmt: skip
    assert costs == [Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)]


def test_all_sets_of_the_size_are_published_equally_often() -> None:
    """The first rows would be a mutant: each of ten sets has 400 of 4,000, within 6 deviations."""
    rng = SeededGenerator(3)
    table = {"i": list(range(5)), "twice": [2 * i for i in range(5)]}
    drawn = Counter(
        tuple(publish_share(table, size=2, rows=5, exposes_rows=True, rng=rng).rows["twice"])
        for _ in range(4000)
    )
    assert set(drawn) == set(itertools.combinations(range(0, 10, 2), 2))
    assert all(abs(count - 400) < 6 * math.sqrt(360) for count in drawn.values())


def test_a_size_is_paid_under_change_one_and_its_query_says_so() -> None:
    budget = PrivacyFilter(ApproxDP(0, "0.5"), relation="change-one")
    shared = publish_share([1, 2, 3, 4], size=1, rows=4, exposes_rows=True, budget=budget)
    assert budget.spent == ApproxDP(0, "0.25")
    assert repr(shared.query) == "publish_share(share=0.25, rows=4, rows as they are)"
    publish = partial(publish_share, exposes_rows=True, budget=budget)
    check_refusals(
        {
            "both": (partial(publish, [1], "1/2", size=1, rows=1), TypeError, ("or size and",)),
            "no rows": (partial(publish, [1, 2], size=1), TypeError, ("share must be given",)),
            "neither": (partial(publish, [1, 2]), TypeError, ("share must be given",)),
            "all": (
                partial(publish, [1, 2], size=2, rows=2), ValueError, ("size must be less",)
            ),
            "none": (partial(publish, [1, 2], size=0, rows=2), ValueError, ("from 1 to",)),
            "another table": (
                partial(publish, [1, 2, 3], size=1, rows=2), ValueError,
                ("rows must be the number of rows of the table",),
            ),
            "no number": (partial(publish, [1, 2], size=None, rows=2), TypeError, ("size and",)),
        }
    )  # fmt: skip
    of_rows = PrivacyFilter(ApproxDP(0, "0.5"), relation="add-remove")
    with pytest.raises(RelationMismatchError):
        publish_share([1, 2], size=1, rows=2, exposes_rows=True, budget=of_rows)
    assert budget.spent == ApproxDP(0, "0.25")


WORDS = [f"secret {i:04}, in a text that is too long to stand in a view" for i in range(2000)]
NOTED = pa.schema(
    [pa.field("a", pa.string(), metadata={"seen": WORDS[7]})], metadata={"b": WORDS[8]}
)
FRAME = pd.DataFrame({"a": WORDS})
FRAME.attrs["seen"] = WORDS[9]
OF_ALL_ROWS: dict[str, Any] = {  # types, notes and buffers that hold all rows
    "categories of pandas": pd.Series(WORDS, dtype="category"),
    "text of pandas": pd.Series(WORDS, dtype="string"),
    "text views of pandas": pd.DataFrame({"a": pd.Series(WORDS, dtype="string[pyarrow]")}),
    "notes of a frame": FRAME,
    "a dictionary": pa.array(WORDS).dictionary_encode(),
    "a table with a dictionary": pa.table({"a": pa.array(WORDS).dictionary_encode()}),
    "notes of fields": pa.table([pa.array(WORDS)], schema=NOTED),
    "a record batch": pa.record_batch({"a": WORDS}),
    "polars": pl.Series(WORDS),
    "categories of polars": pl.DataFrame({"a": WORDS}, schema={"a": pl.Categorical}),
    "an enumeration": pl.DataFrame({"a": pl.Series(WORDS, dtype=pl.Enum(WORDS))}),
    "text of a fixed width": np.array(WORDS),
    "records": np.array([(1, word) for word in WORDS], [("b", int), ("a", "U70")]),
    "rows of one array": [np.array([WORDS])[:, i] for i in range(2000)],
    "a dict": {"a": np.array(WORDS), "b": pl.Series(WORDS)},
}


def test_no_row_that_was_not_chosen_is_in_what_is_published() -> None:
    """Not in its types, its notes, or the buffers that a pickle writes."""
    rng, held = Fixed(1), []
    rng.stays = np.arange(2000) == 1234  # type: ignore[misc]
    for name, x in OF_ALL_ROWS.items():
        rows = publish_share(x, "1/2", exposes_rows=True, rng=rng).rows
        found = rows["a"] if isinstance(rows, dict) else rows
        assert np.ravel(found).tolist() == [WORDS[1234]], name
        assert not isinstance(found[0], np.ndarray)  # its base may have all rows
        pickled = pickle.dumps(rows)
        held += [name for word in WORDS if word != WORDS[1234] and word.encode() in pickled]
    assert set(held) == set()


def test_columns_that_python_has_no_plain_values_for_are_refused() -> None:
    """What they raise when they are read may depend on a record."""
    budget = PrivacyFilter(ApproxDP(0, "0.9"))
    nested = [["hiv"], ["flu"]]
    columns: dict[str, tuple[Any, str]] = {
        "lists of polars": (pl.Series(nested), "x must hold labels"),
        "an array of polars": (pl.DataFrame({"a": pl.Series(nested, dtype=pl.Array(str, 1))}), "x"),
        "structs of polars": (pl.Series([{"a": "hiv", "b": 1}]), "x must be one"),
        "lists of pyarrow": (pa.array(nested), "x must hold labels"),
        "list views": (pa.array(nested, pa.list_view(pa.string())), "x must hold labels"),
        "structs of pyarrow": (pa.table({"a": pa.array([{"b": "hiv", "c": 1}])}), "x must"),
        "lists of pandas": (
            pd.Series(nested, dtype=pd.ArrowDtype(pa.list_(pa.string()))), "x must",
        ),
        "dates": (np.array(["2020-01-01"], "M8[ns]"), "cast others to text"),
        "times of pandas": (pd.Series(pd.to_datetime(["2020-01-01"])), "cast others to text"),
        "slices of an array of all rows": (
            [pa.array(WORDS).slice(i, 1) for i in range(2000)], "cast others to text",
        ),
        "periods": (pd.Series(pd.period_range("2020", periods=2, freq="Y")), "cast others to text"),
        "views of pandas": (
            pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string_view())), "x must be cast first",
        ),
    }  # fmt: skip
    publish = partial(publish_share, share="1/2", exposes_rows=True, budget=budget)
    check_refusals(
        {name: (partial(publish, x), TypeError, (words,)) for name, (x, words) in columns.items()},
        never=("hiv", "secret"),
    )
    assert budget.spent == ApproxDP(0, 0)
