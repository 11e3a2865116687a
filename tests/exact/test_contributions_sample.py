"""exact/_contributions.py: a user's sample follows from the key and the user's own rows."""

from collections.abc import Callable
from fractions import Fraction
from ipaddress import ip_address
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import binom

from cydp._columns.canonical import canonical
from cydp.exact import bound_contributions
from cydp.exact._user_identifiers import _hashed
from cydp.testing import SeededGenerator

NARROW = [*range(-60, 60), 2**63 - 1, -(2**63), 10**18]
WIDE = [2**63, 2**63 + 5, 2**64 - 1, 2**64, 2**70, -(2**63) - 1, -(10**30)]
SHAPES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "objects": lambda x: np.array(x, object),
    "pandas objects": lambda x: pd.Series(x, dtype=object),
}


def sample(users: Any, groups: Any) -> list[bool]:
    kept = bound_contributions(
        users, groups, max_partitions=2, max_rows_per_partition=2, rng=SeededGenerator(5)
    )
    return [bool(stays) for stays in kept]


def rows_of(ids: list[int], each: int = 24) -> tuple[list[int], list[int]]:
    """Rows in an order that mixes the users: of each `each` rows in 8 groups."""
    users = [one for _ in range(each) for one in ids]
    return users, [3 * i % 8 for i in range(each) for _ in ids]


def test_a_user_who_joins_changes_nobody_elses_sample() -> None:
    for number, other in enumerate((*WIDE, 5, None, 0.5)):
        check_who_joins("list", list, other)
        name = ("objects", "pandas objects")[number % 2]
        check_who_joins(name, SHAPES[name], other)


def check_who_joins(name: str, shape: Callable[[list[Any]], Any], other: Any) -> None:
    users, groups = rows_of([one for one in NARROW if one != other])
    alone = sample(shape(users), groups)
    for place in (0, len(users) // 2, len(users)):
        joined = [*users[:place], *[other] * 30, *users[place:]]
        with_theirs = [*groups[:place], *[i % 8 for i in range(30)], *groups[place:]]
        found = sample(shape(joined), with_theirs)
        assert [*found[:place], *found[place + 30 :]] == alone
        theirs = found[place : place + 30]
        assert sum(theirs) == (0 if other is None else 4)
        if name == "list":
            assert theirs == sample([other, 7] * 30, [i // 2 % 8 for i in range(60)])[::2]


def test_a_group_that_joins_changes_nobody_elses_sample() -> None:
    users, groups = rows_of(NARROW)
    alone = sample(users, groups)
    for other in (*WIDE, None):
        assert sample([*users, 999], [*groups, other])[:-1] == alone


def test_an_empty_text_and_the_number_0_are_chosen_by_the_key() -> None:
    """Neither by default, nor as another user's row says: each of them in about half of 400."""
    users, groups = [f"u{i // 2}" for i in range(800)], ["", 0] * 400

    def chosen(users: list[str], groups: list[Any]) -> list[bool]:
        kept = bound_contributions(users, groups, max_partitions=1, rng=SeededGenerator(5))
        return kept[:800].tolist()  # type: ignore[no-any-return]

    for whole, words in ((groups, ("", 0)), (["", "0"] * 400, ("", "0"))):
        alone = chosen(users, whole)
        assert all(chosen([*users, "other"], [*whole, word]) == alone for word in words)
        assert binom.sf(max(sum(alone[::2]), sum(alone[1::2])) - 1, 400, 0.5) > 1e-6


def test_an_id_has_one_sample_in_every_type_that_holds_it() -> None:
    ids = [*range(40), 2**63 - 1, 2**63, 2**63 + 5, 2**64 - 1]
    users, groups = rows_of(ids)
    expected = sample(users, groups)
    unsigned = np.array(users, np.uint64)
    columns = (unsigned, pa.array(unsigned), pl.Series(unsigned), pd.Series(users, dtype="UInt64"))
    for column in (*columns, np.array(users, object), pa.array(unsigned).dictionary_encode()):
        assert sample(column, groups) == expected
        assert sample(groups, column) == sample(groups, users)
    signed, their_groups = rows_of(ids[:41])
    places = [i for i, one in enumerate(users) if one < 2**63]
    assert sample(np.array(signed), their_groups) == [expected[i] for i in places]


def test_negative_ids_share_no_sample_with_large_ones() -> None:
    """Modulo 2**64 they are the same words."""
    pairs = [(2**64 - one, -one) for one in range(1, 200)]
    users, groups = rows_of([one for pair in pairs for one in pair], 8)
    kept = np.array(sample(users, groups)).reshape(8, -1, 2)
    same = (kept[:, :, 0] == kept[:, :, 1]).all(0).mean()
    assert same < 0.2  # 2 of 8 groups: 1 of 28


def test_a_large_group_is_chosen_as_often_as_its_negative_twin() -> None:
    """If both had one name, the hashes of the pairs would tie, and the code decide."""
    users = [user for user in range(400) for _ in range(2)]
    kept = bound_contributions(
        users, [2**64 - 5, -5] * 400, max_partitions=1, rng=SeededGenerator(6)
    )
    assert 120 < kept[::2].sum() < 280  # 8 standard deviations


def test_floats_among_ids_are_ids_by_their_value() -> None:
    for ids in ([7, 7], ["a", "a"]):
        for missing in (float("nan"), None):
            assert sample([*ids, missing], [1, 1, 1]) == [True, True, False]
        for other in (0.5, np.float64("inf")):
            assert sample([*ids, other], [1, 1, 1]) == [True, True, True]
    for same in (7.0, np.float32(7)):
        assert sum(sample([7, same, same], [1, 2, 3])) == 2  # of three groups of one id


def test_an_object_of_another_class_is_refused() -> None:
    """It is no label: here its rows would be lost in silence, as missing ones."""
    for other in (ip_address("1.2.3.4"), [1], 2j, object(), np.zeros(2)):
        for users in ([other, "a"], objects_of([other, 7])):
            with pytest.raises(TypeError, match="users must hold numbers, text, bytes, dates"):
                bound_contributions(users, [1, 1], max_partitions=1)
    for missing in (None, float("nan"), pd.NaT, np.datetime64("NaT"), (1, None)):
        assert sample([missing, "a"], [1, 1]) == [False, True]


def objects_of(entries: list[Any]) -> Any:
    array = np.empty(len(entries), object)
    array[:] = entries
    return array


def test_nobody_can_choose_numbers_with_one_hash() -> None:
    """A dict would compare them all with each other: Python's hash of numbers has no secret."""
    numbers: list[Any] = [(i + 5) * (2**61 - 1) for i in range(2000)]
    assert len(set(map(hash, numbers))) == 1
    for crafted in (
        numbers,
        [Fraction(1, 2) + number for number in numbers],
        [(n,) for n in numbers],
    ):
        keys = [_hashed(canonical(each)) for each in crafted]
        assert len(set(map(hash, keys))) > 1990
        assert len(set(keys)) == 2000
