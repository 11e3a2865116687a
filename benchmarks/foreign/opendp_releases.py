"""Releases of OpenDP that promise what cydp's of the same name do, as queries.

Each function is the shortest code that we know, and `bench_releases.py` counts its lines; the
release of the query is not counted.
"""

from typing import Any

import opendp.prelude as dp
import polars as pl
from questions import BOUNDS, DAYS, LEVELS, QS

POINTS = range(0, 200_001, 1000)  # quantiles are among given points


def row_context(people: Any, *by: str) -> Any:
    return dp.Context.compositor(
        data=people,
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=1.0),
        margins=[dp.polars.Margin(by=by, max_length=10_000)],
        split_evenly_over=1,
    )


def user_context(visits: Any, delta: float = 0.0) -> Any:
    return dp.Context.compositor(
        data=visits,
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("visitor")),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=delta),
        margins=[dp.polars.Margin(by=["day"], max_length=10_000)],
        split_evenly_over=1,
    )


def count(people: Any) -> Any:
    return row_context(people).query().filter(pl.col.married == 1).select(dp.len(signed=True))


def sum(people: Any) -> Any:
    return row_context(people).query().select(pl.col.income.dp.sum(BOUNDS))


def mean(people: Any) -> Any:
    return row_context(people).query().select(pl.col.income.dp.mean(BOUNDS))


def median(people: Any) -> Any:
    return row_context(people).query().select(pl.col.income.fill_null(0).dp.median([*POINTS]))


def quantiles(people: Any) -> Any:
    income = pl.col.income.fill_null(0)
    quantiles = [income.dp.quantile(q, [*POINTS]).alias(str(q)) for q in QS]
    return row_context(people).query().select(*quantiles)


def histogram(people: Any) -> Any:
    bins = pl.LazyFrame({"bin": range(10)})
    binned = row_context(people).query().group_by((pl.col.age // 10).alias("bin"))
    return binned.agg(dp.len(signed=True)).with_keys(bins)


def histogramdd(people: Any) -> Any:
    bins = pl.LazyFrame({"bin": [*range(5)] * 2, "sex": [0] * 5 + [1] * 5})
    binned = row_context(people).query().group_by((pl.col.age // 20).alias("bin"), "sex")
    return binned.agg(dp.len(signed=True)).with_keys(bins)


def value_counts(people: Any, levels: Any = LEVELS) -> Any:
    levels = pl.LazyFrame({"educ": levels})
    return row_context(people).query().group_by("educ").agg(dp.len(signed=True)).with_keys(levels)


def means(people: Any) -> Any:
    mean, levels = pl.col.income.dp.mean(BOUNDS), pl.LazyFrame({"educ": LEVELS})
    return row_context(people, "educ").query().group_by("educ").agg(mean).with_keys(levels)


def counts_and_means(people: Any) -> Any:
    mean, levels = pl.col.income.dp.mean(BOUNDS), pl.LazyFrame({"educ": LEVELS})
    counted = row_context(people, "educ").query().group_by("educ")
    return counted.agg(dp.len(signed=True), mean).with_keys(levels)


def visits_by_day(visits: Any) -> Any:
    bounded = user_context(visits).query().truncate_per_group(2).group_by("day")
    return bounded.agg(dp.len(signed=True)).with_keys(pl.LazyFrame({"day": DAYS}))


def euros_by_day(visits: Any) -> Any:
    bounded = user_context(visits).query().truncate_per_group(2).group_by("day")
    return bounded.agg(pl.col.euros.dp.sum((0, 50))).with_keys(pl.LazyFrame({"day": DAYS}))


def unknown_days(visits: Any) -> Any:
    bounded = user_context(visits, 1e-6).query().truncate_per_group(2)
    return bounded.group_by("day").agg(dp.len(signed=True))
