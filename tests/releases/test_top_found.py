"""releases/_top_found.py: the most frequent of keys that are selected from the data."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from samplers.goodness_of_fit import LIMIT
from scipy.stats import binom

import cydp
from cydp.mechanisms import PartitionSelection
from cydp.releases._run import arguments_of, kind_of, prepare
from cydp.releases._top_found import FoundTopQuery
from cydp.testing import SeededGenerator

EPSILON, DELTA = 8, 0.05
LABELS = ["a", "b", "c"]
FAR = 22  # of noise that is enumerated: what is beyond has a chance of some 1e-9
Table = list[tuple[int, str]]  # a user and a label for each row
Counts = dict[str, tuple[int, int]]  # of each label: units, and rows


# What it costs, exactly


def exact_of(table: Table, k: int, given: dict[str, Any]) -> tuple[FoundTopQuery, Counts]:
    """The query, and what it counts with one key of the sample of each user's rows."""
    columns = {"who": [who for who, _ in table], "x": [label for _, label in table]}
    arguments = arguments_of(
        cydp.top_k,
        (k,),
        {"column": "x", "epsilon": EPSILON, "delta": DELTA, "selection": "optimal", **given},
    )
    prepared = prepare(kind_of(cydp.top_k), arguments | {"x": columns})
    key = np.array([3, 4], np.uint64) if "user" in given else None
    tally: Any = prepared.query.read(prepared.source, key)
    counted = zip(tally.units.tolist(), tally.parts["n"].tolist(), strict=True)
    query: Any = prepared.query
    return query, dict(zip(tally.keys[0].tolist(), counted, strict=True))


def chances(query: FoundTopQuery, counts: Counts) -> dict[tuple[Any, ...], float]:
    """The chance of each outcome: labels with noisy counts, and how many were selected."""
    noise, steps = query.parts["n"].noise, np.arange(-FAR, FAR + 1)
    if isinstance(noise, cydp.DiscreteLaplace):
        weights = np.exp(-np.abs(steps) / float(noise.scale))
    else:
        weights = np.exp(-(steps**2) / (2 * float(noise.sigma2)))
    assert weights[0] < 1e-9 * weights.sum()
    law = [*zip(steps.tolist(), (weights / weights.sum()).tolist(), strict=True)]
    assert query.selection is not None
    found: dict[tuple[Any, ...], float] = defaultdict(float)
    kept = {label: query.selection.probability(units) for label, (units, _) in counts.items()}
    for choice in product((False, True), repeat=len(counts)):
        chosen = [label for label, is_kept in zip(counts, choice, strict=True) if is_kept]
        chance = math.prod(kept[label] if label in chosen else 1 - kept[label] for label in counts)
        if not chance:
            continue
        for drawn in product(law, repeat=len(chosen)):
            noisy = [
                (counts[label][1] + more, label)
                for label, (more, _) in zip(chosen, drawn, strict=True)
            ]
            noisy.sort(key=lambda pair: (-pair[0], pair[1]))
            outcome = (len(chosen), *noisy[: query.k])
            found[outcome] += chance * math.prod(each for _, each in drawn)
    return found


def apart(one: dict[Any, float], two: dict[Any, float], epsilon: float) -> float:
    """The least delta with which two distributions are within epsilon, from one to the other."""
    return sum(max(p - math.exp(epsilon) * two.get(each, 0), 0.0) for each, p in one.items())


ROWS: list[Table] = [[], [(0, "a")], [(0, "b")]]
USERS: list[Table] = [[], [(0, "a")] * 2, [(0, "a")] * 3 + [(0, "b")] * 2, [(0, "b"), (0, "c")]]
UNITS: list[tuple[dict[str, Any], list[Table]]] = [
    ({}, ROWS),
    ({"user": "who", "max_partitions": 1, "max_rows_per_partition": 2}, USERS),
    ({"user": "who", "max_partitions": 2}, USERS),
]
OTHERS: list[Table] = [[], [(1, "a"), (2, "b")], [(1, "b"), (2, "b")]]  # each of them has one row
Law = dict[tuple[Any, ...], float]


def neighbours(given: dict[str, Any], unit: list[Table], k: int) -> list[tuple[Law, Law]]:
    """The chances of all pairs of neighbours, in both directions."""
    relation, found = given["relation"], []
    for rest in OTHERS:
        laws = [chances(*exact_of([*rest, *mine], k, given)) for mine in unit]
        for (i, one), (j, two) in product(enumerate(laws), repeat=2):
            comes = not unit[i] or not unit[j]
            allowed = {"add-remove": comes, "change-one": not comes}.get(relation, True)
            if i != j and allowed:
                found.append((one, two))
    return found


@pytest.mark.parametrize("relation", ["add-remove", "change-one", "add-remove-or-change"])
@pytest.mark.parametrize("k", [1, 2])
def test_what_is_returned_costs_no_more_than_is_charged(relation: str, k: int) -> None:
    """Exactly, with the counts and the number of selected keys as a part of what is seen.

    Of keys that are selected before their counts: test_key_selection.py has the threshold.
    """
    for given, unit in UNITS:
        pairs = neighbours({**given, "relation": relation}, unit, k)
        assert max(apart(*pair, EPSILON) for pair in pairs) <= DELTA + 1e-7, given
        assert max(apart(*pair, EPSILON / 8) for pair in pairs) > DELTA, given
        if relation == "add-remove" and given.get("max_partitions") != 2:  # a row does its worst
            assert max(apart(*pair, EPSILON * 0.8) for pair in pairs) > 2 * DELTA, given


def test_only_the_noisy_counts_of_selected_keys_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    """Selections and noise are forced: the result is the sorted noisy counts, cut after k."""
    rows = ["a"] * 9 + ["b"] * 5 + ["c"] * 5 + ["d"]
    exact = {"a": 9, "b": 5, "c": 5, "d": 1}
    for k, kept, noise in product(
        (1, 2, 9), product((False, True), repeat=4), ([0, 0, 0, 0], [-7, 0, 1, 30], [-4, 0, 0, 0])
    ):

        def select(_: Any, units: Any, **__: Any) -> Any:
            assert units.tolist() == [*exact.values()]
            return np.array(kept)  # noqa: B023

        def add(_: Any, counts: Any, **__: Any) -> Any:
            return counts + np.array(noise)[np.array(kept)]  # noqa: B023

        with monkeypatch.context() as forced:
            forced.setattr(PartitionSelection, "release", select)
            forced.setattr(cydp.DiscreteLaplace, "release", add)
            released = cydp.top_k(rows, k, epsilon=1, delta=1e-6, selection="optimal")
        noisy = [(-count - more, label)
                 for (label, count), is_kept, more in zip(exact.items(), kept, noise, strict=True)
                 if is_kept]  # fmt: skip
        wanted = sorted(noisy)[:k]
        assert released.keys.tolist() == [label for _, label in wanted]
        assert released.counts.tolist() == [-count for count, _ in wanted]
        assert released.found == len(noisy)


# What it says


def test_its_errors_hold_for_the_largest_of_many_equal_counts() -> None:
    """The largest of 400 noisy counts of equal labels: nearly all of them miss a bound for one."""
    keys = np.repeat(np.arange(400), 200)
    for selection in ("threshold", "optimal"):
        check_largest(keys, selection)


def check_largest(keys: Any, selection: str) -> None:
    runs, missed, missed_alone = 400, 0, 0
    rng = SeededGenerator(1)
    for _ in range(runs):
        released = cydp.top_k(keys, 3, epsilon=1, delta=1e-6, selection=selection, rng=rng)
        assert released.found == 400
        lower, upper = released.interval()
        missed += bool(((lower > 200) | (upper < 200)).any())
        alone = released.query.parts["n"].noise.error_bound("0.95", count=1)
        missed_alone += bool((abs(released.counts - 200) > alone).any())
    assert binom.sf(missed - 1, runs, 0.05) > LIMIT
    assert missed_alone > 0.97 * runs


def test_bounds_are_for_all_selected_keys_whatever_is_asked() -> None:
    released = cydp.top_k(np.repeat(np.arange(50), 300), 2, epsilon=1, delta=1e-6)
    every = released.query.parts["n"].noise.error_bound("0.9", count=50)
    assert [*released.error_bound(0.9)] == [*released.error_bound(0.9, count=2)] == [every] * 2
    assert (released.error_bound(0.9, count=600) > every).all()
    lower, upper = released.interval(0.9)
    assert (upper - released.counts).tolist() == (released.counts - lower).tolist() == [every] * 2


def test_fewer_keys_are_said_everywhere() -> None:
    released = cydp.top_k(["a"] * 900 + ["b"], 1000, epsilon=1, delta=1e-6)
    shown = cydp.explain(cydp.top_k, 1000, epsilon=1, delta=1e-6)
    assert len(released) == 1
    for text in (repr(released), released._repr_html_(), released.to_json(), str(shown)):
        assert "at most 1,000 keys, and fewer where fewer are frequent enough" in text
        assert "too high on average" in " ".join(text.split())
    assert shown.query == released.query
    assert repr(released).startswith("top_k: 1 key; ")


def test_no_key_may_be_selected() -> None:
    for rows in ([], ["a"], [None], [1, 2]):
        released = cydp.top_k(rows, 3, epsilon=1, delta=1e-12)
        assert (len(released), released.found, released.counts.shape) == (0, 0, (0,))
        assert released.error_bound().shape == (0,)


def test_the_privacy_is_that_of_value_counts() -> None:
    for given in (
        {}, {"relation": "change-one"}, {"user": "u", "max_partitions": 4},
        {"user": "u", "max_partitions": 100, "max_rows_per_partition": 3},
        {"max_rows_per_unit": 1},
    ):  # fmt: skip
        asked: Any = {"epsilon": 1, "delta": 1e-6, **given}
        top = cydp.explain(cydp.top_k, 10, **asked).query
        counts = cydp.explain(cydp.value_counts, **asked).query
        assert (top.parts, top.loss, top.selections) == (
            counts.parts, counts.loss, counts.selections,
        )  # fmt: skip


SHAPES: dict[str, Any] = {
    "list": list,
    "objects": lambda rows: np.array(rows, object),
    "strings": lambda rows: np.array(rows, np.dtypes.StringDType(na_object=None)),
    "categories": lambda rows: pd.Series(rows, dtype="str").astype("category"),
    "pandas": lambda rows: pd.Series(rows, dtype="str"),
    "polars": lambda rows: pl.Series(rows, dtype=pl.String),
    "pyarrow": lambda rows: pa.array(rows, pa.string()),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_no_record_changes_anything_else(shape: str) -> None:
    """Neighbours of one shape, nulls included, have the same dtypes, lines and kinds of steps."""
    seen = set()
    base = ["a"] * 400 + ["b"] * 300
    for rows in (base, [*base, "c"], [*base, None], [None, *base], base[:-1], ["c", *base[1:]]):
        released = cydp.top_k(SHAPES[shape](rows), 2, epsilon=9, delta=1e-9)
        lines = repr(released).splitlines()
        seen.add((
            released.keys.dtype, released.counts.dtype, len(lines), lines[0], *lines[-3:],
            released.found, tuple(released.keys.tolist()),
        ))  # fmt: skip
    assert len(seen) == 1


def test_public_keys_bound_partitions_if_they_are_asked_to() -> None:
    table = {"x": ["a"] * 9 + ["b"] * 9, "u": [*range(9)] * 2}
    given: dict[str, Any] = {"column": "x", "user": "u", "epsilon": 1}
    free = cydp.top_k(table, 1, ["a", "b"], **given)
    bounded = cydp.top_k(table, 1, ["a", "b"], max_partitions=1, **given)
    assert "1 row in each partition" in free.unit
    assert free.mechanism == bounded.mechanism
    with pytest.raises(TypeError, match="max_partitions bounds the rows of a user"):
        cydp.top_k(table, 1, ["a", "b"], column="x", epsilon=1, max_partitions=1)
    session = cydp.Session(table, cydp.PrivacyFilter(cydp.PureDP(1)), user="u", max_partitions=1)
    assert session.top_k(1, ["a", "b"], column="x", epsilon=1).query.unit == bounded.query.unit
