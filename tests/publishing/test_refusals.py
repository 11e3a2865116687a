"""What publishing refuses, before anything is charged or read."""

from __future__ import annotations

import sys
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from publishing.tables import publish
from publishing.test_hierarchy import DATA, LEVELS, REGIONS
from refusals import Refusal, check_refusals

import cydp
from cydp.publishing import contingency_tables, estimate_with_mbi, hierarchy, to_mbi


class Unread:
    """A column that must not be read."""

    dtype = np.dtype(np.int64)
    shape = (3,)
    ndim = 1

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("it was read")

    def __len__(self) -> int:
        return 3


OF_A = "the domain of a"
TUPLE = "a tuple of labels is neither"
NAMES = "abcdefghijklm"
WIDE = {"domains": {"a": (2**16, (0, 1)), "b": (2**15, (0, 1))}, "tables": [("a", "b")]}
MANY = {"domains": {name: [0, 1] for name in NAMES}, "consistent": False,
        "tables": list(combinations(NAMES, 12))}  # fmt: skip
OF_TABLES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"domains": [0, 1]}, TypeError, "domains must be a dict"),
    ({"domains": {}}, ValueError, "domains must name a column"),
    ({"domains": {"a": [0, 0]}}, ValueError, f"{OF_A}: keys must be distinct"),
    ({"domains": {"a": [None, 0]}}, ValueError, OF_A),
    ({"domains": {"a": (0, (0, 1))}}, ValueError, f"{OF_A}: bins must be from 1"),
    ({"domains": {"a": (2, None)}}, ValueError, f"{OF_A}: range"),
    ({"domains": {"a": (1, 2, 3)}}, ValueError, f"{OF_A} must be a list of labels, or a tuple"),
    ({"domains": {"a": ([0, 1], (0, 1))}}, ValueError, "range must be None if bins are edges"),
    ({"domains": {"a": ("f", "m")}}, ValueError, TUPLE),
    ({"domains": {"a": (0, 1)}}, ValueError, TUPLE),
    ({"domains": {"a": [0, 1], 1: [0], "1": [0]}}, ValueError, "names that differ"),
    ({"domains": {"z": [0, 1]}, "tables": ["z"]}, ValueError, "domains must be a column of table"),
    ({"tables": []}, TypeError, "tables must be a list"),
    ({"tables": "a"}, TypeError, "tables must be a list"),
    ({"tables": ["b"]}, ValueError, "tables must have columns of domains, not 'b'"),
    ({"tables": [()]}, ValueError, "at least one column"),
    ({"tables": [("a", "a")]}, ValueError, "none twice"),
    ({"tables": ["a", ("a",)]}, ValueError, "is there twice"),
    ({"domains": {"a": [0], "b": [0]}}, ValueError, "b is in none of them"),
    (WIDE, ValueError, "at most 2**30 cells"),
    (MANY, ValueError, "share at most 2**12 sets"),
    ({"total": -1}, ValueError, "total must be from 0"),
    ({"total": 2.5}, TypeError, "total must be an integer"),
    ({"total": True}, TypeError, "total must be an integer"),
    ({"consistent": 1}, TypeError, "consistent must be True or False"),
    ({"epsilon": 0}, ValueError, "epsilon"),
    ({"split": {"b": 1}}, ValueError, "split must have weights"),
    ({"split": [1]}, TypeError, "split must be a dict"),
    ({"max_rows": 1}, TypeError, "give user="),
    ({"user": "a"}, TypeError, "max_rows must be given with user="),
    ({"relation": "both"}, ValueError, "relation"),
]
DEEP = "as deep as levels"
OF_REGIONS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"levels": "kind"}, TypeError, "levels must be a list"),
    ({"levels": []}, TypeError, "levels must be a list"),
    ({"levels": [[1, 2]], "regions": [1, 2]}, TypeError, "levels must be a list of column names"),
    ({"levels": ["total"], "regions": [1]}, ValueError, "no level 'total'"),
    ({"levels": ["race", "race"], "regions": [(1, 1)]}, ValueError, "different columns"),
    ({"cells": {"educ": [1]}}, ValueError, "different columns"),
    ({"regions": {"school": [1, 2]}}, TypeError, DEEP),
    ({"regions": {"school": {1: {2: [3]}}}}, TypeError, DEEP),
    ({"regions": {"school": {1: "ab"}}}, TypeError, DEEP),
    ({"regions": [("school", 1)]}, ValueError, "regions: keys must be tuples of 3"),
    ({"regions": [("school", 1, 1)] * 2}, ValueError, "regions: keys must be distinct"),
    ({"regions": []}, ValueError, "regions: keys must be 1"),
    ({"cells": {"sex": (0, 1)}}, ValueError, "the domain of sex"),
    ({"levels": ["kind", "educ", "town"]}, ValueError, "levels must be a column"),
    ({"split": {"town": 1}}, ValueError, "split must have weights of total, kind, educ, race"),
    ({"user": "age"}, TypeError, "max_rows must be given"),
]


def test_wrong_arguments_are_refused_before_anything_is_charged_or_read() -> None:
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    usual = {"epsilon": 1, "budget": budget}
    right: Any = {"domains": {"a": [0, 1]}, "tables": ["a"]} | usual
    regions: Any = {"levels": LEVELS, "regions": REGIONS} | usual
    data: Any = {name: Unread() for name in NAMES}
    refusals: dict[str, Refusal] = {
        f"tables {i}": (lambda x=right | given: contingency_tables(data, **x), error, (words,))
        for i, (given, error, words) in enumerate(OF_TABLES)
    } | {
        f"regions {i}": (lambda x=regions | given: hierarchy(DATA, **x), error, (words,))
        for i, (given, error, words) in enumerate(OF_REGIONS)
    }
    check_refusals(refusals)
    assert budget.spent.epsilon == 0
    with pytest.raises(AssertionError, match="read"):
        contingency_tables(data, **right)
    assert budget.spent.epsilon == 1
    with pytest.raises(cydp.BudgetExceededError):
        contingency_tables(data, **right)


def test_samples_and_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mbi", None)
    published = publish(["sex"])
    unbounded = contingency_tables({"x": [1]}, {"x": ([0, 1, np.inf], None)}, ["x"], epsilon=1)
    extra = "pip install 'cydp[mbi]'"
    release = "release must be one of contingency_tables"
    refusals: dict[str, Refusal] = {
        "rows below 0": (lambda: published.sample(-1), ValueError, ("n must be at least 0", "-1")),
        "half a row": (lambda: published.sample(1.5), TypeError, ("n must be an integer",)),
        "a place": (lambda: published.sample(within_bins="left"), ValueError, ("'uniform' or",)),
        "numpy": (lambda: published.sample(rng=np.random.default_rng()), TypeError, ("rng",)),
        "no end": (lambda: unbounded.sample(), ValueError, ("bins of x must have finite edges",)),
        "a frame": (lambda: pd.DataFrame(published.sample()), TypeError, ("to_pandas",)),
        "a table": (lambda: published["age"], KeyError, ("the tables are sex, not age",)),
        "no mbi": (lambda: to_mbi(published), ImportError, (extra,)),
        "no model": (lambda: estimate_with_mbi(published), ImportError, (extra,)),
        "a list": (lambda: estimate_with_mbi([1]), TypeError, (release,)),
    }  # fmt: skip
    for wrong, error in ((0, ValueError), (1.5, TypeError), (True, TypeError)):
        refusals[f"{wrong} iterations"] = (
            lambda x=wrong: estimate_with_mbi(published, iterations=x), error, ("iterations",)
        )  # fmt: skip
    check_refusals(refusals)
    assert published.total > 0
