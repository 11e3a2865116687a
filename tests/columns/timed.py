"""Dates and times, in the hands of every library."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

__all__ = ["DATES", "INSTANTS", "TIMES", "Entries", "Shape"]

Entries = Sequence[Any]  # datetime.date or datetime.datetime, and None
Shape = Callable[[Entries], Any]


def _numpy(x: Entries, unit: str) -> np.ndarray[Any, Any]:
    return np.array(["NaT" if each is None else each for each in x], f"M8[{unit}]")


def _masked(x: Entries, unit: str) -> Any:
    values = _numpy(x, unit)
    filled = np.where(np.isnat(values), np.datetime64("2024-01-01", unit), values)
    return np.ma.MaskedArray(filled, np.isnat(values))


def _relation(x: Any) -> Any:
    return duckdb.from_arrow(pa.table({"x": x}))


def _cast(x: Entries, kind: str) -> Any:
    text = ["null" if each is None else f"timestamp '{each}'" for each in x]
    rows = ", ".join(f"({i}, {each})" for i, each in enumerate(text))
    if not rows:
        return duckdb.sql(f"select null::{kind} as x limit 0")
    return duckdb.sql(f"select a::{kind} as x from (values {rows}) t(i, a) order by i")


DATES: dict[str, Shape] = {
    "list": list,
    "tuple": tuple,
    "numpy": lambda x: _numpy(x, "D"),
    "numpy masked": lambda x: _masked(x, "D"),
    "numpy other bytes": lambda x: _numpy(x, "D").astype(">M8[D]"),
    "pandas": lambda x: pd.Series(_numpy(x, "s")),
    "pandas Arrow": lambda x: pd.Series(x, dtype=pd.ArrowDtype(pa.date32())),
    "polars": lambda x: pl.Series(x, dtype=pl.Date),
    "pyarrow date32": lambda x: pa.array(x, pa.date32()),
    "pyarrow date64": lambda x: pa.array(x, pa.date64()),
    "pyarrow chunks": lambda x: pa.chunked_array([pa.array(x[:1], pa.date32()),
                                                  pa.array(x[1:], pa.date32())]),
    "pyarrow dictionary": lambda x: pa.array(x, pa.date32()).dictionary_encode(),
    "DuckDB": lambda x: _cast(x, "date"),
}  # fmt: skip
"""Columns of dates without a time of day."""

TIMES: dict[str, Shape] = {
    "list": list,
    "numpy s": lambda x: _numpy(x, "s"),
    "numpy us": lambda x: _numpy(x, "us"),
    "numpy ns, other bytes": lambda x: _numpy(x, "ns").astype(">M8[ns]"),
    "numpy masked": lambda x: _masked(x, "ms"),
    "numpy every second": lambda x: np.repeat(_numpy(x, "us"), 2)[::2],
    "pandas": lambda x: pd.Series(_numpy(x, "ns")),
    "pandas index": lambda x: pd.DatetimeIndex(_numpy(x, "us")),
    "pandas category": lambda x: pd.Series(_numpy(x, "us")).astype("category"),
    "pandas Arrow": lambda x: pd.Series(x, dtype=pd.ArrowDtype(pa.timestamp("us"))),
    "polars": lambda x: pl.Series(x, dtype=pl.Datetime("us")),
    "polars ms": lambda x: pl.Series(x, dtype=pl.Datetime("ms")),
    "polars frame": lambda x: pl.DataFrame({"x": pl.Series(x, dtype=pl.Datetime("ns"))}),
    "pyarrow s": lambda x: pa.array(x, pa.timestamp("s")),
    "pyarrow ns": lambda x: pa.array(x, pa.timestamp("ns")),
    "pyarrow table": lambda x: pa.table({"x": pa.array(x, pa.timestamp("us"))}),
    "DuckDB": lambda x: _cast(x, "timestamp"),
    "DuckDB s": lambda x: _cast(x, "timestamp_s"),
    "DuckDB ms": lambda x: _cast(x, "timestamp_ms"),
    "DuckDB ns": lambda x: _cast(x, "timestamp_ns"),
}
"""Columns of times without a zone, in whole seconds."""


def _aware(x: Entries) -> list[Any]:
    return [None if each is None else each.replace(tzinfo=dt.UTC) for each in x]


INSTANTS: dict[str, Shape] = {
    "list": _aware,
    "pandas": lambda x: pd.Series(_numpy(x, "ns")).dt.tz_localize("UTC"),
    "pandas elsewhere": lambda x: (
        pd.Series(_numpy(x, "us")).dt.tz_localize("UTC").dt.tz_convert("Asia/Kathmandu")
    ),
    "pandas Arrow": lambda x: pd.Series(_aware(x), dtype=pd.ArrowDtype(pa.timestamp("us", "UTC"))),
    "polars": lambda x: pl.Series(x, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC"),
    "pyarrow": lambda x: pa.array(_aware(x), pa.timestamp("ms", "America/New_York")),
    "DuckDB": lambda x: _relation(pa.array(_aware(x), pa.timestamp("us", "UTC"))),
}
"""Columns of times with a zone; the given times are of UTC."""
