"""Labels in lists and arrays of objects: what is a label, and which are equal."""

import datetime as dt
import enum
import warnings
from collections.abc import Callable, Hashable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from columns.labelled import EQUAL, LABELS, NO_LABELS, Color, codes_of, found_in
from hypothesis import given
from hypothesis import strategies as st

from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp.exact._lookup import match_labels


def objects(x: list[Any]) -> np.ndarray:
    return np.array([*x, 0], object)[:-1]


def test_labels_of_every_kind_in_one_list() -> None:
    places = list(range(len(LABELS)))
    for x in (LABELS, objects(LABELS), pd.Series(LABELS, dtype=object)):
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
            Keys([one, other])


@pytest.mark.parametrize("shape", [list, objects, lambda x: pd.Series(x, dtype=object)],
                         ids=["list", "objects", "pandas"])  # fmt: skip
def test_what_is_no_label_changes_nothing(shape: Callable[[list[Any]], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for i, entry in enumerate(NO_LABELS):  # their repr may raise
            x = shape(["a", entry, 1])
            assert codes_of(x, [1, "a", Color.RED]) == [1, 3, 0], i
            assert found_in(x) == ([[1, "a"]], [1, 2, 0]), i
            assert found_in(x, x) == ([[1, "a"], [1, "a"]], [1, 2, 0]), i


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


def test_a_list_that_another_thread_changes() -> None:
    x: list[Any] = ["a", "b"]
    labels = Labels(x)
    x.append(3)
    assert match_labels([labels], Keys(["b", 3])).tolist() == [2, 0]
    array = np.array(["a"], object)
    labels = Labels(array)
    array[0] = 3
    assert match_labels([labels], Keys(["b", 3])).tolist() == [1]


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
        assert codes_of(objects(x), keys) == expected
    (labels,), codes = found_in(x)
    distinct = {python_label(entry) for entry in x} - {None}
    assert {python_label(label) for label in labels} == distinct
    assert [python_label(labels[code]) if code < len(labels) else None for code in codes] == [
        python_label(entry) for entry in x
    ]


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
