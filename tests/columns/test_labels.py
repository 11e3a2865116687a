"""Labels of any kind: the same codes and keys in every container, in any order."""

import datetime as dt
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from columns.labelled import (
    DAY,
    EQUAL,
    HOUR,
    LABELS,
    NO_LABELS,
    RECORDS,
    codes_of,
    everywhere,
    found_in,
    oracle,
)
from hypothesis import given
from hypothesis import strategies as st

from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp.exact._label_sets import find_labels
from cydp.exact._lookup import match_keys, match_labels


@pytest.mark.parametrize("records", RECORDS)
def test_every_container_has_the_same_codes(records: str) -> None:
    x, kind, keys = RECORDS[records]
    expected = oracle(x, keys)
    assert len(set(expected)) > 1
    for name, shape in everywhere(x, kind).items():
        if records == "spans" and name == "DuckDB":  # it turns them into intervals
            continue
        assert codes_of(shape, keys) == expected, name
        assert codes_of(shape, np.array([*keys, 0], object)[:-1]) == expected, name


@pytest.mark.parametrize("records", RECORDS)
def test_every_container_has_the_same_labels(records: str) -> None:
    x, kind, _ = RECORDS[records]
    array = pa.array(x, kind)
    (expected,), codes = found_in(array)
    if records == "instants":
        expected = [label.item().replace(tzinfo=dt.UTC) for label in expected]
    present = [entry for entry in x if entry is not None and entry == entry]
    assert sorted(present) == [expected[code] for code in sorted(codes) if code < len(expected)]
    for name, shape in everywhere(x, kind).items():
        if records == "spans" and name == "DuckDB":
            continue
        (labels,), found = found_in(shape)
        assert found == codes, name
        if records != "instants":  # they are found in UTC, without the zone
            assert codes_of(labels, expected) == list(range(len(expected)))
    if records in ("text", "bytes"):
        assert Labels(x).dtype == Labels(array).dtype


def test_arrays_of_every_dtype() -> None:
    for dtype in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", "f2", "f4", ">f8",
                  "U3", ">U3", "S3", "M8[s]", "m8[ms]", "M8[3h]"):  # fmt: skip
        x = np.array([1, 0, 1, 0, 0, 1]).astype(dtype)[::2]
        keys = [x[2], x[0]] if x[0] != x[2] else [x[0]]
        expected = [keys.index(entry) for entry in x]
        assert codes_of(x, keys) == expected, dtype
        masked = np.ma.MaskedArray(x, [True, False, False])
        assert codes_of(masked, keys) == [len(keys), *expected[1:]], dtype
        (labels,), codes = found_in(x)
        assert [labels[code] for code in codes] == list(x), dtype
        (labels,), codes = found_in(masked)
        assert codes[0] == len(labels) == len(set(x[1:].tolist())), dtype
        assert not x.dtype.isnative or Keys(x[:1]).arrays[0].dtype == (
            object if x.dtype.kind in "US" else find_labels([Labels(x)]).arrays[0].dtype
        )


SHUFFLED: dict[str, Callable[[list[Any]], Any]] = {
    "list": list, "objects": lambda x: np.array([*x, 0], object)[:-1],
    "polars": lambda x: pl.Series(x, dtype=pl.String),
    "category": lambda x: pd.Series(x).astype("category"),
    "dictionary": lambda x: pa.array(x, pa.string()).dictionary_encode(),
    "numpy": lambda x: np.array([each or "" for each in x]),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHUFFLED)
def test_keys_do_not_depend_on_the_order_of_the_rows(shape: str) -> None:
    chance = random.Random(1)
    x = [chance.choice(["a", "b", "é", None, "long enough for a buffer"]) for _ in range(40)]
    numbers = [chance.randrange(4) for _ in x]
    expected = None
    for _ in range(20):
        order = chance.sample(range(40), 40)
        columns = SHUFFLED[shape]([x[i] for i in order]), np.array([numbers[i] for i in order])
        arrays, codes = found_in(*columns)
        rows = sorted(zip(order, codes, strict=True))
        seen = (arrays, [code for _, code in rows])
        assert expected is None or seen == expected
        expected = seen


def test_objects_of_all_kinds_in_any_order() -> None:
    chance = random.Random(2)
    x = [*LABELS, *(entry for pair in EQUAL for entry in pair), *NO_LABELS]
    seen = set()
    for _ in range(20):
        (labels,), _ = found_in(chance.sample(x, len(x)))
        seen.add(repr(labels))
    assert len(seen) == 1


def test_the_order_does_not_depend_on_the_seed_of_hashes() -> None:
    code = """
from cydp._columns.declared import Labels
from cydp.exact._label_sets import find_labels
x = ["b", 3, (1, "a"), b"a", "a", ("x",), frozenset({"a", "b", "c", 4}), 0.5]
print(find_labels([Labels(x)]).codes.tolist(), find_labels([Labels(["b", "a", "c"])]).arrays)
"""
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("0", "1")
    }  # fmt: skip
    assert len(said) == 1


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 60), st.randoms(use_true_random=False))
def test_columns_together_as_a_python_dict_has_them(
    columns: int, kinds: int, rows: int, chance: random.Random
) -> None:
    pool: list[Any] = ["a", "b", 1, 2.5, None]
    x = [[chance.choice(pool[:kinds]) for _ in range(columns)] for _ in range(rows)]
    tuples = {tuple(chance.choice(pool[: min(kinds, 4)]) for _ in range(columns)) for _ in range(9)}
    keys = chance.sample(sorted(tuples, key=repr), len(tuples))
    by = tuple(range(columns))
    labels = [Labels([row[i] for row in x]) for i in by]
    expected = [keys.index(tuple(row)) if tuple(row) in keys else len(keys) for row in x]
    for given_keys in (keys, pd.DataFrame({i: [key[i] for key in keys] for i in by})):
        assert match_labels(labels, Keys(given_keys, by=by)).tolist() == expected
    found = find_labels(labels)
    present = {tuple(row) for row in x if None not in row}
    together = list(zip(*found.arrays, strict=True))
    assert len(together) == len(present)
    assert set(together) == present
    order = {label: place for place, label in enumerate([1, 2.5, "a", "b"])}
    assert together == sorted(together, key=lambda labels: [order[label] for label in labels])
    assert found.codes.tolist() == [
        len(together) if None in row else together.index(tuple(row)) for row in x
    ]


def test_many_integers_and_pairs() -> None:
    """Ranges that are dense and not, chunks, and pairs that stand in a hash table."""
    rng = np.random.default_rng(1)
    n = 140_000  # in three blocks
    for step, least in ((1, 0), (10**9, -(10**13)), (2**40, -(2**62)), (3, 2**62)):
        x = least + step * rng.integers(0, 3000, n)
        distinct, inverse = np.unique(x, return_inverse=True)
        found = find_labels([Labels(x)])
        assert np.array_equal(found.arrays[0], distinct)
        assert np.array_equal(found.codes, inverse)
        masked = np.ma.MaskedArray(x, x == distinct[0])
        found = find_labels([Labels(masked)])
        assert np.array_equal(found.arrays[0], distinct[1:])
        assert np.array_equal(found.codes, np.where(inverse == 0, len(distinct) - 1, inverse - 1))
        codes = match_labels([Labels(masked)], Keys(distinct))
        assert np.array_equal(codes, np.where(inverse == 0, len(distinct), inverse))
        keys = rng.permutation(distinct)[:1000]
        assert np.array_equal(match_labels([Labels(x)], Keys(keys)), match_keys(x, keys))
    first, second = rng.integers(0, 3000, n), rng.integers(0, 3000, n)
    keys = np.unique(np.stack([first, second])[:, : n // 2], axis=1)
    codes = match_labels(
        [Labels(first), Labels(second)], Keys([*zip(*keys.tolist(), strict=True)], by=(0, 1))
    )
    assert np.array_equal(codes, match_keys(first * 3000 + second, keys[0] * 3000 + keys[1]))


def test_keys_that_are_near_a_label_are_others() -> None:
    """None is rounded to what the column can hold."""
    assert codes_of(np.array([0.1], np.float32), [0.1, float(np.float32(0.1))]) == [1]
    assert codes_of(pa.array([DAY]), [HOUR]) == [1]
    assert codes_of(np.array([0, 44], np.uint8), [300, -1, 256]) == [3, 3]
    for keys in ([300, -1, 256, 44], np.array([300, -1, 256, 44])):
        assert match_keys(np.array([0, 44, 255], np.uint8), keys).tolist() == [4, 3, 4]


def test_floats_with_bits_of_their_own() -> None:
    payloads = np.array([0x7FF8000000000001, 0x7FF0000000000001, 0xFFF8000000000000], np.uint64)
    x = np.concatenate([payloads.view(np.float64), [-0.0, 0.0, 5e-324, -np.inf]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert codes_of(x, [0, 5e-324]) == [2, 2, 2, 0, 0, 1, 2]
        assert found_in(x) == ([[-np.inf, 0.0, 5e-324]], [3, 3, 3, 1, 1, 2, 0])
