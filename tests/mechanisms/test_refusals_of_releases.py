"""What a release says to values, budgets and generators that it does not take; they cost nothing.

No message shows a value of the data, and no charge is made.
"""

from __future__ import annotations

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
    cydp.mechanisms.Snapping(epsilon=1, sensitivity=1, bounds=(-100, 100)),
]
SELECTIONS: list[Any] = [
    cydp.ExponentialMechanism(epsilon=1, sensitivity=1),
    cydp.PermuteAndFlip(epsilon=1, sensitivity=1),
]
PARTITIONS = cydp.mechanisms.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)
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


Row = tuple[Any, dict[str, Any], type[Exception], tuple[str, ...]]


def new_budget(mechanism: Any) -> PrivacyFilter:
    relation = getattr(mechanism, "relation", None) or "add-remove"
    return PrivacyFilter(ApproxDP(50, "0.5"), relation=relation)


def check_free(rows: list[Row]) -> None:
    """Check refusals of releases with and without a budget, which pays nothing for them."""
    budgets: list[PrivacyFilter] = []
    table: dict[str, Refusal] = {}
    for i, (mechanism, given, error, words) in enumerate(rows):
        budgets.append(budget := new_budget(mechanism))
        for paid in ({"budget": budget}, {}):
            call = {**paid, **given}
            data = call.pop("data", [1, 2])
            table[f"{i}: {mechanism!r:.40}, {given!r:.40}, {len(paid)}"] = (
                lambda m=mechanism, data=data, call=call: m.release(data, **call), error, words
            )  # fmt: skip
    check_refusals(table, never=SECRETS)
    assert all(len(budget.report().splitlines()) == 2 for budget in budgets)  # no charge at all


def test_values_of_another_type() -> None:
    rows: list[Row] = []
    for mechanism, name in NAMES.items():
        takes_reals = mechanism in REALS + SELECTIONS
        wrong: dict[str, Any] = dict(NEVER_NUMBERS)
        wrong |= {} if takes_reals else NEVER_INTEGERS
        wrong |= {} if mechanism is COIN else NEVER_REALS
        if takes_reals and np.dtype(np.longdouble) == np.float64:
            del wrong["an array of long double"]
        rows += [
            (mechanism, {"data": value}, TypeError, (name, "must ")) for value in wrong.values()
        ]
    check_free(rows)


def test_arrays_that_are_not_what_they_say() -> None:
    """Entries are counted before they are read: who hides them would pay for one."""
    rows: list[Row] = []
    for mechanism in [*REALS, *INTEGERS, *SELECTIONS]:
        words = (NAMES[mechanism], "must")
        floats = TypeError if mechanism in INTEGERS else ValueError
        rows.append((mechanism, {"data": NoShape(), "budget": None}, TypeError, words))
        rows.append((mechanism, {"data": OtherShape(), "budget": None}, floats, words))
        rows.append((mechanism, {"data": OtherDtype(), "budget": None}, ValueError, words))
    check_free(rows)


def test_shapes_dtypes_and_counts() -> None:
    rows: list[Row] = []
    for mechanism in SELECTIONS:
        none = ("scores", "at least one candidate")
        for empty in ([], [[], []], np.zeros(0), np.zeros((0, 0)), np.zeros((3, 0))):
            rows.append((mechanism, {"data": empty}, ValueError, none))
        for one in (1.0, np.float64(1), np.zeros(())):
            rows.append((mechanism, {"data": one}, TypeError, ("scores must be",)))
    for counts in ([1], [], [[1, 2]], 5):
        rows.append((LEADER, {"data": counts}, ValueError, ("counts must be of shape", "m >= 2")))
    for dtype, k in (("i1", 129), ("u1", 257), ("i2", 2**15 + 1), ("u2", 2**16 + 1)):
        wide = cydp.RandomizedResponse(epsilon=1, n_categories=k)
        words = (f"codes must be of a dtype that holds {k - 1}",)
        rows.append((wide, {"data": np.zeros(3, dtype)}, ValueError, words))
    for flags in (True, np.True_, [True, False], np.array([True])):
        rows.append((CODES, {"data": flags}, TypeError, ("codes must be", "not bool")))
    for mechanism in (REALS[2], *INTEGERS):
        total = exact.clamped_sum([1], (0, 100))
        rows.append((mechanism, {"data": total}, TypeError, ("value must be",)))
    check_free(rows)


def test_budgets_and_generators() -> None:
    rows: list[Row] = []
    for mechanism in NAMES:
        for rng in (0, np.random.default_rng(0), "os", cydp.Generator):
            rows.append((mechanism, {"rng": rng}, TypeError, ("rng must be a cydp.Generator",)))
        seeded = {"rng": SeededGenerator(1), "budget": new_budget(mechanism)}
        rows.append((mechanism, seeded, TypeError, ("rng must not be seeded",)))
        for budget in ("ledger", 1, ApproxDP(1, 0.1), cydp.PureDP(1)):
            rows.append((mechanism, {"budget": budget}, TypeError, ("budget must be",)))
    integers = [(m, {"data": 3, **given}, *rest) for m, given, *rest in rows if m in INTEGERS]
    check_free(rows + integers)  # type: ignore[arg-type]


def bad_outputs(dtype: Any) -> list[tuple[Any, type[Exception], str]]:
    read_only = np.zeros(4, dtype)
    read_only.flags.writeable = False
    return [
        ([0] * 4, TypeError, "out must be a numpy array"),
        (3, TypeError, "out must be a numpy array"),
        (np.ma.zeros(4, dtype), TypeError, "out must be a numpy array"),
        (np.zeros(4, np.float32), TypeError, "out must have dtype"),
        (np.zeros(4, np.dtype(dtype).newbyteorder()), TypeError, "out must have dtype"),
        (np.zeros(8, dtype)[::2], ValueError, "out must be C-contiguous"),
        (read_only, ValueError, "out must be C-contiguous, aligned and writable"),
        (np.frombuffer(bytearray(33), dtype, offset=1), ValueError, "out must be C-contiguous"),
        (np.zeros(5, dtype), ValueError, "out must have the shape of"),
        (np.zeros((4, 1), dtype), ValueError, "out must have the shape of"),
        (np.zeros((), dtype), ValueError, "out must have the shape of"),
    ]


def test_outputs() -> None:
    """A bad output is left as it is, and nothing is charged or drawn."""
    rows: list[Row] = []
    kept: list[tuple[Any, Any]] = []
    rng = SeededGenerator(1)
    wide = cydp.DiscreteLaplace(epsilon=1, sensitivity=2**54)  # its noise may saturate
    for mechanism in [*INTEGERS, wide, *REALS, CODES, COIN]:
        dtype = np.float64 if mechanism in REALS else np.int64
        value = (np.arange(4) % 2).astype(dtype)
        for out, error, words in bad_outputs(dtype):
            kept.append((out, np.array(out)))
            given = {"data": value, "out": out}
            rows.append((mechanism, given, error, (words,)))
            rows.append((mechanism, {**given, "rng": rng, "budget": None}, error, (words,)))
        both = np.zeros(6, dtype)
        kept.append((both, np.zeros(6)))
        for out in (both[1:5], both[:4]):  # memory of the value, but not the value itself
            given = {"data": both[:4], "out": out}
            rows.append((mechanism, given, ValueError, ("itself, or memory apart",)))
    check_free(rows)
    for out, before in kept:
        np.testing.assert_array_equal(np.asarray(out), before)
    assert rng.bytes(16) == SeededGenerator(1).bytes(16)


X = np.array([1.0, 2, 3, 9])
COUNTS = exact.histogram(X, 3)[0]


def test_counts_in_bins_that_came_from_the_data() -> None:
    """No message names an edge, a count or a number of rows: it is the same for all data."""
    binned = [
        COUNTS, COUNTS / 2, COUNTS[1:], exact.histogramdd([X, X], 2)[0], [COUNTS, COUNTS],
        (COUNTS.tolist(), COUNTS), exact.bincount([0, 3]), exact.histogram(X[:0], 3)[0],
        exact.histogram(X[1:] * 1e9, 3)[0],
    ]  # fmt: skip
    rows: list[Row] = []
    said: dict[str, set[str]] = {}
    for mechanism, name in NAMES.items():
        if name == "codes":
            continue
        words = (f"{name} must not be counts in bins that", f"np.asarray({name})")
        for counts in binned:
            rows.append((mechanism, {"data": counts}, ValueError, words))
            rows.append((mechanism, {"data": counts, "budget": object()}, ValueError, words))
            try:
                mechanism.release(counts)
            except ValueError as error:
                said.setdefault(name, set()).add(str(error))
    check_free(rows)
    assert [len(messages) for messages in said.values()] == [1, 1, 1]
    assert not any(c.isdigit() for messages in said.values() for c in "".join(messages))


def test_counts_in_bins_of_the_data_are_released_if_asked() -> None:
    public = exact.histogram(X, 3, (0, 9))[0]
    for mechanism, name in NAMES.items():
        if name != "codes":
            budget = new_budget(mechanism)
            released = mechanism.release(np.asarray(COUNTS), budget=budget)
            assert budget.spent != new_budget(mechanism).spent
            assert mechanism is LEADER or type(mechanism.release(public)) is type(released)


def test_reports_that_are_no_category() -> None:
    estimate = cydp.RandomizedResponse(epsilon=1, n_categories=4).estimate
    table: dict[str, Refusal] = {}
    words = ("reports must be from 0 to 3", "n_categories is 4", "count from 0")
    for reports in ([1, 4], np.array([[4, 1]]), [-2], [2**70], [-(2**70)]):
        table[f"{reports}"] = (lambda r=reports: estimate(r), ValueError, words)
    words = ("reports must be integers from 0 to 3",)
    for wrong in ([0.5], "01", None, np.zeros(2), 3.5):
        table[f"{wrong!r}"] = (lambda r=wrong: estimate(r), TypeError, words)
    check_refusals(table)
