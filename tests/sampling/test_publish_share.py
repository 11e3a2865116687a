"""sampling/_publish_share.py: what it costs, and that it says what it does."""

from __future__ import annotations

import itertools
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
from cydp.sampling import publish_share
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
    """A generator whose sample is given."""

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


WORDS = ["flu", "flu", "hiv"]
OF_ALL_ROWS: dict[str, Any] = {
    "series": pd.Series(WORDS, dtype="category"),
    "frame": pd.DataFrame({"a": [1, 2, 3], "b": pd.Categorical(WORDS)}),
    "arrow array": pa.array(WORDS).dictionary_encode(),
    "arrow table": pa.table({"a": pa.array(WORDS).dictionary_encode()}),
    "polars series": pl.Series(WORDS, dtype=pl.Categorical),
    "polars frame": pl.DataFrame({"a": WORDS}, schema={"a": pl.Categorical}),
    "text of a fixed width": np.array(WORDS),
    "records": np.array([(1, "flu"), (2, "hiv")], [("a", int), ("b", "U3")]),
    "dict": {"a": [1, 2, 3], "b": np.array(WORDS)},
}


def test_types_made_of_all_rows_are_refused() -> None:
    """The categories, or the width of text, would tell of a row that is not chosen."""
    budget = PrivacyFilter(ApproxDP(0, "0.9"))
    publish = partial(publish_share, share="1/2", exposes_rows=True, budget=budget)
    check_refusals(
        {
            name: (partial(publish, x), TypeError, ("x must not hold categories",))
            for name, x in OF_ALL_ROWS.items()
        },
        never=("hiv",),
    )
    assert budget.spent == ApproxDP(0, 0)


def test_notes_of_the_number_of_rows_are_dropped() -> None:
    frame = pd.DataFrame({"category": [1] * 4321})
    frame.attrs["rows"] = 4321
    table = pa.Table.from_pandas(frame)
    assert b"4321" in table.schema.metadata[b"pandas"]
    for x in (frame, table, {"a": frame["category"]}):
        rows = publish_share(x, "1/2", exposes_rows=True).rows
        assert "4321" not in f"{getattr(rows, 'schema', rows)} {getattr(rows, 'attrs', '')}"
