"""sampling/_publish_share.py: what it costs, and that it says what it does."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

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


def test_it_must_be_asked_for() -> None:
    for answer in (False, None, 1):
        with pytest.raises(ValueError, match="protects nobody"):
            publish_share([1], "1/2", exposes_rows=answer)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="exposes_rows"):
        publish_share([1], "1/2")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="share must be less than 1"):
        publish_share([1], 1, exposes_rows=True)


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
        with pytest.raises(TypeError, match="budget must have no charge id"):
            publish_share([1], "1/2", exposes_rows=True, budget=ledger.scope(charge_id="a"))


def test_neighbours_without_the_row_in_the_sample_are_published_alike() -> None:
    """(0, share): if the other row is not chosen, nothing differs: no label, order or dtype."""
    for kind in (
        list,
        np.array,
        lambda x: pd.DataFrame({"a": x}),
        lambda x: pd.Series(x, name="a"),
    ):
        for seed in range(20):
            without, others = [1, 2, 3, 4], SeededGenerator(seed)
            chosen = others.bernoulli("1/2", 4)

            class Fixed(SeededGenerator):
                """A generator whose sample is given."""

                __slots__ = ("stays",)

                def bernoulli(self, p: Any, size: Any = None, **_: Any) -> Any:
                    return self.stays

            drawn: list[Any] = []
            for rows, stays in (
                (without, chosen), ([9, *without], np.concatenate([[False], chosen])),
            ):  # fmt: skip
                rng = Fixed(1)
                rng.stays = stays  # type: ignore[misc]
                drawn.append(publish_share(kind(rows), "1/2", exposes_rows=True, rng=rng).rows)
            first, second = drawn
            assert type(first) is type(second)
            assert repr(first) == repr(second)


def test_the_divergence_is_the_share() -> None:
    """Over all outputs for tables {} and {x}: the hockey-stick divergence at epsilon 0."""
    share = Fraction(1, 4)
    without, with_row = {(): Fraction(1)}, {(): 1 - share, ("x",): share}
    outputs: set[Any] = {*without, *with_row}
    delta = sum(max(with_row.get(o, Fraction(0)) - without.get(o, Fraction(0)), 0) for o in outputs)
    assert delta == share == publish_share([], share, exposes_rows=True).loss.delta


WORDS = ["flu", "flu", "hiv"]


@pytest.mark.parametrize(
    "x",
    [
        pd.Series(WORDS, dtype="category"),
        pd.DataFrame({"a": [1, 2, 3], "b": pd.Categorical(WORDS)}),
        pa.array(WORDS).dictionary_encode(),
        pa.table({"a": pa.array(WORDS).dictionary_encode()}),
        pl.Series(WORDS, dtype=pl.Categorical),
        pl.DataFrame({"a": WORDS}, schema={"a": pl.Categorical}),
        np.array(WORDS),
        np.array([(1, "flu"), (2, "hiv")], [("a", int), ("b", "U3")]),
        {"a": [1, 2, 3], "b": np.array(WORDS)},
    ],
    ids=lambda x: f"{type(x).__module__.partition('.')[0]}.{type(x).__name__}",
)
def test_types_made_of_all_rows_are_refused(x: Any) -> None:
    """The categories, or the width of text, would tell of a row that is not chosen."""
    budget = PrivacyFilter(ApproxDP(0, "0.9"))
    with pytest.raises(TypeError, match="x must not hold categories") as raised:
        publish_share(x, "1/2", exposes_rows=True, budget=budget)
    assert "hiv" not in str(raised.value)
    assert budget.spent == ApproxDP(0, 0)


def test_notes_of_the_number_of_rows_are_dropped() -> None:
    frame = pd.DataFrame({"category": [1] * 4321})
    frame.attrs["rows"] = 4321
    table = pa.Table.from_pandas(frame)
    assert b"4321" in table.schema.metadata[b"pandas"]
    for x in (frame, table, {"a": frame["category"]}):
        rows = publish_share(x, "1/2", exposes_rows=True).rows
        assert "4321" not in f"{getattr(rows, 'schema', rows)} {getattr(rows, 'attrs', '')}"
