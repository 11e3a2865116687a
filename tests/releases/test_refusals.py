"""What releases refuse: before a budget pays and before data is read, and no record is quoted."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import Refusal, check_refusals

import cydp
from cydp import BudgetLedger, PrivacyFilter, PureDP
from cydp.releases._certificate import read_certificate
from cydp.releases._unit import Unit, read_unit
from cydp.teach import median_by_halving

Given = dict[str, Any]
X = [1.0, 2.0]
TABLE = {"user": ["ann", "ann", "bob"], "x": [1, 2, 3]}
OF_ONE: dict[Callable[..., Any], tuple[Any, ...]] = {
    cydp.count: (), cydp.sum: ((0, 4),), cydp.mean: ((0, 4),), cydp.variance: ((0, 4),),
    cydp.quantile: (0.5, (0, 4)), cydp.median: ((0, 4),), median_by_halving: ((0, 4),),
}  # fmt: skip
OF_CELLS: dict[Callable[..., Any], tuple[Any, ...]] = {
    cydp.histogram: (2, (0, 4)), cydp.value_counts: ([1, 2],), cydp.bounds: (),
}  # fmt: skip
RELEASES: dict[str, Callable[..., Any]] = {
    function.__name__: partial(function, TABLE, *args, column="x")
    for function, args in (OF_ONE | OF_CELLS).items()
} | {
    "histogramdd": partial(cydp.histogramdd, TABLE, (2,), [(0, 4)], columns=["x"]),
    "group_by": partial(cydp.group_by, TABLE, "x", keys=[1, 2]),
}


class Unreadable:
    """Says what it is, and fails if its values are read."""

    dtype = np.dtype(float)
    ndim = 1
    shape = (3,)

    def __len__(self) -> int:
        return 3

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("the data was read")

    def __iter__(self) -> Any:
        raise AssertionError("the data was read")


# Costs, units and budgets, of every release


COSTS: dict[str, tuple[Given, type[Exception], tuple[str, ...]]] = {
    "no cost": ({}, TypeError, ("epsilon must be given",)),
    "delta alone": ({"delta": 1e-6}, TypeError, ("epsilon must be given with delta",)),
    "epsilon and rho": ({"epsilon": 1, "rho": 1}, TypeError, ("rho must be given alone",)),
    "rho and delta": ({"rho": 1, "delta": 1e-6}, TypeError, ("rho must be given alone",)),
    "epsilon of 0": ({"epsilon": 0}, ValueError, ("epsilon", "0")),
    "epsilon in words": ({"epsilon": "one"}, ValueError, ("epsilon", "one")),
    "rho below 0": ({"rho": -1}, ValueError, ("rho", "-1")),
    "a relation": ({"epsilon": 1, "relation": "replace-one"}, ValueError, ("relation must be",)),
    "a seed": ({"epsilon": 1, "rng": 1}, TypeError, ("rng",)),
}


def units_for(name: str) -> dict[str, tuple[Given, type[Exception], tuple[str, ...]]]:
    by_row = name in {function.__name__ for function in OF_ONE}
    bound = "max_rows" if by_row else "max_partitions"
    limits = {"user": "user", bound: 2}
    return {
        "no bound": ({"user": "user"}, TypeError, (f"{bound} ", "must be given with user=")),
        "no name": (limits | {"unit": ""}, TypeError, ("unit must be a name",)),
        "both": (limits | {"max_rows_per_unit": 1}, TypeError, ("instead of user=",)),
        "none": ({"max_rows_per_unit": 0}, ValueError, ("max_rows_per_unit", "from 1", "not 0")),
        "a unit alone": ({"unit": "person"}, TypeError, ("unit names what user= stands for",)),
        "no column": (limits | {"user": "nobody"}, ValueError, ("user must be a column of", "'x'")),
    }


def test_a_wrong_cost_or_unit_costs_nothing() -> None:
    budget = PrivacyFilter(PureDP(20))
    refusals: dict[str, Refusal] = {}
    for name, release in RELEASES.items():
        for case, (given, error, words) in COSTS.items():
            refusals[f"{name}: {case}"] = partial(release, budget=budget, **given), error, words
        for case, (given, error, words) in units_for(name).items():
            call = partial(release, epsilon=1, budget=budget, **given)
            refusals[f"{name}: {case}"] = call, error, words
    check_refusals(refusals, never=("ann", "bob"))
    assert budget.spent == PureDP(0)


def read(user: Any = None, unit: Any = None, **given: Any) -> Unit:
    return read_unit("add-remove", user, unit, **given)


def test_arguments_of_a_unit() -> None:
    cells = {"bounded": "partitions"}
    bad: dict[str, tuple[Given, type[Exception], tuple[str, ...]]] = {
        "a user": ({"user": "id"}, TypeError, ("max_rows must be given", "what one id adds")),
        "a person": (
            {"user": True, "unit": "person", **cells}, TypeError, ("what one person adds",),
        ),
        "rows of cells": (
            {"user": "id", "max_rows": 2, **cells}, TypeError, ("max_partitions must be",),
        ),
        "rows of nobody": ({"max_rows": 2}, TypeError, ("max_rows bounds the rows of a user",)),
        "cells of nobody": ({"max_partitions": 2, **cells}, TypeError, ("max_partitions bounds",)),
        "rows in cells of nobody": (
            {"max_rows_per_partition": 2, **cells}, TypeError, ("max_rows_per_partition bounds",),
        ),
        "a promise of users": (
            {"max_rows": 2, "max_rows_per_unit": 2}, TypeError, ("max_rows bounds",),
        ),
    }  # fmt: skip
    for unit in ("", (), [], ("person", ""), ("person", 3), (None,)):
        given = {"user": "id", "max_rows": 2, "unit": unit}
        bad[f"the unit {unit}"] = given, TypeError, ("unit must be a name, or names",)
    for bound in (0, -1, 2**40 + 1):
        for name in ("max_rows", "max_partitions", "max_rows_per_partition", "max_rows_per_unit"):
            users = {} if name == "max_rows_per_unit" else {"user": "id"}
            limits = {"max_rows": 1, "max_partitions": 1} if users else {}
            given = {**users, **limits, name: bound}
            bad[f"{name}={bound}"] = given, ValueError, (name, "from 1 to 2**40", str(bound))
    for kind in (1.5, True, "many", [2]):
        given = {"user": "id", "max_rows": kind}
        bad[f"max_rows={kind!r}"] = given, TypeError, ("max_rows must be",)
    check_refusals({
        name: (partial(read, **given), error, words) for name, (given, error, words) in bad.items()
    })  # fmt: skip


OTHER_UNITS: list[tuple[str, Given, str]] = [  # what a ledger keeps, and what it refuses
    ("person", {}, "the ledger protects 'person', and this release a row: give user="),
    ("row", {"user": "user"}, "the ledger protects 'row', and this release 'user'"),
    ("person", {"user": "user"}, "unit='person' or unit=('user', 'person')"),
    ("person", {"user": "user", "unit": "household"}, "unit=('household', 'person')"),
    ("Person", {"user": "user", "unit": "person"}, "this release 'person'"),
    ("row", {"max_rows_per_unit": 2, "unit": "person"}, "this release 'person'"),
    ("dog", {"user": "user", "unit": ("household", "person")}, "this release 'household'"),
]


def test_ledgers_of_another_unit(tmp_path: Path) -> None:
    for kept in sorted({kept for kept, *_ in OTHER_UNITS}):
        path = tmp_path / f"{[k for k, *_ in OTHER_UNITS].index(kept)}.ledger"
        with BudgetLedger.create(path, PureDP(1), privacy_unit=kept) as ledger:
            refusals: dict[str, Refusal] = {}
            for name, release in RELEASES.items():
                bound = units_for(name)["no name"][0]
                limits = {key: bound[key] for key in bound if key not in ("user", "unit")}
                for place, (unit, given, words) in enumerate(OTHER_UNITS):
                    more = given | (limits if "user" in given else {})
                    for budget in (ledger, ledger.scope()) if unit == kept else ():
                        call = partial(release, epsilon=1, budget=budget, **more)
                        error = cydp.accounting.UnitMismatchError
                        refusals[f"{name} {place} {type(budget)}"] = call, error, (words,)
            check_refusals(refusals)
            assert ledger.spent == PureDP(0)


def test_columns_and_missing_numbers() -> None:
    """What would be seen only in the records is refused before anything is paid."""
    budget = PrivacyFilter(PureDP(1))
    given: Given = {"epsilon": 1, "budget": budget}
    users = {"user": [1, 2, 3], "max_rows": 1}
    cells = {"user": [1, 2, 3], "max_partitions": 1}
    refusals: dict[str, Refusal] = {}
    for missing in (5, -1, "4.5", 10**9):
        for name, call in {
            "sum": partial(cydp.sum, X, (0, 4)), "mean": partial(cydp.mean, X, (0, 4)),
            "variance": partial(cydp.variance, X, (0, 4)),
            "median": partial(cydp.median, X, (0, 4)),
            "group_by": partial(cydp.group_by, TABLE, "user", keys=["a"], means={"x": (0, 4)}),
        }.items():  # fmt: skip
            words = "missing must be 'drop' or within the bounds, from 0 to 4", str(missing)
            refusals[f"{name} {missing}"] = (
                partial(call, missing=missing, **given),
                ValueError,
                words,
            )
    lengths = ("all columns must have an entry for each record",)
    for name, call in {
        "count": partial(cydp.count, X, **users), "sum": partial(cydp.sum, X, (0, 4), **users),
        "median": partial(cydp.median, X, (0, 4), **users),
        "histogram": partial(cydp.histogram, X, 2, (0, 4), **cells),
        "by": partial(cydp.histogram, X, 2, (0, 4), by=[1], by_keys=[1]),
        "value_counts": partial(cydp.value_counts, X, [1], **cells),
        "top_k": partial(cydp.top_k, X, 1, [1], user=[1]),
    }.items():  # fmt: skip
        refusals[f"lengths of {name}"] = partial(call, **given), ValueError, lengths
    check_refusals(refusals)
    assert budget.spent == PureDP(0)


def test_no_data_is_read_unless_the_budget_pays() -> None:
    budget = PrivacyFilter(PureDP(1))
    given: Given = {"epsilon": 2, "budget": budget}
    for release, args in (OF_ONE | OF_CELLS).items():
        if release is not cydp.value_counts:
            with pytest.raises(cydp.BudgetExceededError):
                release(Unreadable(), *args, **given)
            with pytest.raises(AssertionError, match="read"):
                release(Unreadable(), *args, epsilon=1)
    assert budget.spent == PureDP(0)


# Histograms


NAN, INF = float("nan"), float("inf")
HISTOGRAM: dict[str, dict[type[Exception], list[Any]]] = {
    "epsilon": {
        ValueError: [0, -1, NAN, INF, "one", "1e400000"],
        TypeError: [None, True, [1], np.array(1.0)],
    },
    "scale": {ValueError: [1e-300, 1e300]},  # of an epsilon
    "relation": {ValueError: ["addremove", None, ["add-remove"]]},
    "rng": {TypeError: [1, np.random.default_rng(1)]},
    "bins": {
        ValueError: [0, -1, [1], [3, 2, 1], [0, NAN, 1], [[0, 1], [2, 3]]],
        TypeError: [2.5, True, "auto", None],
    },
    "range": {
        ValueError: [None, (1, 0), (0, NAN), (0, INF), (0,), (0, 1, 2)],
        TypeError: [5, (0, "1")],
    },
    "x": {
        TypeError: [
            np.array([1j]), np.array(["1"]), np.array([1], object), [1, "a"], [None, "a"], None, 5,
            b"12", np.float64(1), {1: 2}, iter([1]), [123456, "a"], np.array(["123456"]),
            np.array([123456], object),
        ],
        ValueError: [[[1, 2], [3, 4]], np.zeros((2, 2)), np.array(5.0),
                     [[123456, 1]]],
    },
}  # fmt: skip


def test_parameters_of_a_histogram() -> None:
    """Refused with the argument's name, before data is read, and without a record."""
    good: Given = {"x": Unreadable(), "bins": 10, "range": (0, 100), "epsilon": 1}
    refusals: dict[str, Refusal] = {
        "a range beside edges": (
            lambda: cydp.histogram(**good | {"bins": [0, 1]}), ValueError, ("range must be None",)
        ),
        "by alone": (
            lambda: cydp.histogram(X, 2, (0, 1), by=X, epsilon=1), TypeError, ("by and by_keys",)
        ),
        "no range of two": (
            lambda: cydp.histogramdd([X, X], [4, 3], epsilon=1), ValueError, ("range",)
        ),
    }  # fmt: skip
    for name, kinds in HISTOGRAM.items():
        argument = "epsilon" if name == "scale" else name
        for error, values in kinds.items():
            for place, value in enumerate(values):
                edges = {"range": None} if name == "bins" and isinstance(value, list) else {}
                call = partial(cydp.histogram, **good | edges | {argument: value})
                refusals[f"{name} {error.__name__} {place}"] = call, error, (name,)
    check_refusals(refusals, never=("123456",))


# Other releases


def test_parameters_of_releases() -> None:
    halving = partial(median_by_halving, X)
    unknown = partial(cydp.value_counts, ["a"])
    cell = (0, 8)
    ask = partial(cydp.top_k, ["a"], keys=["a", "b"], epsilon=1)
    group = partial(cydp.group_by, TABLE, "user", keys=["a"], epsilon=1)
    check_refusals({
        "a confidence": (lambda: cydp.bounds(X, epsilon=1, confidence=1), ValueError,
                         ("confidence must be between 0 and 1",)),
        "a fallback upside down": (lambda: cydp.bounds(X, epsilon=1, fallback=(2, 1)), ValueError,
                                   ("lower <= upper",)),
        "a fallback of one": (lambda: cydp.bounds(X, epsilon=1, fallback=5), TypeError,
                              ("fallback must be a pair",)),
        "no round": (lambda: halving(cell, epsilon=1, rounds=0), ValueError, ("rounds must",)),
        "many rounds": (lambda: halving(cell, epsilon=1, rounds=40), ValueError,
                        ("rounds must be from 1 to 29 for 2 ranges",)),
        "a float of rounds": (lambda: halving(cell, epsilon=1, rounds=1.0), TypeError, ("rounds",)),
        "one range": (lambda: halving(cell, epsilon=1, ranges=1), ValueError, ("ranges must",)),
        "many ranges": (lambda: halving(cell, epsilon=1, ranges=2000), ValueError, ("ranges",)),
        "one point": (lambda: halving((0, 0), epsilon=1), ValueError, ("bounds must hold 2",)),
        "bounds upside down": (lambda: halving((8, 0), epsilon=1), ValueError, ("bounds",)),
        **{f"k={k}": (partial(ask, k=k), ValueError, ("k must be from 1 to the number of keys, 2",))
           for k in (0, 3, -1)},
        **{f"k={k} of keys that are found": (
            partial(cydp.top_k, X, k, epsilon=1, delta=1e-6), error, (f"k must be {says}",))
           for k, error, says in ((0, ValueError, "at least 1, not 0"), (1.5, TypeError, "an int"),
                                  ("2", TypeError, "an int"))},
        "a top k of a promise": (
            partial(cydp.top_k, X, 1, epsilon=1, delta=1e-6, max_rows_per_unit=2,
                    selection="optimal"),
            ValueError, ("keys that are not public need user=",)),
        "a top k without delta": (partial(cydp.top_k, X, 1, epsilon=1), TypeError,
                                  ("epsilon and delta must be given for keys", "public keys")),
        "users of a top k": (
            partial(cydp.top_k, X, 1, epsilon=1, delta=1e-6, user=X), TypeError,
            ("must be given with user=",)),
        **{f"q={q}": (partial(cydp.quantile, X, q, (0, 1), epsilon=1), ValueError, ("q",))
           for q in (-0.1, 1.5, "x", [])},
        "a list of sums": (lambda: group(sums=["x"]), TypeError, ("sums must be a dict",)),
        "nothing": (lambda: group(count=False), TypeError, ("there is nothing to release",)),
        "a part that is none": (lambda: cydp.mean(X, cell, epsilon=1, split={"n": 1}), ValueError,
                                ("split must have weights of sum, count",)),
        "keys for epsilon": (lambda: unknown(epsilon=1), TypeError,
                             ("epsilon and delta must be given for keys",)),
        "keys for rho": (lambda: unknown(rho=1), TypeError,
                         ("epsilon and delta must be given for keys",)),
        "keys of a promise": (lambda: unknown(max_rows_per_unit=2, epsilon=1, delta=1e-6,
                                              selection="optimal"),
                              ValueError, ("keys that are not public need user=",)),
        **{f"certificate {text[:9]!r}": (partial(read_certificate, text), ValueError,
                                         ("certificate",))
           for text in ("", "[]", "{}", '{"certificate": 2}', "[" * 10**5, "\x00")},
    })  # fmt: skip
    assert len(unknown(max_rows_per_unit=1, epsilon=1, delta=1e-9)) == 0


def test_what_explain_refuses() -> None:
    words = ("without x, budget, rng",)
    explain, count = cydp.explain, partial(cydp.explain, cydp.count)
    check_refusals({
        "no release": (lambda: explain(len), TypeError, ("function must be a release of cydp",)),
        "data": (lambda: explain(cydp.histogram, X, 10, (0, 9), epsilon=1), TypeError, words),
        "budget": (lambda: count(epsilon=1, budget=PrivacyFilter(PureDP(1))), TypeError, words),
        "no cost": (count, TypeError, ("epsilon must be given",)),
        "no bounds": (lambda: explain(cydp.sum, epsilon=1), TypeError, ("bounds",)),
        "by": (lambda: explain(cydp.histogram, 2, (0, 1), by="x", epsilon=1), TypeError,
               ("by and by_keys",)),
        "two costs": (lambda: count(error=5, epsilon=1), TypeError,
                      ("epsilon must not be given with error",)),
        "find": (lambda: count(error=5, find="delta"), ValueError, ("find must be",)),
        "negative": (lambda: count(error=-1), ValueError, ("error must be at least 0",)),
        "no n": (lambda: explain(cydp.mean, (0, 1), error=1), TypeError, ("n must be given",)),
        "many units": (lambda: explain(cydp.group_by, "k", keys=2, sums={"x": (0, 1)}, error=1),
                       TypeError, ("n, sum_x",)),
        "unknown name": (lambda: count(error={"sum": 1}), ValueError,
                         ("error must be of count, not of 'sum'",)),
        "too large": (lambda: explain(cydp.mean, (0, 1), error=2, n=5), ValueError,
                      ("error must be smaller",)),
        "too small": (lambda: explain(cydp.mean, (0, 1), error="1e-30", n=5), ValueError,
                      ("error must be larger",)),
        "confidence": (lambda: count(epsilon=1, confidence=1), ValueError,
                       ("confidence must be between 0 and 1",)),
        "n": (lambda: count(epsilon=1, n=0), ValueError, ("n must be from 1",)),
        "number of keys": (lambda: explain(cydp.value_counts, -1, epsilon=1), ValueError,
                           ("how many",)),
    })  # fmt: skip


def test_what_has_no_interval() -> None:
    median = cydp.median(X, (0, 1), epsilon=1)
    counts = cydp.histogram(X, 2, (0, 1), epsilon=Fraction(1, 3))
    check_refusals({
        "a quantile": (median.interval, TypeError, ("rank_error",)),
        "a median by halving": (median_by_halving(X, (0, 1), epsilon=1).interval, TypeError,
                                ("rank_error",)),
        "keys": (cydp.top_k(X, 1, [1, 2], epsilon=1).interval, TypeError, ("no number",)),
        "a confidence of 1": (lambda: counts.interval(1), ValueError, ("confidence",)),
    })  # fmt: skip


def test_a_call_with_wrong_arguments_gets_one_line() -> None:
    """It shows the name that may be meant, or the start of the signature."""
    calls: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
        "epsilon by place": (lambda: cydp.sum(X, (0, 4), 1), (  # type: ignore[misc]
            "too many positional arguments: call sum(x, bounds, *, column=None", "epsilon=None")),
        "eps": (lambda: cydp.count(X, eps=1), (  # type: ignore[call-arg]
            "unexpected keyword argument 'eps' (did you mean 'epsilon'?)",)),
        "eps of a method": (lambda: cydp.count(X, epsilon=1).to_csv(confidance=1), (  # type: ignore[call-arg]
            "unexpected keyword argument 'confidance' (did you mean 'confidence'?)",)),
        "a title": (lambda: cydp.count(X, epsilon=1).plot(title="x"), (  # type: ignore[call-arg]
            "argument 'title': call plot(ax=None, *, column=None, confidence=0.95, ",)),
        "a mean by name": (
            lambda: cydp.group_by({"k": [1]}, "k", keys=[1], means="v", epsilon=1),  # type: ignore[arg-type]
            ("means must be a dict by column, such as {'income': (0, 200_000)}, not str",)),
        "another bound, and no promise": (
            lambda: cydp.top_k(X, 2, [1, 2], user=X, max_rows=3, epsilon=1),  # type: ignore[call-arg]
            ("unexpected keyword argument 'max_rows' (did you mean 'max_partitions'?)",)),
        "nothing near": (lambda: cydp.count(X, zzz=1), (  # type: ignore[call-arg]
            "unexpected keyword argument 'zzz': call count(x, ",)),
        "no bounds": (lambda: cydp.sum(X, epsilon=1), (  # type: ignore[call-arg]
            "missing a required argument: 'bounds': call sum(x, bounds, ", ", ...)")),
        "a share": (lambda: cydp.sampling.on_sample(cydp.count, X, epsilon=1), (
            "share must be given", "size and rows")),
    }  # fmt: skip
    check_refusals({name: (call, TypeError, words) for name, (call, words) in calls.items()})
    for call, _ in calls.values():
        with pytest.raises(TypeError) as raised:
            call()
        assert len(str(raised.value)) < 240


def test_labels_in_place_of_names_are_refused_alike() -> None:
    """A list in `by` names columns: labels of records say nothing more."""
    said = set()
    for by in (["ann", "bob"], ["ann", "ann"], [1, 2], [None, None, None], ["ann", None]):
        for keys in (None, ["ann"]):
            with pytest.raises(ValueError, match="by must be a column of table") as raised:
                cydp.group_by(TABLE, by, keys=keys, epsilon=1, delta=0.1)
            said.add(str(raised.value))
    assert len(said) == 1
    assert cydp.group_by(TABLE, [["ann", "ann", "bob"]], keys=["ann"], epsilon=50)["n"] == [2]


def test_a_dict_is_a_table() -> None:
    check_refusals({
        "no column": (lambda: cydp.sum(TABLE, (0, 4), epsilon=1), TypeError,
                      ("not dict: choose one of its columns by column= of a release",)),
        "a pair for two columns": (
            lambda: cydp.histogramdd({"a": X, "b": X}, 2, (0, 1), epsilon=1), TypeError,
            ("range must be a list of pairs (lo, hi), one for each column",)),
    })  # fmt: skip
    assert cydp.count({"x": [1, 2, None]}, epsilon=50).value == 2  # its only column, as of a frame
