"""Public keys: of every type, refused ones, products, and integers that lie close together."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from columns.labelled import DAY, HOUR, Hostile, HostileOwn, Own, codes_of, relation
from hypothesis import given
from hypothesis import strategies as st

from cydp._columns.label_keys import LabelKeys, product
from cydp._columns.labels import Labels
from cydp.exact._label_codes import match_labels


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
        ({"a": [1]}, "ab", ValueError, "which has 'a'$"),
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
