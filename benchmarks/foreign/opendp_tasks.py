"""The twelve tasks in OpenDP's Polars interface, as queries of a lazy frame of a Parquet file.

Each body is the shortest code that we know. A user's rows are cut to 20 in all, by
`truncate_per_group` without keys, and to one for each key where users are counted.
"""

from datetime import date, timedelta
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import opendp.prelude as dp
import polars as pl
from tasks.public import COUNTRIES, PLACES

dp.enable_features("contrib")
ROWS = 20_000_000  # public: no table has more
OPEN = 'pl.scan_parquet("visits.parquet")'


def answers(frame: Any) -> Any:
    """The labels, numbers and no error of a frame."""
    *labels, values = frame.to_dict(as_series=False).values()
    return [([*zip(*labels, strict=True)] if labels else None, values, None)]


def query(visits: Any, delta: float = 0.0) -> Any:
    context = dp.Context.compositor(
        data=visits,
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("user")),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=delta),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=ROWS)],
    )
    return context.query()


def counts(visits: Any) -> Any:
    keys = pl.LazyFrame({"country": COUNTRIES})
    by_country = query(visits).truncate_per_group(20).group_by("country")
    return by_country.agg(dp.len(signed=True)).with_keys(keys).release().collect()


def users(visits: Any) -> Any:
    return query(visits).truncate_per_group(1).select(dp.len(signed=True)).release().collect()


def mean(visits: Any) -> Any:
    euros = pl.col.euros.dp.mean((0.0, 100.0))
    return query(visits).truncate_per_group(20).select(euros).release().collect()


def median(visits: Any) -> Any:
    euros = pl.col.euros.fill_null(0.0).dp.median([tenth / 10 for tenth in range(1001)])
    return query(visits).truncate_per_group(20).select(euros).release().collect()


def top_ten(visits: Any) -> Any:
    bounded = query(visits, 1e-6).truncate_per_group(1, by=["place"]).truncate_per_group(20)
    found = bounded.group_by("place").agg(dp.len(signed=True)).release().collect()
    return found.sort("len", descending=True).head(10)


def months(visits: Any) -> Any:
    keys = pl.LazyFrame({"month": range(1, 13)}, schema={"month": pl.Int8})
    dated = query(visits).with_columns(month=pl.col.ts.dt.month())
    by_month = dated.truncate_per_group(1, by=["month"]).truncate_per_group(12).group_by("month")
    return by_month.agg(dp.len(signed=True)).with_keys(keys).release().collect()


def two_way(visits: Any) -> Any:
    by = ["country", "place"]
    keys = pl.LazyFrame([*product(COUNTRIES, PLACES)], schema=by, orient="row")
    cells = query(visits).truncate_per_group(1, by=by).truncate_per_group(20).group_by(by)
    return cells.agg(dp.len(signed=True)).with_keys(keys).release().collect()


def daily(visits: Any) -> Any:
    found = []
    for day in [date(2024, 1, 1) + timedelta(days=number) for number in range(30)]:
        rows = query(visits.filter(pl.col.ts.dt.date() == day)).truncate_per_group(20)
        found.append(rows.select(dp.len(signed=True)).release().collect())
    return pl.concat(found)


def unknown(visits: Any) -> Any:
    bounded = query(visits, 1e-6).truncate_per_group(1, by=["place"]).truncate_per_group(20)
    return bounded.group_by("place").agg(dp.len(signed=True)).release().collect()


def bound(visits: Any) -> Any:
    rows = query(visits.group_by("user").agg(rows=pl.len())).truncate_per_group(1)
    return rows.select(pl.col.rows.dp.quantile(0.95, [*range(1, 101)])).release().collect()


def export(visits: Any) -> Any:
    keys = pl.LazyFrame({"country": COUNTRIES})
    by_country = query(visits).truncate_per_group(20).group_by("country")
    counted = by_country.agg(n=dp.len(signed=True)).with_keys(keys)
    off = counted.summarize(alpha=0.05)["accuracy"][0]
    found = counted.release().collect()
    found.with_columns(n_lower=pl.col.n - off, n_upper=pl.col.n + off).write_parquet(
        "countries.parquet"
    )


def picture(visits: Any) -> Any:
    keys = pl.LazyFrame({"bin": range(20)}, schema={"bin": pl.Int64})
    binned = query(visits).with_columns(bin=(pl.col.euros // 5).cast(int).clip(0, 19))
    bounded = binned.truncate_per_group(1, by=["bin"]).truncate_per_group(20).group_by("bin")
    counted = bounded.agg(dp.len(signed=True)).with_keys(keys)
    off = counted.summarize(alpha=0.05)["accuracy"][0]
    found = counted.release().collect().sort("bin")
    plt.bar(found["bin"] * 5, found["len"], width=5, align="edge", yerr=off)
    plt.savefig("euros.png")
