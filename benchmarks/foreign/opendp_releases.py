"""Releases of diffprivlib and of OpenDP that promise what cydp's of the same name do.

Each function is the shortest code that we know, and `bench_releases.py` counts its lines. OpenDP's
functions return a query; its release is not counted.
"""

from typing import Any

from rivals import opendp as dp

try:
    import polars as pl
except ImportError:
    pl = None

try:
    from diffprivlib import tools
except ImportError:
    tools = None

BOUNDS, QS = (0, 200_000), [0.25, 0.5, 0.75]
POINTS = range(0, 200_001, 1000)  # OpenDP's quantiles are among given points
LEVELS, DAYS = range(1, 17), range(1, 8)


def diffprivlib_count(people: Any) -> Any:
    return tools.count_nonzero(people["married"], epsilon=1)


def diffprivlib_sum(people: Any) -> Any:
    return tools.sum(people["income"], epsilon=1, bounds=BOUNDS)


def diffprivlib_mean_of_n(people: Any) -> Any:
    return tools.mean(people["income"], epsilon=1, bounds=BOUNDS)


def diffprivlib_variance_of_n(people: Any) -> Any:
    return tools.var(people["income"], epsilon=1, bounds=BOUNDS)


def diffprivlib_median_of_n(people: Any) -> Any:
    return tools.median(people["income"], epsilon=1, bounds=BOUNDS)


def diffprivlib_quantiles_of_n(people: Any) -> Any:
    return tools.quantile(people["income"], QS, epsilon=1, bounds=BOUNDS)


def diffprivlib_histogram(people: Any) -> Any:
    return tools.histogram(people["age"], epsilon=1, bins=10, range=(0, 100))


def diffprivlib_histogramdd(people: Any) -> Any:
    table = people["age"], people["sex"]
    return tools.histogramdd(table, epsilon=1, bins=(5, 2), range=[(0, 100), (0, 2)])


def diffprivlib_value_counts(people: Any) -> Any:
    return tools.histogram(people["educ"], epsilon=1, bins=16, range=(1, 17))


def diffprivlib_means(people: Any) -> Any:
    means = []
    for level in LEVELS:  # tools.mean would publish how many rows a level has
        here = people["educ"] == level
        n = tools.count_nonzero(here, epsilon=0.5)
        means.append(tools.sum(people["income"] * here, epsilon=0.5, bounds=BOUNDS) / max(n, 1))
    return means


def diffprivlib_counts_and_means(people: Any) -> Any:
    counts, means = [], []
    for level in LEVELS:
        here = people["educ"] == level
        counts.append(tools.count_nonzero(here, epsilon=0.5))
        total = tools.sum(people["income"] * here, epsilon=0.5, bounds=BOUNDS)
        means.append(total / max(counts[-1], 1))
    return means


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


def opendp_count(people: Any) -> Any:
    return row_context(people).query().filter(pl.col.married == 1).select(dp.len(signed=True))


def opendp_sum(people: Any) -> Any:
    return row_context(people).query().select(pl.col.income.dp.sum(BOUNDS))


def opendp_mean(people: Any) -> Any:
    return row_context(people).query().select(pl.col.income.dp.mean(BOUNDS))


def opendp_median(people: Any) -> Any:
    return row_context(people).query().select(pl.col.income.fill_null(0).dp.median([*POINTS]))


def opendp_quantiles(people: Any) -> Any:
    income = pl.col.income.fill_null(0)
    quantiles = [income.dp.quantile(q, [*POINTS]).alias(str(q)) for q in QS]
    return row_context(people).query().select(*quantiles)


def opendp_histogram(people: Any) -> Any:
    bins = pl.LazyFrame({"bin": range(10)})
    binned = row_context(people).query().group_by((pl.col.age // 10).alias("bin"))
    return binned.agg(dp.len(signed=True)).with_keys(bins)


def opendp_histogramdd(people: Any) -> Any:
    bins = pl.LazyFrame({"bin": [*range(5)] * 2, "sex": [0] * 5 + [1] * 5})
    binned = row_context(people).query().group_by((pl.col.age // 20).alias("bin"), "sex")
    return binned.agg(dp.len(signed=True)).with_keys(bins)


def opendp_value_counts(people: Any, levels: Any = LEVELS) -> Any:
    levels = pl.LazyFrame({"educ": levels})
    return row_context(people).query().group_by("educ").agg(dp.len(signed=True)).with_keys(levels)


def opendp_means(people: Any) -> Any:
    mean, levels = pl.col.income.dp.mean(BOUNDS), pl.LazyFrame({"educ": LEVELS})
    return row_context(people, "educ").query().group_by("educ").agg(mean).with_keys(levels)


def opendp_counts_and_means(people: Any) -> Any:
    mean, levels = pl.col.income.dp.mean(BOUNDS), pl.LazyFrame({"educ": LEVELS})
    counted = row_context(people, "educ").query().group_by("educ")
    return counted.agg(dp.len(signed=True), mean).with_keys(levels)


def opendp_visits_by_day(visits: Any) -> Any:
    bounded = user_context(visits).query().truncate_per_group(2).group_by("day")
    return bounded.agg(dp.len(signed=True)).with_keys(pl.LazyFrame({"day": DAYS}))


def opendp_euros_by_day(visits: Any) -> Any:
    bounded = user_context(visits).query().truncate_per_group(2).group_by("day")
    return bounded.agg(pl.col.euros.dp.sum((0, 50))).with_keys(pl.LazyFrame({"day": DAYS}))


def opendp_unknown_days(visits: Any) -> Any:
    bounded = user_context(visits, 1e-6).query().truncate_per_group(2)
    return bounded.group_by("day").agg(dp.len(signed=True))
