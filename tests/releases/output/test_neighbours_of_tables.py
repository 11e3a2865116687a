"""What a record holds changes no column, type, label or file of a release but the noisy numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cydp

SCHEMA = pa.schema([("key", pa.string()), ("x", pa.float64()), ("who", pa.int64())])
ROWS: list[list[tuple[Any, Any, Any]]] = [
    [],
    [(None, None, None)],
    [("a", 1.0, 7)],
    [("a", 1.0, 7), (None, None, None)],
    [("a", 1.0, 7), ("z", float("inf"), 8)],
    [("a", float("nan"), None)] * 3,
]

KINDS: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "polars": pl.from_arrow,
    "pandas": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "duckdb": duckdb.from_arrow,
}

USER = {"user": "who", "unit": "visitor"}
RELEASES: dict[str, Callable[[Any], Any]] = {
    "count": lambda t: cydp.count(t, epsilon=1, max_rows=1, **USER),
    "mean": lambda t: cydp.mean(t, (0, 9), column="x", epsilon=1),
    "median": lambda t: cydp.median(t, (0, 9), column="x", epsilon=1, interval=0.95),
    "histogram": lambda t: cydp.histogram(t, 3, (0, 9), column="x", epsilon=1),
    "value_counts": lambda t: cydp.value_counts(t, ["a", "b"], column="key", epsilon=1),
    "group_by": lambda t: cydp.group_by(
        t, "key", keys=["a", "b"], means={"x": (0, 9)}, quantiles={"x": (0.5, (0, 9))}, epsilon=1,
        max_partitions=1, **USER,
    ),
    "top_k": lambda t: cydp.top_k(t, 2, ["a", "b", "c"], column="key", epsilon=1),
}  # fmt: skip


def table_of(rows: list[tuple[Any, Any, Any]]) -> pa.Table:
    return pa.Table.from_pylist(
        [dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA
    )


def shape_of(release: Any, folder: Path) -> dict[str, Any]:
    """Return all of the outputs but the numbers."""
    release.to_parquet(folder / "file.parquet", overwrite=True)
    frame, written = release.to_pandas(), release.to_csv()
    ax = release.plot(column=release._sheet(0.95, False).columns[-1].name)
    return {
        "pandas": frame.dtypes.astype(str).to_dict() | {"rows": len(frame)},
        "polars": release.to_polars().schema,
        "arrow": (release.to_arrow().schema, release.to_arrow().schema.metadata),
        "parquet": pq.read_schema(folder / "file.parquet"),
        "csv": (written.splitlines()[0], len(written.splitlines())),
        "plot": (ax.get_xlabel(), ax.get_ylabel()),
        "words": re.sub(r"[-\d.,]+|visitors?|rows?", "", release.to_text().splitlines()[0]),
        "in words": release.query.in_words,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_changes_no_column_type_or_label(kind: str, tmp_path: Path) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    wrong = []
    for name, release in RELEASES.items():
        shapes = []
        for rows in ROWS:
            shapes.append(shape_of(release(KINDS[kind](table_of(rows))), tmp_path))
            plt.close("all")
        wrong += [(name, i) for i, shape in enumerate(shapes) if shape != shapes[0]]
    assert wrong == []
