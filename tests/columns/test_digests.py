"""_columns/canonical.py: what a ledger and a session tell keys apart by."""

import enum
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import cydp
from cydp import BudgetLedger, PureDP
from cydp._columns.canonical import digest_labels
from cydp._columns.keys import Keys, digest_keys
from cydp.accounting import ChargeConflictError
from cydp.sampling import on_sample

SECONDS = 1_600_000_000


class Color(enum.Enum):
    RED, BLUE = 1, 2


class Shape(enum.Enum):
    RED, BLUE = 1, 2


@dataclass(frozen=True)
class Own:
    value: int

    def __repr__(self) -> str:
        return "Own"


DIFFERENT: list[Any] = [
    np.array([SECONDS]), np.array([SECONDS], np.uint64), np.array([SECONDS], float),
    np.array([SECONDS], "M8[s]"), np.array([SECONDS], "M8[ns]"), np.array([SECONDS], "m8[s]"),
    np.array([True]), [1, "a"], [1.5, "a"], ["1", "a"], [b"1", "a"], ["1a"], ["1", "a", None],
    [(1, 2), "a"], [(1, (2,)), "a"], [frozenset({1}), "a"],
    [Decimal("0.1"), "a"], [Fraction(1, 3), "a"], [Color.RED, "a"], [Shape.RED, "a"],
    [Color.BLUE, "a"], [datetime(2020, 1, 1), "a"], [datetime(2020, 1, 1, tzinfo=UTC), "a"],
    [date(2020, 1, 2), "a"], [pd.Period("2020", "Y"), "a"], [pd.Interval(0, 1), "a"],
    [pd.Interval(0, 1, "left"), "a"],
]  # fmt: skip


def test_labels_that_differ_have_digests_that_differ() -> None:
    digests = [digest_labels(labels, "keys") for labels in DIFFERENT]
    assert len(set(digests)) == len(DIFFERENT)


def test_members_of_two_versions_of_an_enum_differ() -> None:
    digests = {
        digest_labels([enum.Enum("Size", {"SMALL": value}).SMALL], "keys")  # type: ignore[attr-defined]
        for value in (1, 2, "1")
    }
    assert len(digests) == 3


def test_equal_labels_of_one_type_have_one_digest() -> None:
    for one, two in (
        (np.array([0.0]), np.array([-0.0])), (["a"], np.array(["a"])), (["a"], [np.str_("a")]),
        ([1, "a"], [np.int8(1), "a"]), ([frozenset("ab")], [frozenset("ba")]),
        ([None, "a"], [float("nan"), "a"]),
        ([datetime(2020, 1, 1, tzinfo=UTC)], [datetime.fromisoformat("2020-01-01T02:00+02:00")]),
    ):  # fmt: skip
        assert digest_labels(one, "keys") == digest_labels(two, "keys"), one
    keys = ([1, 2], np.array([1, 2], np.int8), pd.Series([1, 2], dtype="Int64"))
    assert len({str(digest_keys(Keys(each))) for each in keys}) == 1


def test_what_cannot_be_compared_is_refused() -> None:
    for labels in ([Own(1)], [(1, Own(1))], np.array([Own(1)], object)):
        with pytest.raises(TypeError, match=r"objects of \w+ cannot be compared"):
            digest_labels(labels, "keys")


def test_a_charge_id_and_a_session_tell_keys_of_two_types_apart(tmp_path: Path) -> None:
    times = np.array([SECONDS], "M8[ns]")
    count: dict[str, Callable[..., Any]] = {
        "value_counts": lambda keys, budget: cydp.value_counts(
            {"a": keys}, keys, column="a", epsilon=1, budget=budget
        ),
        "on_sample": lambda keys, budget: on_sample(
            cydp.value_counts, {"a": keys}, keys, column="a", share="1/2", epsilon=1, budget=budget
        ),
    }  # fmt: skip
    with BudgetLedger.create(tmp_path / "l", PureDP(9), privacy_unit="row") as ledger:
        for name, ask in count.items():
            scope = ledger.scope(charge_id=name)
            ask(times, scope)
            with pytest.raises(ChargeConflictError):
                ask(times.astype(np.int64), scope)
            for own in itertools.repeat([Own(1)], 2):
                with pytest.raises(TypeError, match="objects of Own cannot be compared"):
                    ask(own, ledger.scope(charge_id=f"own {name}"))
        spent = ledger.spent
        session = cydp.Session({"a": [1]}, budget=ledger)
        ask = partial(session.value_counts, column="a", epsilon=1)
        with pytest.raises(TypeError, match="objects of Own cannot be compared"):
            ask([Own(1)])
        assert ledger.spent == spent
        cydp.value_counts({"a": [Own(1)]}, [Own(1)], column="a", epsilon=1, budget=ledger)
