"""Docstrings of releases: each parameter has its own text, and the same one in all of them."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Mapping
from textwrap import dedent

import pytest
from codebase.rule import rule_of

from cydp import Session, teach  # which import all releases, and so register them
from cydp.releases._run import RELEASES
from cydp.sampling import on_sample
from cydp.workloads import RunningCounts

EXPLAINED = {
    each.__name__: each
    for each in [*RELEASES, teach.median_by_halving, RunningCounts, Session, on_sample]
}
NAMES = {name: list(inspect.signature(each).parameters) for name, each in EXPLAINED.items()}
TEXTS = {name: inspect.getdoc(each) or "" for name, each in EXPLAINED.items()}

SHARED = {
    "bounds", "budget", "column", "delta", "domains", "epsilon", "max_partitions", "max_rows",
    "max_rows_per_partition", "max_rows_per_unit", "missing", "relation", "rho", "rng", "total",
    "unit", "user",
}  # fmt: skip
OTHER_WORDS = {
    "a choice has no noise": {
        (name, cost)
        for name in ("quantile", "median", "median_by_halving", "top_k", "contribution_bound")
        for cost in ("epsilon", "rho", "delta")
    },
    "keys may be selected, which needs a delta": {("value_counts", "delta"), ("group_by", "delta")},
    "they bound partitions as well": {
        (name, "max_rows") for name in ("value_counts", "group_by", "histogram", "histogramdd")
    },
    "all rows of a user count in sums": {
        (name, "max_rows") for name in ("sum", "mean", "variance")
    },
    "public keys need no bound of partitions": {("top_k", "max_partitions")},
    "a stream has events, and no users; it pays when it is made": {
        ("RunningCounts", name)
        for name in ("epsilon", "rho", "relation", "unit", "max_rows_per_unit", "budget")
    },
    "it is said for all questions": {
        ("Session", name)
        for name in ("budget", "user", "max_rows", "max_partitions", "max_rows_per_partition")
    },
    "they take dates and times": {
        (name, argument) for name in ("quantile", "median") for argument in ("bounds", "missing")
    },
    "a bound on contributions is none without users": {("contribution_bound", "user")},
    "the loss is the amplified one": {("on_sample", "budget")},
}


def entries_of(text: str) -> dict[str, str]:
    """Return the type and the words of each parameter, as the docstring has them."""
    section = text.partition("\nParameters\n----------\n")[2].partition("\n\n")[0]
    found = (entry.partition(" : ") for entry in re.split(r"\n(?=\S)", section))
    return {name.strip("*"): said for name, _, said in found}


def check(text: str, names: list[str]) -> None:
    entries = entries_of(text)
    assert list(entries) == names
    for name, said in entries.items():
        assert "\n" in said, f"{name} has no words"
        assert not re.search(r"\bas (in|for|of)\b", said, re.I), f"{name} is explained elsewhere"


def in_other_words(texts: Mapping[str, str]) -> set[tuple[str, str]]:
    """Return where a shared parameter is not explained as in most functions, with its name."""
    said = {function: entries_of(text) for function, text in texts.items()}
    usual = {
        name: Counter(each[name] for each in said.values() if name in each).most_common(1)[0][0]
        for name in SHARED
    }
    return {
        (function, name)
        for function, entries in said.items()
        for name in SHARED & set(entries)
        if entries[name] != usual[name]
    }


@rule_of(EXPLAINED)
def test_each_parameter_has_its_own_entry(name: str) -> None:
    check(TEXTS[name], NAMES[name])
    (written,) = ast.parse(dedent(inspect.getsource(EXPLAINED[name]))).body
    assert isinstance(written, ast.FunctionDef | ast.ClassDef)
    assert ast.get_docstring(written) == TEXTS[name]  # which an editor shows: nothing is assembled


def test_shared_parameters_have_the_same_words() -> None:
    assert in_other_words(TEXTS) == set().union(*OTHER_WORDS.values())


PLANTED = {
    "\nrho : number > 0, optional\n": "\n",  # left out
    "\nrho : number": "\nrho, delta : number",  # in one bunch
    "Default: the calling thread's own": "As in `sum`",
}


@pytest.mark.parametrize("old", PLANTED)
def test_what_is_not_explained_is_found(old: str) -> None:
    assert old in TEXTS["count"]
    with pytest.raises(AssertionError):
        check(TEXTS["count"].replace(old, PLANTED[old]), NAMES["count"])


def test_other_words_are_found() -> None:
    planted = TEXTS | {"count": TEXTS["count"].replace("in nats", "in bits")}
    assert ("count", "epsilon") in in_other_words(planted)
