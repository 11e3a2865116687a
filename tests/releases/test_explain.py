"""releases/_explain.py: a release without data, its errors, and what its cost means."""

from __future__ import annotations

import dataclasses
import json
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from releases.exact_answers import without_noise
from releases.test_means import FIELDS

import cydp
from cydp.accounting._meaning import meaning_of, notes_on
from cydp.releases._unit import Unit

TABLE = {
    "day": ["mon", "tue", "mon", "wed"],
    "euros": [17.0, 18.5, 30.0, 400.0],
    "visitor": [7, 7, 9, 11],
}
X = TABLE["euros"]
USER = {"user": "visitor", "max_rows": 2}
CELLS = {"user": "visitor", "max_partitions": 2, "max_rows_per_partition": 3}
DAYS = ["mon", "tue", "wed"]

# The call with data, and the arguments without them.
CALLS: dict[str, tuple[Callable[..., Any], list[Any], dict[str, Any], Any]] = {
    "count": (cydp.count, [], {"epsilon": 1}, X),
    "count of users": (cydp.count, [], {"column": "day", "rho": "1/3", **USER}, TABLE),
    "sum": (cydp.sum, [(0, 100)], {"epsilon": 1, "missing": 3, "relation": "change-one"}, X),
    "mean": (cydp.mean, [(0, 100)], {"rho": 1, "split": {"sum": 3}}, X),
    "mean with promise": (cydp.mean, [(0, 9)], {"epsilon": 1, "max_rows_per_unit": 4}, X),
    "variance": (cydp.variance, [(0, 100)], {"epsilon": 1, "delta": 1e-6}, X),
    "quantile": (cydp.quantile, [[0.25, 0.5], (0, 100)], {"epsilon": 1}, X),
    "median": (cydp.median, [(0, 100)], {"rho": 1}, X),
    "histogram": (cydp.histogram, [10, (0, 100)], {"epsilon": 1}, X),
    "histogram of edges": (cydp.histogram, [[0, 1, 5]], {"epsilon": 1, "delta": 1e-6}, X),
    "histogram by": (
        cydp.histogram,
        [10, (0, 100)],
        {"column": "euros", "by": "day", "by_keys": DAYS, "epsilon": 1, **CELLS},
        TABLE,
    ),
    "histogramdd": (
        cydp.histogramdd,
        [(4, 2), [(0, 100), (0, 20)]],
        {"columns": ["euros", "visitor"], "epsilon": 1},
        TABLE,
    ),
    "histogramdd of edges": (
        cydp.histogramdd,
        [[[0, 50, 100], 2], [None, (0, 20)]],
        {"columns": ["euros", "visitor"], "epsilon": 1},
        TABLE,
    ),
    "top_k": (cydp.top_k, [2, DAYS], {"epsilon": 1, "user": [1, 2, 3]}, DAYS),
    "top_k of rho": (cydp.top_k, [2, DAYS], {"rho": 1, "max_rows_per_unit": 3}, DAYS),
    "bounds": (cydp.bounds, [], {"rho": 1, "fallback": (0, 1), "column": "euros", **CELLS}, TABLE),
    "value_counts": (cydp.value_counts, [DAYS], {"epsilon": 1, "relation": "change-one"}, DAYS),
    "value_counts of unknown keys": (cydp.value_counts, [], {"epsilon": 1, "delta": 1e-6}, DAYS),
    "group_by": (
        cydp.group_by,
        ["day"],
        {
            "keys": DAYS,
            "sums": {"euros": (0, 100)},
            "means": {"euros": (0, 100)},
            "quantiles": {"euros": ([0.1, 0.5], (0, 100))},
            "split": {"n": 3},
            "epsilon": 1,
            **CELLS,
        },
        TABLE,
    ),
    "group_by of unknown keys": (
        cydp.group_by,
        ["day"],
        {"sums": {"euros": (0, 100)}, "epsilon": 1, "delta": 1e-6, "user": "visitor",
         "max_partitions": 2},
        TABLE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_an_explanation_is_of_the_release(name: str) -> None:
    function, args, kwargs, data = CALLS[name]
    explained = cydp.explain(function, *args, **kwargs)
    released = function(data, *args, **kwargs)
    assert explained.query == released.query
    assert explained.query.parts == released.query.parts
    assert explained.loss == released.loss
    assert (explained.unit, explained.relation) == (released.unit, released.relation)
    assert {name: part.share for name, part in released.query.parts.items()} == explained.split
    metadata = json.loads(json.dumps(explained.metadata))
    assert {key: metadata[key] for key in released.metadata} == released.metadata
    explained = cydp.explain(function, *args, n=900, **kwargs)
    text = repr(explained)
    assert all(len(line) <= 96 for line in text.splitlines())
    assert all(error is not None and error > 0 for error in explained.error.values())
    assert set(explained.scale) == set(explained.split)
    assert pickle.loads(pickle.dumps(explained)) == explained
    with pytest.raises(dataclasses.FrozenInstanceError):
        explained.n = 3  # type: ignore[misc]


def test_errors_of_cells_are_those_of_the_release() -> None:
    released = cydp.histogram(X, 10, (0, 100), epsilon=1)
    explained = cydp.explain(cydp.histogram, 10, (0, 100), epsilon=1)
    assert explained.error == {"counts": released.error_bound()}
    assert explained.error_together == {"counts": released.error_bound(count=10)}
    assert explained.error_bound(0.5, count=3) == {"counts": released.error_bound(0.5, count=3)}
    sure = cydp.explain(cydp.histogram, 10, (0, 100), epsilon=1, confidence=0.999)
    assert sure.error == {"counts": released.error_bound(0.999)}
    quantile = cydp.quantile(X, [0.25], (0, 100), epsilon=1)
    ranks = cydp.explain(cydp.quantile, [0.25], (0, 100), epsilon=1)
    assert list(ranks.error.values()) == quantile.rank_error().tolist()
    top = cydp.top_k(DAYS, 2, DAYS, epsilon=1)
    shown = cydp.explain(cydp.top_k, 2, DAYS, epsilon=1)
    assert shown.error == {"keys": top.error_bound()}
    assert shown.error_together == {"keys": top.error_bound(count=2)}


def test_keys_may_be_given_as_their_number() -> None:
    by_number, by_keys = (
        cydp.explain(cydp.group_by, "day", keys=keys, epsilon=1) for keys in (3, DAYS)
    )
    assert by_number == by_keys
    assert by_number.error_together != by_number.error
    histograms = [
        cydp.explain(cydp.histogram, 2, (0, 1), by="day", by_keys=keys, epsilon=1)
        for keys in (3, DAYS)
    ]
    assert histograms[0] == histograms[1]
    unknown = cydp.explain(cydp.value_counts, epsilon=1, delta=1e-9)
    assert unknown.error_together == {"n": None}
    assert set(unknown.mechanism) == {"keys", "n"}


def test_errors_of_means_and_variances_hold_for_the_worst_data() -> None:
    """For all noise within the bounds of the parts, which hold together with the confidence."""
    worst: dict[Callable[..., Any], list[list[float]]] = {
        cydp.mean: [[value] for value in (0.0, 50.0, 100.0)],
        cydp.variance: [[0.0, 100.0], [0.0, 0.0]],
    }
    larger = []
    splits = {"sum": 1}, {"sum": 100}, {"count": 100}
    for function, rows, split in product(worst, (4, 40, 1000, 10**4), splits):
        given: dict[str, Any] = {"epsilon": 1, "split": split}
        (error,) = cydp.explain(function, (0, 100), n=rows, **given).error.values()
        assert error is not None
        for values in worst[function]:
            with without_noise():
                exact: Any = function(np.resize(values, rows), (0, 100), **given)
            parts = exact.query.parts
            bounds = [part.noise.error_bound("0.95", count=len(parts)) for part in parts.values()]
            for signs in product((-1, 1), repeat=len(bounds)):
                noise = dict(zip(parts, np.multiply(bounds, signs).tolist(), strict=True))
                moved = {FIELDS[name]: getattr(exact, FIELDS[name]) + noise[name] for name in noise}
                found = dataclasses.replace(exact, **moved).value
                if abs(found - exact.value) > error + 1e-9:
                    larger.append((function.__name__, rows, split, values, signs))
    assert larger == []


def test_the_error_of_a_mean_needs_the_number_of_rows() -> None:
    shown = cydp.explain(cydp.mean, (0, 100), epsilon=1)
    assert shown.error == {"mean": None}
    assert "give n=" in repr(shown)
    group = cydp.explain(cydp.group_by, "day", keys=7, means={"x": (0, 1)}, epsilon=1)
    assert group.error["mean_x"] is None
    assert "give n_per_key=" in group.notes[0]
    even = cydp.explain(cydp.group_by, "day", keys=7, means={"x": (0, 1)}, epsilon=1, n=700)
    assert even.n_per_key == 100
    assert even.error["mean_x"] is not None


# What the cost means


def test_pure_epsilon_is_said_as_odds() -> None:
    for relation in ("add-remove", "change-one", "add-remove-or-change"):
        text = " ".join(meaning_of(cydp.PureDP("0.1"), Unit(relation)))
        assert ("present against absent" in text) == (relation != "change-one")
        assert ("two values" in text) or relation == "add-remove"
        assert "= 1.11" in text
        assert ("e**(2 epsilon) = 1.23" in text) == (relation == "add-remove")
        assert "at most 0.525" in text


def test_delta_is_said_as_a_test() -> None:
    first, bet = meaning_of(cydp.ApproxDP(1, "0.01"), Unit())
    assert "any factor" in first
    assert "2.72 times" in first
    assert "delta = 0.01" in first
    # (e + 0.01) / (1 + e) = 0.73375
    assert "0.7338" in bet
    assert "against another" not in first


def test_rho_is_said_by_conversion() -> None:
    loss = cydp.accounting.convert(cydp.ZCDP(1), delta=1e-6)
    text = " ".join(meaning_of(cydp.ZCDP(1), Unit()))
    assert f"epsilon={float(loss.epsilon)} with delta=1e-06" in text
    assert "any factor" in text


def test_a_fair_bet_is_rounded_up() -> None:
    epsilons: list[Any] = ["1e-9", 1, 5, 11, 700, 10**4, 10**12]
    for epsilon in epsilons:
        *_, bet = meaning_of(cydp.PureDP(epsilon), Unit())
        said = float(bet.split()[-1].removesuffix("."))
        exact = 1 / (1 + math.exp(-min(float(Fraction(epsilon)), 700)))
        assert exact <= said <= min(1.001 * exact, 1)


def test_notes() -> None:
    row = Unit()
    assert notes_on(cydp.PureDP(10), row) == []
    (weak,) = notes_on(cydp.PureDP("10.5"), row)
    assert "epsilon=10.5 is above 10" in weak
    assert "the odds of one row being present against absent may move by a factor of" in weak
    assert "e**epsilon = 36,400, which promises next to nothing" in weak
    (some,) = notes_on(cydp.ApproxDP(1, "1/1001"), row, 1000)
    assert "above 1/(100 n), for n = 1,000: it allows publishing 1 rows" in some
    assert notes_on(cydp.ApproxDP(1, "1/100000"), row, 1000) == []
    assert notes_on(cydp.ApproxDP(1, "1/1000"), row) == []
    (published,) = notes_on(cydp.ApproxDP(1, "1/1000"), row, 1000)
    assert "one row at random" in published
    (rho,) = notes_on(cydp.ZCDP(5), Unit("change-one", "user", (), True))
    assert "which rho=5 implies with delta=1e-06, is above 10" in rho
    assert "the odds of one value of one user against another may move" in rho


def test_bounds_say_what_a_bin_needs() -> None:
    shown = cydp.explain(cydp.bounds, epsilon=1)
    assert shown.query == cydp.bounds([], epsilon=1).query
    assert f"above {shown.query.threshold}" in shown.notes[-1]
    less = cydp.explain(cydp.bounds, epsilon=1, confidence=0.9)
    assert less.query == cydp.bounds([], epsilon=1, confidence=0.9).query
    assert less.query.threshold < shown.query.threshold


# The inverse

WANTED: dict[str, tuple[Callable[..., Any], list[Any], dict[str, Any], Any]] = {
    "count": (cydp.count, [], {}, 5),
    "exactly": (cydp.count, [], {}, 0),
    "few rows": (cydp.count, [], {"relation": "change-one"}, 10**9),
    "rho": (cydp.count, [], {"find": "rho"}, 5),
    "delta": (cydp.count, [], {"delta": 1e-6}, 12),
    "sum": (cydp.sum, [(0, 200_000)], {"confidence": 0.99}, 10**5),
    "mean": (cydp.mean, [(0, 100)], {"n": 1000}, 1),
    "mean of rho": (cydp.mean, [(0, 100)], {"n": 1000, "find": "rho"}, "0.5"),
    "variance": (cydp.variance, [(0, 100)], {"n": 10**5}, 20),
    "median": (cydp.median, [(0, 100)], {}, 100),
    "histogram": (cydp.histogram, [10, (0, 100)], {**CELLS}, 40),
    "top_k": (cydp.top_k, [3, 50], {}, 40),
    "group_by": (
        cydp.group_by,
        ["day"],
        {"keys": 7, "sums": {"euros": (0, 100)}, "user": True, "max_partitions": 2},
        {"n": 30, "sum_euros": 400},
    ),
}


@pytest.mark.parametrize("name", WANTED)
def test_the_cost_that_is_found_is_the_smallest(name: str) -> None:
    function, args, kwargs, error = WANTED[name]
    found = cydp.explain(function, *args, error=error, **kwargs)
    number = found.loss.rho if kwargs.get("find") == "rho" else found.loss.epsilon  # type: ignore[union-attr]
    wanted = error if isinstance(error, dict) else dict.fromkeys(found.error, error)

    def keeps(cost: Fraction | None) -> bool:
        assert cost is not None
        asked = {key: value for key, value in kwargs.items() if key != "find"}
        shown = cydp.explain(function, *args, **{kwargs.get("find", "epsilon"): cost}, **asked)
        level = shown.confidence
        answers = {answer.name: answer for answer in shown.query.answers()}
        rows = {key: shown.rows_of(answers[key]) or 0 for key in wanted}
        return all(
            answers[key].error(level, 1, rows[key]) <= Fraction(most)
            for key, most in wanted.items()
        )

    assert keeps(number)
    assert not keeps(number * Fraction(99, 100))
    assert len(str(float(number)).replace(".", "").strip("0").split("e")[0]) <= 4


def test_errors_and_confidences_in_words_are_no_better_than_they_are() -> None:
    told = cydp.explain(cydp.sum, (0, "0.9"), epsilon="1/7", confidence="0.9999999")
    error = told.error["sum"]
    assert error is not None
    assert f"{error:.6g}" == "101.544" < "101.545"
    assert "within 101.545, with 99.99999 % confidence" in repr(told)
    for confidence, written in (("2/3", "66.6666 %"), (1 - Fraction(1, 10**25), "more than 99.9")):
        assert written in repr(cydp.explain(cydp.sum, (0, 1), epsilon=1, confidence=confidence))
