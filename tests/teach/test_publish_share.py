"""teach/_publish_share.py: what it costs, and that it says what it does."""

from __future__ import annotations

import itertools
import pickle
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
from cydp.accounting import MeasureMismatchError
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
