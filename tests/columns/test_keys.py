"""Public keys: of every type, refused ones, products, and integers that lie close together."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from columns.labelled import DAY, Hostile, HostileOwn, Own, codes_of
from hypothesis import given
from hypothesis import strategies as st

from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp.exact._lookup import match_labels


def test_keys_of_a_type_of_their_own() -> None:
    keys = [Own(1), 1j, "a"]
    x = ["a", Own([]), 1j, Own(1), HostileOwn(1), Hostile(), 1]
    assert codes_of(x, keys) == [2, 3, 1, 0, 3, 3, 3]
    assert codes_of([Own(HostileOwn(1)), Own(1)], keys) == [3, 0]  # it has the hash of a key


def test_a_dict_of_labels_has_all_combinations() -> None:
    keys = {"age": [30, 40], "sex": np.array(["f", "m"]), "x": [True]}
    given_keys = Keys(keys, by=("sex", "age", "x"))
    assert len(given_keys) == 4
    assert [array.tolist() for array in given_keys.arrays] == [
        ["f", "f", "m", "m"], [30, 40, 30, 40], [True] * 4,
    ]  # fmt: skip
    assert [array.dtype.name for array in given_keys.arrays] == ["object", "int64", "bool"]
    with pytest.raises(ValueError, match="read-only"):
        given_keys.arrays[1][0] = 7


def test_dtypes_of_given_keys() -> None:
    days = pd.to_datetime(pd.Series(["2024-01-01"])).dt.as_unit("s")
    given_keys: list[tuple[Any, str]] = [
        ([1, 2], "int64"), ([1, 2**63], "uint64"), ([1, 2**70], "object"), ([1, 2.5], "object"),
        ([1.5, 2.5], "float64"), ([True, False], "bool"), (["a"], "object"),
        ([DAY], "datetime64[D]"), (np.array([1], np.int8), "int64"), (pd.Series([1, 2]), "int64"),
        (pl.Series(["a"]), "object"), (days, "datetime64[s]"), ([np.int32(1)], "int64"),
        ([np.str_("a")], "object"), (pa.array([1]), "int64"), (np.array(["a"]), "object"),
    ]  # fmt: skip
    for keys, dtype in given_keys:
        (array,) = Keys(keys).arrays
        assert array.dtype.name == dtype
        assert codes_of(keys, array) == list(range(len(keys)))


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
        assert match_labels([column], Keys(given_keys)).tolist() == expected
        masked = np.ma.MaskedArray(np.array(values, dtype), [True] * len(values))
        missing = [len(wanted)] * len(values)
        assert match_labels([Labels(masked)], Keys(given_keys)).tolist() == missing


def nested(depth: int, inner: Any) -> Any:
    for _ in range(depth):
        inner = (inner,)
    return inner


@pytest.mark.parametrize(("key", "words"), [
    ((Own(1), 1), "must not hold a Own within a tuple"),
    ((1, ("a", Own(1))), "must not hold a Own within a tuple"),
    (frozenset({Own(1)}), "must not hold a Own within a frozenset"),
    ((1, None), "must not be missing"),
    ((1, (float("nan"),)), "must not be missing"),
    ((1, np.datetime64(3, "Y")), "whose steps have no fixed length"),
    ((1, [2]), "must be hashable"),
    (nested(9, 1), "must not be nested more than eight deep"),
    (nested(12, 1), "must not be nested more than eight deep"),
])  # fmt: skip
def test_what_is_wrong_with_a_part_of_a_key_is_said(key: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        Keys([key])


def test_an_object_is_a_key_by_itself_and_in_a_tuple_if_it_is_one_by_itself() -> None:
    own = Own(1)
    for keys in ([own], [own, (own, 1)], [nested(8, 1)]):
        assert codes_of(keys, keys) == list(range(len(keys)))
