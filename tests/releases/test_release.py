"""releases/_release.py: releases are values: their arrays cannot be changed."""

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import ApproxDP, BudgetLedger, PureDP, releases, teach
from cydp.accounting import UnitMismatchError
from cydp.releases import HistogramRelease
from cydp.releases._query import Query
from cydp.releases._release import Release
from cydp.testing import SeededGenerator

AGES = [18, 25, 31, 44, 52]
TABLE = {"sex": ["f", "m", "f", "f", "m"], "zip": [7, 7, 9, 9, 9], "age": AGES}

# One of each class, which is the same in every call.
MAKERS: dict[str, Callable[..., Any]] = {
    "BoundsRelease": lambda **more: cydp.bounds(AGES, **more),
    "ContributionBoundRelease": lambda max_rows_per_unit=8, **more: cydp.contribution_bound(
        {"user": [1, 1, 2, 3, 3]}, user="user", max=max_rows_per_unit, **more
    ),
    "HalvingRelease": lambda **more: teach.median_by_halving(AGES, (0, 64), rounds=3, **more),
    "HistogramRelease": lambda **more: cydp.histogram(
        TABLE, 3, (0, 60), column="age", by="sex", by_keys=["f", "m"], **more
    ),
    "MeanRelease": lambda **more: cydp.mean(AGES, (0, 100), split={"sum": 2}, **more),
    "NumberRelease": lambda **more: cydp.sum(AGES, (0, 100), missing=5, **more),
    "QuantileRelease": lambda **more: cydp.quantile(
        AGES, [0.25, "1/2"], (0, 100), **{"interval": 0.9} | more
    ),
    "TableRelease": lambda **more: cydp.group_by(
        TABLE, ["sex", "zip"], keys=[("f", 7), ("m", 9)], sums={"age": (0, 100)},
        means={"age": (0, 100)}, quantiles={"age": ([0.5], (0, 100))}, **more,
    ),
    "TopCountsRelease": lambda **more: cydp.top_k(
        {"zip": np.repeat([7, 8], [300, 100])}, 1, column="zip", **{"delta": 1e-6} | more
    ),
    "TopRelease": lambda **more: cydp.top_k(TABLE["zip"], 1, [7, 8, 9], **more),
    "VarianceRelease": lambda **more: cydp.variance(AGES, (0, 100), **more),
}  # fmt: skip
ROW: Any = {"relation": "add-remove"}
LOSSES: dict[str, Any] = {"TopCountsRelease": ApproxDP(1, 1e-6, **ROW)}  # others: PureDP(1)
BUDGET = ApproxDP(2, 1e-5)
MOST_ROWS = {"TopCountsRelease": 1}  # of a promise: keys that are not public are for one
RELEASES = [name for name in releases.__all__ if name.endswith("Release")]
each = pytest.mark.parametrize("name", RELEASES)
each_of_rows = pytest.mark.parametrize(  # a bound on contributions needs users
    "name", [name for name in RELEASES if name != "ContributionBoundRelease"]
)


def made(name: str, **more: Any) -> Any:
    return MAKERS[name](**({"epsilon": 1, "rng": SeededGenerator(1)} | more))


def others_of(name: str, field: str) -> list[Any]:
    """Values of a field that differ from the field of `made`."""
    if field == "query":
        others: list[dict[str, Any]] = [
            {"epsilon": 2}, {"relation": "change-one"}, {"max_rows_per_unit": 1},
            {"max_rows_per_unit": 1, "unit": "person"},
        ]  # fmt: skip
        return [made(name, **other).query for other in others]
    return [changed(getattr(made(name), field))]


def changed(value: Any) -> Any:
    """Return the value with another first number or label."""
    if isinstance(value, tuple):
        return (changed(value[0]), *value[1:])
    if isinstance(value, np.ndarray):
        other = value.copy()
        other.flat[0] = changed(other.flat[0])
        return other
    return f"{value}?" if isinstance(value, str) else (value or 0) + 5  # -1 and -2 have one hash


def arrays_of(released: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of the fields, which may be tuples."""
    fields = [getattr(released, field.name) for field in dataclasses.fields(released)]
    return [
        array
        for field in fields
        for array in (field if isinstance(field, tuple) else (field,))
        if isinstance(array, np.ndarray)
    ]


@each
def test_every_field_is_compared(name: str) -> None:
    one, released = made(name), made(name)
    assert type(one).__name__ == name
    assert one == released
    assert hash(one) == hash(released)
    assert len({one, released}) == 1
    assert one not in (1, (3, -1))
    for field in dataclasses.fields(released):
        if not field.compare:  # who paid is not what was released
            continue
        for value in others_of(name, field.name):
            other = dataclasses.replace(released, **{field.name: value})
            assert other != released, field.name
            assert hash(other) != hash(released), field.name  # hashes of numbers are fixed


def test_a_number_takes_a_format() -> None:
    count, mean = cydp.count([1] * 1000, epsilon=1000), made("MeanRelease")
    assert (f"{count:,}", f"{count:d}", f"{count}") == ("1,000", "1000", str(count))
    assert f"{mean:.2f}" == f"{mean.value:.2f}"
    for name in ("HistogramRelease", "QuantileRelease", "TopRelease"):
        with pytest.raises(TypeError, match="is no single number that has a format"):
            format(made(name), ".2f")


def test_classes_of_equal_fields_are_compared() -> None:
    mean = made("MeanRelease")
    parts = {field.name: getattr(mean, field.name) for field in dataclasses.fields(mean)}
    assert cydp.releases.VarianceRelease(**parts, squares=1) != mean


def of_counts(counts: Any, edges: Any) -> HistogramRelease:
    query = cydp.histogram(AGES, 2, (0, 2), epsilon=1).query
    return HistogramRelease(query=query, counts=counts, axes=(edges,))


EDGES = np.array([0.0, 1.0, 2.0])
RELEASED = of_counts(np.array([3, -1]), EDGES)


def test_shapes_are_compared() -> None:
    more = of_counts(np.array([3, -1, 0]), np.arange(4.0))
    assert more != RELEASED
    assert of_counts(np.array([3]), EDGES) != RELEASED
    assert dataclasses.replace(RELEASED, axes=(EDGES, EDGES)) != RELEASED


def test_equal_numbers_of_another_dtype_are_equal() -> None:
    for dtype in (np.int8, np.int64, np.float32):
        other = of_counts(np.array([3, -1]), EDGES.astype(dtype))
        assert other == RELEASED
        assert hash(other) == hash(RELEASED)


COPIES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "replace": dataclasses.replace,
    **{
        f"pickle {protocol}": lambda x, protocol=protocol: pickle.loads(pickle.dumps(x, protocol))
        for protocol in (2, pickle.HIGHEST_PROTOCOL)
    },
}


@each
def test_copies_are_equal_and_read_only(name: str) -> None:
    released = made(name)
    for copied in COPIES.values():
        check_copy(released, copied(released))


def check_copy(released: Any, again: Any) -> None:
    assert type(again) is type(released)
    assert again == released
    assert hash(again) == hash(released)
    assert repr(again) == repr(released)
    assert again.metadata == released.metadata
    for array in arrays_of(again):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = array
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    for attribute in [*(field.name for field in dataclasses.fields(again)), "loss", "new"]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(again, attribute, None)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(again, attribute)


def test_the_array_that_was_given_changes_nothing() -> None:
    counts = np.array([3, -1])
    released = of_counts(counts, EDGES)
    before = hash(released)
    counts[0] = 99
    assert counts.flags.writeable
    assert (released.counts.tolist(), hash(released)) == ([3, -1], before)


@each_of_rows
def test_what_every_release_has(name: str) -> None:
    released = made(name)
    assert isinstance(released, Release)
    assert released.loss == LOSSES.get(name, PureDP(1, **ROW))
    assert released.relation == "add-remove"
    assert "a person with several rows is protected less" in released.unit.lower()
    rows = MOST_ROWS.get(name, 3)
    promised = made(name, max_rows_per_unit=rows)
    assert "the caller's promise" in promised.unit
    assert f"{released.loss.epsilon}" in repr(released)
    described = json.loads(json.dumps(promised.metadata))
    assert described["loss"]["epsilon"] == "1"
    assert (described["unit"]["promised"], described["unit"]["max_rows"]) == (True, rows)
    assert described["function"] == released.query.function


def test_a_release_is_of_a_class_that_says_how() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Release()  # type: ignore[abstract]


@each_of_rows
def test_a_query_is_described_by_what_is_public(name: str) -> None:
    """The text is what a ledger keeps, so other data gives the same, and other parameters not."""
    query = made(name).query
    assert type(query).__repr__ is Query.__repr__
    again = pickle.loads(pickle.dumps(query))
    assert (again, repr(again), again.loss) == (query, repr(query), query.loss)
    assert repr(made(name, rng=SeededGenerator(2)).query) == repr(query)
    assert " at 0x" not in repr(query)
    texts = [repr(query), *map(repr, others_of(name, "query"))]
    assert len(set(texts)) == len(texts)
    assert "max_rows_per_unit=1" in texts[-1]


@each_of_rows
def test_a_ledger_records_a_release(name: str, tmp_path: Path) -> None:
    """It is drawn once, and what is read back in another process is equal to it."""
    path = tmp_path / "ledger"
    with BudgetLedger.create(path, BUDGET, privacy_unit="row") as ledger:
        released = made(name, budget=ledger.scope(charge_id="a"), rng=None)
        head = ledger.head()
    with BudgetLedger.open(path) as ledger:
        again = made(name, budget=ledger.scope(charge_id="a"), rng=None)
        loss = released.loss
        once = ledger.once("b", loss, lambda: released, function="f")
        recorded = ledger.once("b", loss, lambda: pytest.fail("was drawn"), function="f")
        assert ledger.head() > head
        assert (ledger.spent.epsilon, ledger.spent.delta) == (2, 2 * getattr(loss, "delta", 0))
        ledger.verify()
    for other in (again, once, recorded):
        assert type(other) is type(released)
        assert (other, hash(other)) == (released, hash(released))
        # A repetition says that it is one.
        words, _, said = repr(other).partition("\nnote: this is the recorded result of charge 'a'")
        assert (words, bool(said)) == (repr(released), other is again)
        assert [array.dtype for array in arrays_of(other)] == [
            array.dtype for array in arrays_of(released)
        ]


@each_of_rows
def test_a_release_can_be_charged(name: str, tmp_path: Path) -> None:
    released = made(name, max_rows_per_unit=MOST_ROWS.get(name, 2))
    with BudgetLedger.create(tmp_path / "ledger", BUDGET, privacy_unit="person") as ledger:
        with pytest.raises(UnitMismatchError):
            ledger.charge(cydp.count([1], epsilon=1))
        ledger.charge(released)
        entry = list(ledger.history())[-1]
        assert entry["mechanism"] == released.query.mechanism_name
        assert entry["params"] == repr(released.query)
        assert (ledger.spent.epsilon, ledger.spent.delta) == (1, getattr(released.loss, "delta", 0))
