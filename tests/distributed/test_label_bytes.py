"""Keys that are found in pieces cross the wire as bytes, and come back as the same labels."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp._columns.declared import Labels
from cydp.distributed import PieceTally, Reader, prepare
from cydp.distributed._label_bytes import decode, encode, kinds_of
from cydp.distributed._piece_tally import add_up
from cydp.exact._label_sets import find_labels

from .test_equality import parts_of

TEXTS = ["", "a", "ab", "b", "\0", "a\0", "\0a", "ü", "\U0001f600", "x" * 300, "\xff\xff\xff\xff"]
COLUMNS: dict[str, tuple[Any, list[Any]]] = {
    "b": (pa.bool_(), [True, False]),
    "i": (pa.int16(), [0, -1, 2**15 - 1]),
    "u": (pa.uint64(), [0, 2**64 - 1, 2**63]),
    "f": (pa.float64(), [0.0, -0.0, 1.5, float("inf"), -float("inf"), 5e-324]),
    "h": (pa.float32(), [0.1, 2.0]),
    "s": (pa.string(), TEXTS),
    "v": (pa.string_view(), TEXTS),
    "y": (pa.binary(), [b"", b"\xff\0", b"a"]),
    "d": (pa.date32(), [date(1, 1, 1), date(9999, 12, 31)]),
    "t": (pa.timestamp("us"), [datetime(1969, 1, 1), datetime(2024, 2, 29, 3, 4, 5, 6)]),
    "z": (pa.timestamp("ns", "Europe/Vienna"), [datetime(2024, 2, 29)]),
    "span": (pa.duration("s"), [0, -5]),
}


def table_of(seed: int, n: int = 60) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table({
        name: pa.array([None if i < 0 else values[i] for i in
                        random.integers(-1, len(values), n).tolist()], kind)
        for name, (kind, values) in COLUMNS.items()
    })  # fmt: skip


@pytest.mark.parametrize("names", [*COLUMNS, "s s", "s v", "b s", "s i", "y s u", "f d t"])
def test_labels_come_back(names: str) -> None:
    table = table_of(1, 300)
    columns = [Labels(table[name], name) for name in names.split()]
    found, kinds = find_labels(columns), kinds_of(columns)
    keys = encode(found.arrays, kinds)
    assert len(set(keys)) == len(found) > 0
    back = decode(keys, kinds)
    for one, two in zip(found.arrays, back, strict=True):
        assert one.dtype == two.dtype
        assert one.tolist() == two.tolist()
    assert [each.dtype for each in decode([], kinds)] == [each.dtype for each in found.arrays]


def test_types_that_pieces_might_not_share_are_refused() -> None:
    columns: dict[str, Any] = {
        "list": ["a", None], "objects": np.array(["a", 7], object), "pandas": pd.Series([1, 2]),
        "decimals": pa.array([Decimal("1.5")]), "times of day": pa.array([time(3)]),
        "nulls": pa.array([None]),
    }  # fmt: skip
    for name, column in columns.items():
        with pytest.raises(TypeError, match="must hold numbers, text, bytes, dates or times"):
            prepare(cydp.value_counts, {"s": column}, column="s", delta="1/9", epsilon=1)
        assert name
    for column in (pd.Series(["a"], dtype="string"), pd.Series([1], dtype="Int64"), [b"a"]):
        if not isinstance(column, list):
            prepare(cydp.value_counts, {"s": column}, column="s", delta="1/9", epsilon=1)


@pytest.fixture(scope="module")
def reader() -> Reader:
    plan = prepare(
        cydp.group_by, table_of(0).drop(["v"]), ["s", "f"], sums={"i": (-3, 9)}, user="u",
        max_partitions=2, delta="1/10", epsilon=1,
    )  # fmt: skip
    return plan.pay(None).reader


def tallies_of(reader: Reader, n: int = 3) -> list[PieceTally]:
    table = table_of(2, 200).drop(["v"])
    places = reader.pieces_of(table, n)
    return [reader.tally(table.filter(pa.array(places == i)), piece=i, pieces=n) for i in range(n)]


def same(one: PieceTally, two: PieceTally) -> bool:
    parts = [
        parts_of(add_up([each], each.outline, None)[1]) for each in (one, two)
    ]  # fmt: skip
    return one.done == two.done and all(
        each.dtype == parts[1][name].dtype and each.tolist() == parts[1][name].tolist()
        for name, each in parts[0].items()
    )


def test_engines_add_keys_of_bytes_up(reader: Reader) -> None:
    one, two, three = tallies_of(reader)
    rows = pa.concat_tables(
        [each.to_arrow().replace_schema_metadata(None) for each in (three, one, two)]
    )
    wanted = two + (one + three)
    frame = pl.from_arrow(rows)
    assert isinstance(frame, pl.DataFrame)
    sums: dict[str, Any] = {
        "DuckDB": duckdb.sql(
            "select key, sum(low)::bigint as low, sum(high)::bigint as high from rows group by key"
        ),
        "polars": frame.group_by("key").agg(pl.col("low").sum(), pl.col("high").sum()),
        "pandas": rows.to_pandas().groupby("key").sum().reset_index(),
        "pyarrow": rows,
    }
    for name, table in sums.items():
        assert same(reader.from_arrow(table, pieces=3), wanted), name
    assert len(wanted.labels[0]) > 20


def test_other_keys_are_refused(reader: Reader) -> None:
    table = tallies_of(reader)[1].to_arrow().replace_schema_metadata(None)
    keys = table["key"].to_pylist()
    control = next(each for each in keys if each.startswith(b"\xff" * 4))
    label = next(each for each in keys if each != control)
    others: dict[str, tuple[bytes, str]] = {
        "too short": (label[:-1], "no other keys"), "too long": (label + b"a", "no other keys"),
        "no place": (b"\x40\0\0\0" + label[4:], "no other keys"), "none": (b"", "no other keys"),
        "no piece": (control[:-1], "no other keys"),
        "far piece": (b"\xff" * 12, "no other keys"),
        "NaN": (label[:-8] + np.array([np.nan]).tobytes(), "no other keys"),
        "twice": (control, "counted once"),
        "of others": (control[:4] + (7).to_bytes(8, "little"), "this run"),
    }  # fmt: skip
    for name, (key, words) in others.items():
        more = pa.table({"key": [key], "low": [1], "high": [0]})
        with pytest.raises(ValueError, match=words):
            reader.from_arrow(pa.concat_tables([table, more]), pieces=3)
        assert name
    for wrong in (
        pa.table({"key": [1], "low": [1], "high": [1]}),
        pa.table({"key": ["a"], "low": [1], "high": [1]}),
        pa.table({"key": [None], "low": [1], "high": [1]}),
        pa.table({"key": [b"a"], "low": [None], "high": [1]}),
        pa.table({"key": [b"a"], "low": [1]}),
    ):
        with pytest.raises(ValueError, match="table must"):
            reader.from_arrow(wrong, pieces=3)


def test_a_user_is_counted_once_a_key_and_a_key_without_users_is_known(reader: Reader) -> None:
    """Of a user with more keys than may count, some keys have no row that counts."""
    rows = pa.table({
        name: pa.array(values, COLUMNS[name][0])
        for name, values in {
            "s": ["a", "b", "c", "d"] * 2, "f": [1.0] * 8, "i": [1] * 8, "u": [5] * 8,
        }.items()
    })  # fmt: skip
    tally = reader.tally(rows, piece=0, pieces=1)
    _, found = add_up([reader.from_arrow(tally, pieces=1)], tally.outline, None)
    units: Any = found
    assert units.keys[0].tolist() == ["a", "b", "c", "d"]
    assert sorted(units.units.tolist()) == [0, 0, 1, 1]
