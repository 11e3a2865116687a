"""Days as names of blocks: they are their text, in whichever library they come."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import Refusal, check_refusals

import cydp
from cydp import BudgetLedger, PureDP
from cydp.accounting.ledger._serialize import read_block_id

DAY, TEXT = dt.date(2024, 1, 31), "2024-01-31"
DAYS: dict[str, Any] = {
    "a date": DAY,
    "a datetime": dt.datetime(2024, 1, 31),
    "numpy": np.datetime64(TEXT),
    "numpy ns": np.datetime64(TEXT, "ns"),
    "pandas": pd.Timestamp(TEXT),
    "polars": pl.Series([DAY])[0],
    "text": TEXT,
}


@pytest.fixture
def ledger(path: Path) -> Iterator[BudgetLedger]:
    with BudgetLedger.create(path, PureDP(1), privacy_unit="row", by_block=True) as made:
        yield made


@pytest.mark.parametrize("name", DAYS)
def test_a_day_is_its_text(ledger: BudgetLedger, name: str) -> None:
    ledger.add_block(DAYS[name], day=DAYS[name])
    (block,) = ledger.blocks()
    assert (block.id, block.dims) == (TEXT, {"day": TEXT})
    for other in DAYS.values():
        assert ledger.find_blocks(day=other) == [TEXT]
        assert ledger.scope(blocks=[other]).blocks == (TEXT,)
        assert not ledger.would_exceed(PureDP("0.1"), blocks=[other])
    ledger.charge(PureDP("1/4"), blocks=[DAYS[name]])
    cydp.count([1], epsilon="1/4", budget=ledger.scope(blocks=[DAYS[name]], table_in_blocks=True))
    assert ledger.spent == {TEXT: PureDP("1/2")}
    ledger.retire(DAYS[name])
    assert ledger.find_blocks() == []


def test_days_of_every_container(ledger: BudgetLedger) -> None:
    ledger.add_blocks(np.arange("2024-01-01", "2024-01-03", dtype="datetime64[D]"))
    ledger.add_blocks(pd.date_range("2024-01-03", periods=2))
    ledger.add_blocks(pl.date_range(dt.date(2024, 1, 5), dt.date(2024, 1, 6), eager=True))
    ledger.add_blocks({dt.date(2024, 1, 7): PureDP("1/2")})
    assert [block.id for block in ledger.blocks()] == [f"2024-01-0{i}" for i in range(1, 8)]
    assert ledger.blocks()[-1].budget == PureDP("1/2")
    ledger.verify()


def test_text_stays_as_it_is(ledger: BudgetLedger) -> None:
    ids = ["2024-01", "2024-01-31 north", "2024-02-31", "2024-01-31T00:00"]
    ledger.add_blocks(ids, day="2024-01-31 north")
    assert [block.id for block in ledger.blocks()] == ids
    assert ledger.find_blocks(day="2024-01-31 north") == ids


def test_what_is_refused(ledger: BudgetLedger) -> None:
    ledger.add_block(DAY)
    day = "must be a day, without a time of day and a zone, or text"
    refusals: dict[str, Refusal] = {
        "a time of day": (lambda: ledger.add_block(dt.datetime(2024, 1, 1, 5)), ValueError,
                          (f"block {day}",)),
        "a zone": (lambda: ledger.add_blocks([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]), ValueError,
                   (f"each of blocks {day}",)),
        "a month": (lambda: ledger.scope(blocks=[np.datetime64("2024-01")]), ValueError, (day,)),
        "a week": (lambda: read_block_id(np.datetime64(5, "W"), "block"), ValueError, (day,)),
        "NaT": (lambda: ledger.add_block(np.datetime64("NaT")), ValueError, ("not NaT",)),
        "a day and its text": (lambda: ledger.add_blocks(["2024-02-01", dt.date(2024, 2, 1)]),
                               ValueError, ("each of them once",)),
        "the same in a dict": (
            lambda: ledger.add_blocks({"2024-02-01": PureDP(1), dt.date(2024, 2, 1): PureDP(1)}),
            ValueError, ("each of them once",)),
        "one day alone": (lambda: ledger.add_blocks(DAY), TypeError,  # type: ignore[arg-type]
                          ("a list of block ids, not date",)),
        "a fact with a time of day": (lambda: ledger.add_block("a", day=dt.datetime(2024, 1, 1, 1)),
                                      ValueError, (f"day {day}",)),
    }  # fmt: skip
    check_refusals(refusals)
    with pytest.raises(cydp.LedgerError, match="block '2024-01-31' is in the ledger already"):
        ledger.add_block(TEXT)


def test_a_loss_is_found_by_a_date(ledger: BudgetLedger) -> None:
    ledger.add_blocks(["2024-01-31", "mon"])
    for losses in (ledger.remaining, ledger.spent, ledger.scope(blocks=["mon"]).remaining):
        if isinstance(losses, dict):
            assert losses[DAY] == losses["2024-01-31"]
            with pytest.raises(KeyError):
                losses["2024-02-01"]
            assert dict(losses).keys() == losses.keys()


def test_a_block_that_no_row_can_have_is_refused(path: Path) -> None:
    """By the type of the column, before anything is charged."""
    for name, kind in (("day", "DATE"), ("text", "VARCHAR"), ("number", "BIGINT")):
        wrong = {"DATE": "01.01.2024", "VARCHAR": "2024-1-1", "BIGINT": "01"}[kind]
        right = {"DATE": "2024-01-01", "VARCHAR": "01.01.2024", "BIGINT": "-1"}[kind]
        made = BudgetLedger.create(
            path.with_name(name), PureDP(1), privacy_unit="row", by_block=True, block_column="k"
        )
        with made as ledger:
            ledger.add_blocks([right])
            table = duckdb.sql(f"SELECT NULL::{kind} AS k")
            cydp.count(table, epsilon="0.1", budget=ledger.scope(blocks=[right]))
            if kind == "VARCHAR":
                with pytest.raises(ValueError, match="must be written '2024-01-01'"):
                    ledger.add_blocks([wrong])
                continue
            ledger.add_blocks([wrong])
            with pytest.raises(ValueError, match=rf"'{wrong}' must be a"):
                cydp.count(table, epsilon="0.1", budget=ledger.scope(blocks=[wrong]))
            assert ledger.spent[wrong] == PureDP(0)
