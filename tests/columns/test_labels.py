"""Labels of any kind: the same codes and keys in every container, whatever the records hold."""

import datetime as dt
import enum
import os
import random
import subprocess
import sys
import uuid
import warnings
from collections.abc import Callable, Hashable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cydp._columns.label_keys import LabelKeys, product
from cydp._columns.labels import Labels
from cydp.exact._label_codes import match_labels
from cydp.exact._label_sets import find_labels
from cydp.exact._lookup import match_keys


class Color(enum.Enum):
    """Equal to nothing but itself."""

    RED = 1
    BLUE = 2


class Word(str, enum.Enum):  # noqa: UP042
    """Equal to a text."""

    A = "a"


class Point(NamedTuple):
    """Equal to a tuple."""

    x: int
    y: int


class Own:
    """A label with methods of its own."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and other.value == self.value

    def __hash__(self) -> int:
        return hash(self.value)


class Hostile:
    """Whatever is asked of it, it shows a record."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("secret")

    def __hash__(self) -> int:
        raise RuntimeError("secret")

    def __repr__(self) -> str:
        raise RuntimeError("secret")


class HostileOwn(Own):
    """Of a key's type, yet not to be compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("secret")

    __hash__ = Own.__hash__


class HostileZone(dt.tzinfo):
    """A zone that does not say where it is."""

    def utcoffset(self, when: dt.datetime | None) -> dt.timedelta:
        raise RuntimeError("secret")


class HostileText(str):
    """A text whose methods are not called."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("secret")

    def __hash__(self) -> int:
        raise RuntimeError("secret")

    def encode(self, *arguments: Any) -> bytes:
        raise RuntimeError("secret")


def codes_of(x: Any, keys: Any) -> list[int]:
    labels, given_keys = Labels(x), LabelKeys(keys)
    given_keys.check([labels])
    codes = match_labels([labels], given_keys)
    assert codes.dtype == np.uint32
    return codes.tolist()  # type: ignore[no-any-return]


def found_in(*columns: Any) -> tuple[list[list[Any]], list[int]]:
    labels = [Labels(x) for x in columns]
    found = find_labels(labels)
    assert found.codes.dtype == np.uint32
    assert [array.dtype for array in found.arrays] == [each.dtype for each in labels]
    return [list(array) for array in found.arrays], found.codes.tolist()


def relation(x: pa.Array) -> Any:
    return duckdb.from_arrow(pa.table({"x": x}))


def everywhere(x: list[Any], kind: pa.DataType) -> dict[str, Any]:
    """The same records in every container that can hold them."""
    array = pa.array(x, kind)
    shapes = {
        "list": list(x), "tuple": tuple(x), "objects": np.array([*x, 0], object)[:-1],
        "pandas objects": pd.Series(x, dtype=object), "pyarrow": array,
        "chunks": pa.chunked_array([array[:2], array[2:2], array[2:]]),
        "offset": pa.concat_arrays([array, array])[len(x):],
        "DuckDB": relation(array), "polars": pl.Series(array),
        "pandas arrow": pd.Series(x, dtype=pd.ArrowDtype(kind)),
    }  # fmt: skip
    if not pa.types.is_decimal(kind):
        shapes["dictionary"] = array.dictionary_encode()
        shapes["category"] = pd.Series(x, dtype=object).astype("category")
    return shapes


DAY, HOUR = dt.date(2024, 2, 29), dt.datetime(2024, 2, 29, 10, 30)
RECORDS: dict[str, tuple[list[Any], pa.DataType, list[Any]]] = {
    "integers": ([3, None, -1, 3, 2**40, 0], pa.int64(), [-1, 3.0, 2**63, "a", True]),
    "flags": ([True, None, False, True], pa.bool_(), [False, 1]),
    "floats": ([0.5, None, -0.0, float("inf"), float("nan"), 3.0], pa.float64(),
               [3, 0, Fraction(1, 2), float("inf"), Decimal("0.1"), 10**400]),
    "text": (["b", None, "", "long enough for a buffer", "é", "b"], pa.string(),
             ["é", Word.A, "b", "long enough for a buffer", ""]),
    "bytes": ([b"b", None, b"", b"b\0", b"a" * 30], pa.binary(), [b"b\0", b"b", b"a" * 30]),
    "dates": ([DAY, None, dt.date(1970, 1, 1)], pa.date32(),
              [dt.date(1970, 1, 1), dt.datetime(2024, 2, 29), np.datetime64("2024-02-28")]),
    "times": ([HOUR, None, dt.datetime(2024, 2, 29)], pa.timestamp("us"),
              [DAY, pd.Timestamp(HOUR), np.datetime64("2024-02-29T10:30:01")]),
    "instants": ([HOUR.replace(tzinfo=dt.UTC), None], pa.timestamp("us", "UTC"),
                 [pd.Timestamp("2024-02-29T11:30:00+01:00"), HOUR]),
    "spans": ([dt.timedelta(1), None, dt.timedelta(0, 1)], pa.duration("us"),
              [np.timedelta64(1000, "ms"), pd.Timedelta("1D")]),
    "times of day": ([dt.time(1, 2, 3), None], pa.time64("us"), [dt.time(2), dt.time(1, 2, 3)]),
    "decimals": ([Decimal("1.10"), None, Decimal(-2), Decimal("0.50")], pa.decimal128(9, 2),
                 [-2, Fraction(11, 10), 1.1, 0.5, Decimal("0.001"), float("inf")]),
}  # fmt: skip


def oracle(x: list[Any], keys: list[Any]) -> list[int]:
    """A plain dict, for which a date is its midnight, and a naive time no instant."""

    def plain(label: Any) -> Any:
        if isinstance(label, dt.date) and not isinstance(label, dt.datetime):
            return np.datetime64(label, "us")
        if isinstance(label, dt.datetime) and label.tzinfo is None:
            return np.datetime64(label, "us")
        return label.astype("M8[us]") if isinstance(label, np.datetime64) else label

    places = {plain(key): place for place, key in enumerate(keys)}
    return [places.get(plain(entry), len(keys)) for entry in x]


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


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", "f2",
                                   "f4", ">f8", "U3", ">U3", "S3", "M8[s]", "m8[ms]",
                                   "M8[3h]"])  # fmt: skip
def test_arrays_of_every_dtype(dtype: str) -> None:
    x = np.array([1, 0, 1, 0, 1, 1]).astype(dtype)[::2]
    keys = [x[1], x[0]] if x[0] != x[1] else [x[0]]
    entries = x.tolist() if x.dtype.kind not in "Mm" else list(x)
    expected = [[keys.index(entry) for entry in x], oracle(entries, list(keys))][
        x.dtype.kind in "b"
    ]
    assert codes_of(x, keys) == expected
    masked = np.ma.MaskedArray(x, [True, False, False])
    assert codes_of(masked, keys)[0] == len(keys)
    (labels,), codes = found_in(x)
    assert [labels[code] for code in codes] == list(x)
    (labels,), codes = found_in(masked)
    assert codes[0] == len(labels) == len(set(x[1:].tolist()))
    assert not x.dtype.isnative or LabelKeys(x[:1]).arrays[0].dtype == (
        object if x.dtype.kind in "US" else find_labels([Labels(x)]).arrays[0].dtype
    )


LABELS: list[Any] = [
    0, 1, -1, 2**70, 0.5, float("inf"), Decimal("1e-3"), Fraction(1, 3), "", "a", "b\0", b"a", "é",
    DAY, HOUR, HOUR.replace(tzinfo=dt.UTC), dt.timedelta(3), dt.time(4), Color.RED, Color.BLUE,
    (), (1,), (1, "a"), ((1, 2), b"x"), (Color.RED, DAY), frozenset({1, "a"}), uuid.UUID(int=7),
    pd.Interval(0, 1), pd.Interval(0, 1, "left"), pd.Period("2024", "Y"),
    pd.Timestamp("2024-01-01 00:00:00.000000001"),
]  # fmt: skip
# Of each: equal to a label above, as Python has it.
EQUAL: list[tuple[Any, Any]] = [
    (True, 1), (1.0, 1), (np.int8(1), 1), (np.float32(0.5), 0.5), (Decimal("0.50"), 0.5), (-0.0, 0),
    (np.str_("a"), "a"), (Word.A, "a"), (Point(1, 2), (1, 2)), (np.bool(True), 1),
    ((True, 2.0), (1, 2)),
    (HostileText("a"), "a"), (dt.datetime(2024, 2, 29), DAY), (pd.Timestamp(HOUR), HOUR),
    (np.datetime64(DAY), DAY), (np.timedelta64(3, "D"), dt.timedelta(3)), (2.0**70, 2**70),
    (pd.Interval(0.0, 1.0), pd.Interval(0, 1)),
]  # fmt: skip
NO_LABELS: list[Any] = [
    None, float("nan"), np.nan, pd.NA, pd.NaT, np.ma.masked, np.datetime64("NaT"), Decimal("nan"),
    Decimal("sNaN"), [], {}, [1], set(), np.array([1]), (1, None), (1, float("nan")), ([],),
    HOUR.replace(tzinfo=HostileZone()),
    Hostile(), (Hostile(),), Own(1), object(), len, 1j, Decimal("1e999999"),
    np.datetime64("2024", "Y"),
]  # fmt: skip
deep: Any = ()
for _ in range(100_000):
    deep = (deep,)
NO_LABELS.append(deep)


def test_labels_of_every_kind_in_one_list() -> None:
    places = list(range(len(LABELS)))
    for x in (LABELS, np.array([*LABELS, 0], object)[:-1], pd.Series(LABELS, dtype=object)):
        assert codes_of(x, LABELS) == places
        (labels,), codes = found_in(x)
        assert codes_of([labels[code] for code in codes], LABELS) == places  # a date as a midnight
    for one, other in EQUAL:
        assert (
            codes_of([one, "z", other], [other]) == codes_of([one, "z", other], [one]) == [0, 1, 0]
        )
        (labels,), codes = found_in([one, other])
        assert (len(labels), codes) == (1, [0, 0])
        (reversed_labels,), _ = found_in([other, one])
        assert [(type(a), a) for a in labels] == [(type(a), a) for a in reversed_labels]
        with pytest.raises(ValueError, match="distinct"):
            LabelKeys([one, other])


@pytest.mark.parametrize("i", range(len(NO_LABELS)))
def test_what_is_no_label_changes_nothing(i: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in (
            list,
            lambda x: pd.Series(x, dtype=object),
            lambda x: np.array([*x, 0], object)[:-1],
        ):
            x = shape(["a", NO_LABELS[i], 1])
            assert codes_of(x, [1, "a", Color.RED]) == [1, 3, 0]
            assert found_in(x) == ([[1, "a"]], [1, 2, 0])
            assert found_in(x, x) == ([[1, "a"], [1, "a"]], [1, 2, 0])


def test_labels_at_the_limits() -> None:
    nested: Any = 1
    for depth in range(10):
        (labels,), _ = found_in([nested])
        assert labels == ([nested] if depth <= 8 else [])
        nested = (nested,)
    one, other = enum.Enum("Same", "A"), enum.Enum("Same", "A")  # type: ignore[misc]
    assert codes_of([one.A, other.A], [other.A, one.A]) == [1, 0]
    least = np.datetime64(-(2**62), "2ns")  # as an integer of nanoseconds, this is NaT
    assert codes_of(np.array(["NaT", 0], "M8[ns]"), [least, np.datetime64(0, "s")]) == [2, 1]


def test_keys_of_a_type_of_their_own() -> None:
    keys = [Own(1), 1j, "a"]
    assert codes_of(["a", Own([]), 1j, Own(1), HostileOwn(1), Hostile(), 1], keys) == [
        2,
        3,
        1,
        0,
        3,
        3,
        3,
    ]


@pytest.mark.parametrize(
    ("keys", "error", "says"),
    [
        ([], ValueError, "1 to"),
        ([1, True], ValueError, "distinct"),
        ([1, None], ValueError, "missing"),
        ([float("nan")], ValueError, "missing"),
        (pd.Series([1.5, None]), ValueError, "missing"),
        ([[1]], TypeError, "hashable"),
        ({1, 2}, TypeError, "order"),
        ({"a": 1}, TypeError, "order"),
        ("abc", TypeError, "list"),
        (7, TypeError, "list"),
        (np.zeros((2, 2)), ValueError, "one dimension"),
    ],
)
def test_keys_that_are_refused(keys: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        LabelKeys(keys)


@pytest.mark.parametrize(
    ("keys", "by", "error", "says"),
    [
        ([(1, 2), (1, 2.0)], "ab", ValueError, "distinct"),
        ([(1, 2, 3)], "ab", ValueError, "tuples of 2 labels"),
        ([1, 2], "ab", TypeError, "must be tuples"),
        ({"a": [1]}, "ab", ValueError, "which has 'a', not 'b'"),
        ({"a": [1], "b": []}, "ab", ValueError, "one length"),
        ([], "ab", ValueError, "1 to"),
        ([(1, None)], "ab", ValueError, "missing"),
        ([(1, [])], "ab", TypeError, "hashable"),
    ],
)
def test_keys_of_columns_that_are_refused(
    keys: Any, by: str, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        LabelKeys(keys, by=tuple(by))


def test_keys_of_another_kind_are_refused_before_a_value_is_read() -> None:
    for x, keys, says in (
        (np.array([1]), ["a"], "keys must be numbers, as the entries of by are"),
        (pd.Series([], dtype="str"), [1], "keys must be text"),
        (pl.Series([DAY]), ["2024-02-29"], "keys must be dates"),
        (relation(pa.array([b"x"])), ["x"], "keys must be bytes"),
        (pa.array([HOUR]), [HOUR.replace(tzinfo=dt.UTC)], "without a zone"),
    ):
        with pytest.raises(TypeError, match=says):
            LabelKeys(keys).check([Labels(x)])
    LabelKeys(["a", 1]).check([Labels(np.array([1]))])
    with pytest.raises(ValueError, match="a label for each of 2 columns"):
        LabelKeys([1]).check([Labels([1]), Labels([1])])


@pytest.mark.parametrize(
    ("x", "error"),
    [
        (np.zeros((2, 2)), ValueError), (np.zeros(2, complex), TypeError),
        (np.zeros(2, "M8[Y]"), TypeError), (pa.array([[1]]), TypeError),
        (pl.Series([[1]]), TypeError),
        (pa.array([{"a": 1, "b": 1}]), TypeError), (duckdb.sql("select [1]"), TypeError),
        (duckdb.sql("select 1, 2"), TypeError), (duckdb.sql("select interval 1 day"), TypeError),
        (7, TypeError), ("abc", TypeError), (None, TypeError),
        (pl.LazyFrame({"a": [1]}), TypeError),
        (pd.DataFrame({"a": [1], "b": [1]}), TypeError),
    ],
)  # fmt: skip
def test_columns_that_hold_no_labels(x: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="by must"):
        Labels(x)


def test_a_list_that_another_thread_changes() -> None:
    x: list[Any] = ["a", "b"]
    labels = Labels(x)
    x.append(3)
    assert match_labels([labels], LabelKeys(["b", 3])).tolist() == [2, 0]
    array = np.array(["a"], object)
    labels = Labels(array)
    array[0] = 3
    assert match_labels([labels], LabelKeys(["b", 3])).tolist() == [1]


PLAIN = st.one_of(st.none(), st.integers(-3, 3), st.integers(-(2**65), 2**65), st.booleans(),
                  st.floats(), st.text("ab\0", max_size=3), st.binary(max_size=2), st.dates(),
                  st.datetimes(), st.fractions(), st.decimals(allow_nan=True),
                  st.sampled_from(list(Color)))  # fmt: skip
ANY = st.one_of(PLAIN, st.tuples(PLAIN), st.tuples(PLAIN, PLAIN), st.lists(PLAIN, max_size=2))


def python_label(entry: Any) -> Any:
    """What a dict compares; None for what is no label."""
    if isinstance(entry, tuple):
        parts = tuple(map(python_label, entry))
        return None if None in parts else ("tuple", *parts)
    if isinstance(entry, list) or entry is None:
        return None
    if isinstance(entry, Decimal) and entry.is_nan():
        return None
    if isinstance(entry, float) and entry != entry:
        return None
    if isinstance(entry, np.datetime64):
        entry = entry.item()
    if isinstance(entry, dt.datetime):
        return entry
    if isinstance(entry, dt.date):
        return dt.datetime(entry.year, entry.month, entry.day)
    return ("bytes", entry) if isinstance(entry, bytes) else entry


@given(st.lists(ANY, max_size=30), st.lists(ANY, min_size=1, max_size=10))
def test_objects_as_a_dict_has_them(x: list[Any], candidates: list[Any]) -> None:
    places: dict[Hashable, int] = {}
    keys = []
    for candidate in candidates:
        label = python_label(candidate)
        if label is not None and label not in places:
            places[label] = len(keys)
            keys.append(candidate)
    expected = [places.get(python_label(entry), len(keys)) for entry in x]
    if keys:
        assert codes_of(x, keys) == expected
        assert codes_of(np.array([*x, 0], object)[:-1], keys) == expected
    (labels,), codes = found_in(x)
    distinct = {python_label(entry) for entry in x} - {None}
    assert {python_label(label) for label in labels} == distinct
    assert [python_label(labels[code]) if code < len(labels) else None for code in codes] == [
        python_label(entry) for entry in x
    ]


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
    for _ in range(60):
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
    for _ in range(60):
        (labels,), _ = found_in(chance.sample(x, len(x)))
        seen.add(repr(labels))
    assert len(seen) == 1


def test_the_order_does_not_depend_on_the_seed_of_hashes() -> None:
    code = """
from cydp._columns.labels import Labels
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
        for seed in ("0", "1", "2")
    }  # fmt: skip
    assert len(said) == 1


def test_one_record_changes_no_dtype() -> None:
    """A record is null, large, or absent."""
    for dtype, entries in (("int64", [1, 2**62]), ("float64", [1.5, np.nan]), ("U5", ["a", "z"])):
        for rows in ([], entries[:1], entries):
            labels = Labels(np.array(rows, dtype))
            assert find_labels([labels]).arrays[0].dtype == Labels(np.zeros(3, dtype)).dtype
    for rows in ([1, 2], [1, None], [1, 2**70], [True, None], [1.5], [1, "a"], [None], []):
        (labels,) = find_labels([Labels(rows)]).arrays
        assert labels.dtype == object
        assert labels.tolist() == [entry for entry in rows if entry is not None]


@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 60), st.randoms(use_true_random=False))
def test_columns_together_as_a_dict_has_them(
    columns: int, kinds: int, rows: int, chance: random.Random
) -> None:
    pool: list[Any] = ["a", "b", 1, 2.5, None]
    x = [[chance.choice(pool[:kinds]) for _ in range(columns)] for _ in range(rows)]
    tuples = {tuple(chance.choice(pool[: min(kinds, 4)]) for _ in range(columns)) for _ in range(9)}
    keys = chance.sample(sorted(tuples, key=repr), len(tuples))
    by = tuple(range(columns))
    labels = [Labels([row[i] for row in x]) for i in by]
    expected = [keys.index(tuple(row)) if tuple(row) in keys else len(keys) for row in x]
    for given_keys in (keys, {i: [key[i] for key in keys] for i in by}):
        assert match_labels(labels, LabelKeys(given_keys, by=by)).tolist() == expected
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
    n = 600_000
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
        keys = rng.permutation(distinct)[:1000]
        assert np.array_equal(match_labels([Labels(x)], LabelKeys(keys)), match_keys(x, keys))
    first, second = rng.integers(0, 3000, n), rng.integers(0, 3000, n)
    keys = np.unique(np.stack([first, second])[:, : n // 2], axis=1)
    codes = match_labels(
        [Labels(first), Labels(second)], LabelKeys({0: keys[0], 1: keys[1]}, by=(0, 1))
    )
    assert np.array_equal(codes, match_keys(first * 3000 + second, keys[0] * 3000 + keys[1]))


def test_floats_with_bits_of_their_own() -> None:
    payloads = np.array([0x7FF8000000000001, 0x7FF0000000000001, 0xFFF8000000000000], np.uint64)
    x = np.concatenate([payloads.view(np.float64), [-0.0, 0.0, 5e-324, -np.inf]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert codes_of(x, [0, 5e-324]) == [2, 2, 2, 0, 0, 1, 2]
        assert found_in(x) == ([[-np.inf, 0.0, 5e-324]], [3, 3, 3, 1, 1, 2, 0])


def test_entries_that_are_not_what_their_type_says() -> None:
    """Text that is no UTF-8 or no Unicode, and times beyond a day, are no labels."""
    offsets, data = np.array([0, 1, 3, 4], np.int32), b"a\xff\xfeb"
    broken = pa.Array.from_buffers(
        pa.string(), 3, [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )
    wide = np.array([97, 0x110000, 98], np.uint32).view("U1")
    for x in (broken, wide):
        assert codes_of(x, ["b", "a"]) == [1, 2, 0]
        assert found_in(x) == ([["a", "b"]], [0, 2, 1])
    day = 86_400 * 10**6
    times = pa.array([0, day, -1, 2**62, day - 1], pa.int64()).view(pa.time64("us"))
    last = dt.time(23, 59, 59, 999_999)
    assert codes_of(times, [last, dt.time(0)]) == [1, 2, 2, 2, 0]
    assert found_in(times) == ([[dt.time(0), last]], [0, 2, 2, 2, 1])
    nat = pa.array([-(2**63), 0], pa.int64()).view(pa.timestamp("us"))
    assert codes_of(nat, [dt.date(1970, 1, 1)]) == [1, 0]
    assert found_in(nat)[1] == [1, 0]


def test_product() -> None:
    keys = product({"age": [30, 40], "sex": np.array(["f", "m"]), "x": [True]})
    given_keys = LabelKeys(keys, by=("sex", "age", "x"))
    assert len(given_keys) == 4
    assert [array.tolist() for array in given_keys.arrays] == [
        ["f", "m", "f", "m"], [30, 30, 40, 40], [True] * 4,
    ]  # fmt: skip
    assert [array.dtype.name for array in given_keys.arrays] == ["object", "int64", "bool"]
    with pytest.raises(ValueError, match="read-only"):
        given_keys.arrays[1][0] = 7


@pytest.mark.parametrize(
    ("keys", "dtype"),
    [
        ([1, 2], "int64"), ([1, 2**63], "uint64"), ([1, 2**70], "object"), ([1, 2.5], "object"),
        ([1.5, 2.5], "float64"), ([True, False], "bool"), (["a"], "object"),
        ([DAY], "datetime64[D]"),
        (np.array([1], np.int8), "int64"), (pd.Series([1, 2]), "int64"),
        (pl.Series(["a"]), "object"),
        (pd.to_datetime(pd.Series(["2024-01-01"])).dt.as_unit("s"), "datetime64[s]"),
        ([np.int32(1)], "int64"), ([np.str_("a")], "object"), (pa.array([1]), "int64"),
        (np.array(["a"]), "object"),
    ],
)  # fmt: skip
def test_dtypes_of_given_keys(keys: Any, dtype: str) -> None:
    given_keys = LabelKeys(keys)
    assert given_keys.arrays[0].dtype.name == dtype
    assert codes_of(keys, given_keys.arrays[0]) == list(range(len(keys)))


def test_one_column_without_arrow() -> None:
    code = """
import sys
sys.modules["nanoarrow"] = None
import numpy as np, pandas as pd, polars as pl, duckdb
from cydp._columns.labels import Labels
from cydp._columns.label_keys import LabelKeys
from cydp._columns.tables import open_table
from cydp.exact._label_codes import match_labels
from cydp.exact._label_sets import find_labels
days = pd.to_datetime(pd.Series(["2024-01-01", None, "2024-01-02"]))
for x, keys in (
    (days, ["2024-01-01"]), (days.dt.tz_localize("UTC"), None), (days.astype("category"), None),
    (pd.Series(["a", None, "b"], dtype=object), ["b"]),
    (pd.Series([1, None, 2], dtype="Int8"), [2]),
    (pd.Series([5, None, 2], dtype="Int8").astype("category"), [5]), (["a", None, 2], ["a"]),
    (pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3])), [pd.Interval(0, 1)]),
    (pd.Series(["a", None, "b"], dtype=pd.StringDtype("python")), ["b"]),
):
    assert len(find_labels([Labels(x)]).codes) == 3
    if keys and not hasattr(x, "dt"):
        assert set(match_labels([Labels(x)], LabelKeys(keys)).tolist()) == {0, 1}
for rows in ([1, 2], [None], []):
    for x in (pl.Series(rows, dtype=pl.Int8), pd.Series(rows, dtype="int8[pyarrow]"),
              duckdb.sql("select 1 as a where false"),
              open_table(duckdb.sql("select 1 as a")).column("a", "by")):
        try:
            Labels(x)
        except ImportError as error:
            assert "by is read through Arrow, which needs nanoarrow" in str(error)
        else:
            raise AssertionError(type(x))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


DUCKDB_TYPES = ["boolean", "tinyint", "utinyint", "bigint", "ubigint", "float", "double", "hugeint",
                "uhugeint", "decimal(5, 2)", "decimal(30, 2)", "varchar", "blob", "uuid", "date",
                "time", "timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamptz",
                "enum('1', '2')", "bit"]  # fmt: skip
ARROW_TYPES: list[Any] = [
    pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.string(),
    pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view(),
    pa.binary(3), pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"),
    pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ns", "Asia/Kolkata"), pa.duration("ms"),
    pa.decimal128(5, 2), pa.decimal256(50, 3), pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.date32()), pa.dictionary(pa.int16(), pa.int64()),
]  # fmt: skip
PANDAS_TYPES = ["float32", "object", "boolean", "Int8", "UInt64", "Float32", "str", "category",
                "datetime64[s]", "datetime64[ns, Asia/Kolkata]", "timedelta64[ms]", "period[D]",
                "interval[float64]", "date32[pyarrow]"]  # fmt: skip
POLARS_TYPES = [pl.Boolean, pl.Int8, pl.UInt64, pl.Float32, pl.String, pl.Binary, pl.Date, pl.Time,
                pl.Datetime("ms"), pl.Datetime("us", "UTC"), pl.Duration("ns"), pl.Decimal(9, 3),
                pl.Categorical, pl.Enum(["1"]), pl.Null]  # fmt: skip


@pytest.mark.parametrize(
    "shape",
    [
        *((lambda rows, kind=kind: duckdb.sql(
            f"select null::{kind} as a from range({rows})")) for kind in DUCKDB_TYPES),
        *((lambda rows, kind=kind: pa.nulls(rows, kind)) for kind in ARROW_TYPES),
        *((lambda rows, kind=kind: pa.chunked_array([], kind) if rows == 0 else pa.chunked_array(
            [pa.nulls(1, kind), pa.nulls(rows - 1, kind)])) for kind in ARROW_TYPES),
        *((lambda rows, kind=kind: pl.Series([None] * rows, dtype=kind)) for kind in POLARS_TYPES),
        *((lambda rows, kind=kind: pd.Series([None] * rows, dtype=kind)) for kind in PANDAS_TYPES),
    ],
)  # fmt: skip
def test_nulls_and_no_rows_have_the_declared_dtype(shape: Callable[[int], Any]) -> None:
    for rows in (0, 1, 3):
        labels = Labels(shape(rows))
        found = find_labels([labels])
        assert found.arrays[0].dtype == labels.dtype
        assert len(found) == 0
        assert found.codes.tolist() == [0] * rows
        assert match_labels([labels], LabelKeys(["a", 1, b"a", DAY])).tolist() == [4] * rows


def test_types_of_duckdb() -> None:
    kinds: dict[str, tuple[str, list[Any]]] = {
        "hugeint": ("3", [3]), "decimal(5, 2)": ("1.5", [1.5]), "enum('x')": ("'x'", ["x"]),
        "uuid": (f"'{uuid.UUID(int=1)}'", [str(uuid.UUID(int=1))]),
        "time": ("'10:00'", [dt.time(10)]),
        "timestamp_s": ("'2024-02-29'", [DAY]), "timestamp_ns": ("'2024-02-29'", [DAY]),
        "timestamptz": ("'2024-02-29 10:30:00+00'", [HOUR.replace(tzinfo=dt.UTC)]),
        "blob": ("'x'", [b"x"]), "decimal(30, 2)": ("-1.5", [-1.5]),
    }  # fmt: skip
    for kind, (text, keys) in kinds.items():
        x = duckdb.sql(f"select unnest([{text}, null])::{kind} as a")
        assert codes_of(x, keys) == [0, 1], kind
        assert found_in(x)[1] == [0, 1]


def test_types_of_pandas() -> None:
    days = pd.Series(pd.to_datetime(["2024-02-29", None, "2024-03-01"]))
    for x, keys in (
        (days, [dt.date(2024, 3, 1), DAY]),
        (days.dt.tz_localize("Asia/Kolkata"), [days[2].tz_localize("Asia/Kolkata"),
                                               days[0].tz_localize("Asia/Kolkata").tz_convert("UTC")]),
        (days.dt.to_period("D"), [pd.Period("2024-03-01", "D"), pd.Period(DAY, "D")]),
        (pd.cut(pd.Series([1, None, 5]), [0, 3, 6]), [pd.Interval(3, 6), pd.Interval(0, 3)]),
        (pd.Series(["b", None, "c"], dtype=pd.StringDtype("python")), ["c", "b"]),
        (pd.Series(["b", None, "c"], dtype="category"), ["c", "b"]),
        (pd.Index(["b", None, "c"]), ["c", "b"]),
    ):  # fmt: skip
        assert codes_of(x, keys) == [1, 2, 0], x.dtype
        assert found_in(x)[1] == [0, 2, 1], x.dtype


DENSE = st.lists(st.integers(-300, 300), min_size=1, max_size=40, unique=True)


@given(DENSE, st.sampled_from(["i1", "i2", "u2", ">i4", "i8", "u8"]), st.data())
def test_integer_keys_close_to_each_other(keys: list[int], dtype: str, data: st.DataObject) -> None:
    """Keys may be beyond what the column holds; its values may be its least and largest ones."""
    ends = np.iinfo(dtype)
    shift = data.draw(st.sampled_from([0, int(ends.min) + 300, int(ends.max) - 300]))
    wanted = [key + shift for key in keys if -(2**63) <= key + shift < 2**64]
    near = st.sampled_from([*wanted, int(ends.min), int(ends.max), 0])
    values = [x for x in data.draw(st.lists(near)) if ends.min <= x <= ends.max]
    expected = [wanted.index(x) if x in wanted else len(wanted) for x in values]
    for given_keys in (wanted, np.array(wanted)):
        if not wanted or np.asarray(given_keys).dtype.kind not in "iu":
            continue
        column = Labels(np.array(values, dtype))
        assert match_labels([column], LabelKeys(given_keys)).tolist() == expected
        masked = np.ma.MaskedArray(np.array(values, dtype), [True] * len(values))
        missing = [len(wanted)] * len(values)
        assert match_labels([Labels(masked)], LabelKeys(given_keys)).tolist() == missing
