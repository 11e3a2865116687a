"""Columns of pandas, polars, pyarrow and DuckDB: the same integers as from numpy."""

from collections.abc import Callable
from traceback import format_exception
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cydp import exact
from cydp._columns.declared import Labels
from cydp._columns.reading import read_numbers
from cydp.exact import _lookup
from cydp.testing import SeededGenerator

ROWS = 3000


def shapes(x: np.ndarray, present: np.ndarray | None) -> dict[str, Any]:
    """One column in every shape; sliced and chunked ones have neighbours that are not theirs."""
    null = None if present is None else ~present
    arrow = pa.array(x, mask=null)
    wide = pa.concat_arrays([arrow.slice(0, 13), arrow, arrow.slice(0, 11)])
    sliced = wide.slice(13, len(x))
    return {
        "list": arrow.to_pylist(),
        "pyarrow": arrow,
        "pyarrow sliced": sliced,
        "pyarrow chunks": pa.chunked_array(
            [sliced.slice(0, 7), sliced.slice(7, 0), sliced.slice(7)]
        ),
        "pyarrow dictionary": arrow.dictionary_encode(),
        "pyarrow dictionaries that differ": pa.chunked_array(
            [sliced.slice(0, 701).dictionary_encode(), sliced.slice(701).dictionary_encode()]
        ),
        "pyarrow record batch": pa.record_batch({"x": wide}).slice(13, len(x)),
        "pyarrow table": pa.table({"x": pa.chunked_array([sliced.slice(0, 9), sliced.slice(9)])}),
        "polars": pl.Series(arrow),
        "polars sliced": pl.Series(wide).slice(13, len(x)),
        "polars chunks": pl.concat(
            [pl.Series("x", sliced.slice(0, 99)), pl.Series("x", sliced.slice(99))], rechunk=False
        ),
        "polars frame": pl.DataFrame({"x": arrow}),
        "pandas of Arrow": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([sliced]))),
        "pandas categorical": pd.Series(
            pd.arrays.ArrowExtensionArray(pa.chunked_array([arrow]))
        ).astype("category"),
        "DuckDB": duckdb.from_arrow(pa.table({"x": arrow})),
    }


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "int64", "uint16", "uint64", "float32", "float64"])
def test_one_column_in_every_shape(dtype: str, nulls: bool) -> None:
    rng = np.random.default_rng(1)
    x = (rng.random(ROWS) * 100).astype(dtype)
    present = rng.random(ROWS) < (0.8 if nulls else 2)
    bare, codes = x[present], rng.integers(0, 5, ROWS)
    ends = (3, 60)
    total = exact.clamped_sum(bare, ends)
    grouped = exact.grouped_clamped_sum(codes[present], bare, 5, ends, step=1).units.tolist()
    for name, given in shapes(x, present if nulls else None).items():
        counts = exact.histogram(given, 7, (0, 90))[0].tolist()
        assert counts == np.histogram(bare, 7, (0, 90))[0].tolist(), name
        found = exact.clamped_sum(given, ends)
        assert (found.units, found.step) == (total.units, total.step), name
        of_groups = exact.grouped_clamped_sum(codes, given, 5, ends, step=1)
        assert of_groups.units.tolist() == grouped, name
        if dtype[0] != "f":
            assert exact.bincount(given).tolist() == np.bincount(bare.astype(int)).tolist(), name


@pytest.mark.parametrize("nulls", [False, True])
def test_other_kernels_of_one_column_in_every_shape(nulls: bool) -> None:
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 100, ROWS), rng.random(ROWS)
    present = rng.random(ROWS) < 0.8 if nulls else None
    masked = x if present is None else np.ma.array(x, mask=~present)
    kernels: dict[str, Callable[[Any], Any]] = {
        "histogramdd": lambda x: exact.histogramdd([x, y], 5, [(0, 90), (0, 1)])[0],
        "squares": lambda x: [
            total.units for total in exact.clamped_sum_and_squares(x, (3, 60), step=1)
        ],
        "HistogramAccumulator": lambda x: exact.HistogramAccumulator(7, (0, 90)).update(x).counts,
        "GroupedAccumulator": lambda x: (
            exact.GroupedAccumulator(90, {"x": (3, 60)}).update(x, x=x).sums["x"].units
        ),
        "groups": lambda x: exact.grouped_clamped_sum(x, y, 100, (0, 1), step=0.5).units,
        "match_keys": lambda x: exact.match_keys(x, [7, 300, 2]),
        "users": lambda x: exact.bound_contributions(
            x, y > 0.5, max_partitions=2, rng=SeededGenerator(1)
        ),
    }
    for kernel, compute in kernels.items():
        expected = compute(masked)
        for name, given in shapes(x, present).items():
            assert np.array_equal(compute(given), expected), (kernel, name)


def text_shapes(values: list[str | None]) -> dict[str, Any]:
    wide = ["no", None, "other row", *values, "nor this"]
    cut = slice(3, 3 + len(values))
    kinds = {"string": pa.string(), "large": pa.large_string(), "view": pa.string_view()}
    given: dict[str, Any] = {"list": values, "pandas object": pd.Series(values, dtype=object)}
    for name, kind in kinds.items():
        given[name] = pa.array(values, kind)
        given[f"{name} sliced"] = pa.array(wide, kind)[cut]
        given[f"{name} chunks"] = pa.chunked_array([given[f"{name} sliced"][:31], given[name][31:]])
    return given | {
        "dictionary": pa.array(values).dictionary_encode(),
        "dictionaries that differ": pa.chunked_array(
            [pa.array(values[:500]).dictionary_encode(), pa.array(values[500:]).dictionary_encode()]
        ),
        "bytes": pa.array([None if value is None else value.encode() for value in values]),
        "polars": pl.Series(values),
        "polars sliced": pl.Series(wide)[cut],
        "polars categorical": pl.Series(values, dtype=pl.Categorical),
        "pandas": pd.Series(values),
        "pandas of Arrow": pd.Series(values, dtype=pd.ArrowDtype(pa.string())),
        "pandas categorical": pd.Series(values, dtype="category"),
        "DuckDB": duckdb.from_arrow(pa.table({"x": values})),
    }


@pytest.mark.parametrize("nulls", [False, True])
def test_text_in_every_shape(nulls: bool) -> None:
    rng = np.random.default_rng(3)
    words = ["", "a", "twelve bytes", "b\0", "thirteen byte", "\u20ac" * 9, "x" * 40, "x" * 41]
    values = [words[i] + str(j) * (i % 2) for i, j in rng.integers(0, 8, (1000, 2)).tolist()]
    if nulls:
        values = [
            None if lost else value
            for value, lost in zip(values, rng.random(1000) < 0.2, strict=True)
        ]
    other = rng.integers(0, 20, 1000)
    by_user = exact.bound_contributions(values, other, max_partitions=2, rng=SeededGenerator(4))
    by_group = exact.bound_contributions(other, values, max_partitions=2, rng=SeededGenerator(4))
    for name, given in text_shapes(values).items():
        for users, groups, expected in ((given, other, by_user), (other, given, by_group)):
            stays = exact.bound_contributions(
                users, groups, max_partitions=2, rng=SeededGenerator(4)
            )
            assert np.array_equal(stays, expected), name


def test_bool_and_what_is_empty() -> None:
    flags = [True, None, False, True, True, None, True, False, True, True]
    for given in (
        pa.array(flags),
        pl.Series(flags),
        pd.Series(flags, dtype="boolean"),
        pa.array([False, *flags])[1:],
    ):
        assert exact.clamped_sum(given, (0, 1)).value == 6
        assert exact.bincount(given).tolist() == [2, 6]
    for empty in (
        pa.array([], pa.int16()),
        pa.chunked_array([], pa.int16()),
        pl.Series([], dtype=pl.Int16),
    ):
        assert read_numbers(empty).dtype == np.int16
        assert exact.bincount(empty).size == 0
        assert exact.histogram(empty, 2, (0, 1))[0].tolist() == [0, 0]
    for nulls in (pa.nulls(2), pl.DataFrame({"x": [None, None]}), pa.table({"x": pa.nulls(2)})):
        assert exact.clamped_sum(nulls, (0, 1)).units == 0
        assert exact.match_keys(nulls, ["a"]).tolist() == [1, 1]
    nothing = pa.array([None, None], pa.dictionary(pa.int8(), pa.string()))
    for none in (pa.array([], pa.string()), pl.Series([], dtype=pl.Categorical), nothing[:0]):
        assert exact.bound_contributions(none, [], max_partitions=1).tolist() == []
    assert exact.bound_contributions(nothing, [1, 1], max_partitions=1).tolist() == [False, False]


def test_no_copy_without_need() -> None:
    x = np.arange(1000)
    for given in (pa.array(x), pl.Series(x), pd.Series(x), pa.array(x)[5:], pa.table({"x": x})):
        assert np.shares_memory(read_numbers(given), read_numbers(given))
    views = pa.array(["a", None, "b" * 30], pa.string_view())
    one, other = (Labels(views).read().values for _ in range(2))
    assert np.shares_memory(one.data, other.data)
    words = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 500, pa.int16()), ["a", "b"])
    assert Labels(words).read().rows.dtype == np.int16


def test_dictionaries_of_views_with_an_empty_one() -> None:
    def chunk(places: list[int | None], words: list[str]) -> pa.Array:
        text = pa.array(words, pa.string_view())
        return pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), text)

    parts = [chunk([0, 1], ["a", "b"]), chunk([None], []), chunk([0, 1, 0], ["c", "d" * 20])]
    keys = ["a", "b", "c", "d" * 20]
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        chunks = pa.chunked_array([parts[i] for i in order])
        expected = [4 if word is None else keys.index(word) for word in chunks.to_pylist()]
        assert exact.match_keys(chunks, keys).tolist() == expected
        assert exact.bound_contributions(chunks, [0] * 6, max_partitions=1).sum() == 4


def test_nulls_among_the_numbers_of_a_dictionary() -> None:
    x = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.int8()), pa.array([7, None]))
    assert read_numbers(x).tolist() == [7, None, None, 7]


def test_many_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a block of rows, and more users than a table begins with."""
    monkeypatch.setattr(_lookup, "_CHUNK_ROWS", 1)
    words = [f"user {i}" for i in range(3000)]
    many = pa.array(words * 25)
    for x in (many, np.array(words * 25)):
        assert exact.value_counts(x, words[::-1]).tolist() == [25] * 3000
        places = exact.match_keys(x, words).reshape(25, 3000)
        assert (places == np.arange(3000)).all()
        stays = exact.bound_contributions(x, np.ones(len(x)) > 0, max_partitions=1)
        assert stays.sum() == 3000


def test_a_stream_that_can_be_read_once() -> None:
    for x, keys in (([1, 2, None], [1]), (["a", "b", None], ["a"])):

        def reader(x: Any = x) -> Any:
            return pa.table({"x": x}).to_reader()

        assert exact.match_keys(reader(), keys).tolist() == [0, 1, 1]
        stays = exact.bound_contributions(reader(), [1, 1, 1], max_partitions=1)
        assert stays.tolist() == [True, True, False]
    assert exact.clamped_sum(pa.table({"x": [1, 2]}).to_reader(), (0, 9)).value == 3


def test_nulls_of_a_struct_hide_its_values() -> None:
    hidden, values = pa.array([False, True, True, False]), pa.array([1, 1, 2, None])
    struct = pa.StructArray.from_arrays([values], names=["x"], mask=hidden)
    for x in (struct, pa.chunked_array([struct]), pa.chunked_array([struct[1:], struct[:1]])):
        assert exact.bincount(x).tolist() == [0, 1]
        assert exact.clamped_sum(x, (0, 10)).value == 1
        assert (exact.match_keys(x, [1, 2]) < 2).sum() == 1


def test_arrays_of_pandas_are_read_as_their_series() -> None:
    x = pd.Series([5, 7, None, 7], dtype="Int64")
    category, words = x.astype("category"), pd.Series(["a", "b", None, "b"])
    for given in (x, x.array, x.values, pd.Index(x), category, category.array, category.values,
                  pd.Categorical([5, 7, None, 7]), pd.CategoricalIndex(category)):  # fmt: skip
        assert exact.match_keys(given, [5, 7, 0]).tolist() == [0, 1, 3, 1]  # null is no 0
        stays = exact.bound_contributions(given, [1, 2, 3, 4], max_partitions=2)
        assert stays.tolist() == [True, True, False, True]
        assert exact.clamped_sum(given, (0, 10)).value == 19
        assert exact.bincount(given)[[5, 7]].tolist() == [1, 2]
    for given in (words, words.array, words.values, pd.Index(words), pd.Categorical(words)):
        assert exact.match_keys(given, ["a", "b"]).tolist() == [0, 1, 2, 1]
    for given in (pd.array([2**60 + 1, None], dtype="Int64"), pd.Index([2**60 + 1], dtype="Int64")):
        assert exact.clamped_sum(given, (0, 2**61), step=2**10).units == 2**50
        assert exact.match_keys(given, [2**60 + 1])[0] == 0
    for given in (pd.Series([1.5]).array, pd.Index([1.5]), pd.RangeIndex(2)):
        assert exact.clamped_sum(given, (0, 10)).units > 0


def test_dictionary_indices_out_of_range() -> None:
    for kind in (pa.int8(), pa.uint8(), pa.int32(), pa.uint64()):
        for words in ([1, 2], ["a", "b"], []):
            values = pa.array(words, None if words else pa.string())
            for place in [2, 5, *([] if str(kind)[0] == "u" else [-1])] if words else [0]:
                places = pa.array([place, None], kind)
                bad = pa.DictionaryArray.from_arrays(places, values, safe=False)
                for x in (bad, pa.chunked_array([bad, bad]), pa.table({"x": bad})):
                    with pytest.raises(ValueError, match="dictionary"):
                        exact.match_keys(x, words or ["a"])
            hidden = pa.array(np.array([5, 0], kind.to_pandas_dtype()), mask=np.array([1, 0], bool))
            if words:
                good = pa.DictionaryArray.from_arrays(hidden, values, safe=False)
                assert exact.match_keys(good, words).tolist() == [2, 0]


def test_a_query_that_fails_shows_no_data() -> None:
    """Not even in the context of its error."""
    relation = duckdb.sql("select s::int as a from (values ('1'), ('secret')) of_(s)")
    mixed = pd.DataFrame({"a": np.array([1, "secret"], object)})
    for bad, error, call in (
        (relation, ValueError, exact.clamped_sum),
        (relation, ValueError, exact.match_keys),
        (mixed, TypeError, exact.clamped_sum),
    ):
        with pytest.raises(error) as info:
            call(bad, (0, 1))
        assert "secret" not in "".join(format_exception(info.value))


def views_with_rubbish(words: list[str | None]) -> pa.Array:
    """Views with nulls that point nowhere."""
    array = pa.array(words, pa.string_view())
    bits, views, *buffers = array.buffers()
    entries = np.frombuffer(views, np.int32).reshape(-1, 4)[: len(words)].copy()
    entries[[word is None for word in words]] = [10**9, 1, 10**8, 10**9]
    parts = [bits, pa.py_buffer(entries), *buffers]
    return pa.Array.from_buffers(pa.string_view(), len(words), parts)


def test_views_of_nulls_are_not_read() -> None:
    words = ["a", None, "b" * 30, None, "c" * 16, "a", "b" * 30] * 50
    array, keys = views_with_rubbish(words), ["b" * 30, "a", "c" * 16]
    expected = [keys.index(word) if word else 3 for word in words]
    for x in (array, pa.chunked_array([array]), pa.table({"x": array})):
        assert exact.match_keys(x, keys).tolist() == expected
        assert exact.value_counts(x, keys).tolist() == [100, 100, 50]
        stays = exact.bound_contributions(x, x, max_partitions=1, max_rows_per_partition=1000)
        assert stays.tolist() == [word is not None for word in words]
    pieces = pa.chunked_array([array[1:5], array[2:], array[:3]])
    assert exact.match_keys(pieces, keys).tolist() == [*expected[1:5], *expected[2:], *expected[:3]]
    stays = exact.bound_contributions(pieces, pieces, max_partitions=1, max_rows_per_partition=1000)
    assert stays.sum() == 3 + 248 + 2
    places = pa.array([6, 1, 3, 0, None], pa.int8())
    dictionary = pa.DictionaryArray.from_arrays(places, array[:7], safe=False)
    assert exact.match_keys(dictionary, keys).tolist() == [0, 3, 3, 1, 3]
    stays = exact.bound_contributions(
        dictionary, [1] * 5, max_partitions=1, max_rows_per_partition=9
    )
    assert stays.tolist() == [1, 0, 0, 1, 0]
