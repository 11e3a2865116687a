"""interactive/_question.py: the key of a question says what is asked, in any spelling."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import cydp
from cydp.interactive._question import Question, question_of
from cydp.releases._run import arguments_of, kind_of, prepare

RELEASES = (
    cydp.count, cydp.sum, cydp.mean, cydp.variance, cydp.median, cydp.quantile,
    cydp.histogram, cydp.histogramdd, cydp.value_counts, cydp.group_by, cydp.top_k, cydp.bounds,
)  # fmt: skip
OF_A_NUMBER = {"column": "x", "bounds": (0, 10), "epsilon": 1}
USUAL: dict[Callable[..., Any], dict[str, Any]] = {
    cydp.count: {"column": "x", "epsilon": 1},
    cydp.quantile: OF_A_NUMBER | {"q": 0.25},
    cydp.histogram: {"column": "x", "bins": 4, "range": (0, 10), "epsilon": 1},
    cydp.histogramdd: {"columns": ["x", "y"], "bins": 4, "range": [(0, 10), (0, 1)], "epsilon": 1},
    cydp.value_counts: {"column": "s", "keys": ["a", "b"], "epsilon": 1},
    cydp.group_by: {"by": ["s"], "keys": ["a", "b"], "sums": {"x": (0, 1)}, "epsilon": 1},
    cydp.top_k: {"k": 1, "column": "s", "keys": ["a", "b"], "epsilon": 1},
    cydp.bounds: {"column": "x", "epsilon": 1},
}
USER = {"user": "u", "max_rows": 1}
USER_OF_CELLS = {"user": "u", "max_partitions": 1}

# For each parameter another value, with what it needs.
OTHER: dict[str, dict[str, Any]] = {
    "column": {"column": "y"},
    "columns": {"columns": ["y", "x"]},
    "bounds": {"bounds": (0, 11)},
    "q": {"q": 0.5},
    "rounds": {"rounds": 9},
    "ranges": {"ranges": 3},
    "bins": {"bins": 5},
    "range": {"range": (0, 11)},
    "by": {"by": ["t"]},
    "by_keys": {"by": "s", "by_keys": ["a"]},
    "keys": {"keys": ["b", "a"]},
    "k": {"k": 2},
    "count": {"count": False},
    "sums": {"sums": {"y": (0, 1)}},
    "means": {"means": {"y": (0, 1)}},
    "quantiles": {"quantiles": {"y": (0.5, (0, 1))}},
    "missing": {"missing": 1},
    "split": {"split": {"count": 2}},
    "left_out": {"left_out": 2},
    "step": {"step": 1},
    "interval": {"interval": 0.5},
    "confidence": {"confidence": 0.5},
    "fallback": {"fallback": (0, 1)},
    "epsilon": {"epsilon": 2},
    "rho": {"epsilon": None, "rho": 1},
    "relation": {"relation": "change-one"},
    "max_rows_per_unit": {"max_rows_per_unit": 2},
}


def usual(release: Callable[..., Any]) -> dict[str, Any]:
    return USUAL.get(release, OF_A_NUMBER)


TABLE: dict[Any, Any] = {name: [0.5, 1.0] for name in ("x", "y", "1", 1, 0.5, "0.5")} | {
    name: ["a", "b"] for name in ("s", "t", "u", "v", ("a", "b"), "('a', 'b')", "a\ud800\n")
}
COLUMN = {cydp.histogram: "x", cydp.sum: "x", cydp.quantile: "x", cydp.value_counts: "s",
          cydp.top_k: "s"}  # fmt: skip


def asked(release: Callable[..., Any], written: Any, again: int = 0, /, **given: Any) -> Question:
    """Return the question that a session of the table asks."""
    given = {name: value for name, value in given.items() if value is not None}
    if release in COLUMN:
        given = {"column": COLUMN[release]} | given
    if release is cydp.histogramdd:
        given = {"columns": ["x", "y"]} | given
    kind = kind_of(release)
    arguments = arguments_of(release, (), given) | {kind.data: TABLE}
    return question_of(prepare(kind, arguments).query, release, written, again)


def key(release: Callable[..., Any], again: int = 0, /, **given: Any) -> str:
    return asked(release, {}, again, **given).key


def other_of(release: Callable[..., Any], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two calls that differ in one parameter."""
    plain = usual(release)
    names = inspect.signature(release).parameters
    by_cell = "max_partitions" in names
    both = plain | {"delta": 1e-6}
    with_user = plain | (USER_OF_CELLS if by_cell else USER if release is not cydp.top_k else {})
    is_top = release is cydp.top_k
    ways = ("peeling", "one-shot") if is_top else ("threshold", "optimal")
    unknown = plain if is_top else plain | {"keys": None, "delta": 0.1}
    others = {
        "user": (with_user | {"user": "u"}, with_user | {"user": "v", "unit": "u"}),
        "unit": (with_user | {"user": "u"}, with_user | {"user": "u", "unit": "person"}),
        "noise": (both | {"noise": "laplace"}, both | {"noise": "gaussian"}),
        # Where Laplace noise has less variance, the question is that without delta.
        "delta": (plain, both | ({"noise": "gaussian"} if "noise" in names else {})),
        "max_sum_per_user": (with_user, with_user | {"max_sum_per_user": 3}),
        "method": tuple(
            plain | {"q": [0.25, 0.5, 0.75], "method": way} for way in ("independent", "recursive")
        ),
        "selection": tuple(unknown | {"selection": way} for way in ways),
        "max_rows": (
            with_user, (plain | {"user": "u"} if by_cell else with_user) | {"max_rows": 2},
        ),
        "max_partitions": (with_user, with_user | {"max_partitions": 2}),
        "max_rows_per_partition": (
            with_user | {"user": "u"}, with_user | {"user": "u", "max_rows_per_partition": 2},
        ),
    }  # fmt: skip
    if is_top and name == "delta":  # which is not used for given keys
        return tuple(plain | {"keys": None, "delta": delta} for delta in (0.1, 0.2))
    if name in others:
        return others[name]
    if name == "left_out":
        return with_user, with_user | OTHER[name]
    if name == "selection":
        if release is cydp.top_k:
            return plain, plain | {"selection": "one-shot"}
        found = plain | {"keys": None, "delta": 0.1}
        return found, found | {"selection": "optimal"}
    if release is cydp.count and name == "split":
        plain = with_user | {"left_out": 2}
    changed = dict(OTHER[name])
    if release is cydp.group_by and name == "split":
        changed = {"split": {"n": 2}}
    if release is cydp.value_counts and name == "split":
        changed, plain = {"split": {"n": 2}}, plain | {"keys": None, "delta": 0.1}
    if release is cydp.variance and name == "split":
        changed = {"split": {"squares": 2}}
    if release is cydp.histogram and name == "by":
        return plain | {"by": "s", "by_keys": ["a"]}, plain | {"by": "t", "by_keys": ["a"]}
    if release is cydp.histogramdd and name == "range":
        changed = {"range": [(0, 10), (0, 2)]}
    return plain, plain | changed


EVERY = [
    (release, name)
    for release in RELEASES
    for name in list(inspect.signature(release).parameters)[1:]
    if name not in ("budget", "rng")
]


def test_each_parameter_is_part_of_the_key() -> None:
    same = []
    for release, name in EVERY:
        one, two = other_of(release, name)
        keys = [key(release, **one), key(release, **two), key(release, 1, **one)]
        if len(set(keys)) < 3 or key(release, **one) != keys[0]:
            same.append((release.__name__, name))
    assert same == []
    assert len(EVERY) > 140


def test_releases_have_keys_of_their_own() -> None:
    keys = [key(release, **usual(release)) for release in RELEASES]
    assert len(set(keys)) == len(keys)
    assert key(cydp.value_counts, **usual(cydp.top_k) | {"k": None}) in keys


TENTHS = [0.1, "0.1", "1/10", "1e-1", Fraction(1, 10), Decimal("0.1"), np.float64(0.1)]
SAME: list[tuple[Callable[..., Any], list[dict[str, Any]]]] = [
    (cydp.count, [{"epsilon": each} for each in [*TENTHS, np.float32(0.1)]]),
    (cydp.count, [{"column": each, "epsilon": 1} for each in (1, 1.0)]),
    (
        cydp.sum,
        [{"bounds": each, "epsilon": 1} for each in [(0, 1), [0, 1.0], ("0", "1"), (False + 0, 1)]],
    ),
    (
        cydp.histogram,
        [
            {"bins": bins, "range": ends, "epsilon": 1, "column": "x"}
            for bins in (4, np.int64(4))
            for ends in ((0, 10), [0.0, 10])
        ],
    ),
    (
        cydp.histogram,
        [{"bins": bins, "epsilon": 1} for bins in ([0, 5, 10], (0, 5, 10), np.array([0, 5, 10]))],
    ),
    (
        cydp.histogramdd,
        [
            {"bins": bins, "range": [(0, 1), (0, 1)], "epsilon": 1}
            for bins in ((4, 5), [4, 5], np.array([4, 5]))
        ],
    ),
    (
        cydp.group_by,
        [
            {"by": by, "keys": keys, "epsilon": 1}
            for by in (["s", "t"], ("s", "t"))
            for keys in (
                [("a", 1), ("b", 2)],
                pd.DataFrame({"t": [1, 2], "s": ["a", "b"]}),
            )
        ],
    ),
    (
        cydp.group_by,
        [
            {"by": by, "keys": keys, "epsilon": 1}
            for by in (["s", "t"], ("s", "t"))
            for keys in ([("a", 1), ("a", 2)], {"s": ["a"], "t": [1, 2]}, {"t": [1, 2], "s": ["a"]})
        ],
    ),
    (cydp.group_by, [{"by": by, "keys": ["a"], "epsilon": 1} for by in ("s", ["s"])]),
    (
        cydp.histogram,
        [{"bins": 2, "range": (0, end), "epsilon": 1} for end in (2**60, float(2**60))],
    ),
    (cydp.top_k, [{"k": 1, "keys": k, "epsilon": 1} for k in (["a"], ("a",), pd.Index(["a"]))]),
    (cydp.quantile, [{"q": q, "bounds": (0, 1), "epsilon": 1} for q in (0.1, "1/10")]),
]  # fmt: skip


def test_equal_questions_have_one_key() -> None:
    several = [
        (release.__name__, spellings)
        for release, spellings in SAME
        if len({key(release, **each) for each in spellings}) > 1
    ]
    assert several == []


def test_a_median_is_the_quantile_one_half() -> None:
    assert key(cydp.median, **OF_A_NUMBER) == key(cydp.quantile, **OF_A_NUMBER, q="1/2")
    assert key(cydp.median, **OF_A_NUMBER) != key(cydp.quantile, **OF_A_NUMBER, q=["1/2"])


DIFFERENT: list[tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = [
    (cydp.value_counts, {"keys": ["1"]}, {"keys": [1]}),
    (cydp.count, {"column": "1"}, {"column": 1}),
    (cydp.count, {"column": 0.5}, {"column": "0.5"}),
    (cydp.count, {"column": ("a", "b")}, {"column": "('a', 'b')"}),
    (cydp.histogram, {"bins": [0, 1]}, {"bins": [0, 1, 2]}),
    (cydp.histogram, {"bins": [0, 1]}, {"bins": [0, 2]}),
    (cydp.histogram, {"bins": 2, "range": (0, 0.1)}, {"bins": 2, "range": (0, np.float32(0.1))}),
]  # fmt: skip


def test_other_questions_have_other_keys() -> None:
    alike = [
        (release.__name__, one, two)
        for release, one, two in DIFFERENT
        if key(release, epsilon=1, **one) == key(release, epsilon=1, **two)
    ]
    assert alike == []


def test_the_text_is_one_line_that_a_ledger_takes() -> None:
    keys = [f"label\n{i}" for i in range(1000)]
    given = {"keys": keys, "column": "a\ud800\n", "epsilon": 1}
    text = asked(cydp.value_counts, given, 2, **given).text
    assert len(text.splitlines()) == 1
    assert len(text) <= 400
    assert text.isascii()
    assert text.startswith("value_counts(keys=['label\\n0'")
    assert text.endswith("epsilon=1, again=2)")
    given = {"keys": np.array([1, 2]), "epsilon": np.float64(0.1), "column": None}
    written = asked(cydp.value_counts, given, **given | {"column": "x"}).text
    assert written == "value_counts(keys=<ndarray>, epsilon=0.1)"
    edges = {"bins": [np.arange(40.0), 3], "range": [None, (0, 1)], "epsilon": 1}
    assert "\n" in repr(edges["bins"][0])  # type: ignore[index]
    assert len(asked(cydp.histogramdd, edges, **edges).text.splitlines()) == 1


def test_the_id_of_a_charge_is_the_same_in_every_process() -> None:
    question = asked(cydp.count, {}, epsilon=1)
    ids = {
        question.charge_id(version, blocks)
        for version, blocks in [("1", ()), ("2", ()), ("1", ("a",)), ("1", ("a", "b"))]
    }
    assert len(ids) == 4
    assert question.charge_id("1", ("b", "a")) in ids
