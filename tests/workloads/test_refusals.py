"""What workloads refuse, before anything is charged."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
from refusals import Refusal, check_refusals
from workloads.test_linear_queries import INTEGERS
from workloads.test_marginals import released as tables
from workloads.test_range_counts import released as ranges

from cydp import DiscreteLaplace, PrivacyFilter, PureDP, explain
from cydp.workloads import RunningCounts, linear_queries, marginals, range_counts
from cydp.workloads._chernoff_bounds import Terms, bound_sums

WIDE = {"b": (2**14, (0, 1)), "c": (2**14, (0, 1))}
SETS: list[tuple[Any, Any, type[Exception], str]] = [
    (None, ["a"], TypeError, "domains must be"), ({}, ["a"], ValueError, "domains must"),
    ({"a": ["x"]}, "a", TypeError, "sets must be a list"),
    ({"a": ["x"]}, ["b"], ValueError, "which has no 'b'"),
    ({"a": ["x"]}, [()], ValueError, "sets must have a table over a column"),
    ({"a": ["x"]}, ["a", ("a",)], ValueError, "sets must be distinct"),
    ({"a": ["x"]}, [("a", "a")], ValueError, "each column of a table once"),
    ({"a": (3,)}, ["a"], ValueError, "the domain of a"),
    ({"a": ["x", "x"]}, ["a"], ValueError, "keys must be distinct"),
    ({"a": ([0, 1], (0, 1))}, ["a"], ValueError, "range must be None"),
    ({1: ["x"]}, [1], TypeError, "which are text"), ({"a": ["x"]}, [3], TypeError, "names"),
    (WIDE, [("b", "c")], ValueError, "at most 2**26 cells"),
]  # fmt: skip
RUNNING: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"horizon": 0}, ValueError, "horizon must be from 1"),
    ({"horizon": 1.5}, TypeError, "horizon"), ({"horizon": True}, TypeError, "horizon"),
    ({"branching": 1}, ValueError, "branching must be from 2"), ({"rho": 1}, TypeError, "rho"),
    ({"epsilon": 0}, ValueError, "epsilon"), ({"unit": "person"}, TypeError, "unit"),
    ({"max_rows_per_unit": 0}, ValueError, "max_rows_per_unit"),
    ({"strategy": "best"}, ValueError, "strategy must be one of tree, signed_tree, square_root"),
    ({"strategy": []}, ValueError, "strategy must be one of"),
    ({"strategy": "square_root", "branching": 2}, ValueError, "branching is of trees"),
    ({"relation": "both"}, ValueError, "relation"), ({"rng": 7}, TypeError, "rng"),
]  # fmt: skip
RANGES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"epsilon": 0}, ValueError, "epsilon"), ({"epsilon": None}, TypeError, "epsilon"),
    ({"branching": 1}, ValueError, "branching must be from 2"),
    ({"branching": 1.5}, TypeError, "branching"), ({"relation": "both"}, ValueError, "relation"),
    ({"levels": 0}, ValueError, "levels"), ({"levels": 9}, ValueError, "of the root, not 9"),
    ({"max_partitions": 2}, TypeError, "max_partitions"),
]  # fmt: skip
MATRICES: list[tuple[Any, type[Exception], str]] = [
    ([1, 2], ValueError, "matrix must be of shape"), ([[1]], ValueError, "cell for each bin"),
    ([[1, 2], [3]], ValueError, "rows of one length"), ([[1e101] * 10], ValueError, "1e100"),
    ([["a"] * 10], TypeError, "real numbers"), ([[np.nan] * 10], ValueError, "finite"),
    ([[]], ValueError, "matrix must be of shape"), ("abc", TypeError, "real numbers"),
    (np.zeros((0, 10)), ValueError, "matrix must be of shape"),
]  # fmt: skip


def test_parameters() -> None:
    budget = PrivacyFilter(PureDP(10**6, relation="add-remove"))
    usual: dict[str, Any] = {"epsilon": 1, "budget": budget}
    people, x = {"a": ["x"], "b": [1.0], "c": [1.0]}, [1.0, 2.0]
    refusals: dict[str, Refusal] = {
        f"sets {i}": (lambda d=d, s=s: marginals(people, d, s, **usual), error, (words,))
        for i, (d, s, error, words) in enumerate(SETS)
    }
    for given, error, words in RUNNING:
        full = {"horizon": 5} | usual | given
        refusals[f"running {given}"] = lambda x=full: RunningCounts(**x), error, (words,)
    for given, error, words in RANGES:
        full = usual | given
        plan = {"epsilon": 1} | given
        refusals |= {
            f"ranges {given}": (lambda f=full: range_counts(x, 10, (0, 9), **f), error, (words,)),
            f"plan {given}": (
                lambda f=plan: explain(range_counts, 10, (0, 1), **f),
                error,
                (words,),
            ),
        }
    for i, (matrix, error, words) in enumerate(MATRICES):
        call = lambda m=matrix: linear_queries(x, m, 10, (0, 9), **usual)  # noqa: E731
        refusals[f"matrix {i}"] = call, error, (words,)
    refusals |= {
        "a strategy": (
            lambda: linear_queries(x, INTEGERS, 10, (0, 9), strategy="best", **usual), ValueError,
            ("strategy must be one of identity, tree, workload", "'best'"),
        ),
        "users": (
            lambda: range_counts(x, 10, (0, 9), user="u", **usual), TypeError, ("user",)
        ),
        "no noise": (
            lambda: explain(range_counts, 2**20, (0, 1), epsilon="1e-18"), ValueError,
            ("epsilon must give a scale",),
        ),
    }  # fmt: skip
    check_refusals(refusals)
    assert budget.spent == PureDP(0, relation="add-remove")


def test_questions() -> None:
    noise, release = DiscreteLaplace(epsilon=1, sensitivity=1), ranges()
    terms, table, running = [Terms(noise, np.ones(1))], tables(), RunningCounts(5, epsilon=1)
    refusals: dict[str, Refusal] = {
        "two ranges": (lambda: release.range([0, 1], [2, 3]), TypeError, ("ranges counts many",)),
        "a table": (lambda: table["age"], KeyError, ("the tables are", "'age'")),
        "a domain": (lambda: table.domain("who"), KeyError, ("the columns are sex", "'who'")),
    }
    for place, (lo, hi, edges, error) in enumerate((
        (-1, 3, False, ValueError), (3, 2, False, ValueError), (0, 11, False, ValueError),
        (0.5, 3, False, TypeError), ("a", 3, False, TypeError),
        ([1, 2], [3] * 3, False, ValueError),
        (0, 35, True, ValueError), ("a", 35, True, TypeError), (20, 10, True, ValueError),
    )):  # fmt: skip
        call = lambda lo=lo, hi=hi, edges=edges: release.ranges(lo, hi, edges=edges)  # noqa: E731
        refusals[f"range {place}"] = call, error, ("s ", "must")
    for confidence, count, error in (
        (1, 1, ValueError), (0, 1, ValueError), (0.5, 0, ValueError), (0.5, 1.5, TypeError)
    ):  # fmt: skip
        refusals[f"bound at {confidence} of {count}"] = (
            lambda c=confidence, n=count: bound_sums(terms, c, n), error, ("must",)
        )  # fmt: skip
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        refusals[make.__name__] = lambda m=make: m(running), TypeError, ("cannot be copied",)
    check_refusals(refusals)
