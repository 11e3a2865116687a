"""Releases of dates and times: one answer for each container, and nothing else of the records."""

from __future__ import annotations

import datetime as dt
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from columns.timed import DATES, INSTANTS, TIMES, Shape
from refusals import Refusal, check_refusals

import cydp
from cydp import BudgetLedger, PureDP, Session
from cydp.releases._query import Query
from cydp.sampling import on_sample
from cydp.testing import SeededGenerator
from cydp.workloads import linear_queries, range_counts

JANUARY = ("2024-01-01", "2024-02-01")
WEEKS = ("2024-01-01", "2024-01-29")
IN_UTC = ("2024-01-01T00:00Z", "2024-02-01T00:00Z")
SURE: Any = 10**6  # an epsilon at which noise is 0
RANDOM = np.random.default_rng(3)
SECONDS = RANDOM.integers(-5 * 86_400, 36 * 86_400, 200).tolist()
HOURS = [dt.datetime(2024, 1, 1) + dt.timedelta(seconds=each) for each in SECONDS]
DAYS = [each.date() for each in HOURS]
LISTED: list[Any] = [*HOURS, None]
Call = Callable[[Any, Any], Any]  # of a column and a generator

CALLS: dict[str, Call] = {
    "histogram": lambda x, rng: cydp.histogram(x, "1w", WEEKS, epsilon=1, rng=rng).counts,
    "equal bins": lambda x, rng: cydp.histogram(x, 31, JANUARY, rho=1, rng=rng).counts,
    "quantile": lambda x, rng: cydp.quantile(x, [0.2, 0.5], WEEKS, epsilon=1, rng=rng).value,
    "missing": lambda x, rng: cydp.median(x, JANUARY, missing="2024-01-03", epsilon=1,
                                                rng=rng).value,
    "ranges": lambda x, rng: range_counts(x, "1d", JANUARY, epsilon=1, rng=rng).counts,
    "histogramdd": lambda x, rng: cydp.histogramdd(
        [x, np.arange(201)], [np.array(JANUARY, "M8[D]"), 2], [None, (0, 201)], epsilon=1, rng=rng
    ).counts,
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_containers_have_one_answer(name: str) -> None:
    call = CALLS[name]
    expected = call(np.array([*HOURS, "NaT"], "M8[s]"), SeededGenerator(1))
    for shape in TIMES.values():
        assert np.array_equal(call(shape(LISTED), SeededGenerator(1)), expected)
    for shape in DATES.values():
        assert np.array_equal(call(shape([*DAYS, None]), SeededGenerator(1)), expected)


def test_instants_have_one_answer() -> None:
    ends = ("2024-01-01[Europe/Vienna]", "2024-02-01[Europe/Vienna]")
    local = np.array(HOURS, "M8[s]") + np.timedelta64(1, "h")
    expected = cydp.histogram(local, "1d", JANUARY, epsilon=1, rng=SeededGenerator(1))
    ranked = cydp.median(local, [dt.datetime(2024, 1, 1), dt.datetime(2024, 2, 1)], epsilon=1,
                         rng=SeededGenerator(1))  # fmt: skip
    for shape in INSTANTS.values():
        made = cydp.histogram(shape(LISTED), "1d", ends, epsilon=1, rng=SeededGenerator(1))
        assert made.counts.tolist() == expected.counts.tolist()
        assert made.edges[0] == dt.datetime(2023, 12, 31, 23, tzinfo=dt.UTC)
        chosen = cydp.median(shape(LISTED), ends, epsilon=1, rng=SeededGenerator(1)).value
        assert chosen.replace(tzinfo=None) == ranked.value.item()
        assert str(chosen.tzinfo) == "Europe/Vienna"


def test_quantiles_are_those_of_the_days() -> None:
    """A time counts as its day, and one beyond the bounds as the nearest end."""
    clamped = np.clip(np.array(DAYS, "M8[D]"), *np.array(JANUARY, "M8[D]"))
    expected = np.sort(clamped)[[50, 100, 150]]
    for x in (np.array(HOURS, "M8[us]"), pl.Series(HOURS), DAYS):
        release = cydp.quantile(x, [0.2525, 0.5025, 0.7525], JANUARY, epsilon=SURE)
        assert release.value.dtype == "M8[D]"
        assert release.value.tolist() == expected.tolist()
    near = HOURS[0], HOURS[0] + dt.timedelta(microseconds=5)
    fine = cydp.median(np.array(HOURS, "M8[ms]"), near, epsilon=SURE)
    assert fine.value.dtype == "M8[us]"


def test_infinite_times_are_the_ends() -> None:
    bounds = dt.datetime(1960, 1, 1), dt.datetime(1960, 1, 1, 0, 0, 0, 5)
    for far, expected in ((2**63 - 1, bounds[1]), (-(2**63) + 1, bounds[0])):
        x = np.full(9, far).view("M8[us]")
        assert cydp.median(x, bounds, epsilon=SURE).value.item() == expected


def test_the_grid_follows_from_the_bounds_alone() -> None:
    for bounds, unit in (
        (JANUARY, "D"),
        ((dt.date(2024, 1, 1), np.datetime64("2024-02", "M")), "D"),
        ((dt.date(2024, 1, 1), dt.datetime(2024, 2, 1)), "s"),
        (("2024-01-01T00:00:00.5", "2024-02-01"), "ms"),
        ((pd.Timestamp(0), pd.Timestamp(1)), "ns"),
    ):
        for x in (DAYS, pa.array(HOURS, pa.timestamp("s")), np.array(HOURS, "M8[us]")):
            assert cydp.median(x, bounds, epsilon=1).value.dtype == f"M8[{unit}]"
        explained = cydp.explain(cydp.median, bounds, epsilon=1).query
        assert explained.grid.unit == unit


def test_quantiles_by_key_may_be_of_dates() -> None:
    table = {"day": np.array(DAYS, "M8[D]"), "key": ["a", "b"] * 100}
    release = cydp.group_by(table, "key", keys=["a", "b"], count=False, epsilon=SURE,
                            quantiles={"day": ([0.5025], JANUARY)})  # fmt: skip
    clamped = np.clip(table["day"], *np.array(JANUARY, "M8[D]"))
    (name,) = release.columns
    assert release[name][:, 0].tolist() == [np.sort(clamped[i::2])[50].item() for i in (0, 1)]
    assert release.to_pandas().iloc[:, 1].dtype.kind == "M"


CSV = ["2024-01-01", " 2024-01-01 12:00 ", "2024-01-02T23:59:59.9", "2024-1-3", "2024-01-03", "x",
       "", "2024-01-02T23:30:00Z", "2024-01-03 00:00:00+01:00", "2024-01-02 01:00-0330",
       "2024-01-02 01:00 UTC", "2024-01-02 01:00:00 Europe/Vienna", "infinity", "epoch",
       "2024-01-02 12:00 PM", "2024-02-30", "1/2/2024"]  # fmt: skip
"""Entries without a type: five times without a zone, and three with an offset."""


def test_text_of_csv_is_read_as_times(tmp_path: Path) -> None:
    """No cast drops a zone, or makes one up: such an entry is missing."""
    path = tmp_path / "visits.csv"
    path.write_text("ts,u\n" + "\n".join(f'"{each}",{i}' for i, each in enumerate(CSV)))
    days = np.arange("2024-01-01", "2024-01-04", dtype="M8[D]")
    span = ("2024-01-01", "2024-01-04")
    zoned = ("2024-01-01T00:00Z", "2024-01-04T00:00Z")
    column: Any = {"column": "ts", "epsilon": SURE}
    assert cydp.histogram(path, "1d", span, **column).counts.tolist() == [2, 1, 2]
    assert cydp.histogram(path, "1d", zoned, **column).counts.tolist() == [0, 3, 0]
    for name, expected in ((cydp.date_trunc("day", "ts"), [2, 1, 2]),
                           (cydp.date_trunc("day", "ts", "Europe/Vienna"), [0, 1, 2]),
                           ("ts", [1, 0, 2])):  # fmt: skip
        found = cydp.group_by(path, name, keys=days, epsilon=SURE)
        assert found.counts.tolist() == expected, name
    assert cydp.value_counts(path, [pd.Timestamp("2024-01-02 23:00", tz="UTC")], **column)["n"] == 1
    assert cydp.median(path, span, **column).value == np.datetime64("2024-01-02")
    users = cydp.histogram(path, "1d", span, user="u", max_partitions=1, **column)
    assert users.counts.tolist() == [2, 1, 2]


def test_paths_and_lazy_frames(tmp_path: Path) -> None:
    frame, days = pl.DataFrame({"ts": HOURS}), np.arange(*JANUARY, dtype="M8[D]")
    frame.write_parquet(tmp_path / "t.parquet")
    expected = [int((np.array(DAYS, "M8[D]") == day).sum()) for day in days]
    for table in (tmp_path / "t.parquet", frame.lazy()):
        made = cydp.histogram(table, "1d", JANUARY, column="ts", epsilon=SURE)
        assert made.counts.tolist() == expected
        by_day = cydp.group_by(table, cydp.date_trunc("day", "ts"), keys=days, epsilon=SURE)
        assert by_day.counts.tolist() == expected
        assert cydp.median(table, JANUARY, column="ts", epsilon=SURE).value.dtype == "M8[D]"


USERS = np.arange(201) // 4


def test_users() -> None:
    """Rows of users are bounded in the bins of dates as in the bins of the same numbers."""
    times = np.array([*HOURS, "NaT"], "M8[s]")
    numbers = np.where(np.isnat(times), np.nan, times.astype(np.int64).astype(float))
    ends = np.array(JANUARY, "M8[s]").astype(np.int64)
    edges = np.append(np.linspace(*ends, 32)[:-1], np.nextafter(float(ends[1]), 0))
    bound: Any = {"user": USERS, "max_partitions": 2, "max_rows_per_partition": 1, "epsilon": 1}
    days = cydp.histogram(times, "1d", JANUARY, rng=SeededGenerator(9), **bound)
    plain = cydp.histogram(numbers, edges, rng=SeededGenerator(9), **bound)
    assert days.counts.tolist() == plain.counts.tolist()
    chosen = cydp.median(times, [dt.datetime(2024, 1, 1), dt.datetime(2024, 2, 1)], user=USERS,
                         max_rows=2, epsilon=1, rng=SeededGenerator(9))  # fmt: skip
    assert chosen.value.dtype == "M8[s]"


def test_pieces_of_a_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cydp._columns.shared._PIECE_ROWS", 16)
    frame = pl.DataFrame({"ts": HOURS, "u": USERS[:200]})
    days = np.arange(*JANUARY, dtype="M8[D]")
    for call in (
        lambda x, rng: cydp.histogram(x, "1d", JANUARY, column="ts", epsilon=1, rng=rng).counts,
        lambda x, rng: cydp.group_by(x, cydp.date_trunc("day", "ts"), keys=days, epsilon=1,
                                     rng=rng).counts,
        lambda x, rng: cydp.histogram(x, 2, (0, 50), column="u", by=cydp.date_trunc("week", "ts"),
                                      by_keys=days[::7], epsilon=1, rng=rng).counts,
    ):  # fmt: skip
        relation = duckdb.sql("select * from frame")
        assert np.array_equal(call(relation, SeededGenerator(2)), call(frame, SeededGenerator(2)))


def all_of(x: Any) -> list[Any]:
    """Return releases of a column of times without a zone."""
    return [
        cydp.histogram(x, "1d", JANUARY, epsilon=1),
        cydp.quantile(x, [0.25, 0.5], JANUARY, epsilon=1),
        cydp.value_counts(cydp.date_trunc("day", x), np.arange(*JANUARY, dtype="M8[D]"), epsilon=1),
    ]


FAR = [None, dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31), dt.datetime(1969, 12, 31, 23),
       dt.datetime(2024, 1, 31, 23, 59, 59)]  # fmt: skip
TABLES = [[*HOURS[:3], each] for each in FAR] + [HOURS[:3], HOURS[:2], [], [None], [FAR[1]]]
WIDE = [name for name in TIMES if "ns" not in name and name not in ("pandas", "polars frame")]


@pytest.mark.parametrize("name", WIDE)
def test_a_record_changes_nothing_but_the_answer(name: str) -> None:
    described = set()
    for table in TABLES:
        made = all_of(TIMES[name](table))
        released = made[0].counts, made[1].value, made[2].counts
        described.add(
            json.dumps([[repr(each.query), each.metadata, each.to_dict()["axes"]] for each in made])
            + str([(each.dtype, each.shape) for each in released])
        )
    assert len(described) == 1


def test_neighbours_differ_by_a_record() -> None:
    for name in WIDE:
        counts = [
            cydp.histogram(TIMES[name](table), "1d", JANUARY, epsilon=SURE).counts
            for table in TABLES[: len(FAR) + 1]
        ]
        assert all(np.abs(each - counts[-1]).sum() <= 1 for each in counts)


EXPLAINED: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any]]] = {
    "histogram": (cydp.histogram, ("1d", JANUARY), {"column": "ts"}),
    "median": (cydp.median, (JANUARY,), {"column": "ts"}),
    "quantile": (cydp.quantile, ([0.1], (dt.datetime(2024, 1, 1), "2024-03-01")), {"column": "ts"}),
    "group_by": (cydp.group_by, (cydp.date_trunc("day", "ts"),),
                 {"keys": np.arange(*JANUARY, dtype="M8[D]")}),
    "by": (cydp.histogram, (2, (0, 50)), {"column": "u", "by": cydp.date_trunc("month", "ts"),
                                          "by_keys": [dt.date(2024, 1, 1)]}),
    "histogramdd": (cydp.histogramdd, (["1w", 5], [("2024-01-01", "2024-01-15"), (0, 50)]),
                    {"columns": ["ts", "u"]}),
    "ranges": (range_counts, ("1d", JANUARY), {"column": "ts"}),
    "queries": (linear_queries, (np.eye(31), "1d", JANUARY), {"column": "ts"}),
    "marginals": (cydp.workloads.marginals,
                  ({"ts": ("1w", ("2024-01-01", "2024-01-15")), "u": [1, 2]}, [("ts", "u")]), {}),
}  # fmt: skip
TABLE = pl.DataFrame({"ts": HOURS, "u": USERS[:200]})
ZONED = TABLE.with_columns(ts=pl.col("ts").dt.replace_time_zone("UTC"))


@pytest.mark.parametrize("name", EXPLAINED)
def test_what_wraps_a_release_works(name: str, tmp_path: Path) -> None:
    function, args, given = EXPLAINED[name]
    made = function(TABLE, *args, epsilon=1, **given)
    assert cydp.explain(function, *args, epsilon=1, **given).query == made.query
    assert pickle.loads(pickle.dumps(made)) == made
    json.dumps(made.query.to_dict())
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="row") as ledger:
        scope = ledger.scope(charge_id="one")
        first, again = (function(TABLE, *args, epsilon=1, budget=scope, **given) for _ in range(2))
        assert first == again
        with pytest.raises(cydp.LedgerError, match="one"):
            function(TABLE, *args, epsilon=2, budget=scope, **given)
        assert first.certificate()["ledger"]["entry"]["charge_id"] == "one"
    assert on_sample(function, TABLE, *args, share="1/2", epsilon=1, **given)
    session = Session(TABLE, cydp.PrivacyFilter(PureDP(9)))
    ask = getattr(session, function.__name__)
    one = ask(*args, epsilon=1, **given)
    assert one == ask(*args, epsilon=1, **given)  # free


def test_a_query_is_restored() -> None:
    for made in (
        cydp.quantile(ZONED, [0.5], IN_UTC, column="ts", epsilon=1),
        cydp.median(TABLE, JANUARY, column="ts", epsilon=1),
    ):
        assert Query.from_dict(json.loads(json.dumps(made.query.to_dict()))) == made.query


def test_edges_are_told_apart_by_their_digests() -> None:
    def digest(bins: Any, ends: Any, table: Any = TABLE) -> Any:
        made = cydp.histogram(table, bins, ends, column="ts", epsilon=1)
        return made.query.to_dict()["reads"]["edges"]

    vienna = ("2024-01-01[Europe/Vienna]", "2024-02-01[Europe/Vienna]")
    assert (
        digest("1d", JANUARY) == digest(31, JANUARY) != digest("1d", ("2024-02-01", "2024-03-03"))
    )
    assert digest("1d", vienna, ZONED) != digest("1d", IN_UTC, ZONED)
    assert digest("1d", vienna, ZONED) == digest("24h", vienna, ZONED)  # no clock changes in winter


def test_outputs_show_times_as_iso_8601(tmp_path: Path) -> None:
    day = cydp.histogram(TABLE, "1d", ("2024-01-01", "2024-01-03"), column="ts", epsilon=SURE)
    assert "[2024-01-02, 2024-01-03) " in day.to_text()
    assert day.to_dict()["axes"][0]["edges"] == ["2024-01-01", "2024-01-02", "2024-01-03"]
    assert "2024-01-01" in day.to_html()
    assert pa.table(day).schema.field("ts_left").type == pa.date32()
    assert day.to_pandas()["ts_left"].tolist() == [
        pd.Timestamp(2024, 1, 1),
        pd.Timestamp(2024, 1, 2),
    ]
    assert day.to_uhi().axes[0][1] == (1_704_153_600.0, 1_704_240_000.0)
    hours = cydp.histogram(ZONED, "12h", ("2024-01-01[Asia/Tokyo]", "2024-01-02[Asia/Tokyo]"),
                           column="ts", epsilon=SURE)  # fmt: skip
    assert "[2024-01-01T00:00:00+09:00, 2024-01-01T12:00:00+09:00)" in hours.to_text()
    assert hours.to_dict()["axes"][0]["edges"][0] == "2024-01-01T00:00:00+09:00"
    assert pa.table(hours).schema.field("ts_left").type == pa.timestamp("us", "Asia/Tokyo")
    assert pl.DataFrame(hours)["ts_left"].dtype == pl.Datetime("us", "Asia/Tokyo")
    assert hours.to_uhi().axes[0][0] == (1_704_034_800.0, 1_704_078_000.0)
    median = cydp.median(TABLE, JANUARY, column="ts", epsilon=SURE)
    assert median.to_text().startswith(f"median: {median.value}; ")
    assert median.to_dict()["columns"]["median"]["values"] == str(median.value)
    assert median.to_pandas().iloc[0, 0] == pd.Timestamp(median.value)
    zoned = cydp.quantile(ZONED, [0.5], IN_UTC, column="ts", epsilon=SURE)
    assert zoned.value[0].isoformat() in zoned.to_text()
    assert zoned.to_dict()["columns"]["quantile"]["values"] == [zoned.value[0].isoformat()]


def test_intervals_of_quantiles_are_of_times() -> None:
    ends = {"column": "ts", "interval": 0.95, "epsilon": SURE}
    median = cydp.median(TABLE, JANUARY, **ends)
    assert median.interval() == (median.value, median.value)
    assert f"from {median.value} to {median.value}" in median.to_text()
    frame = cydp.quantile(ZONED, [0.5], IN_UTC, **ends).to_pandas()
    assert [str(frame[name].dtype) for name in ("quantile_lower", "quantile_upper")] == [
        "datetime64[us, UTC]"
    ] * 2
    assert median.plot().get_xlim()[0] > 0  # days from 1970


def test_plots_have_axes_of_dates() -> None:
    by = {"ts": HOURS, "key": ["a", "b"] * 100}
    for release, along in (
        (cydp.histogram(TABLE, "1d", JANUARY, column="ts", epsilon=1), "xaxis"),
        (cydp.histogram(ZONED, "1d", IN_UTC, column="ts", epsilon=1), "xaxis"),
        (cydp.histogram(by, "1w", ("2024-01-01", "2024-01-15"), column="ts", by="key",
                        by_keys=["a", "b"], epsilon=1), "xaxis"),
        (cydp.median(TABLE, JANUARY, column="ts", epsilon=1), "xaxis"),
        (cydp.quantile(TABLE, [0.2, 0.5], JANUARY, column="ts", epsilon=1), "yaxis"),
        (cydp.group_by(by, "key", keys=["a", "b"], count=False, epsilon=1,
                       quantiles={"ts": (0.5, JANUARY)}), "xaxis"),
        (cydp.histogramdd(TABLE, ["1w", 5], [("2024-01-01", "2024-01-15"), (0, 50)],
                          columns=["ts", "u"], epsilon=1), "xaxis"),
    ):  # fmt: skip
        ax = release.plot()
        ax.figure.canvas.draw()
        axis = getattr(ax, along)
        assert type(axis.get_major_formatter()).__name__ == "ConciseDateFormatter"
        assert 19_700 < axis.get_view_interval().mean() < 19_800  # days from 1970
        ax.figure.clear()


def test_ranges_of_dates() -> None:
    release = range_counts(TABLE, "1d", JANUARY, column="ts", epsilon=SURE)
    days = np.array(DAYS, "M8[D]")
    expected = [
        int(((days >= np.datetime64(low)) & (days < np.datetime64(high))).sum())
        for low, high in (("2024-01-01", "2024-01-08"), ("2024-01-08", "2024-02-01"))
    ]
    lows = ["2024-01-01", dt.date(2024, 1, 8)]
    highs = np.array(["2024-01-08", "2024-02-01"], "M8[D]")
    assert release.ranges(lows, highs, edges=True).tolist() == expected
    with pytest.raises(ValueError, match="lows must be edges of bins"):
        release.ranges([dt.datetime(2024, 1, 1, 12)], highs[:1], edges=True)
    with pytest.raises(ValueError, match="with a time zone if these have one"):
        release.ranges([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)], highs[:1], edges=True)


def test_synthetic_rows_have_times_in_their_bins() -> None:
    domains = {"ts": ("1w", ("2024-01-01", "2024-01-29")), "u": [1, 2, 3]}
    published = cydp.publishing.contingency_tables(TABLE, domains, [("ts", "u")], epsilon=SURE)
    for within in ("uniform", "middle"):
        rows = published.sample(50, within_bins=within)  # type: ignore[arg-type]
        assert rows["ts"].dtype == "M8[D]"
        assert set(np.unique(rows["ts"]).astype(str)) <= set(
            np.arange("2024-01-01", "2024-01-29", dtype="M8[D]").astype(str)
        )
    zoned = {"ts": ("1w", ("2024-01-01T00:00Z", "2024-01-29T00:00Z"))}
    published = cydp.publishing.contingency_tables(ZONED, zoned, ["ts"], epsilon=SURE)
    with pytest.raises(ValueError, match="bins of ts must have no time zone to sample from"):
        published.sample()


X = np.array(["1931-05-07"], "M8[s]")
REFUSED: dict[str, Refusal] = {
    "a sum of dates": (lambda: cydp.sum(X, (0, 1), epsilon=1), TypeError,
                       ("x must hold numbers", "not dates or times", "histograms and quantiles")),
    "a mean with bounds of dates": (lambda: cydp.mean([1], JANUARY, epsilon=1), ValueError,
                                    ("lower in bounds",)),
    "bounds of dates": (lambda: cydp.bounds(X, epsilon=1), TypeError, ("x must hold numbers",)),
    "a variance of dates": (lambda: cydp.variance(pa.array(X), (0, 1), epsilon=1), TypeError,
                            ("not dates or times",)),
    "a relation of dates": (
        lambda: cydp.sum(duckdb.sql("select timestamp '1931-05-07' as x"), (0, 1), epsilon=1),
        TypeError, ("not dates or times",)),
    "a median of numbers": (lambda: cydp.median([1.5], JANUARY, epsilon=1), TypeError,
                            ("x must hold dates or times", "not float")),
    "half of the bounds": (lambda: cydp.median(X, ("2024-01-01", 1), epsilon=1), TypeError,
                           ("upper in bounds must be a date", "not int")),
    "bounds in the wrong order": (lambda: cydp.median(X, JANUARY[::-1], epsilon=1), ValueError,
                                  ("lower at or before upper",)),
    "bounds far apart": (
        lambda: cydp.median(X, (pd.Timestamp(0), pd.Timestamp("2024-01-01")
                                + pd.Timedelta(1, "ns")), epsilon=1),
        ValueError, ("at most 2**51 ns from each other",)),
    "bounds of a zone": (lambda: cydp.median(X, IN_UTC, epsilon=1), TypeError,
                         ("x has no time zone",)),
    "bounds of two zones": (lambda: cydp.median(X, (JANUARY[0], IN_UTC[1]), epsilon=1), ValueError,
                            ("times of one zone",)),
    "missing beyond": (lambda: cydp.median(X, JANUARY, missing="2023-12-31", epsilon=1), ValueError,
                       ("missing must be 'drop' or within the bounds",)),
    "missing of a number": (lambda: cydp.median(X, JANUARY, missing=1, epsilon=1), TypeError,
                            ("missing must be 'drop' or a date or time", "not int")),
    "missing of a zone": (lambda: cydp.median(X, JANUARY, missing=IN_UTC[0], epsilon=1), ValueError,
                          ("missing must have a time zone if the bounds have one",)),
    "a sum and quantiles": (
        lambda: cydp.group_by({"k": ["a"], "t": X}, "k", keys=["a"], sums={"t": (0, 1)}, epsilon=1,
                              quantiles={"t": (0.5, JANUARY)}),
        TypeError, ("t must not be in sums or means",)),
    "a domain of numbers": (
        lambda: cydp.workloads.marginals({"t": [1.5]}, {"t": ("1d", JANUARY)}, ["t"], epsilon=1),
        TypeError, ("t must hold dates or times",)),
    "a domain without a range": (
        lambda: cydp.workloads.marginals({"t": X}, {"t": ("1d", None)}, ["t"], epsilon=1),
        ValueError, ("the domain of t: range=(lo, hi) must be two dates",)),
}  # fmt: skip


def test_what_is_refused() -> None:
    check_refusals(REFUSED, never=("1931",))


def test_what_is_refused_charges_nothing() -> None:
    budget = cydp.PrivacyFilter(PureDP(1))
    shapes: list[Shape] = [lambda _: [1.5], lambda _: np.array([1.5]), lambda _: ZONED["ts"]]
    for shape in shapes:
        for call in (
            lambda x: cydp.histogram(x, "1d", JANUARY, epsilon=1, budget=budget),
            lambda x: cydp.median(x, JANUARY, epsilon=1, budget=budget),
            lambda x: cydp.count(cydp.date_trunc("day", x), epsilon=1, budget=budget),
        ):
            with pytest.raises(TypeError):
                call(shape(None))
    assert budget.spent == PureDP(0)


def test_a_column_is_called_by_its_name() -> None:
    table = {"ts": np.array(["2024-01-01T12:00"], "M8[s]")}
    for ask in (
        lambda: cydp.histogram(table, 2, IN_UTC, column="ts", epsilon=1),
        lambda: cydp.median(table, IN_UTC, column="ts", epsilon=1),
    ):
        with pytest.raises(TypeError, match=r"^column 'ts' has no time zone, so bins, range and"):
            ask()
    spans = [cydp.explain(cydp.histogram, width, JANUARY, epsilon=1).query for width in
             ("1d", dt.timedelta(days=1), np.timedelta64(1, "D"))]  # fmt: skip
    assert spans[0] == spans[1] == spans[2]
    for width in ("1d", dt.timedelta(days=1)):
        with pytest.raises(TypeError, match="bins must be given for each column, in a list"):
            cydp.histogramdd(table, width, [JANUARY], columns=["ts"], epsilon=1)  # type: ignore


TWO_DAYS = [dt.date(2024, 1, 1)] * 30 + [dt.date(2024, 1, 2)] * 20 + [None]


@pytest.mark.parametrize(
    "shape",
    [
        lambda days: {"d": np.array(days, "M8[D]")},
        lambda days: pd.DataFrame({"d": np.array(days, "M8[s]")}),
        lambda days: pl.LazyFrame({"d": pl.Series(days, dtype=pl.Date)}),
        lambda days: pa.table({"d": pa.array(days, pa.date32()).cast(pa.timestamp("us"))}),
        lambda days: duckdb.from_arrow(pa.table({"d": pa.array(days, pa.date32())})),
    ],
)
def test_keys_of_text_are_the_times_that_they_say(shape: Callable[[list[Any]], Any]) -> None:
    """Whatever the rows hold, and for no rows too; the release has the text that was given."""
    for keys in (["2024-01-02", "2024-01-01"], ["2024-01-02T00:00", "2024-01"]):
        found = cydp.group_by(shape(TWO_DAYS), "d", keys=keys, epsilon=1000)
        assert (list(found.keys), found.counts.tolist()) == (keys, [20, 30])
        for rows in ([], [None], [dt.date(1800, 1, 1)]):
            found = cydp.value_counts(shape(rows), keys, column="d", epsilon=1000)
            assert (list(found.keys), found.counts.tolist()) == (keys, [0, 0])
    pairs = cydp.group_by(
        {"d": np.array(TWO_DAYS, "M8[D]"), "n": [1] * 51}, ["n", "d"],
        keys={"n": [1, 2], "d": ["2024-01-01"]}, epsilon=1000,
    )  # fmt: skip
    assert pairs.counts.tolist() == [30, 0]


def test_keys_of_text_are_instants_where_they_have_a_zone() -> None:
    table = pl.DataFrame({"d": [dt.datetime(2024, 1, 1, 23, tzinfo=dt.UTC)] * 9})
    keys = ["2024-01-02[Europe/Vienna]", "2024-01-01T23:30+00:30", "2024-01-01T22:00Z"]
    for chosen in (keys[::2], keys[1:]):
        found = cydp.value_counts(table, chosen, column="d", epsilon=1000)
        assert (list(found.keys), found.counts.tolist()) == (chosen, [9, 0])


def test_keys_of_text_that_are_no_such_times() -> None:
    days, zoned = np.array(TWO_DAYS, "M8[D]"), pl.Series([dt.datetime(2024, 1, 1, tzinfo=dt.UTC)])
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    wrong = {
        "twice": (days, ["2024-01-01", "2024-01"], ValueError, ("distinct", "the same time")),
        "twice an instant": (
            zoned, ["2024-01-01T00:00Z", "2024-01-01T01:00+01:00"], ValueError, ("distinct",)),
        "a zone": (days, ["2024-01-01T00:00Z"], TypeError, ("without a zone",)),
        "no zone": (zoned, ["2024-01-01"], TypeError, ("with a zone", "[Europe/Vienna]")),
        "no day": (days, ["2024-02-30"], TypeError, ("of the calendar, not '2024-02-30'",)),
        "another text": (days, ["2024-01-01", "May"], TypeError, ("such as '2024-01-31'",)),
    }  # fmt: skip
    check_refusals(
        {
            name: (
                lambda x=x, keys=keys: cydp.value_counts(x, keys, epsilon=1, budget=budget),
                kind, ("keys must be", *words),
            )
            for name, (x, keys, kind, words) in wrong.items()
        }
    )  # fmt: skip
    assert budget.spent.epsilon == 0
