"""releases/output/_text_html.py, _words.py: what people read."""

from __future__ import annotations

import datetime as dt
import pickle
import re
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from releases.output.made import MADE, X, failing, made, with_counts

import cydp
from cydp.releases.output._words import bound_words, end_words, value_words

HISTOGRAM = """\
histogram: 4 bins; epsilon=0.5, relation='add-remove'
protects: whether one row is in the table or not
noise: DiscreteLaplace, scale 2
  bin        count
  [0, 25)       47
  [25, 50)      46
  [50, 75)      50
  [75, 100]     55
error: each within 6, with 95 % confidence"""

QUANTILES = """\
quantile: 3 quantiles; epsilon=0.5, relation='add-remove'
protects: whether one row is in the table or not
noise: QuantileMechanism, scale 4 ranks (q=1/4), 4 ranks (median), 6.4 ranks (q=9/10)
  q     quantile  +- ranks
  0.25   26.1714       280
  0.5     50.837       180
  0.9    99.7589       330
error: each within the bound beside it, with 95 % confidence
note: 3 quantiles are chosen in 2 rounds, the middle ones first, and the others between them
note: a number below 0 counts as 0, and above 100 as 100; numbers are rounded to multiples of
  2.38419e-07. Errors and intervals are those of the clamped numbers, errors in ranks those of
  the rounded ones"""


def test_texts_as_they_are() -> None:
    assert repr(made("histogram")) == made("histogram").to_text() == HISTOGRAM
    assert repr(made("quantiles")) == QUANTILES


def test_errors_are_said_in_one_way() -> None:
    release = made("histogram")
    for confidence, percent in ((0.95, "95"), ("0.999", "99.9"), ("2/3", "66.6666")):
        each = release.error_bound(confidence)
        together = release.error_bound(confidence, count=4)
        assert together > each
        assert release.to_text(confidence).splitlines()[-1] == (
            f"error: each within {each}, with {percent} % confidence"
        )
        assert release.to_text(confidence, simultaneous=True).splitlines()[-1] == (
            f"error: all 4 together within {together}, with {percent} % confidence"
        )
    text, _, notes = made("group_by").to_text(simultaneous=True).partition("\nnote: ")
    assert "a number of x below" in notes
    lines = text.splitlines()
    assert lines[-4] == "error of sum_x: all 2 together within 3,000, with 95 % confidence"
    assert "all 2 together within the bounds beside them" in lines[-3]


def test_titles_are_functions() -> None:
    assert repr(made("value_counts")).startswith("value_counts: 3 keys; ")
    assert repr(made("median")).startswith("median: ")
    assert repr(cydp.quantile([1], "1/3", (0, 2), epsilon=1)).startswith("quantile 0.333333: ")
    assert repr(cydp.quantile([1], [0.5], (0, 2), epsilon=1)).startswith("quantile: 1 quantile; ")
    sums = cydp.group_by({"k": [1], "x": [1]}, "k", keys=[1], sums={"x": (0, 1)}, epsilon=1)
    assert repr(sums).startswith("group_by: 1 key; ")
    two = cydp.group_by({"k": [1], "x": [1]}, ["k", "x"], keys=[(1, 1)], epsilon=1)
    assert repr(two).startswith("group_by: 1 key; ")


def test_ranks_are_said() -> None:
    bound = made("median").rank_error()
    assert f"error: within {bound_words(bound)} ranks, with 95 % confidence" in repr(made("median"))
    text = made("top").to_text(0.9)
    best = bound_words(made("top").error_bound(0.9))
    words = f"each within {best} rows of the highest count among the keys then left"
    assert f"{words}, with 90 % confidence" in text


def test_the_first_of_several_bounds_does_not_stand_for_larger_ones() -> None:
    for qs in ([0.5, 0.9], [0.9, 0.5]):
        text = repr(cydp.quantile([1], qs, (0, 2), epsilon=1, method="recursive"))
        assert "\nerror: each within the bound beside it, with 95 % confidence\n" in text


def check_every_release_has_a_short_text(name: str) -> None:
    for simultaneous in (False, True):
        text, *notes = made(name).to_text(simultaneous=simultaneous).split("\nnote: ")
        assert len(notes) <= 2
        lines = text.splitlines()
        assert "epsilon=0.5" in lines[0]
        assert "relation='add-remove'" in lines[0]
        assert lines[1] == "protects: whether one row is in the table or not"
        assert lines[2].startswith("noise: ")
        assert len(lines) <= 3 + 22 + 5
        rows = [line for line in lines if line.startswith("  ") and line != "  ..."]
        # The noise of many columns takes several lines.
        rows = [line for line in rows if "Mechanism" not in line and " ranks (" not in line]
        assert all(line == line.rstrip() for line in lines)
        table = made(name).to_pandas()
        if name not in ("no bounds", "no keys found", "no groups found") and rows:
            assert len(rows) == 1 + min(len(table), 20)
    assert repr(pickle.loads(pickle.dumps(made(name)))) == repr(made(name))


def test_every_release_has_a_short_text() -> None:
    assert failing(check_every_release_has_a_short_text, MADE) == {}


def test_a_large_table_shows_its_ends() -> None:
    lines = repr(made("many bins")).splitlines()
    assert lines[4].split()[:2] == ["[0,", "1)"]
    assert lines[14] == "  ..."
    assert lines[24].split()[:2] == ["[99,", "100]"]


def test_edges_have_the_digits_that_tell_them_apart() -> None:
    for n, ends in ((10**6, (0, 1)), (10, (10**8, 10**8 + 1))):
        edges = re.findall(r"\[(\S+), (\S+)[)\]]", repr(cydp.histogram([], n, ends, epsilon=1)))
        assert len({left for left, _ in edges}) == len(edges) == min(n, 20)


def test_bounds_say_what_they_are() -> None:
    found, missing = repr(made("bounds")), repr(made("no bounds"))
    assert "lower 32, upper 128" in found
    assert "None was found" not in found
    assert "note: no bin was found: the bounds are the public fallback" in missing


def test_promises_and_users_are_said() -> None:
    promised = cydp.count([1], epsilon=1, max_rows_per_unit=3, unit="person")
    assert "one person is in the table" in repr(promised)
    assert "the caller's promise" in " ".join(repr(promised).split())


def test_numbers_beyond_floats_keep_their_digits() -> None:
    huge = with_counts([2**53 + 1, -(2**62), 5])
    assert "9,007,199,254,740,993" in repr(huge)
    assert "-4,611,686,018,427,387,904" in repr(huge)


BOUNDS = [3.0, 0.0123, 599146.5, 1e-9, 9.96, 99.99, 1e-20, 3e17, 0.1, 7e300]


def check_a_bound_is_never_said_smaller_than_it_is(bound: float) -> None:
    said = float(bound_words(bound).replace(",", ""))
    assert bound * (1 - 1e-5) <= said <= bound * 1.11
    assert said >= bound or not 1e-10 < bound < 1e15


def test_a_bound_is_never_said_smaller_than_it_is() -> None:
    assert failing(check_a_bound_is_never_said_smaller_than_it_is, BOUNDS) == {}


def test_words_of_numbers() -> None:
    assert bound_words(0.0) == "0"
    assert bound_words(float("inf")) == "inf"
    assert value_words(float("nan")) == "nan"
    assert value_words(-0.04, 3.0) == "0.0"
    assert value_words(0) == "0"
    assert value_words(19174.1) == "19,174.1"
    assert value_words(-999999.75) == "-1,000,000"
    assert value_words(10.0**15) == "1e+15"
    assert value_words(np.float64(1e306), 1e305).endswith("e+306")


def test_wide_letters_take_two_columns() -> None:
    keys = ["\u6771\u4eac", "abc", "e\u0301", "\uff21"]
    lines = repr(cydp.value_counts([], keys, epsilon=100)).splitlines()[3:8]
    assert lines == ["  key   n"] + [
        f"  {key}{' ' * blanks}0" for key, blanks in zip(keys, (2, 3, 5, 4), strict=True)
    ]


def test_keys_cannot_break_the_table() -> None:
    release = cydp.value_counts([], ["a\nb", "\x1b[31m", "x" * 1000], epsilon=1)
    lines = repr(release).splitlines()
    assert len(lines) == 3 + 4 + 1
    assert all(line.isprintable() and len(line) < 100 for line in lines)
    assert r"a\nb" in lines[4]


ENDS = [
    sign * end
    for end in (0.123456789, 1 / 3, 999999.6, 1234567.4, 2e15 / 3, 1e-9 / 7, 1e-300 / 7)
    for sign in (1, -1)
]


def check_ends_of_intervals_are_rounded_outwards(end: float) -> None:
    lower, upper = (
        Fraction(end_words(np.float64(end), upper=up).replace(",", "")) for up in (False, True)
    )
    assert lower <= Fraction(repr(end)) <= upper
    assert upper - lower <= max(abs(end) / 10**5, 1 if abs(end) > 1e5 else 0)


def test_ends_of_intervals_are_rounded_outwards() -> None:
    assert failing(check_ends_of_intervals_are_rounded_outwards, ENDS) == {}
    for end in (0.3, -0.3, np.inf):
        assert end_words(np.float64(end), upper=True) == f"{end}"


def test_a_median_is_called_so() -> None:
    table: Any = {"k": ["a"] * 9, "x": X[:9]}
    single = cydp.quantile(X, 0.5, (0, 100), epsilon=1)
    by_key = cydp.group_by(table, "k", keys=["a"], quantiles={"x": (0.5, (0, 100))}, epsilon=1)
    several = cydp.group_by(
        table, "k", keys=["a"], quantiles={"x": ([0.25, "1/2"], (0, 100))}, epsilon=1
    )
    assert by_key.columns == ["n", "median_x"]
    assert by_key["median_x"].shape == (1,)
    assert several["quantile_x"].shape == (1, 2)
    for release, names in (
        (single, ["median"]),
        (by_key, ["n", "median_x"]),
        (several, ["n", "q25_x", "median_x"]),
    ):
        assert list(release.to_dict()["columns"]) == names
        assert list(release.to_pandas(confidence=None))[-len(names) :] == names
        assert all(name in repr(release) and name in release.to_html() for name in names)
    assert repr(single).startswith("median: ")
    assert repr(cydp.quantile(X, 0.9, (0, 100), epsilon=1)).startswith("quantile 0.9: ")
    explained = cydp.explain(cydp.median, (0, 100), epsilon=1)
    assert repr(explained).startswith("median: ")
    assert list(explained.error) == ["median"]
    assert list(cydp.explain(cydp.quantile, [0.25, 0.5], (0, 100), epsilon=1).error) == [
        "q=1/4", "median",
    ]  # fmt: skip


VIENNA = ZoneInfo("Europe/Vienna")
MIDNIGHTS = [dt.datetime(2024, 3, day, tzinfo=VIENNA) for day in (30, 31)]
HAVANA = dt.datetime(2024, 11, 3, tzinfo=ZoneInfo("America/Havana"))
KEYS: dict[str, tuple[Any, str, list[str]]] = {
    "days of a zone": (MIDNIGHTS, "t (Europe/Vienna)", ["2024-03-30", "2024-03-31"]),
    "days of pandas": ([pd.Timestamp("2024-03-30")], "t", ["2024-03-30"]),
    "seconds": (np.array(["2024-03-30T12"], "M8[ns]"), "t", ["2024-03-30T12:00:00"]),
    "days of nanoseconds": (np.array(["2024-03-30"], "M8[ns]"), "t", ["2024-03-30"]),
    "nanoseconds": (np.array([1], "M8[ns]"), "t", ["1970-01-01T00:00:00.000000001"]),
    "a time of day beside them": (
        [MIDNIGHTS[0], MIDNIGHTS[1].replace(hour=1)], "t",
        ["2024-03-30T00:00:00+01:00", "2024-03-31T01:00:00+01:00"]),
    "two zones": (
        [MIDNIGHTS[0], dt.datetime(2024, 4, 1, tzinfo=dt.UTC)], "t",
        ["2024-03-30T00:00:00+01:00", "2024-04-01T00:00:00+00:00"]),
    "midnight that a clock shows again": (
        [HAVANA, HAVANA.replace(fold=1)], "t",
        ["2024-11-03T00:00:00-04:00", "2024-11-03T00:00:00-05:00"]),
    "dates": ([dt.date(2024, 3, 30)], "t", ["2024-03-30"]),
}  # fmt: skip


@pytest.mark.parametrize("name", KEYS)
def test_times_are_as_short_as_all_of_them_allow(name: str) -> None:
    """Text and HTML; JSON has them in full."""
    keys, head, words = KEYS[name]
    table = cydp.value_counts({"t": keys}, keys, column="t", epsilon=1)
    lines = [line.rsplit(None, 1)[0].strip() for line in repr(table).splitlines()]
    assert lines[3 : 4 + len(words)] == [head, *words]
    assert all(f">{word}<" in table.to_html() for word in [head, *words])
    assert head not in table.to_json() or head == "t"


def test_bins_of_days_of_a_zone_are_dates() -> None:
    ends = ("2024-03-30[Europe/Vienna]", "2024-04-01[Europe/Vienna]")
    shown = cydp.histogram({"t": MIDNIGHTS}, "1d", ends, column="t", epsilon=1)
    assert "  [2024-03-31, 2024-04-01) " in repr(shown)
    assert "t (Europe/Vienna)" in repr(shown)
    assert shown.to_dict()["axes"][0]["edges"][1] == "2024-03-31T00:00:00+01:00"
    hours = cydp.histogram({"t": MIDNIGHTS}, "1h", ends, column="t", epsilon=1)
    assert "[2024-03-31T23:00:00+02:00, 2024-04-01T00:00:00+02:00)" in repr(hours)
