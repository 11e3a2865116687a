"""exact.match_keys and value_counts: by value, in every shape a column has."""

import copy
import enum
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
from cydp import _threads as threads
from cydp import exact
from cydp._columns import column_keys
from cydp.testing import SeededGenerator


def match(x: Any, keys: Any) -> Any:
    """Return the places of values, and check what counts them at once."""
    codes = exact.match_keys(x, keys)
    counts = exact.value_counts(x, keys)
    assert counts.dtype == np.int64
    assert np.array_equal(counts, np.bincount(codes, minlength=len(keys) + 1)[:-1])
    return codes


def places(x: list[Any], keys: list[Any]) -> list[int]:
    return [keys.index(value) if value in keys else len(keys) for value in x]


LENGTHS = [0, 1, 7, 8, 9, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 100]
NEAR = "ab" * 50
# Of each length some that differ in one byte, and in zeros at the end.
WORDS = [NEAR[:i] for i in LENGTHS] + [
    NEAR[:j] + other + NEAR[j + 1 : i] for i in LENGTHS for j in {0, i // 2, i - 1} if i
    for other in "\0\u00e9"
]  # fmt: skip


@given(
    st.lists(st.sampled_from(WORDS) | st.none(), max_size=40),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=30, unique=True),
)
def test_strings_of_all_lengths(x: list[str | None], keys: list[str]) -> None:
    expected = places(x, keys)
    assert match(x, keys).tolist() == expected
    assert match(pa.array(x, pa.string()), keys).tolist() == expected
    assert match(pa.array(x, pa.string_view()), keys).tolist() == expected
    assert match(pl.Series(x, dtype=pl.String), keys).tolist() == expected
    plain = [word.rstrip("\0") for word in x if word is not None]  # as numpy's arrays have them
    assert match(np.array(plain, "U100"), keys).tolist() == places(plain, keys)
    encoded = [word.encode() for word in plain]
    byte_keys = [key.encode() for key in keys]
    assert match(np.array(encoded, "S120"), byte_keys).tolist() == places(encoded, byte_keys)


SHAPES: list[Callable[[list[Any]], Any]] = [
    lambda x: pd.Series(x), lambda x: pd.Series(x, dtype="category"), lambda x: pd.array(x),
    lambda x: pl.Series(x), lambda x: pl.Series(x, dtype=pl.Categorical),
    lambda x: pa.array(x).dictionary_encode(), lambda x: pa.array([None, "no", *x])[2:],
    lambda x: pa.chunked_array([pa.array(x[:7]).dictionary_encode(),
                                pa.array(x[7:]).dictionary_encode()]),
    lambda x: pa.chunked_array([pa.array(x[:7], pa.string_view()),
                                pa.array(x[7:], pa.string_view())]),
    lambda x: np.array(x, object), tuple,
]  # fmt: skip


def test_every_shape() -> None:
    rng = np.random.default_rng(1)
    x = [None if i == 9 else f"{'long ' * (i % 4)}word {i}" for i in rng.integers(0, 10, 300)]
    keys = [f"{'long ' * (i % 4)}word {i}" for i in (8, 3, 0, 5)]
    expected = places(x, keys)
    of_keys: list[Callable[[list[str]], Any]] = [np.array, pl.Series, pa.array, pd.Series, tuple]
    for number, shape in enumerate(SHAPES):
        for given_keys in (keys, of_keys[number % 5](keys), of_keys[(number + 1) % 5](keys)):
            assert match(shape(x), given_keys).tolist() == expected


def test_integers() -> None:
    keys = [1, -1, 2**63, 255, 2**64 - 1, 2**32 - 1, 0, 2**70, -(2**63), 127, -128, 65535, 256]
    for dtype in (*("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
                  *(">i4", "bool")):  # fmt: skip
        kind = np.dtype(dtype)
        ends = [0, 1] if dtype == "bool" else [np.iinfo(kind).min, np.iinfo(kind).max, 0, 1, 7, 100]
        x = np.array(ends * 3, kind)
        expected = places([int(value) for value in x], keys)
        for column in (x, x.tolist(), np.repeat(x, 2)[::2]):
            assert match(column, keys).tolist() == expected
        if dtype != "bool" and kind.isnative:
            assert match(pl.Series(x), keys).tolist() == expected
    large = [2**64, -1, 2**64 + 1]
    assert match([2**64 + 1, 5, None, -1, 2**64], large).tolist() == [2, 3, 3, 1, 0]


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_of_more_digits_than_python_writes(sign: int) -> None:
    """Such a value is no key, or one, like any other integer, in a column of any type."""
    huge = sign * 10**5000
    assert match([huge, 1, None], [1]).tolist() == [1, 0, 1]
    assert match([huge, 1, huge + 1], exact.Keys([huge, 1])).tolist() == [0, 1, 2]
    for column in (np.array([1], np.int8), np.array([1]), pa.array([1], pa.uint64()), [1]):
        assert match(column, [huge, 1]).tolist() == [1]
    stays = exact.bound_contributions(
        [huge, huge, huge + 1], [1, 1, huge], max_partitions=1, rng=SeededGenerator(1)
    )
    assert stays.tolist() in ([True, False, True], [False, True, True])


def test_many_rows_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    ids = rng.integers(0, 40_000, 700_000)
    words = np.array([f"user number {i}" if i % 3 else f"u{i}" for i in range(40_000)])
    keys = rng.permutation(40_000)[:30_000]
    expected = np.full(40_000, 30_000)
    expected[keys] = np.arange(30_000)
    for number in (1, 2, 16):
        monkeypatch.setattr(threads, "NUM_THREADS", number)
        assert np.array_equal(match(pa.array(words[ids]), words[keys]), expected[ids])
        assert np.array_equal(match(ids, keys), expected[ids])


def test_nulls_among_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands behind a null is a key, in every way that a null is said."""
    monkeypatch.setattr(threads, "NUM_THREADS", 2)
    rng = np.random.default_rng(4)
    ids = rng.integers(0, 7, 600_000)
    null = rng.random(len(ids)) < 0.1
    expected = np.where(null, 7, ids)
    words = np.array([f"{'a long ' * (i % 3)}word {i}" for i in range(7)])
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        assert np.array_equal(match(pa.array(words[ids], kind, mask=null), words), expected)
    categories = pa.DictionaryArray.from_arrays(pa.array(ids, mask=null), words)
    assert np.array_equal(match(categories, words), expected)
    for column in (np.ma.MaskedArray(words[ids], null), np.ma.MaskedArray(ids, null)):
        keys = words if column.dtype.kind == "U" else np.arange(7)
        assert np.array_equal(match(column, keys), expected)


class Colour(enum.StrEnum):
    RED, GREEN = "r", "g"


class Number(enum.IntEnum):
    FIVE, SEVEN = 5, 7


@pytest.mark.parametrize("words", [["r", "g"], [5, 7]])
def test_keys_in_every_shape(words: list[Any]) -> None:
    table = pa.table({"not a key": words})
    reader = table.to_reader()
    shapes = [
        table, reader, table.to_batches()[0], duckdb.from_arrow(table), pl.DataFrame(table),
        pd.DataFrame({"a": words}), pd.DataFrame({"a": words}).convert_dtypes(),
        pd.Categorical(words), pd.Index(words), pd.Series(words, dtype="category"),
        pa.array(words).dictionary_encode(), pa.chunked_array([words[:1], words[1:]]),
        np.array(words), np.array(words, object), tuple(words),
        pl.Series(words),
    ]  # fmt: skip
    if isinstance(words[0], str):
        shapes.append(pl.Series(words, dtype=pl.Categorical))
    members = list(Colour if isinstance(words[0], str) else Number)
    assert exact.match_keys(members, words[::-1]).tolist() == [1, 0]
    for keys in (members, *shapes):
        assert exact.match_keys([words[1], None, words[0]], keys).tolist() == [1, 2, 0]
        assert exact.match_keys(np.array(words), exact.Keys(words)).tolist() == [0, 1]


def test_prepared_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    table = column_keys._core.KeyTable
    monkeypatch.setattr(
        column_keys._core, "KeyTable", lambda *strings: made.append(1) or table(*strings)
    )
    words, numbers = exact.Keys(["a", "b\0", "c"]), exact.Keys(pl.Series([2**40, 7, -1]))
    for _ in range(3):
        for x in (["c", "a"], pa.array(["c", "a"]), np.array(["c", "a"]), pl.Series(["c", "a"])):
            assert match(x, words).tolist() == [2, 0]
        for kind in ("int8", "int16", "int64", object):
            assert match(np.array([7, -1], kind), numbers).tolist() == [1, 2]
        assert match([2**64, 7], numbers).tolist() == [3, 1]
        assert match(np.array([7], np.uint64), numbers).tolist() == [1]
    assert len(made) == 2 + 2  # utf-8, utf-32; int64, uint64: others are arrays or a dict
    for keys in (pickle.loads(pickle.dumps(words)), copy.copy(words), exact.Keys(words)):
        assert match(["c"], keys).tolist() == [2]
        assert len(keys) == 3
    pairs = exact.Keys([(1, "a"), (2, "b")], by=("n", "t"))
    for keys in (pickle.loads(pickle.dumps(pairs)), copy.copy(pairs)):
        assert [array.tolist() for array in keys.arrays] == [[1, 2], ["a", "b"]]
        assert keys.by == ("n", "t")
    assert repr(words) == "<Keys: 3 of one column>"
    with pytest.raises(TypeError, match="keys"):
        match(np.array([1]), words)


def test_prepared_keys_in_many_threads() -> None:
    words = [f"word {i}" for i in range(1000)]
    keys = exact.Keys(words)
    shapes = [pa.array(words), np.array(words), words, pl.Series(words)] * 4
    with ThreadPoolExecutor(8) as pool:
        for codes in pool.map(lambda x: exact.match_keys(x, keys), shapes):
            assert codes.tolist() == list(range(1000))


def test_nothing_to_match() -> None:
    untyped = (
        *([], [None, None], np.array([], object), np.array([None, np.ma.masked])),
        *(pa.nulls(0), pa.nulls(2), pl.Series([None]), pd.Categorical([None])),
        *(pd.Series([None], dtype=object), np.ma.masked_all(2, object)),
    )
    for x in untyped:
        for keys in (["a"], [1, 2], [b"a"]):
            assert match(x, keys).tolist() == [len(keys)] * len(x)


TEXT = np.dtypes.StringDType  # type: ignore[attr-defined]
DECLARED_TEXT: list[Callable[[list[Any]], Any]] = [
    lambda x: pa.array(x, pa.string()),
    lambda x: pa.array(x, pa.string_view()),
    lambda x: pa.chunked_array([x] if x else [], pa.string()),
    lambda x: pa.array(x, pa.dictionary(pa.int8(), pa.string())),
    lambda x: pl.Series(x, dtype=pl.String),
    lambda x: pl.Series(x, dtype=pl.Categorical),
    lambda x: pd.Series(x, dtype=pd.StringDtype("python")),
    lambda x: pd.Series(x, dtype=pd.StringDtype("pyarrow")),
    lambda x: pd.array(x, dtype=pd.StringDtype("python", na_value=np.nan)),
    lambda x: pd.Categorical(x, categories=["a", "z"]),
    lambda x: np.ma.array(["" if e is None else e for e in x], "U3", mask=[e is None for e in x]),
    lambda x: np.ma.array(["" if e is None else e for e in x], TEXT(), mask=[e is None for e in x]),
    lambda x: np.array(x, TEXT(na_object=None)),
    lambda x: np.array([np.nan if e is None else e for e in x], TEXT(na_object=np.nan)),
    lambda x: np.array([pd.NA if e is None else e for e in x], TEXT(na_object=pd.NA)),
]
DECLARED_INTEGERS: list[Callable[[list[Any]], Any]] = [
    lambda x: pa.array(x, pa.int8()),
    lambda x: pa.array(x, pa.dictionary(pa.int8(), pa.int64())),
    lambda x: pl.Series(x, dtype=pl.UInt16),
    lambda x: pd.Series(x, dtype="Int64"),
    lambda x: pd.Categorical(x, categories=[5, 6]),
    lambda x: np.ma.array([0 if e is None else e for e in x], int, mask=[e is None for e in x]),
]


def test_the_declared_type_decides_about_an_error() -> None:
    """Whether a record is null, or is there at all, changes no error."""
    for shape in DECLARED_TEXT:
        check_declared(shape, ["a"], [5], "text")
    for shape in DECLARED_INTEGERS:
        check_declared(shape, [5], ["a"], "numbers")


def check_declared(shape: Callable[[list[Any]], Any], keys: Any, refused: Any, says: str) -> None:
    for x in ([], [None], [None, None], [None, *keys], keys):
        column = shape(x)
        assert match(column, keys).tolist() == places(x, keys)
        for call in (exact.match_keys, exact.value_counts):
            with pytest.raises(TypeError, match=f"^keys must be {says}.*as the entries of x are$"):
                call(column, refused)
        stays = exact.bound_contributions(column, column, max_partitions=1)
        assert stays.tolist() == [entry is not None for entry in x]


def test_keys_of_several_columns() -> None:
    keys = exact.Keys([("f", 30), ("m", 30), ("f", 44)], by=("sex", "age"))
    table = pd.DataFrame({"age": [30, 44, 30, 44], "sex": ["f", "f", "m", "m"]})
    for rows in (table, pa.table(table), table.to_dict("list")):
        assert match(rows, keys).tolist() == [0, 2, 1, 3]
    with pytest.raises(ValueError, match="keys must be a column of x"):
        exact.match_keys(table[["age"]], keys)


def test_a_release_shares_the_tables_of_prepared_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = exact.Keys(["a", "b"])
    assert exact.value_counts(np.array(["b", "z"]), keys).tolist() == [0, 1]
    monkeypatch.setattr(column_keys, "KeyPlaces", None)
    made = cydp.value_counts(np.array(["b", "z"]), keys, epsilon=100)
    assert made.counts.tolist() == [0, 1]


@pytest.mark.parametrize("entries", [[], [None], [None, "a"], ["a"]])
def test_a_category_less_makes_no_error(entries: list[Any]) -> None:
    """Neighbours: pandas derives categories from the entries, and none of them has a type."""
    column = pd.Categorical(entries)
    assert exact.value_counts(column, ["a"]).tolist() == [entries.count("a")]
    made = cydp.value_counts(column, ["a"], epsilon=100)
    assert made.counts.tolist() == [entries.count("a")]
    groups = cydp.group_by({"k": column}, "k", keys=["a"], epsilon=100)
    assert groups["n"].tolist() == [entries.count("a")]


def test_prepared_keys_are_known_by_name_in_a_release() -> None:
    table = {"a": [1] * 500, "b": [2] * 500}
    keys = exact.Keys([(2, 1)], by=("b", "a"))
    assert exact.match_keys(table, keys).tolist() == [0] * 500
    assert cydp.group_by(table, ["a", "b"], keys=keys, epsilon=100).counts.tolist() == [500]
    made = cydp.histogram(
        {**table, "x": [1] * 500}, 1, (0, 2), column="x", by=["a", "b"], by_keys=keys, epsilon=100
    )
    assert made.counts.tolist() == [[500]]
    with pytest.raises(ValueError, match="keys must be of the columns a, b, and these are of b, c"):
        cydp.group_by(table, ["a", "b"], keys=exact.Keys([(2, 1)], by=("b", "c")), epsilon=1)
    with pytest.raises(ValueError, match="by must name each column once"):
        exact.Keys([(1, 2)], by=("a", "a"))
    assert exact.Keys({"ab": [1, 2]}, by="ab").by == ("ab",)


def test_numbers_of_numpy_of_more_bits_than_a_float() -> None:
    wide = np.longdouble(1) + np.finfo(np.longdouble).eps
    assert match([np.longdouble(1), wide, np.longdouble("inf"), np.longdouble("nan")],
                 [1, float("inf"), wide]).tolist() == [0, 2 if wide != 1 else 0, 1, 3]  # fmt: skip
