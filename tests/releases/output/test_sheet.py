"""releases/output/_sheet.py: what outputs make of a sheet that no release has."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.releases.output._arrow import columns_of
from cydp.releases.output._json import dict_of, json_of
from cydp.releases.output._sheet import Numbers, Sheet, bins_of, keys_of
from cydp.releases.output._text_html import html_of, text_of
from cydp.releases.output._words import error_lines


def sheet(*columns: Numbers, axes: Any = None, **more: Any) -> Sheet:
    keys = keys_of((np.array(["a", "b"], object),), ("sex",))
    return Sheet(
        title="histogram, nonnegative", cost="epsilon=1", relation="add-remove", protects="one",
        noise="", axes=(keys,) if axes is None else axes, columns=columns,
        confidence=Fraction(19, 20), **{"simultaneous": False} | more,
    )  # fmt: skip


TWO = np.array([3, -1])


def test_a_number_without_a_bound_says_why() -> None:
    made = sheet(Numbers(name="n", values=TWO, why_none="it is biased"), notes=("It is biased.",))
    assert text_of(made).splitlines()[-2:] == [
        "error: not stated, since it is biased", "note: It is biased."
    ]  # fmt: skip
    assert "error: not stated, since it is biased" in html_of(made)
    found = dict_of(made, made, {})["columns"]["n"]
    assert found["error"] == {"confidence": 0.95, "each": None, "together": None}
    assert found["why_no_error"] == "it is biased"


def test_intervals_without_bounds_stand_beside_the_numbers() -> None:
    column = Numbers(name="n", values=TWO, lower=TWO - 1, upper=TWO + 20)
    assert text_of(sheet(column)).splitlines()[2:] == [
        "  sex   n  from  to",
        "  a     3     2  23",
        "  b    -1    -2  19",
        "error: each number without noise within the interval beside it, with 95 % confidence",
    ]
    together = sheet(column, simultaneous=True)
    (line,) = error_lines(together)
    within = "all 2 numbers without noise together within the intervals beside them"
    assert line == f"error: {within}, with 95 % confidence"
    assert html_of(together).count("<span") == 2


def test_equal_bounds_of_rows_are_one_bound() -> None:
    column = Numbers(name="n", values=TWO, bound=np.array([4.0, 4.0]))
    assert error_lines(sheet(column)) == ["error: each within 4, with 95 % confidence"]


def test_names_of_labels_differ() -> None:
    edges = np.array([0.0, 1.0, 2.0])
    number = Numbers(name="left", values=np.zeros((2, 2, 2)), lower=None)
    keys = keys_of((np.arange(2), np.arange(2)), (None, None))
    made = sheet(number, axes=(keys, bins_of(edges), bins_of(edges, "age")))
    names = ["key0", "key1", "left_", "right", "age_left", "age_right"]
    assert made.label_names == names
    assert list(columns_of(made, intervals=True)) == [*names, "left"]
    assert made.labels(np.array([7]))["age_left"].tolist() == [1.0]
    unnamed = sheet(number, axes=(bins_of(edges), bins_of(edges, "age"), bins_of(edges)))
    assert unnamed.label_names[::2] == ["x0_left", "age_left", "x1_left"]


def test_rows_are_in_the_order_of_the_values() -> None:
    edges = np.array([0, 1, 2])
    made = sheet(Numbers(name="n", values=np.array([[1, 2], [3, 4]])),
                 axes=(bins_of(edges), bins_of(edges)))  # fmt: skip
    columns = columns_of(made, intervals=False)
    assert [column.tolist() for column in columns.values()] == [
        [0, 0, 1, 1], [1, 1, 2, 2], [0, 1, 0, 1], [1, 2, 1, 2], [1, 2, 3, 4]
    ]  # fmt: skip


def test_what_is_not_finite_is_null_in_json() -> None:
    values = np.array([np.nan, 1.5])
    column = Numbers(name="n", values=values, bound=np.inf, lower=values, upper=values + np.inf)
    found = dict_of(sheet(column), sheet(column), {})["columns"]["n"]
    assert (found["values"], found["upper"]) == ([None, 1.5], [None, None])
    assert (found["error"]["each"], found["error"]["together"]) == (None, None)
    assert "NaN" not in json_of(dict_of(sheet(column), sheet(column), {}))


@pytest.mark.parametrize("labels", [["secret1", "secret2"], np.array(["secret1", "secret2"])],
                         ids=["list", "array"])  # fmt: skip
def test_labels_of_records_are_no_names(labels: Any) -> None:
    """A column that is given itself, beside a table, has no name; nor is it quoted in an error."""
    table = {"a": [1, 2], "b": ["x", "y"]}
    bins: Any = (2, (0, 2))
    calls: list[Callable[[], Any]] = [
        lambda: cydp.value_counts(table, ["x"], column=labels, epsilon=1),
        lambda: cydp.top_k(table, 1, ["x"], column=labels, epsilon=1),
        lambda: cydp.group_by(table, labels, keys=["x"], epsilon=1),
        lambda: cydp.group_by(table, [labels, "b"], keys=[("x", "y")], epsilon=1),
        lambda: cydp.histogram(table, *bins, column="a", by=labels, by_keys=["x"], epsilon=1),
        lambda: cydp.histogramdd(table, *bins, columns=["a", labels], epsilon=1),
        lambda: cydp.count(table, column="a", user=labels, max_rows=1, epsilon=1),
    ]
    for call in calls:
        said = ""
        try:
            made = call()
            said = repr(made) + made.to_json()
            said += repr([getattr(made, "key_names", ()), getattr(made, "names", ())])
        except (TypeError, ValueError) as error:
            said = str(error)
        assert said
        assert "secret" not in said
