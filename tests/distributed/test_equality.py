"""Tallies of pieces, added up in any way, are the local tally of the whole table."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from releases.test_one_way import CASES, of_users, prepared
from releases.test_one_way import TABLE as WHOLE

import cydp
from cydp.distributed import PieceTally, Reader, prepare
from cydp.distributed._outline import sparse
from cydp.distributed._piece_tally import add_up
from cydp.exact._counted_units import CountedUnits
from cydp.exact._sorted_units import SortedUnits
from cydp.releases._group_rows import FoundTally
from cydp.releases._run import arguments_of, kind_of
from cydp.releases._run import prepare as prepare_release
from cydp.releases._tally import Tally
from cydp.testing import SeededGenerator

NAN, INF = float("nan"), float("inf")
NOT_MERGED = "add up in bounded memory|step must be given"
TABLES = 240
LIBRARIES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "polars": pl.from_arrow,
    "pandas": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "masked": lambda table: {name: masked(table[name]) for name in table.column_names},
}
KEYS: dict[str, list[Any]] = {
    "i": [3, -7, 2**40], "s": ["a", "", "ü"], "f": [0.5, INF, -INF, 2.0],
}  # fmt: skip
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]] = {
    "count": (cydp.count, (), {"column": "x"}, "max_rows"),
    "sum": (cydp.sum, ((-2, 5),), {"column": "x", "missing": 1}, "max_rows"),
    "mean": (cydp.mean, ((0, 5),), {"column": "x"}, "max_rows"),
    "variance": (cydp.variance, ((-1, 5),), {"column": "x"}, "max_rows"),
    "histogram": (cydp.histogram, (4, (-2, 2)), {"column": "x"}, "max_partitions"),
    "histogramdd": (
        cydp.histogramdd, (3, [(-2, 2), (-9, 9)]), {"columns": ["x", "i"]}, "max_partitions",
    ),
    "value_counts": (cydp.value_counts, (), {"column": "f", "keys": KEYS["f"]}, "max_partitions"),
    "quantile": (
        cydp.quantile, ([0.25, "1/3", 1], (-4, 4)), {"column": "x", "step": 0.25}, "max_rows",
    ),
    "median": (cydp.median, ((-9, 9),), {"column": "i", "interval": 0.5}, "max_rows"),
    "group_by, ranked": (
        cydp.group_by, ("s",),
        {"keys": KEYS["s"], "quantiles": {"i": (0.75, (-9, 9)), "x": (0.5, (-4, 4), 0.5)}},
        "max_partitions",
    ),
    "value_counts, found": (
        cydp.value_counts, (), {"column": "s", "delta": "1/1000"}, "max_partitions",
    ),
    "group_by, found": (
        cydp.group_by, (["f", "s", "i"],),
        {"delta": "1/10", "sums": {"x": (-3, 5)}, "means": {"i": (-9, 9)}}, "max_partitions",
    ),
    "group_by": (
        cydp.group_by, (["s", "i"],),
        {"keys": {"s": KEYS["s"], "i": KEYS["i"]}, "sums": {"x": (-3, 5)}, "means": {"i": (-9, 9)}},
        "max_partitions",
    ),
}  # fmt: skip


def is_ranked(call: Any) -> bool:
    """Whether a call has quantiles, which are drawn from counts in another way."""
    return call[0] in (cydp.quantile, cydp.median) or "quantiles" in call[2]


def masked(column: pa.ChunkedArray) -> np.ma.MaskedArray[Any, Any]:
    entries = column.to_pylist()
    absent = [each is None for each in entries]
    filler: Any = "" if pa.types.is_string(column.type) else 0
    filled = [filler if each is None else each for each in entries]
    dtype = object if filler == "" else column.type.to_pandas_dtype()
    return np.ma.MaskedArray(np.array(filled, dtype), absent)


def table_of(random: np.random.Generator) -> pa.Table:
    """Return a table with nulls, NaN, infinities, and few, many or skewed users."""
    n = int(random.choice([0, 1, 5, 40]))

    def choose(values: list[Any]) -> list[Any]:
        return [values[i] for i in random.integers(0, len(values), n)]

    users = random.geometric(0.3, n) if random.random() < 0.5 else random.integers(0, n + 1, n)
    kind = pa.int64() if random.random() < 0.4 else pa.float64() if n % 2 else pa.string()
    value = {pa.string(): str, pa.int64(): int, pa.float64(): lambda user: user / 2}[kind]
    named = [None if each > 6 else value(each) for each in users]
    return pa.table({
        "x": pa.array(choose([0.0, -0.0, 1.5, 1e300, -3.25, NAN, INF, -INF, None]), pa.float64()),
        "i": pa.array(choose([*KEYS["i"], 0, -(2**63), None]), pa.int64()),
        "s": pa.array(choose([*KEYS["s"], "other", None]), pa.string()),
        "f": pa.array(choose([*KEYS["f"], NAN, -0.0, None]), pa.float64()),
        "u": pa.array(named, kind),
    })  # fmt: skip


def whole_tally(reader: Reader, name: str, table: Any, given: dict[str, Any]) -> Tally:
    """Return what the local release counts, with the key of the run."""
    function, args, own, _ = CALLS[name]
    kind, arguments = kind_of(function), arguments_of(function, args, own | given)
    made = prepare_release(kind, arguments | {kind.data: table})
    key = None if made.source.users is None else np.frombuffer(reader._key, np.uint64)
    tally: Tally = made.query.read(made.source, key)
    return tally


def parts_of(tally: Tally) -> dict[str, Any]:
    """Return exact answers by name, with the keys that were found, and their units."""
    if not isinstance(tally, FoundTally):
        return dict(tally.parts)
    keys = {f"key {i}": labels for i, labels in enumerate(tally.keys)}
    return {**dict(sorted(tally.parts.items())), **keys, "units": tally.units}


def merged(tallies: list[PieceTally], random: np.random.Generator, reader: Reader) -> Any:
    """Return tallies in any order, added up in part: by pickles, tables, or one for all."""
    pieces = tallies[0].pieces
    mixed = [tallies[i] for i in random.permutation(len(tallies))]
    way = random.integers(3)
    if way == 0:
        return [pickle.loads(pickle.dumps(each)) for each in mixed]
    if way == 1:
        return [sum(mixed)]
    rows = pa.concat_tables(each.to_arrow().replace_schema_metadata(None) for each in mixed)
    if random.random() < 0.5:
        sums = rows.group_by("key").aggregate([("low", "sum"), ("high", "sum")])
        rows = sums.rename_columns(
            [name.removesuffix("_sum") for name in sums.column_names]
        )  # fmt: skip
    return [reader.from_arrow(rows, pieces=pieces)]


def equal(one: dict[str, Any], two: dict[str, Any]) -> bool:
    counted = [
        {
            name: CountedUnits.of(each) if isinstance(each, SortedUnits) else each
            for name, each in parts.items()
        }
        for parts in (one, two)
    ]
    pairs = zip(*(parts.values() for parts in counted), strict=True)
    return [*one] == [*two] and all(
        first.grid == second.grid and np.array_equal(first.counts, second.counts)
        if isinstance(first, CountedUnits)
        else type(first) is type(second) and np.array_equal(first, second)
        for first, second in pairs
    )


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("users", [False, True])
def test_pieces_add_up_to_the_whole(name: str, users: bool) -> None:
    function, args, own, bound = CALLS[name]
    for seed in range(TABLES // 4):
        random = np.random.default_rng([seed, users, *name.encode()])
        table, pieces = table_of(random), int(random.integers(1, 5))
        libraries = [each for each in LIBRARIES if "found" not in name or each != "masked"]
        library = LIBRARIES[libraries[seed % len(libraries)]]
        given: dict[str, Any] = {"epsilon": 1}
        if users:
            given |= {"user": "u", bound: int(random.integers(1, 4))}
        plan = prepare(function, library(table.slice(0, 0)), *args, **own, **given)
        reader = pickle.loads(pickle.dumps(plan.pay(None).reader))
        places = random.integers(0, pieces, len(table))
        promised = {"users_in_one_piece": True} if users and seed % 3 == 0 else {}
        if promised:  # a shuffle that the engine has made, by users as a dictionary of them
            codes = table["u"].combine_chunks().dictionary_encode().indices.fill_null(-1)
            places = random.integers(0, pieces, len(table) + 1)[codes.to_numpy(False)]
        elif users:
            places = reader.pieces_of(library(table), pieces)
        tallies = []
        for piece in range(pieces):
            rows = random.permutation(np.flatnonzero(places == piece))
            part = library(table.take(pa.array(rows, pa.int64())))
            one, two = (
                reader.tally(part, piece=piece, pieces=pieces, **promised) for _ in range(2)
            )  # as a task that runs twice
            assert pickle.dumps(one) == pickle.dumps(two)
            tallies.append(two)
        done, found = add_up(merged(tallies, random, reader), plan._outline, plan.query)
        assert len(done) == pieces
        assert equal(*map(parts_of, (found, whole_tally(reader, name, library(table), given)))), (
            seed
        )


@pytest.mark.parametrize("name", [name for name, call in CALLS.items() if not is_ranked(call)])
@pytest.mark.parametrize("users", [False, True])
def test_the_same_draws_give_the_local_release(name: str, users: bool) -> None:
    """Bit for bit, with its noise: the key of the run is drawn as the key of a local release."""
    function, args, own, bound = CALLS[name]
    table = table_of(np.random.default_rng(8))
    given = own | {"epsilon": "1/10"} | ({"user": "u", bound: 2} if users else {})
    local = function(table, *args, **given, rng=SeededGenerator(7))
    run = prepare(function, table.schema, *args, **given).pay(None, rng=SeededGenerator(7))
    places = run.reader.pieces_of(table, 3) if users else np.arange(len(table)) % 3
    tallies = [
        run.reader.tally(table.filter(pa.array(places == i)), piece=i, pieces=3) for i in range(3)
    ]
    rng = SeededGenerator(7)
    if users:
        rng.bytes(16)
    assert len(table) > 0
    made = run.release(tallies, rng=rng)
    assert made == local
    assert made.to_json() == local.to_json()


def parts_that_may_count(reader: Reader, table: dict[str, Any]) -> dict[str, Any]:
    """Return the rows of users that may count among those of a part, of four parts."""
    at, stays = np.arange(len(table["u"])) * 7 % 4, np.ones(len(table["u"]), np.bool_)
    for i in range(4):
        rows = np.flatnonzero(at == i)
        found = reader._may_count({name: entries[rows] for name, entries in table.items()})
        if found is not None:
            stays[rows] = found
    return {name: entries[stays] for name, entries in table.items()}


OF_USERS = CALLS | {
    "sums by text": (
        cydp.group_by, ("s",), {"keys": KEYS["s"], "sums": {"x": (-3, 5)}}, "max_partitions",
    ),
    "group_by, left out": (
        cydp.group_by, ("i",), {"keys": KEYS["i"], "sums": {"x": (-3, 5)}, "left_out": 3},
        "max_partitions",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_USERS)
def test_what_cannot_count_among_some_rows_cannot_among_all(name: str) -> None:
    function, args, own, bound = OF_USERS[name]
    gone = 0
    for seed in range(60):
        random = np.random.default_rng([seed, *name.encode()])
        table = table_of(random)
        given = own | {"user": "u", bound: int(random.integers(1, 3)), "epsilon": 1}
        reader = prepare(function, table, *args, **given).pay(None).reader
        at, stays = random.integers(0, 3, len(table)), np.ones(len(table), np.bool_)
        for i in range(3):
            found = reader._may_count(table.filter(pa.array(at == i)))
            stays[at == i] = True if found is None else found
        gone += int((~stays).sum())
        whole, few = (
            add_up([reader.tally(each, piece=0, pieces=1)], reader.plan._outline, None)[1]
            for each in (table, table.filter(pa.array(stays)))
        )
        assert equal(parts_of(whole), parts_of(few))
    if "found" in name or "left out" in name:  # any row tells that there is a key, or is left out
        assert gone == 0
    elif bound == "max_partitions":
        assert gone > 50


def test_every_release_is_planned_or_refused() -> None:
    """What adds up in bounded memory is read in pieces; what does not, is refused by its name."""
    places = {True: WHOLE["u"] % 3, False: np.arange(len(WHOLE["u"])) % 3}
    for name, case in CASES.items():
        like = {column: entries[:0] for column, entries in WHOLE.items()}
        for users in (False, True):
            given = {"epsilon": 1, **case.given, **(of_users(case) if users else {})}
            if not case.merges:
                with pytest.raises((TypeError, ValueError), match=NOT_MERGED):
                    prepare(case.function, like, *case.args, **given)
                continue
            reader = prepare(case.function, like, *case.args, **given).pay(None).reader
            at = places[users or "user" in case.given]
            tallies = [
                pickle.loads(pickle.dumps(reader)).tally(
                    {column: entries[at == i] for column, entries in WHOLE.items()},
                    piece=i, pieces=3, users_in_one_piece=True,
                )
                for i in range(3)
            ]  # fmt: skip
            if users or "user" in case.given:
                kept = parts_that_may_count(reader, WHOLE)
                whole = add_up(tallies, reader.plan._outline, None)[1]
                tally = reader.tally(kept, piece=0, pieces=1)
                few = add_up([tally], reader.plan._outline, None)[1]
                assert equal(parts_of(few), parts_of(whole)), name
            made = prepared(case, WHOLE, **(of_users(case) if users else {}))
            key = None if made.source.users is None else np.frombuffer(reader._key, np.uint64)
            whole = made.query.read(made.source, key)
            found = add_up(tallies, reader.plan._outline, made.query)[1]
            assert equal(parts_of(found), parts_of(whole)), name


def with_column(argument: Any, column: Any) -> Iterator[Any]:
    """Yield an argument with each name of a column replaced by the column itself."""
    if isinstance(argument, str) and argument in WHOLE:
        yield column
    if isinstance(argument, list | tuple):
        for i, each in enumerate(argument):
            for other in with_column(each, column):
                yield type(argument)([*argument[:i], other, *argument[i + 1 :]])


def test_no_column_comes_into_a_plan_in_the_place_of_its_name() -> None:
    """Else its records would be in the plan, and in what workers and logs see of it."""
    secret, tried = np.array([77.25] * len(WHOLE["u"])), 0
    for case in CASES.values():
        calls = [
            ([*case.args[:i], other, *case.args[i + 1 :]], case.given)
            for i, each in enumerate(case.args)
            for other in with_column(each, secret)
        ] + [
            ([*case.args], {**case.given, name: other})
            for name, each in ({"user": "u"} | dict(case.given)).items()
            for other in with_column(each, secret)
        ]
        for args, given in calls:
            tried += 1
            with pytest.raises((TypeError, ValueError)) as error:
                prepare(case.function, WHOLE, *args, **{"epsilon": 1, **given})
            assert "77.25" not in str(error.value)
    assert tried > 40


STAYS = pa.table({
    "t": pa.array(np.datetime64("2024-01-01", "us") + np.arange(50) * np.timedelta64(9, "h")),
    "x": np.arange(50.0), "s": ["a", "b"] * 25, "u": np.arange(50) // 5,
})  # fmt: skip
STORED: dict[str, Callable[[Path], Any]] = {
    "schema": lambda _: STAYS.schema,
    "lazy": lambda _: pl.from_arrow(STAYS).lazy(),  # type: ignore[union-attr]
    "DuckDB": lambda _: duckdb.from_arrow(STAYS),
    "Parquet": lambda folder: str(folder / "a.parquet"),
    "CSV": lambda folder: str(folder / "a.csv"),
}
ROUNDED = ["s", cydp.date_trunc("day", "t")]
STORED_CALLS: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (cydp.histogram, ("1d", ("2024-01-01", "2024-01-08")), {"column": "t"}),
    (cydp.mean, ((0, 9),), {"column": "x", "user": "u", "max_rows": 2}),
    (cydp.sum, ((0, 9),), {"column": "x", "user": "u", "max_rows": 2, "max_sum_per_user": 3}),
    (cydp.count, (), {}),
    (cydp.count, (), {"user": "u", "max_rows": 3, "left_out": 4}),
    (cydp.group_by, (ROUNDED,), {
        "keys": {"s": ["a"], "t": ["2024-01-01", "2024-01-02"]}, "sums": {"x": (0, 9)},
        "user": "u", "max_partitions": 2, "left_out": 3,
    }),
]  # fmt: skip


@pytest.mark.parametrize("kind", STORED)
def test_times_and_tables_that_are_not_in_memory(kind: str, tmp_path: Path) -> None:
    pq.write_table(STAYS, tmp_path / "a.parquet")
    csv.write_csv(STAYS, tmp_path / "a.csv")
    for function, args, given in STORED_CALLS:
        form = STORED[kind](tmp_path)
        reader = prepare(function, form, *args, **given, epsilon=1).pay(None).reader
        table = STAYS if kind == "schema" else form
        worker = pickle.loads(pickle.dumps(reader))
        tally = worker.tally(table, piece=0, pieces=1)
        arguments = arguments_of(function, args, given | {"epsilon": 1})
        made = prepare_release(kind_of(function), arguments | {kind_of(function).data: table})
        key = None if made.source.users is None else np.frombuffer(reader._key, np.uint64)
        whole = made.query.read(made.source, key)
        assert equal(add_up([tally], reader.plan._outline, None)[1].parts, dict(whole.parts)), (
            function
        )


def test_users_are_in_one_piece_whatever_holds_them() -> None:
    """Integers, floats and texts, in any library, beside others or not."""
    values = [7, 0, -3, 2**53, None, 7]
    columns: dict[str, Any] = {
        "int": pa.array(values, pa.int64()),
        "float": pa.array([None if each is None else float(each) for each in values]),
        "floats beside a fraction": pa.array([*map(float, [7, 0, -3, 2**53, NAN, 7]), 0.5]),
        "int32 beside none": pa.array([7, 0, -3], pa.int32()),
        "uint beside a large one": pa.array([7, 0, 2**64 - 1], pa.uint64()),
        "list": values,
        "objects": [7.0, 0, -3, 2**53, None, 7, "7"],
    }
    key, found = b"0123456789abcdef", {}
    for name, column in columns.items():
        plan = prepare(cydp.count, {"u": column}, user="u", max_rows=1, epsilon=1)
        places = Reader(plan, 1, key).pieces_of({"u": column}, 1000)
        found[name] = places
        assert places.dtype == np.int32
        assert places.min() >= 0
        assert places.max() < 1000
        wanted = found["int"]
        known = [i for i in range(min(len(places), 6)) if i != 4 and not name.startswith("uint")]
        assert [places[i] for i in known] == [wanted[i] for i in known], name
    assert (found["uint beside a large one"][:2] == found["int"][:2]).all()
    assert found["objects"][6] != found["objects"][0]  # a text is no number
    texts = ["ann", "bob", "", None, "ann", "ü"]
    held = [
        pa.array(texts), pl.Series(texts), pd.Series(texts, dtype=object), texts,
        pa.array(texts).dictionary_encode(), pd.Series(texts, dtype="category"),
    ]  # fmt: skip
    for column in held:
        plan = prepare(cydp.count, {"u": column}, user="u", max_rows=1, epsilon=1)
        places = Reader(plan, 1, key).pieces_of({"u": column}, 1000)
        if column is held[0]:
            wanted = places
        assert (np.delete(places, 3) == np.delete(wanted, 3)).all()


def test_rows_of_many_users_are_spread_evenly() -> None:
    n, pieces = 200_000, 8
    for column in (np.arange(n), np.arange(n) << 40, np.full(n, np.nan)):
        plan = prepare(cydp.count, {"u": column}, user="u", max_rows=1, epsilon=1)
        places = Reader(plan, 1, b"0123456789abcdef").pieces_of({"u": column}, pieces)
        counts = np.bincount(places, minlength=pieces)
        assert (abs(counts - n / pieces) < 6 * (n / pieces) ** 0.5).all()  # below 1e-8 a count


def test_pieces_are_secret_and_others_in_each_run() -> None:
    users = {"u": np.arange(1000)}
    plan = prepare(cydp.count, users, user="u", max_rows=1, epsilon=1)
    one, two = (plan.pay(None).reader.pieces_of(users, 1000) for _ in range(2))
    assert (one == two).sum() < 20


def test_sums_beyond_int64_are_exact_until_all_is_added() -> None:
    """Local answers of one piece, and an end of int64 that a later piece takes back."""
    plan = prepare(cydp.value_counts, [], keys=["a", "b"], epsilon=1)
    reader = plan.pay(None).reader
    empty = reader.tally([], piece=0, pieces=4)
    ends = np.iinfo(np.int64)
    values = [ends.max, ends.max, -5, -ends.max]

    def tally(piece: int) -> PieceTally:
        number = np.array([values[piece]], np.int64)
        halves = number & (2**32 - 1), number >> 32
        return PieceTally(
            *empty.of_run, frozenset([piece]), empty.outline, (), np.array([1]), *halves
        )

    tallies = [tally(i) for i in range(4)]
    for given in (tallies, [tallies[0] + tallies[1], tallies[3] + tallies[2]]):
        assert add_up(given, plan._outline, None)[1].parts["n"].tolist() == [0, ends.max - 5]
    assert add_up(tallies[:2], plan._outline, None)[1].parts["n"].tolist() == [0, ends.max]
    assert add_up(tallies[2:], plan._outline, None)[1].parts["n"].tolist() == [0, ends.min]


@pytest.mark.parametrize("number", [0, 1, -1, 2**63, -(2**63) - 1, 2**100 + 7, -(2**100) - 7])
def test_an_int_of_any_size_crosses_the_wire(number: int) -> None:
    plan = prepare(cydp.sum, [], (0, 1), epsilon=1)
    reader = plan.pay(None).reader
    _, *halves = sparse(Tally(None, {"sum": number}), plan._outline)
    assert all((half.dtype == np.int64) for half in halves)
    run = reader._of_run(3)
    tallies = [PieceTally(*run, frozenset([i]), plan._outline, (), *halves) for i in range(3)]
    table = pa.concat_tables([each.to_arrow() for each in tallies])
    for given in (
        tallies,
        [tallies[0] + tallies[1] + tallies[2]],
        [reader.from_arrow(table, pieces=3)],
    ):
        assert add_up(given, plan._outline, None)[1].parts == {"sum": 3 * number}


def test_keys_without_rows_take_no_space() -> None:
    n = 10**5
    plan = prepare(cydp.value_counts, np.zeros(0, np.int64), keys=np.arange(n), epsilon=1)
    reader = plan.pay(None).reader
    tally = reader.tally(np.array([7, 7, 9]), piece=0, pieces=1)
    assert tally.places.tolist() == [7, 9]
    assert len(pickle.dumps(tally)) < 1500
    assert tally.to_arrow().num_rows == 3
