"""Labels of every kind, and containers that hold them."""

import datetime as dt
import enum
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp.exact._label_sets import find_labels
from cydp.exact._lookup import match_labels


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
    """A text; its methods are not called."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("secret")

    def __hash__(self) -> int:
        raise RuntimeError("secret")

    def encode(self, *arguments: Any) -> bytes:
        raise RuntimeError("secret")


def codes_of(x: Any, keys: Any) -> list[int]:
    labels, given_keys = Labels(x), Keys(keys)
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
    "integers": ([3, None, -1, 3, 2**40, 0], pa.int64(), [-1, 3.0, 2**63, True]),
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
                 [pd.Timestamp("2024-02-29T11:30:00+01:00"), HOUR.replace(day=1, tzinfo=dt.UTC)]),
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
        if isinstance(label, np.timedelta64):  # numpy 2.0 hashes it in its own way
            return label.astype("m8[us]").item()
        return label.astype("M8[us]") if isinstance(label, np.datetime64) else label

    places = {plain(key): place for place, key in enumerate(keys)}
    return [places.get(plain(entry), len(keys)) for entry in x]


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
