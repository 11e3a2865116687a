"""What a release says to values, budgets and generators that it does not take; they cost nothing.

No message shows a value of the data, and no charge is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from refusals import Refusal, check_refusals

import cydp
from cydp import ApproxDP, PrivacyFilter, exact
from cydp.mechanisms import ProposeTestRelease
from cydp.testing import SeededGenerator

INTEGERS: list[Any] = [
    cydp.DiscreteLaplace(epsilon=1, sensitivity=1),
    cydp.DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1),
]
REALS: list[Any] = [
    cydp.Laplace(epsilon=1, sensitivity=1),
    cydp.Gaussian(epsilon=1, delta=1e-6, sensitivity=1),
    cydp.Snapping(epsilon=1, sensitivity=1, bounds=(-100, 100)),
]
SELECTIONS: list[Any] = [
    cydp.ExponentialMechanism(epsilon=1, sensitivity=1),
    cydp.PermuteAndFlip(epsilon=1, sensitivity=1),
]
PARTITIONS = cydp.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)
LEADER = ProposeTestRelease(epsilon=1, delta=0.1, sensitivity=1)
CODES = cydp.RandomizedResponse(epsilon=1, n_categories=3)
COIN = cydp.RandomizedResponse(epsilon=1)
NAMES: dict[Any, str] = {
    **dict.fromkeys([*INTEGERS, *REALS], "value"),
    **dict.fromkeys(SELECTIONS, "scores"),
    **dict.fromkeys([PARTITIONS, LEADER], "counts"),
    **dict.fromkeys([CODES, COIN], "codes"),
}
SECRETS = ("secret", "123456")  # what some records hold

NEVER_NUMBERS = {
    "None": None,
    "a word": "secret",
    "a complex number": 1j,
    "a list of words": [1, "secret"],
    "a list of bool and int": [True, 2],
    "rows of different lengths": [[123456], [2, 3]],
    "an array of words": np.array(["secret"]),
    "an array of complex numbers": np.zeros(2, complex),
    "an array of objects": np.array([123456], object),
    "an array of dates": np.array([1], "M8[s]"),
    "masked numbers": np.ma.array([1, 2], mask=[0, 1]),
    "a column of arrow": pa.array(["secret"]),
    "a column of polars": pl.Series(["secret"]),
    "a column of pandas": pd.array(["secret"]),
}
NEVER_INTEGERS = {
    "a float": 1.0,
    "a list of floats": [123456.5],
    "an array of floats": np.zeros(3),
}
NEVER_REALS = {
    "a bool": True,
    "a list of bool": [True],
    "an array of bool": np.array([True]),
    "an array of long double": np.zeros(2, np.longdouble),
    "a fraction": Fraction(1),
}


class NoShape:
    """An array that does not say how many entries it has."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return np.zeros(1000)


class OtherShape(NoShape):
    dtype, shape = np.dtype(np.float64), (2,)


class OtherDtype(NoShape):
    dtype, shape = np.dtype(np.int64), (1000,)


def new_budget(mechanism: Any) -> PrivacyFilter:
    return PrivacyFilter(
        ApproxDP(50, "0.5"), relation=getattr(mechanism, "relation", None) or "add-remove"
    )


def check_free(table: dict[str, tuple[Any, dict[str, Any], type[Exception], tuple[str, ...]]],
               value: Callable[[Any], Any] = lambda mechanism: [1, 2]) -> None:  # fmt: skip
    """Check refusals of releases with and without a budget, which pays nothing for them."""
    budgets: dict[str, PrivacyFilter] = {}
    rows: dict[str, Refusal] = {}
    for name, (mechanism, given, error, words) in table.items():
        budgets[name] = budget = new_budget(mechanism)
        for paid in {"budget": budget, "rng": None}:
            call = {"value": value(mechanism), **({"budget": budget} if paid == "budget" else {})}
            call |= given
            first = call.pop("value")
            rows[f"{name}, {paid}"] = (
                lambda m=mechanism, first=first, call=call: m.release(first, **call), error, words
            )  # fmt: skip
    check_refusals(rows, never=SECRETS)
    charged = {name: b.report() for name, b in budgets.items() if len(b.report().splitlines()) > 2}
    assert charged == {}


def test_values_of_another_type() -> None:
    table = {}
    for mechanism, name in NAMES.items():
        kind = type(mechanism).__name__
        wrong: dict[str, Any] = dict(NEVER_NUMBERS)
        if mechanism not in REALS + SELECTIONS:
            wrong |= NEVER_INTEGERS
        if mechanism is not COIN:
            wrong |= NEVER_REALS
        if np.dtype(np.longdouble) == np.float64 and mechanism in REALS + SELECTIONS:
            del wrong["an array of long double"]
        for said, value in wrong.items():
            if mechanism in SELECTIONS and said == "rows of different lengths":
                value = [[123456.5], [1, 2]]
            table[f"{kind}: {said}"] = (mechanism, {"value": value}, TypeError, (name, "must "))
    check_free(table)


def test_arrays_that_are_not_what_they_say() -> None:
    """Entries are counted before they are read: who hides them would pay for one."""
    table: dict[str, Refusal] = {}
    for mechanism in [*REALS, *INTEGERS]:
        kind = type(mechanism).__name__
        table[f"{kind}: no shape"] = (
            lambda m=mechanism: m.release(NoShape()), TypeError, ("value must be",)
        )  # fmt: skip
        integer = mechanism in INTEGERS
        for liar in (OtherShape(), OtherDtype()):
            error = TypeError if integer and isinstance(liar, OtherShape) else ValueError
            table[f"{kind}: {type(liar).__name__}"] = (
                lambda m=mechanism, liar=liar: m.release(liar), error, ("value must",)
            )  # fmt: skip
    for mechanism in SELECTIONS:
        kind = type(mechanism).__name__
        for liar, error in ((NoShape(), TypeError), (OtherShape(), ValueError),
                            (OtherDtype(), ValueError)):  # fmt: skip
            table[f"{kind}: {type(liar).__name__}"] = (
                lambda m=mechanism, liar=liar: m.release(liar), error, ("scores must",)
            )  # fmt: skip
    check_refusals(table)


def test_shapes_dtypes_and_counts() -> None:
    table: dict[str, Any] = {}
    for mechanism in SELECTIONS:
        for scores in ([], [[], []], np.zeros(0), np.zeros((0, 0)), np.zeros((3, 0))):
            table[f"{type(mechanism).__name__} of {scores!r}"] = (
                mechanism, {"value": scores}, ValueError, ("scores", "at least one candidate")
            )  # fmt: skip
        for scores in (1.0, np.float64(1), np.zeros(())):
            table[f"{type(mechanism).__name__} of {scores!r}"] = (
                mechanism, {"value": scores}, TypeError, ("scores must be",)
            )  # fmt: skip
    for counts in ([1], [], [[1, 2]]):
        table[f"leader of {counts}"] = (
            LEADER, {"value": counts}, ValueError, ("counts must be of shape", "m >= 2")
        )  # fmt: skip
    table["leader of 5"] = (LEADER, {"value": 5}, ValueError, ("counts must be of shape",))
    for dtype, k in (("i1", 129), ("u1", 257), ("i2", 2**15 + 1), ("u2", 2**16 + 1)):
        table[f"{k} categories in {dtype}"] = (
            cydp.RandomizedResponse(epsilon=1, n_categories=k), {"value": np.zeros(3, dtype)},
            ValueError, (f"codes must be of a dtype that holds {k - 1}",),
        )  # fmt: skip
    for codes in (True, np.True_, [True, False], np.array([True])):
        table[f"three categories in {codes!r}"] = (
            CODES,
            {"value": codes},
            TypeError,
            ("not bool",),
        )
    for mechanism in (REALS[2], INTEGERS[0]):
        table[f"{type(mechanism).__name__} of an exact sum"] = (
            mechanism, {"value": exact.clamped_sum([1], (0, 100))}, TypeError, ("value must be",)
        )  # fmt: skip
    check_free(table)


def test_budgets_and_generators() -> None:
    table: dict[str, Any] = {}
    values = dict.fromkeys(NAMES, 1) | {
        mechanism: [1, 2] for mechanism in (*SELECTIONS, LEADER)
    }  # fmt: skip
    for mechanism in NAMES:
        kind = f"{type(mechanism).__name__}, k={getattr(mechanism, 'n_categories', None)}"
        for rng in (0, np.random.default_rng(0), "os", cydp.Generator):
            table[f"{kind}: {rng!r}"[:60]] = (
                mechanism, {"rng": rng}, TypeError, ("rng must be a cydp.Generator",)
            )  # fmt: skip
        table[f"{kind}: seeded"] = (
            mechanism, {"rng": SeededGenerator(1), "budget": new_budget(mechanism)}, TypeError,
            ("rng must not be seeded",),
        )  # fmt: skip
        for budget in ("ledger", 1, ApproxDP(1, 0.1), cydp.PureDP(1)):
            table[f"{kind}: budget of {budget!r}"] = (
                mechanism, {"budget": budget}, TypeError, ("budget must be",)
            )  # fmt: skip
    check_free(table, value=values.__getitem__)


def bad_outputs(dtype: Any) -> dict[str, tuple[Any, type[Exception], str]]:
    read_only = np.zeros(4, dtype)
    read_only.flags.writeable = False
    return {
        "a list": ([0] * 4, TypeError, "out must be a numpy array"),
        "a number": (3, TypeError, "out must be a numpy array"),
        "masked": (np.ma.zeros(4, dtype), TypeError, "out must be a numpy array"),
        "float32": (np.zeros(4, np.float32), TypeError, "out must have dtype"),
        "swapped": (np.zeros(4, np.dtype(dtype).newbyteorder()), TypeError, "out must have dtype"),
        "strided": (np.zeros(8, dtype)[::2], ValueError, "out must be C-contiguous"),
        "read-only": (read_only, ValueError, "out must be C-contiguous, aligned and writable"),
        "unaligned": (np.frombuffer(bytearray(33), dtype, offset=1), ValueError, "out must be C-"),
        "longer": (np.zeros(5, dtype), ValueError, "out must have the shape of"),
        "two axes": (np.zeros((4, 1), dtype), ValueError, "out must have the shape of"),
        "no axes": (np.zeros((), dtype), ValueError, "out must have the shape of"),
    }


def test_outputs() -> None:
    """A bad output is left as it is, and nothing is charged or drawn."""
    table: dict[str, Any] = {}
    kept: list[tuple[Any, Any]] = []
    rng = SeededGenerator(1)
    wide = cydp.DiscreteLaplace(epsilon=1, sensitivity=2**54)
    for mechanism in [*INTEGERS, wide, *REALS, CODES, COIN]:
        dtype = np.float64 if mechanism in REALS else np.int64
        value = (np.arange(4) % 2).astype(dtype)
        kind = repr(mechanism)
        for said, (out, error, words) in bad_outputs(dtype).items():
            kept.append((out, np.array(out)))
            given = {"value": value, "out": out}
            table[f"{kind}: {said}"] = (mechanism, given, error, (words,))
            table[f"{kind}: {said}, seeded"] = (
                mechanism, {**given, "rng": rng, "budget": None}, error, (words,)
            )  # fmt: skip
        both = np.zeros(6, dtype)
        kept.append((both, np.zeros(6)))
        for said, first, out in (("from 1", both[:4], both[1:5]), ("a view", both[:4], both[:4])):
            table[f"{kind}: {said}"] = (
                mechanism, {"value": first, "out": out}, ValueError, ("itself, or memory apart",)
            )  # fmt: skip
    check_free(table)
    for out, before in kept:
        np.testing.assert_array_equal(np.asarray(out), before)
    assert rng.bytes(16) == SeededGenerator(1).bytes(16)


X = np.array([1.0, 2, 3, 9])
COUNTS = exact.histogram(X, 3)[0]


def test_counts_in_bins_that_came_from_the_data() -> None:
    """No message names an edge, a count or a number of rows: it is the same for all data."""
    given = {
        "counts": COUNTS,
        "floats": COUNTS / 2,
        "part": COUNTS[1:],
        "two columns": exact.histogramdd([X, X], 2)[0],
        "rows in a list": [COUNTS, COUNTS],
        "rows in a tuple": (COUNTS.tolist(), COUNTS),
        "codes": exact.bincount([0, 3]),
        "no data": exact.histogram(X[:0], 3)[0],
        "other data": exact.histogram(X[1:] * 1e9, 3)[0],
    }
    said: dict[str, set[str]] = {}
    table: dict[str, Any] = {}
    for mechanism, name in NAMES.items():
        if name == "codes":
            continue
        words = (f"{name} must not be counts in bins that", f"np.asarray({name})")
        for shape, counts in given.items():
            table[f"{type(mechanism).__name__}: {shape}"] = (
                mechanism, {"value": counts}, ValueError, words
            )  # fmt: skip
            try:
                mechanism.release(counts, budget=object())
            except ValueError as error:
                said.setdefault(name, set()).add(str(error))
    check_free(table)
    assert {name: len(messages) for name, messages in said.items()} == dict.fromkeys(said, 1)
    assert not any(c.isdigit() for messages in said.values() for c in "".join(messages))


def test_counts_in_bins_of_the_data_are_released_if_asked() -> None:
    public = exact.histogram(X, 3, (0, 9))[0]
    for mechanism, name in NAMES.items():
        if name != "codes":
            budget = new_budget(mechanism)
            released = mechanism.release(np.asarray(COUNTS), budget=budget)
            assert budget.spent != new_budget(mechanism).spent
            assert isinstance(released, np.ndarray | int | None)
            assert mechanism is LEADER or type(mechanism.release(public)) is type(released)


def test_reports_that_are_no_category() -> None:
    m = cydp.RandomizedResponse(epsilon=1, n_categories=4)
    table: dict[str, Refusal] = {}
    for reports in ([1, 4], np.array([[4, 1]]), [-2], [2**70], [-(2**70)]):
        table[f"{reports}"] = (
            lambda r=reports: m.estimate(r), ValueError,
            ("reports must be from 0 to 3", "n_categories is 4", "count from 0"),
        )  # fmt: skip
    for wrong in ([0.5], "01", None, np.zeros(2), math.pi):
        table[f"{wrong!r}"] = (
            lambda r=wrong: m.estimate(r), TypeError, ("reports must be integers from 0 to 3",)
        )  # fmt: skip
    check_refusals(table)
