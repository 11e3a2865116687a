"""Users of any kind in partitions that are codes: the limits hold, and nobody changes another."""

import datetime as dt
import enum
import random
from collections import Counter
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cydp
from cydp import exact
from cydp._columns.canonical import canonical, label_bytes
from cydp._columns.declared import Labels
from cydp.exact._contributions import (
    bound_users,
    count_contributions,
    count_user_rows,
    sample_key,
)
from cydp.exact._label_sets import find_labels
from cydp.testing import SeededGenerator


class Color(enum.Enum):
    """A user of its own kind."""

    RED = 1


USERS: list[Any] = [
    1, 2, 1.5, "ann", "bob", b"ann", dt.date(2024, 1, 1), (1, "ann"), Color.RED, 2**70, -1, "é", "",
    frozenset({1}), True, 2.0, (True, "ann"), "\xff1",
]  # fmt: skip
MISSING: list[Any] = [None, float("nan"), [], (None,), object()]


def bound(users: Any, codes: Any, keys: Any, **limits: Any) -> list[bool]:
    codes = np.array(codes, np.uint32)
    labels, seed = Labels(users, "user"), limits.pop("seed", 1)
    key: Any = sample_key(labels, SeededGenerator(seed))
    stays = bound_users(labels, codes, keys, key, **limits)
    assert stays.dtype == bool
    return stays.tolist()  # type: ignore[no-any-return]


@given(
    st.lists(st.tuples(st.sampled_from(USERS + MISSING), st.integers(0, 6)), max_size=60),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_limits_hold_and_are_used(rows: list[tuple[Any, int]], most: int, most_rows: int) -> None:
    users, codes = [user for user, _ in rows], [code for _, code in rows]
    stays = bound(users, codes, 5, max_partitions=most, max_rows_per_partition=most_rows)
    present = [(canonical(user), code) for user, code in rows]
    inside = [(user, code) for user, code in present if user is not None and code < 5]
    kept = Counter(pair for pair, stay in zip(present, stays, strict=True) if stay)
    assert set(kept) <= set(inside)
    for user in {user for user, _ in inside}:
        distinct = {code for each, code in inside if each == user}
        chosen = {code for each, code in kept if each == user}
        assert len(chosen) == min(most, len(distinct))
        for code in chosen:
            assert kept[user, code] == min(most_rows, inside.count((user, code)))


def test_codes_outside_do_not_count() -> None:
    """A user in many partitions of no key keeps the one that has a key."""
    codes = [7, 8, 5, 3, 10, 2**32 - 1]
    for seed in range(30):
        stays = bound(["ann"] * 6, codes, 5, max_partitions=1, seed=seed)
        assert stays == [False, False, False, True, False, False]


SHAPES: dict[str, Any] = {
    "list": list, "numpy": np.array, "objects": lambda x: np.array(x, object), "pandas": pd.Series,
    "category": lambda x: pd.Series(x, dtype="category"), "polars": pl.Series, "pyarrow": pa.array,
    "dictionary": lambda x: pa.array(x).dictionary_encode(),
    "chunks": lambda x: pa.chunked_array([x[:9], x[9:]]),
    "DuckDB": lambda x: duckdb.from_arrow(pa.table({"x": x})),
}  # fmt: skip


@pytest.mark.parametrize(
    "users", [["ann", "bob", "chris the third", "é", ""], [3, -7, 2**62, 0, 1]]
)
def test_the_sample_is_the_same_in_every_container(users: list[Any]) -> None:
    chance = random.Random(3)
    rows = [chance.choice(users) for _ in range(200)]
    codes = [chance.randrange(8) for _ in rows]
    expected = bound(rows, codes, 8, max_partitions=2)
    assert 5 < sum(expected) < 200
    given_codes = np.array(codes, np.uint32)
    limits: dict[str, Any] = {"max_partitions": 2, "rng": SeededGenerator(1)}
    assert exact.bound_contributions(rows, given_codes, **limits).tolist() == expected
    for name, shape in SHAPES.items():
        assert bound(shape(rows), codes, 8, max_partitions=2) == expected, name
    for other in (Color.RED, 2.5, None, "x", 9):
        assert bound([*rows, other], [*codes, 0], 8, max_partitions=2)[:-1] == expected


def test_another_user_changes_nothing() -> None:
    """Whatever kind another user is of, and whatever other labels there are."""
    chance = random.Random(4)
    rows = [chance.choice(["ann", "bob"]) for _ in range(60)]
    labels = [chance.choice(["x", "y", "z", (1, "w"), 2.5]) for _ in rows]
    seconds = [chance.randrange(3) for _ in rows]

    def sample(users: list[Any], keys: list[Any], more: list[Any], shape: Any = list) -> list[bool]:
        found = find_labels([Labels(shape(keys)), Labels(more)])
        return bound(users, found.codes, found, max_partitions=3)[: len(rows)]

    def objects(x: list[Any]) -> Any:
        return np.array([*x, 0], object)[:-1]

    expected = sample(rows, labels, seconds)
    assert 5 < sum(expected) < 60
    for other in (*USERS[:3], 2**80, *MISSING):
        for label in ("a", "zz", 7, (1, "v"), dt.date(2024, 1, 1), None, []):
            changed = sample([*rows, other], [*labels, label], [*seconds, 99], objects)
            assert changed == expected, (other, label)
    alone = find_labels([Labels(seconds)])
    one = bound(rows, alone.codes, alone, max_partitions=1)
    more = find_labels([Labels([*seconds, -5])])
    assert bound([*rows, "chris"], more.codes, more, max_partitions=1)[:-1] == one


def test_the_order_of_other_rows_changes_nothing() -> None:
    chance = random.Random(5)
    rows = [(chance.choice(USERS), chance.randrange(6)) for _ in range(80)]
    first = set()
    for _ in range(50):
        mixed = chance.sample(rows, len(rows))
        stays = bound([user for user, _ in mixed], [code for _, code in mixed], 6, max_partitions=2)
        kept = Counter(
            (label_bytes(canonical(user) or ""), code)
            for (user, code), stay in zip(mixed, stays, strict=True)
            if stay
        )
        first.add(tuple(sorted(kept)))
    assert len(first) == 1


def test_no_rows() -> None:
    assert bound([], [], 3, max_partitions=1) == []
    found = find_labels([Labels([])])
    assert bound([], found.codes, found, max_partitions=1) == []


def test_rows_of_users() -> None:
    """Of each user one number: how many rows count. In columns of any kind, small and large."""
    rng = np.random.default_rng(4)
    columns: list[Any] = [
        [(USERS + MISSING)[i] for i in rng.integers(0, len(USERS + MISSING), 300)],
        rng.integers(-3, 3, 300),
        rng.integers(0, 2**63, 7)[rng.integers(0, 7, 300)],
        np.minimum(rng.integers(0, 5000, 40_000), rng.integers(0, 5000, 40_000)),
        rng.integers(0, 3000, 40_000) * 2**41,
        rng.integers(0, 50, 300) / 4,
        pa.array(list("abcabcdd") * 40),
        np.zeros(0, np.int64),
    ]
    for column in columns:
        entries = column.tolist() if isinstance(column, np.ndarray) else list(column)
        entries = [each.as_py() if isinstance(each, pa.Scalar) else each for each in entries]
        labels = Labels(column, "user")
        key: Any = sample_key(labels, SeededGenerator(3))
        for inside in (None, rng.random(len(entries)) < 0.6):
            found = count_user_rows(labels, inside, key)
            counting = np.ones(len(entries), bool) if inside is None else inside
            users = [canonical(entries[i]) for i in np.flatnonzero(counting)]
            want = Counter(user for user in users if user is not None)
            assert len(found) == len(entries)
            assert sorted(found[found > 0].tolist()) == sorted(want.values())


def test_users_are_as_many_as_rows() -> None:
    """Whether a user is null changes no error."""
    key: Any = np.zeros(2, np.uint64)
    for users in (["a", "b", "c"], ["a", None, "c"]):
        for rows in (1, 4):
            inside = np.ones(rows, np.bool_)
            for refused in (
                count_user_rows,
                lambda *given: count_contributions(*given[:2], 3, key),
            ):
                with pytest.raises(ValueError, match=r"^user must have an entry for each row$"):
                    refused(Labels(users, "user"), inside, key)
            relation = duckdb.from_arrow(pa.table({"u": users}))
            with pytest.raises(ValueError, match="user must have an entry"):
                cydp.count(np.ones(rows), user=relation, max_rows=1, epsilon=1)
