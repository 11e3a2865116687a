"""Bins of dates and times: every comparison is of exact integers, in any unit."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pytest
from columns.timed import DATES, TIMES
from hypothesis import given
from hypothesis import strategies as st
from refusals import Refusal, check_refusals

from cydp import exact
from cydp._columns.label_types import NANOSECONDS
from cydp.exact._time_bins import read_time_edges

UNITS = ("D", "h", "s", "ms", "us", "ns")
JANUARY = ("2024-01-01", "2024-02-01")
X = np.array(["2024-01-01", "1931-05-07"], "M8[D]")
ZONED = pd.Series(X).dt.tz_localize("UTC")


def count(nanoseconds: list[int], edges: list[int]) -> list[int]:
    """Count by comparisons of Python's integers; no bin has its right edge."""
    return [sum(low <= each < high for each in nanoseconds) for low, high in pairwise(edges)]


@st.composite
def cases(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Values and edges near each other, in units of their own."""
    held, shown = draw(st.sampled_from(UNITS)), draw(st.sampled_from(UNITS))
    step, width = NANOSECONDS[held], NANOSECONDS[shown]
    middle = draw(st.sampled_from([0, 1_704_067_200 * 10**9, -(2**62), 2**62, 2**63])) // width
    middle = min(middle, 2**62)
    places = st.integers(-5, 5).map(lambda n: n * max(step // width, 1)) | st.integers(-3, 3)
    edges = middle + np.array(sorted(draw(st.sets(places, min_size=2, max_size=6))))
    near = [int(edge) * width // step + shift for edge in edges for shift in (-1, 0, 1)]
    values = draw(st.lists(st.sampled_from([*near, 2**63 - 1, -(2**63)]), max_size=20))
    inside = [value if -(2**63) <= value < 2**63 else 0 for value in values]
    return np.array(inside, np.int64).view(f"M8[{held}]"), edges.view(f"M8[{shown}]")


@given(cases())
def test_counts_are_exact(case: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]) -> None:
    values, edges = case
    step = NANOSECONDS[np.datetime_data(values.dtype)[0]]
    width = NANOSECONDS[np.datetime_data(edges.dtype)[0]]
    exactly = [int(edge) * width for edge in edges.astype(np.int64)]
    held = [int(value) * step for value in values[~np.isnat(values)].astype(np.int64)]
    in_column = [-(-edge // step) for edge in exactly]
    if any(left >= right for left, right in pairwise(in_column)):
        with pytest.raises(ValueError, match="at least as wide as the unit of x"):
            exact.histogram(values, edges)
        return
    if not all(abs(each) < 2**63 for each in in_column):
        with pytest.raises(ValueError, match="in the range of its unit"):
            exact.histogram(values, edges)
        return
    counts, shown = exact.histogram(values, edges)
    assert counts.tolist() == count(held, exactly)
    assert (shown == edges).all()
    masked = np.ma.MaskedArray(values, np.arange(len(values)) % 2 == 0)
    rest = values[1::2]
    held = [int(value) * step for value in rest[~np.isnat(rest)].astype(np.int64)]
    assert exact.histogram(masked, edges)[0].tolist() == count(held, exactly)


@pytest.mark.parametrize("shape", [*DATES.values(), *TIMES.values()])
def test_the_counts_of_each_container(shape: Any) -> None:
    days = [
        dt.date(2024, 1, 1),
        dt.date(2024, 1, 8),
        dt.date(2024, 1, 14),
        dt.date(2024, 1, 15),
        None,
    ]
    if shape in TIMES.values():
        days = [day and dt.datetime(day.year, day.month, day.day) for day in days]
    counts, edges = exact.histogram(shape(days), "1w", ("2024-01-01", "2024-01-15"))
    assert counts.tolist() == [1, 2]
    assert edges.dtype == "M8[D]"


def test_a_list_is_compared_in_the_unit_of_the_edges() -> None:
    """Half a microsecond before an edge is before it."""
    edge = np.datetime64("2024-01-01T00:00:00.000001", "us")
    near = [np.datetime64(int(edge.astype(np.int64)) * 1000 + n, "ns") for n in (-500, -1, 0, 1)]
    counts, _ = exact.histogram(near, np.array([edge, edge + 1]))
    assert counts.tolist() == [2]
    counts, _ = exact.histogram(near, np.array([near[1], near[3]]))
    assert counts.tolist() == [2]


def test_edges_are_shown_in_a_unit_of_the_parameters() -> None:
    """Whatever the column is, so that an explained release has the same edges as a made one."""
    for bins, ends, unit, first in (
        ("1d", JANUARY, "D", "2024-01-02"),
        ("12h", JANUARY, "s", "2024-01-01T12:00:00"),
        ("1d", (dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 3)), "s", "2024-01-02T00:00:00"),
        (31, JANUARY, "D", "2024-01-02"),
        (62, JANUARY, "s", "2024-01-01T12:00:00"),
        (7, JANUARY, "us", "2024-01-05T10:17:08.571428"),
        (pd.date_range("2024-01-01", periods=3), None, "s", "2024-01-02T00:00:00"),
        (pl.date_range(dt.date(2024, 1, 1), dt.date(2024, 1, 3), eager=True), None, "D",
         "2024-01-02"),
        (np.arange("2024-01", "2024-04", dtype="M8[M]"), None, "D", "2024-02-01"),
        ([dt.date(2024, 1, 1), "2024-01-05"], None, "D", "2024-01-05"),
        (["2024-01-01T00:00", "2024-01-01T00:00:00.5"], None, "ms", "2024-01-01T00:00:00.500"),
    ):  # fmt: skip
        edges = read_time_edges(bins, ends)
        assert edges is not None
        assert edges.shown.dtype == f"M8[{unit}]", bins
        assert str(edges.shown[1]) == first


def test_edges_with_a_zone_keep_it() -> None:
    given = pd.date_range("2024-03-30", periods=3, tz="Europe/Vienna")
    series = pl.datetime_range(
        dt.datetime(2024, 3, 30), dt.datetime(2024, 4, 1), time_zone="Europe/Vienna", eager=True
    )
    ends = ("2024-03-30[Europe/Vienna]", "2024-04-01[Europe/Vienna]")
    for bins, span in ((given, None), (list(given), None), (series, None), ("1d", ends)):
        edges = read_time_edges(bins, span)
        assert edges is not None
        assert edges.shown.tolist() == given.to_pydatetime().tolist()
        assert {str(each.tzinfo) for each in edges.shown} == {"Europe/Vienna"}


REFUSED: dict[str, Refusal] = {
    "numbers in bins of dates": (lambda: exact.histogram([1.5], "1d", JANUARY), TypeError,
                                 ("x must hold dates or times", "not float")),
    "dates in bins of numbers": (lambda: exact.histogram(X, 3, (0, 3)), TypeError,
                                 ("x must hold numbers", "not dates or times", "edges, a range")),
    "no range": (lambda: exact.histogram(X, "1d"), ValueError, ("must be two dates or times",)),
    "the range of the data": (lambda: exact.histogram(X, 5), TypeError, ("x must hold numbers",)),
    "a range of numbers": (lambda: exact.histogram(X, "1d", (0, 1)), ValueError, ("two dates",)),
    "half a range": (lambda: exact.histogram(X, 5, ("2024-01-01", 5)), TypeError,
                     ("hi of range", "not int")),
    "a range that ends before": (lambda: exact.histogram(X, 5, JANUARY[::-1]), ValueError,
                                 ("lo before hi",)),
    "two zones": (lambda: exact.histogram(X, 5, ("2024-01-01", "2024-02-01T00:00Z")), ValueError,
                  ("times of one zone, not of UTC, no zone",)),
    "edges and a range": (lambda: exact.histogram(X, JANUARY, JANUARY), ValueError,
                          ("range must be None",)),
    "edges that fall": (lambda: exact.histogram(X, JANUARY[::-1]), ValueError, ("must increase",)),
    "edges given twice": (lambda: exact.histogram(X, JANUARY[:1] * 2), ValueError,
                          ("must increase",)),
    "a single edge": (lambda: exact.histogram(X, JANUARY[:1]), ValueError, ("at least 2 edges",)),
    "an edge that is missing": (lambda: exact.histogram(X, np.array(["2024", "NaT"], "M8[D]")),
                                ValueError, ("not missing",)),
    "edges and numbers": (lambda: exact.histogram(X, ["2024-01-01", 7]), TypeError,
                          ("each edge in bins", "not int")),
    "hours of dates": (lambda: exact.histogram(X, "1h", JANUARY), ValueError,
                       ("at least as wide as the unit of x",)),
    "years beyond nanoseconds": (
        lambda: exact.histogram(X.astype("M8[ns]"), "100y", ("1600-01-01", "2300-01-01")),
        ValueError, ("bins must have edges that x could hold", "the years 1,678 to 2,262")),
    "too many bins": (lambda: exact.histogram(X, 2**21, JANUARY), ValueError, ("2**20",)),
    "bins of less than a nanosecond": (
        lambda: exact.histogram(X, 3, ("2024-01-01T00:00", np.datetime64("2024-01-01", "ns") + 2)),
        ValueError, ("at least 1 ns wide",)),
    "a zone and nanoseconds": (
        lambda: exact.histogram(ZONED, [pd.Timestamp(1, tz="UTC"), pd.Timestamp(5, tz="UTC")]),
        ValueError, ("whole microseconds",)),
    "no zone": (lambda: exact.histogram(ZONED, "1d", JANUARY),
                TypeError, ("x has a time zone", "'2024-01-31[Europe/Vienna]'")),
    "a rule": (lambda: exact.histogram(X, "auto", JANUARY), ValueError,
               ("a width of time in ns, us,", "'1d' or '1mo', not 'auto'")),
    "a word": (lambda: exact.histogram(X, "1 day", JANUARY), ValueError, ("not '1 day'",)),
    "dates of another order": (lambda: exact.histogram(X, "1d", ("01.01.2024", "03.01.2024")),
                               ValueError, ("two dates or times, such as '2024-01-31'",)),
    "no width": (lambda: exact.histogram(X, cast(Any, np.timedelta64(-1, "h")), JANUARY),
                 ValueError, ("bins must have a width above 0",)),
}  # fmt: skip


def test_bins_that_are_refused() -> None:
    check_refusals(REFUSED, never=("1931",))
