"""_columns/label_values.py: lists and objects are read in blocks, which nobody can see."""

import itertools
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cydp import exact
from cydp._columns import blocks
from cydp._columns.declared import Labels
from cydp.testing import SeededGenerator

ONE_BLOCK = 10**9  # rows: what is converted at once

TEXT = ["", "a", "b\0", "\u00e9\ud800", "a long one " * 3]
INTEGERS = [0, -1, 7, np.int8(7), np.uint64(2**63), 2**63 - 1, 2**63, -(2**63) - 1, 2**64 + 7]
NULLS = [None, np.nan, np.float32(1), np.ma.masked]
KINDS: list[list[Any]] = [TEXT, [t.encode("utf-8", "surrogatepass") for t in TEXT], INTEGERS,
                          [True, False, np.True_], [1.5, np.float64(2)], [None], [2 + 1j, "a"],
                          [1, "a"], [b"a", "a"], [True, 1]]  # fmt: skip
COLUMNS = st.sampled_from(KINDS).flatmap(
    lambda kind: (
        st.lists(st.sampled_from(kind) | st.sampled_from(NULLS), max_size=12)
        | st.lists(st.sampled_from(kind), max_size=12)
    )
)
KEYS = st.sampled_from([["a", "", "\u00e9\ud800"], [b"a", b"b\0"], [7, 0, -1, 2**64 + 7, 2**63]])


def objects(x: list[Any]) -> np.ndarray:
    array = np.empty(len(x), object)
    array[:] = x
    return array


SHAPES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "objects": objects,
    "strided objects": lambda x: np.repeat(objects(x), 2)[::2],
    "masked objects": lambda x: np.ma.array(objects(x), mask=np.arange(len(x)) % 4 == 1),
}


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """What a user can see of a call."""
    try:
        result = call()
    except Exception as error:
        return type(error), str(error)
    return result.dtype, result.shape, result.tolist()


def calls(x: Any, keys: list[Any]) -> list[Callable[[], Any]]:
    return [
        lambda: exact.match_keys(x, keys),
        lambda: exact.value_counts(x, keys),
        lambda: exact.bound_contributions(x, x, max_partitions=1, rng=SeededGenerator(1)),
        lambda: exact.bound_contributions(
            [1] * len(x), x, max_partitions=2, max_rows_per_partition=2, rng=SeededGenerator(2)
        ),
    ]


@given(st.sampled_from(list(SHAPES)), COLUMNS, KEYS)
def test_the_blocks_cannot_be_seen(shape: str, x: list[Any], keys: list[Any]) -> None:
    """Results, dtypes and errors are the same as for a column that is converted at once."""
    for call in calls(SHAPES[shape](x), keys):
        seen = []
        for rows in (ONE_BLOCK, 1, 2, 5):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(blocks, "BLOCK_ROWS", rows)
                seen.append(outcome(call))
        assert seen[1:] == seen[:1] * 3


def test_strings_of_numpy_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_ROWS", 2)
    for na in ({}, {"na_object": None}, {"na_object": np.nan}):
        kind = np.dtypes.StringDType(**na)  # type: ignore[attr-defined]
        x = np.array(["a", "b", "c", "a", *([na["na_object"]] if na else []), "b"], kind)
        expected = [1, 0, 2, 1, *([2] if na else []), 0]
        assert exact.match_keys(x, ["b", "a"]).tolist() == expected
        masked = np.ma.array(x, mask=np.arange(len(x)) == 1)
        assert exact.match_keys(masked, ["b", "a"]).tolist() == [1, 2, *expected[2:]]


ROWS = 32
FIRST, LAST = 0, 2 * ROWS + 10


@pytest.fixture
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_ROWS", ROWS)


def columns_with(shape: str, usual: Any, record: Any) -> Iterator[tuple[int, Any]]:
    """A column of equal entries but one, at the places beside which a block ends."""
    for place in (FIRST, ROWS - 1, ROWS, LAST):
        x = [usual] * (LAST + 1)
        x[place] = record
        yield place, SHAPES[shape](x)


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("shape", ["list", "objects"])
def test_an_entry_of_another_kind_is_one_more_row(shape: str) -> None:
    entries = [2 + 1j, [], "text", 12, b"bytes", True]
    for usual, other in itertools.product(["text", 12, b"bytes"], entries):
        if type(other) is type(usual):
            continue
        for _, column in columns_with(shape, usual, other):
            assert exact.value_counts(column, [usual]).tolist() == [LAST]
            bound = partial(
                exact.bound_contributions, column, [1] * (LAST + 1), max_partitions=1,
                max_rows_per_partition=LAST,
            )  # fmt: skip
            if other in ([], 2 + 1j):
                with pytest.raises(TypeError, match="users must hold numbers, text"):
                    bound()
            else:
                assert bound().sum() == LAST + 1


@pytest.mark.usefixtures("_small_blocks")
@pytest.mark.parametrize("shape", ["list", "objects"])
def test_a_record_changes_its_own_row_only(shape: str) -> None:
    for usual, record in [
        *(("text", other) for other in (None, np.nan, "", "a long text " * 9, "other")),
        *((12, other) for other in (None, np.nan, 13, np.int8(3), 2**63, -(2**70))),
    ]:
        for place, column in columns_with(shape, usual, record):
            codes = exact.match_keys(column, [usual])
            assert codes.dtype == np.uint32
            assert np.flatnonzero(codes).tolist() == [place]
            assert exact.value_counts(column, [usual]).tolist() == [LAST]


@pytest.mark.usefixtures("_small_blocks")
def test_nulls_alone_match_keys_of_any_kind() -> None:
    """A block of nulls among others is not taken for a column of nulls, and the reverse."""
    nulls: list[Any] = [None] * (LAST + 1)
    for keys in (["a"], [1], [b"a"]):
        assert exact.value_counts(nulls, keys).tolist() == [0]
    for key in ("text", 5, b"bytes"):
        assert exact.value_counts([*nulls, key], [key]).tolist() == [1]


def test_a_list_is_copied_when_it_is_declared() -> None:
    """Another thread that changes it meanwhile changes nothing."""
    x: list[Any] = ["a", "b", "a"]
    column = Labels(x)
    x.clear()
    assert list(column.read().values) == ["a", "b", "a"]


def peak_of(call: Callable[[], Any]) -> int:
    """Return the largest memory that Python and numpy held at once, in bytes."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("shape", "word"),
    [
        ("list", "user {}"),
        *(pytest.param(*given, marks=pytest.mark.long) for given in (
            ("list", None), ("objects", "user {}"), ("objects", None))),
    ],
)  # fmt: skip
def test_the_memory_of_a_call(
    shape: str, word: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory of a block of 65,536 rows; the mutant converts all rows at once."""
    values = [i if word is None else word.format(i) for i in range(1000)]
    x = SHAPES[shape]([*(values * 300)[:-1], None])
    keys = exact.Keys(values[:10])
    most = 5_500_000 if shape == "list" else 2_500_000
    assert peak_of(lambda: exact.match_keys(x, keys)) < 4 * len(x) + most
    assert peak_of(lambda: exact.value_counts(x, keys)) < most
    monkeypatch.setattr(blocks, "BLOCK_ROWS", ONE_BLOCK)
    assert peak_of(lambda: exact.match_keys(x, keys)) > 4 * len(x) + most
