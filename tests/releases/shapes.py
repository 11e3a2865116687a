"""One table in all containers, and every release of it by the names of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import cydp
from cydp.releases._top_release import TopRelease
from cydp.teach import median_by_halving

__all__ = [
    "KNOWN", "RELEASES", "ROWS", "SHAPES", "UNDECLARED", "UNKNOWN", "WORDS", "Columns", "outline",
    "take", "values_of",
]  # fmt: skip

Columns = dict[str, list[Any]]

WORDS = ["ant", "bee", "cat", "", "été"]  # all that categories declare
NAN = float("nan")

ROWS: Columns = {
    "x": [1.5, -2.0, 3.25, None, 8.0, 0.1, 99.0, 4.0, 4.0, None, 2.5, 6.0, 7.0, -1.0, 0.0, 5.5],
    "n": [3, 1, None, 4, 1, 5, 9, 2, 6, 5, 3, 5, None, 9, 7, 9],
    "word": ["ant", "bee", None, "ant", "cat", "", "bee", "ant", "ant", "été", None, "cat", "bee",
             "ant", "ant", "été"],
    "kind": ["bee", "bee", "cat", None, "cat", "bee", "cat", "bee", "cat", "bee", "cat", "ant",
             "ant", "cat", None, "bee"],
    "who": [1, 1, 1, 1, 2, 2, 2, 3, None, 3, 4, -5, -5, 2**40, 7, 7],
    "name": ["a", "a", "a", None, "b", "b", "a", "c", "d", "c", "c", "e", "e", "f", "f", "a"],
}  # fmt: skip
TEXTS, INTEGERS = ("word", "kind", "name"), ("n", "who")
CATEGORIES = {"word": WORDS, "kind": WORDS, "name": list("abcdef")}


def _numpy(columns: Columns) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, entries in columns.items():
        mask = [entry is None for entry in entries]
        if name in TEXTS:
            made[name] = _objects(entries)
        elif name in INTEGERS:
            made[name] = np.ma.array(_filled(entries, 0), mask=mask, dtype=np.int64)
        else:
            made[name] = np.array(_filled(entries, NAN), np.float64)
    return made


def _numpy_text(columns: Columns) -> dict[str, Any]:
    strings = {
        name: np.ma.array(_filled(columns[name], ""), mask=_missing(columns[name]), dtype="U5")
        for name in TEXTS
    }
    return _numpy(columns) | strings


def _numpy_strings(columns: Columns) -> dict[str, Any]:
    dtype = np.dtypes.StringDType(na_object=None)
    return _numpy(columns) | {name: np.array(columns[name], dtype) for name in TEXTS}


def _numpy_objects(columns: Columns) -> dict[str, Any]:
    made = _numpy({name: each for name, each in columns.items() if name != "who"})
    return made | {name: _objects(columns[name]) for name in (*TEXTS, "who")}


def _objects(entries: list[Any]) -> Any:
    made = np.empty(len(entries), object)
    made[:] = entries
    return made


def _filled(entries: list[Any], missing: Any) -> list[Any]:
    return [missing if entry is None else entry for entry in entries]


def _missing(entries: list[Any]) -> list[bool]:
    return [entry is None for entry in entries]


def _pandas(text: Any, integers: Any, floats: Any) -> Callable[[Columns], Any]:
    def make(columns: Columns) -> Any:
        types = {
            name: text(name) if name in TEXTS else integers if name in INTEGERS else floats
            for name in columns
        }
        return pd.DataFrame(
            {name: pd.Series(each, dtype=types[name]) for name, each in columns.items()}
        )

    return make


def _pandas_objects(columns: Columns) -> Any:
    numbers = {name: each for name, each in columns.items() if name in ("x", "n")}
    frame = _pandas(lambda name: object, "Int64", "float64")(numbers)
    return frame.assign(
        **{name: pd.Series(_objects(columns[name]), dtype=object) for name in (*TEXTS, "who")}
    )


def _categorical(name: str) -> Any:
    return pd.CategoricalDtype(CATEGORIES[name])


def _polars(text: Callable[[str], Any]) -> Callable[[Columns], Any]:
    def make(columns: Columns) -> Any:
        types = {
            name: text(name) if name in TEXTS else pl.Int64 if name in INTEGERS else pl.Float64
            for name in columns
        }
        return pl.DataFrame(columns, schema=types)

    return make


def _pyarrow(text: Any, integers: Any = None, floats: Any = None) -> Callable[[Columns], Any]:
    def make(columns: Columns) -> Any:
        types = {
            name: text if name in TEXTS else (integers or pa.int64()) if name in INTEGERS
            else floats or pa.float64()
            for name in columns
        }  # fmt: skip
        return pa.table(columns, schema=pa.schema(types))

    return make


def _chunked(columns: Columns) -> Any:
    table = _pyarrow(pa.string())(columns)
    return pa.concat_tables([table[:1], table[1:1], table[1:7], table[7:]])


def _batch(columns: Columns) -> Any:
    return pa.RecordBatch.from_pydict(columns, schema=_pyarrow(pa.large_string())(columns).schema)


def _duckdb(columns: Columns) -> Any:
    return duckdb.from_arrow(_pyarrow(pa.string())(columns))


def _duckdb_enum(columns: Columns) -> Any:
    types = {
        name: f"enum({', '.join(repr(word) for word in words)})"
        for name, words in CATEGORIES.items()
    }
    projected = [f"{name}::{types[name]} as {name}" if name in types else name for name in columns]
    return _duckdb(columns).project(", ".join(projected))


SHAPES: dict[str, Callable[[Columns], Any]] = {
    "list": lambda columns: columns,
    "objects": _numpy_objects,
    "pandas objects": _pandas_objects,
    "numpy": _numpy,
    "numpy text": _numpy_text,
    "numpy StringDType": _numpy_strings,
    "pandas": _pandas(lambda name: "str", "float64", "float64"),
    "pandas nullable": _pandas(lambda name: "string[python]", "Int64", "Float64"),
    "pandas string[pyarrow]": _pandas(lambda name: "string[pyarrow]", "Int64", "Float64"),
    "pandas Arrow": _pandas(
        lambda name: pd.ArrowDtype(pa.large_string()),
        pd.ArrowDtype(pa.int64()),
        pd.ArrowDtype(pa.float64()),
    ),
    "pandas categories": _pandas(_categorical, "Int64", "float64"),
    "polars": _polars(lambda name: pl.String),
    "polars Categorical": _polars(lambda name: pl.Categorical),
    "polars Enum": _polars(lambda name: pl.Enum(CATEGORIES[name])),
    "pyarrow": _pyarrow(pa.string()),
    "pyarrow chunks": _chunked,
    "pyarrow batch": _batch,
    "pyarrow string_view": _pyarrow(pa.string_view()),
    "pyarrow dictionary": _pyarrow(pa.dictionary(pa.int8(), pa.string())),
    "pyarrow dictionaries": _pyarrow(
        pa.dictionary(pa.int32(), pa.large_string()), pa.dictionary(pa.int8(), pa.int64())
    ),
    "DuckDB": _duckdb,
    "DuckDB enum": _duckdb_enum,
}
UNDECLARED = ("list", "objects", "pandas objects")
"""Shapes with users and texts that declare nothing."""


def take(table: Any, name: str) -> Any:
    """Return a column of a table of any shape."""
    return table.project(name) if isinstance(table, duckdb.DuckDBPyRelation) else table[name]


# Releases


def _user(by_partition: bool, who: str = "who") -> dict[str, Any]:
    if by_partition:
        return {"user": who, "unit": "person", "max_partitions": 2, "max_rows_per_partition": 1}
    return {"user": who, "unit": "person", "max_rows": 2}


BOUNDS = (-1, 9)
BOTH = {"word": ["ant", "bee", "none"], "kind": ["bee", "cat", "ant"]}
SUMMARIES: dict[str, Any] = {
    "sums": {"x": BOUNDS}, "means": {"x": BOUNDS, "n": (0, 6)},
    "quantiles": {"x": ([0.25, 0.5], BOUNDS)},
}  # fmt: skip
DELTA: dict[str, Any] = {"epsilon": 60, "delta": 1e-5}

Release = Callable[..., Any]


def _released(function: Callable[..., Any], *given: Any, **parameters: Any) -> Release:
    if not {"epsilon", "rho"} & set(parameters):
        parameters["epsilon"] = 1

    def release(table: Any, **others: Any) -> Any:
        return function(table, *given, **parameters, **others)

    return release


def _by_columns(table: Any, **others: Any) -> Any:
    """Release columns that are given themselves."""
    return cydp.histogram(
        take(table, "x"), 3, (0, 9), by=take(table, "word"), by_keys=["bee", "ant", "none"],
        epsilon=1, **_user(True) | {"user": take(table, "who")}, **others,
    )  # fmt: skip


def _column(function: Callable[..., Any], name: str, *given: Any, **parameters: Any) -> Release:
    def release(table: Any, **others: Any) -> Any:
        return function(take(table, name), *given, **{"epsilon": 1} | parameters, **others)

    return release


KNOWN: dict[str, Release] = {
    "count": _released(cydp.count),
    "count, user": _released(cydp.count, **_user(False)),
    "count of x": _released(cydp.count, column="x"),
    "count of n": _column(cydp.count, "n"),
    "count of word": _released(cydp.count, column="word", rho=0.5),
    "count of kind, user": _released(cydp.count, column="kind", **_user(False, "name")),
    "sum": _released(cydp.sum, BOUNDS, column="x"),
    "sum of n": _column(cydp.sum, "n", BOUNDS),
    "sum, filled": _released(cydp.sum, BOUNDS, column="x", missing=4, **_user(False)),
    "sum, user": _released(cydp.sum, BOUNDS, column="n", **_user(False, "name")),
    "mean": _released(cydp.mean, BOUNDS, column="x"),
    "mean of n": _column(cydp.mean, "n", BOUNDS),
    "mean, filled": _released(cydp.mean, BOUNDS, column="n", missing=4, relation="change-one"),
    "mean, user": _released(cydp.mean, BOUNDS, column="x", rho=1, **_user(False)),
    "variance": _released(cydp.variance, BOUNDS, column="x"),
    "variance, filled": _released(cydp.variance, BOUNDS, column="x", missing=1),
    "variance, user": _released(cydp.variance, BOUNDS, column="n", **_user(False)),
    "median": _released(cydp.median, BOUNDS, column="x"),
    "median by halving": _released(
        median_by_halving, BOUNDS, column="x", rounds=5, **_user(False)
    ),
    "quantiles": _released(cydp.quantile, [0.1, 0.5], BOUNDS, column="n", step=1),
    "quantiles, user": _released(cydp.quantile, [0.9], BOUNDS, column="x", **_user(False)),
    "quantile, interval": _released(cydp.quantile, 0.3, BOUNDS, column="x", interval=0.5),
    "quantile, filled": _released(cydp.quantile, 0.3, BOUNDS, column="x", missing=0),
    "histogram": _column(cydp.histogram, "x", 4, (0, 9)),
    "histogram of n": _released(cydp.histogram, [0, 2, 5, 9], column="n", epsilon=1, delta=1e-6),
    "histogram, user": _released(cydp.histogram, 4, (0, 9), column="x", **_user(True)),
    "histogram, by": _released(
        cydp.histogram, 3, (0, 9), column="n", by="kind", by_keys=["cat", "none", "bee"]
    ),
    "histogram, by two": _released(
        cydp.histogram, 2, (0, 9), column="x", by=["word", "kind"], by_keys=BOTH, **_user(True)
    ),
    "histogram, columns": _by_columns,
    "histogramdd": _released(cydp.histogramdd, 3, [(0, 9), (0, 9)], columns=["x", "n"]),
    "histogramdd, user": _released(
        cydp.histogramdd, (2, 3), [(0, 9), (0, 9)], columns=["x", "n"], **_user(True, "name")
    ),
    "value_counts": _released(cydp.value_counts, ["bee", "ant", "none"], column="word"),
    "value_counts of kind": _column(cydp.value_counts, "kind", ["bee", "ant", "none"]),
    "value_counts of n": _released(cydp.value_counts, [9, 5, 77], column="n", **_user(True)),
    "value_counts of x": _released(cydp.value_counts, [4, 0.1, 7.5], column="x", rho=1),
    "top_k": _released(cydp.top_k, 2, ["été", "ant", "none", "bee"], column="word"),
    "top_k, user": _released(cydp.top_k, 2, [9, 5, 1], column="n", user="who", unit="person"),
    "group_by": _released(cydp.group_by, "word", keys=["cat", "none", "ant"], **SUMMARIES),
    "group_by n, user": _released(
        cydp.group_by, "n", keys=[5, 9, 1], rho=1, **SUMMARIES, **_user(True, "name")
    ),
    "group_by, filled": _released(
        cydp.group_by, "kind", keys=["cat", "ant"], missing=4, **DELTA, **SUMMARIES
    ),
    "group_by two": _released(cydp.group_by, ["word", "kind"], keys=BOTH, **SUMMARIES),
    "group_by three, user": _released(
        cydp.group_by, ["kind", "n", "word"], keys=[("bee", 3, "ant"), ("cat", 1, "none")],
        sums={"x": BOUNDS}, **_user(True),
    ),
    "group_by word, rows of user": _released(
        cydp.group_by, "word", keys=["ant", "bee"], sums={"x": BOUNDS}, **_user(False, "name")
    ),
    "contribution_bound": _released(cydp.contribution_bound, user="who", max=4, unit="person"),
    "contribution_bound, by": _released(
        cydp.contribution_bound, user="name", by=["word", "n"], max=9, of="contributions",
        share=0.5, unit="person",
    ),
    "count, left out": _released(cydp.count, column="n", left_out=3, **_user(False)),
    "value_counts, left out": _released(
        cydp.value_counts, ["bee", "ant"], column="word", left_out=3, **_user(True)
    ),
    "bounds": _released(cydp.bounds, column="x", confidence=0.5, fallback=(0, 1)),
    "bounds, user": _released(cydp.bounds, column="n", confidence=0.5, **_user(True)),
}  # fmt: skip
UNKNOWN: dict[str, Release] = {
    "value_counts, unknown": _released(cydp.value_counts, column="word", **DELTA),
    "value_counts, unknown, rho": _released(cydp.value_counts, column="word", rho=60, delta=1e-5),
    "value_counts of n, unknown": _released(cydp.value_counts, column="n", **DELTA),
    "value_counts of x, unknown, user": _released(
        cydp.value_counts, column="x", **DELTA, **_user(True)
    ),
    "value_counts of n, unknown, user": _released(
        cydp.value_counts, column="n", **DELTA, **_user(True)
    ),
    "value_counts of word, unknown, rows of user": _released(
        cydp.value_counts, column="word", **DELTA, **_user(False, "name")
    ),
    "top_k, unknown": _released(cydp.top_k, 2, column="word", **DELTA),
    "top_k of n, unknown, user": _released(cydp.top_k, 9, column="n", **DELTA, **_user(True)),
    "group_by, unknown": _released(cydp.group_by, "kind", **DELTA, **SUMMARIES),
    "group_by, unknown, user": _released(
        cydp.group_by, "word", **DELTA, **SUMMARIES, **_user(True, "name")
    ),
    "group_by two, unknown, user": _released(
        cydp.group_by, ["kind", "n"], **DELTA, **SUMMARIES, **_user(True)
    ),
}
RELEASES: Mapping[str, Release] = KNOWN | UNKNOWN


def _arrays(release: Any) -> dict[str, Any]:
    """Return what a release shows: keys, and numbers."""
    found: dict[str, Any] = {}
    keys = getattr(release, "keys", None)
    if keys is not None:
        found |= {f"key {name}": each for name, each in keys.items()} if isinstance(
            keys, dict
        ) else {"key": keys}  # fmt: skip
    for name in ("value", "counts", "edges", "rows", "found"):
        if (value := _shown(release, name)) is not None:
            found[name] = value
    if isinstance(getattr(release, "columns", None), list):
        found |= {name: release[name] for name in release.columns}
    return found


def _shown(release: Any, name: str) -> Any:
    try:
        return getattr(release, name, None)
    except KeyError:  # a table without counts
        return None


def _flat(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(map(_flat, value)) if isinstance(value, list | tuple) else value


def values_of(release: Any) -> dict[str, Any]:
    """Return keys and numbers of a release as Python's own."""
    return {name: _flat(value) for name, value in _arrays(release).items()}


def outline(release: Any, *, shapes: bool) -> dict[str, Any]:
    """Return what a release shows besides its answer.

    Parameters
    ----------
    release : Release
    shapes : bool
        Whether shapes, and the keys, follow from parameters.

    """
    seen: dict[str, Any] = {
        "type": type(release), "query": repr(release.query), "loss": release.loss,
        "metadata": repr(release.metadata), "relation": release.relation, "unit": release.unit,
        "mechanism": repr(release.mechanism),
    }  # fmt: skip
    is_chosen = isinstance(release, TopRelease)  # its keys are the answer
    for name, value in _arrays(release).items():
        seen[name] = _outline(value, shapes=shapes)
        if shapes and name.startswith(("key", "edges")) and not is_chosen:
            seen[f"{name}, values"] = _flat(value)
    return seen


def _outline(value: Any, *, shapes: bool) -> Any:
    if isinstance(value, np.ndarray):
        return ("array", value.dtype, value.shape if shapes else value.shape[1:])
    if isinstance(value, list | tuple):
        return [type(value), *(_outline(each, shapes=shapes) for each in value)]
    return type(value)
