"""Nothing that a record of a piece holds changes an error, and types that differ are refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from refusals import Refusal, check_refusals

import cydp
from cydp.distributed import Reader, prepare

NAN = float("nan")
Rows = dict[str, list[Any]]
PIECES: list[Rows] = [
    {"x": [1.5, 2.0], "s": ["a", "b"], "u": [1, 2]},
    {"x": [1.5, None], "s": ["a", None], "u": [1, None]},
    {"x": [None, None], "s": [None, None], "u": [None, None]},
    {"x": [NAN, float("inf")], "s": ["", "a much longer text"], "u": [-(2**63), 2**63 - 1]},
    {"x": [1e300], "s": ["secret"], "u": [77]},
    {"x": [], "s": [], "u": []},
]
TYPES = {"x": pa.float64(), "s": pa.string(), "u": pa.int64()}


def arrow(rows: Rows) -> pa.Table:
    return pa.table({name: pa.array(each, TYPES[name]) for name, each in rows.items()})


def numpy_of(rows: Rows) -> dict[str, Any]:
    """Return masked arrays; texts have the width of the longest."""
    found: dict[str, Any] = {}
    for name, each in rows.items():
        dtype = {"x": "f8", "s": "U", "u": "i8"}[name]
        filled = [("" if name == "s" else 0) if entry is None else entry for entry in each]
        absent = [entry is None for entry in each]
        found[name] = np.ma.MaskedArray(np.array(filled, dtype), absent)
    return found


LIBRARIES: dict[str, Callable[[Rows], Any]] = {
    "lists": dict,
    "objects": lambda rows: numpy_of(rows) | {"s": np.array(rows["s"], object)},
    "numpy": numpy_of,
    "pyarrow": arrow,
    "polars": lambda rows: pl.from_arrow(arrow(rows)),
    "lazy": lambda rows: pl.from_arrow(arrow(rows)).lazy(),  # type: ignore[union-attr]
    "pandas": lambda rows: pd.DataFrame(
        # as pandas makes it: floats of integers beside a null
        {name: pd.Series(each, dtype=object if name == "s" else None if any(each) else float)
         for name, each in rows.items()}
    ).astype({"x": float}),
    "pandas nullable": lambda rows: arrow(rows).to_pandas(types_mapper=pd.ArrowDtype),
    "DuckDB": lambda rows: duckdb.from_arrow(arrow(rows)),
}  # fmt: skip
CALLS: dict[str, tuple[Any, ...]] = {
    "count": (cydp.count, (), {"column": "x"}),
    "count of texts": (cydp.count, (), {"column": "s"}),
    "count of users": (cydp.count, (), {"user": "u", "max_rows": 1}),
    "sum": (cydp.sum, ((0, 9),), {"column": "x", "user": "u", "max_rows": 1}),
    "variance": (cydp.variance, ((0, 9),), {"column": "x"}),
    "histogram": (cydp.histogram, (3, (0, 9)), {"column": "x"}),
    "histogram of integers": (cydp.histogram, (3, (0, 9)), {"column": "u"}),
    "value_counts": (cydp.value_counts, (["a"],), {"column": "s"}),
    "value_counts of integers": (cydp.value_counts, ([1, 2],), {"column": "u"}),
    "keys that are found": (
        cydp.group_by, ("s",),
        {"delta": 0.1, "sums": {"x": (0, 9)}, "user": "u", "max_partitions": 1},
    ),
    "group_by": (
        cydp.group_by, ("s",),
        {"keys": ["a"], "sums": {"x": (0, 9)}, "user": "u", "max_partitions": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_a_piece_holds_changes_no_error(library: str) -> None:
    shape = LIBRARIES[library]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if library == "pandas" else "error")
        tables = [lambda rows=rows: shape(rows) for rows in PIECES]
        for name, (function, args, given) in CALLS.items():
            if "found" in name and library in ("lists", "objects", "pandas"):
                for table in tables:  # whatever they hold
                    with pytest.raises(TypeError, match="take a table of Arrow"):
                        prepare(function, table(), *args, **given, epsilon=1)
                continue
            plans = [prepare(function, table(), *args, **given, epsilon=1) for table in tables]
            assert len({each.fingerprint for each in plans}) == 1, name
            run = plans[-1].pay(None)
            n = len(tables)
            promised = {"users_in_one_piece": "user" in given}
            tallies = [
                run.reader.tally(each(), piece=i, pieces=n, **promised)
                for i, each in enumerate(tables)
            ]
            assert {type(each) for each in tallies} == {type(tallies[0])}, name
            assert run.release(tallies).query == plans[0].query
            if "user" in given:
                places = [run.reader.pieces_of(each(), n) for each in tables]
                assert {each.dtype.name for each in places} == {"int32"}


def reader_of(name: str, like: Any) -> Reader:
    function, args, given = CALLS[name]
    return prepare(function, like, *args, **given, epsilon=1).pay(None).reader


def test_types_that_differ_are_refused_before_a_row_is_read() -> None:
    piece = {"piece": 0, "pieces": 1}

    class Never:
        def __init__(self, dtype: str) -> None:
            self.dtype, self.ndim = np.dtype(dtype), 1

        def __len__(self) -> int:
            return 1

        def __array__(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("a row was read")

    empty = {"x": np.zeros(0), "s": np.zeros(0, np.int64), "u": np.zeros(0, np.int64)}
    cases: dict[str, Refusal] = {}
    for name in ("sum", "histogram", "count", "variance"):
        reader = reader_of(name, empty)
        for dtype in ("int64", "float32"):
            table = {"x": Never(dtype), "s": Never("int64"), "u": Never("int64")}
            cases[f"{name} of {dtype}"] = (
                lambda reader=reader, table=table: reader.tally(table, **piece),
                ValueError,
                ("types of the plan", "float64", dtype),
            )
    users = reader_of("sum", empty)
    for dtype, said in (("U5", "text"), ("float64", "numbers of float64")):
        table = {"x": Never("float64"), "s": Never("int64"), "u": Never(dtype)}
        for call in (users.tally, users.pieces_of):
            given = piece if call == users.tally else {"pieces": 1}
            cases[f"{call.__name__}, {dtype}"] = (
                lambda call=call, table=table, given=given: call(table, **given),
                ValueError,
                ("types of the plan: user: numbers of int64", said),
            )
    check_refusals(cases, never=("secret",))


def test_another_table_is_refused_without_its_records() -> None:
    rows: dict[str, Any] = {"x": [1.5], "s": ["secret"], "u": [77]}
    reader, piece = reader_of("group_by", arrow(PIECES[0])), {"piece": 0, "pieces": 1}
    two = prepare(cydp.histogramdd, {"x": [], "y": []}, 2, [(0, 1)] * 2, epsilon=1).pay(None).reader
    relation = duckdb.from_arrow(arrow(PIECES[0]))
    some = cydp.where(relation, "x > 1")
    condition = prepare(cydp.count, some, column="x", epsilon=1).pay(None).reader
    assert condition.tally(some, **piece).done == {0}
    check_refusals(
        {
            "lists": (lambda: reader.tally(rows, **piece), ValueError, ("types of the plan",)),
            "no column": (
                lambda: reader.tally({"x": rows["x"], "s": rows["s"]}, **piece),
                ValueError, ("user must be a column",),
            ),
            "no table": (lambda: reader.tally(7, **piece), TypeError, ("table must be",)),
            "more columns": (
                lambda: two.tally({"x": [0], "y": [0], "z": ["secret"]}, **piece),
                ValueError, ("for each of 3 columns",),
            ),
            "no condition": (
                lambda: condition.tally(relation, **piece), ValueError, ("no other condition",),
            ),
            "another one": (
                lambda: condition.tally(cydp.where(relation, "x > 2"), **piece),
                ValueError, ("no other condition",),
            ),
        },
        never=("secret", "77"),
    )  # fmt: skip


def test_wrong_arguments_are_told() -> None:
    table: dict[str, Any] = {"x": [1.5], "s": ["secret"], "u": [77]}

    def planned(function: Any, *args: Any, **given: Any) -> Callable[[], object]:
        return lambda: prepare(function, table, *args, **{"epsilon": 1} | given)

    reader = prepare(cydp.count, table, column="x", epsilon=1).pay(None).reader
    many = {"keys": ["a"], "max_partitions": 1}
    check_refusals(
        {
            "median": (planned(cydp.median, (0, 9), column="x"), ValueError, ("step must be",)),
            "ranked": (
                planned(cydp.group_by, "s", keys=["a"], quantiles={"x": (0.5, (0, 9))}),
                ValueError, ("step must be",),
            ),
            "found": (planned(cydp.group_by, "s", delta=0.1), TypeError, ("and declare it",)),
            "found, left out": (
                lambda: prepare(
                    cydp.group_by, arrow(PIECES[5]), "s", delta=0.1, epsilon=1, user="u",
                    max_partitions=1, left_out=3,
                ),
                TypeError, ("left_out must be left out",),
            ),
            "no release": (planned(len), TypeError, ("a release of cydp",)),
            "budget": (planned(cydp.count, budget=None), TypeError, ("prepare takes",)),
            "its own error": (planned(cydp.count, epsilon=-1), ValueError, ("epsilon",)),
            "its own error on types": (
                planned(cydp.sum, (0, 9), column="s"), TypeError, ("must hold numbers",),
            ),
            "user itself": (
                planned(cydp.group_by, "s", user=[77], **many),
                TypeError, ("user must be given by name",),
            ),
            "by itself": (
                lambda: prepare(cydp.histogram, [1.5], 2, (0, 9), by=["secret"], by_keys=["a"],
                                epsilon=1),
                TypeError, ("by must be given by name",),
            ),
            "piece": (
                lambda: reader.tally(table, piece=2, pieces=2), ValueError, ("from 0 to", "not 2"),
            ),
            "pieces": (lambda: reader.tally(table, piece=0, pieces=0), ValueError, ("2**31",)),
            "no integer": (lambda: reader.tally(table, piece=0.5, pieces=1), TypeError, ("piece",)),
            "no promise": (
                lambda: reader.tally(table, piece=0, pieces=1, users_in_one_piece="yes"),
                TypeError, ("users_in_one_piece must be True or False",),
            ),
            "no user": (lambda: reader.pieces_of(table, 2), ValueError, ("user must be in",)),
        },
        never=("secret", "77"),
    )  # fmt: skip


def test_workers_of_another_version_count_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = prepare(cydp.count, [], epsilon=1).pay(None).reader
    monkeypatch.setattr("cydp.distributed._plan.__version__", "9.9")
    with pytest.raises(ValueError, match=r"workers must have the cydp .*, not 9\.9"):
        reader.tally([], piece=0, pieces=1)


def test_reprs_show_no_answer_and_no_key() -> None:
    run = prepare(cydp.count, [], epsilon=1).pay(None)
    tally = run.reader.tally([1.0] * 77, piece=0, pieces=1)
    texts = [repr(each) for each in (run.reader.plan, run.reader, run, tally)]
    assert "NOT private" in texts[-1]
    assert all("77" not in each.replace(run.reader.plan.fingerprint[:8], "") for each in texts)
    assert all(run.reader._key.hex() not in each for each in texts)
