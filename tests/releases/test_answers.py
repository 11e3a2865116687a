"""Each release: with next to no noise the answer is numpy's, and its interval holds it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.releases._unit import Unit
from cydp.testing import SeededGenerator

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])
Y = np.arange(9.0)
CLAMPED = X[~np.isnan(X)].clip(0, 100)
KEYS = np.array(list("abababaab"))
ENDS = (0, 100)

ANSWERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "count": (lambda **more: cydp.count(X, **more), 8),
    "sum": (lambda **more: cydp.sum(X, ENDS, **more), CLAMPED.sum()),
    "sum of users": (lambda **more: cydp.sum(X, ENDS, user=Y, max_rows=1, **more), CLAMPED.sum()),
    "sum, filled": (lambda **more: cydp.sum(X, ENDS, missing=9, **more), CLAMPED.sum() + 9),
    "mean": (lambda **more: cydp.mean(X, ENDS, **more), CLAMPED.mean()),
    "variance": (lambda **more: cydp.variance(X, ENDS, **more), CLAMPED.var()),
    "histogram": (
        lambda **more: cydp.histogram(X, [0, 7, 8, 60], **more),
        np.histogram(X, [0, 7, 8, 60])[0],
    ),
    "histogram of users by key": (
        lambda **more: cydp.histogram(
            X, 2, (0, 10), by=KEYS, by_keys=["b", "a"], user=Y, max_partitions=1, **more
        ),
        np.array([np.histogram(X[key == KEYS], 2, (0, 10))[0] for key in "ba"]),
    ),
    "histogramdd": (
        lambda **more: cydp.histogramdd([X, Y], [4, 3], [ENDS, (0, 9)], **more),
        np.histogram2d(X[~np.isnan(X)], Y[~np.isnan(X)], [4, 3], [ENDS, (0, 9)])[0],
    ),
    "value_counts": (lambda **more: cydp.value_counts(X, [7, 8, 9], **more), [2, 1, 0]),
}


def test_with_next_to_no_noise_the_answer_is_numpys() -> None:
    wrong = {}
    for name, (call, exact) in ANSWERS.items():
        made = call(epsilon=10**6, rng=SeededGenerator(1))
        shown = made.counts if hasattr(made, "counts") else made.value
        lower, upper = made.interval(0.999)
        is_within = np.all(lower <= np.array(exact)) and np.all(upper >= np.array(exact))
        is_narrow = np.all(np.array(upper) - lower < 0.1)
        if shown != pytest.approx(exact, abs=1e-2) or not is_within or not is_narrow:
            wrong[name] = shown, exact, lower, upper
    assert wrong == {}


def test_a_row_without_a_number_takes_no_place_of_its_users_rows() -> None:
    x = np.array([np.nan] * 20 + [5.0])
    given: dict[str, Any] = {"user": np.ones(21), "max_rows": 1, "epsilon": 10**6}
    rng = SeededGenerator(1)
    assert cydp.sum(x, ENDS, rng=rng, **given).value == pytest.approx(5, abs=0.01)
    assert cydp.count(x, rng=rng, **given).value == 1
    assert cydp.mean(x, ENDS, rng=rng, **given).value == pytest.approx(5, abs=0.01)
    assert cydp.median(x, ENDS, rng=rng, **given).value == pytest.approx(5, abs=0.01)
    given["max_rows"] = 20  # of 21 that count
    assert round(cydp.mean(x, ENDS, missing=7, rng=rng, **given).rows) == 20


def test_quantiles_and_the_median() -> None:
    x = np.arange(1001.0)
    released = cydp.quantile(x, [0.25, 0.9], (0, 1000), epsilon=1000, rng=SeededGenerator(1))
    assert np.abs(released.value - [250, 900]).max() <= 2
    median = cydp.median([*x, None], (0, 1000), epsilon=1000, rng=SeededGenerator(1))
    assert abs(float(median) - 500) <= 2
    filled = cydp.median(
        [*x, *[None] * 999], (0, 1000), missing=7, epsilon=1000, rng=SeededGenerator(1),
        user=np.arange(2000) // 2, max_rows=2,
    )  # fmt: skip
    assert abs(float(filled) - 7) <= 2
    assert 0 <= cydp.median(X, ENDS, epsilon=1e-6).value <= 100


def test_sums_and_means_by_key() -> None:
    released = cydp.group_by(
        {"key": KEYS, "x": X}, "key", keys=["b", "a", "c"], sums={"x": ENDS}, means={"x": ENDS},
        epsilon=10**6, rng=SeededGenerator(1),
    )  # fmt: skip
    of = {key: X[key == KEYS].clip(0, 100) for key in "ba"}
    assert list(released.keys) == ["b", "a", "c"]
    assert released["n"].tolist() == [4, 5, 0]
    assert released["sum_x"][:2] == pytest.approx([np.nansum(of[key]) for key in "ba"], abs=1e-2)
    assert released["mean_x"][:2] == pytest.approx([np.nanmean(of[key]) for key in "ba"], abs=1e-2)


def test_selected_keys_are_sorted() -> None:
    released = cydp.value_counts(["b"] * 500 + ["a"] * 400 + ["rare"], epsilon=5, delta=1e-9)
    assert list(released.keys) == ["a", "b"]


# Means by key

TABLE = {"key": ["a", "a", "b", "b", "c"], "x": [1.0, None, 5, 6, None]}
MEANS: dict[Any, list[float]] = {"drop": [1, 5.5, 4], 2: [1.5, 5.5, 2]}


def test_a_mean_by_key_is_over_the_rows_that_count() -> None:
    """It has a count of rows of its own, unless "n" is one, and half of its weight.

    With Laplace noise it has none, since distances to both bounds have the whole weight.
    """
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    alone = {"rows of mean_x": half, "mean_x": half}
    shares = {
        (True, "drop"): {"n": half, "rows of mean_x": quarter, "mean_x": quarter},
        (True, 2): {"n": half, "mean_x": half},
        (False, "drop"): alone,
        (False, 2): alone,
    }
    costs: list[dict[str, Any]] = [{"rho": 10**5}, {"epsilon": 10**4}]
    for ((count, missing), expected), cost in itertools.product(shares.items(), costs):
        release = cydp.group_by(
            TABLE, "key", keys=["a", "b", "c"], count=count, means={"x": (0, 8)}, missing=missing,
            rng=SeededGenerator(1), **cost,
        )  # fmt: skip
        if "epsilon" in cost and "rows of mean_x" in expected:
            expected = {"n": half, "mean_x": half} if count else {"mean_x": Fraction(1)}
        assert {name: part.share for name, part in release.query.parts.items()} == expected
        assert release.columns == [*(["n"] if count else []), "mean_x"]
        assert release["mean_x"] == pytest.approx(MEANS[missing], abs=0.05)
        lower, upper = release.interval(0.999, count=3, column="mean_x")
        assert (lower <= np.array(MEANS[missing])).all()
        assert (upper >= np.array(MEANS[missing])).all()


# Parameters


def test_what_is_kept_for_later_releases_cannot_be_changed() -> None:
    query = cydp.count([1], epsilon=1).query
    with pytest.raises(TypeError):
        query.parts["count"] = None
    assert cydp.count([1], epsilon=1).query is query
    table: dict[str, Any] = {"k": [1], "x": [2]}
    asked: dict[str, Any] = {
        "keys": [1],
        "sums": {"x": (0, 1)},
        "quantiles": {"x": ([0.5], (0, 1))},
    }
    group = cydp.group_by(table, "k", **asked, epsilon=1).query
    with pytest.raises(TypeError):
        group.columns["n"] = ()
    again = cydp.group_by(table, "k", **asked, epsilon=1).query
    assert (again.parts is group.parts, again.columns) == (True, group.columns)
    asked["sums"]["x"] = (0, 2)
    assert cydp.group_by(table, "k", **asked, epsilon=1).query.summaries != group.summaries


def test_an_argument_that_is_refused_is_refused_after_an_equal_one() -> None:
    """Queries are kept by their parameters; among these True equals 1."""
    assert cydp.count([1], user=[1], max_rows=1, epsilon=1).query.unit == Unit(
        name="user", has_users=True
    )
    with pytest.raises(TypeError):
        cydp.count([1], user=[1], max_rows=True, epsilon=1)
    with pytest.raises(TypeError):
        cydp.count([1], user=[1], max_rows=1, epsilon=True)
    table = {"k": [1], "x": [2]}
    cydp.group_by(table, "k", keys=[1], sums={"x": (0, 1)}, epsilon=1)
    with pytest.raises(TypeError):
        cydp.group_by(table, "k", keys=[1], sums={"x": (0, True)}, epsilon=1)
    loop: list[Any] = [0.5]
    loop.append(loop)
    with pytest.raises(TypeError):
        cydp.quantile([1], loop, (0, 1), epsilon=1)
