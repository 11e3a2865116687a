# SPDX-License-Identifier: MIT
"""What cydp.exact refuses of columns and keys: the argument is named, and no record is shown."""

from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from exact.unread import UNREAD as X
from refusals import Refusal, check_refusals

from cydp import exact
from cydp._columns.declared import Labels
from cydp.exact import GroupedAccumulator, HistogramAccumulator
from cydp.exact._bins import public_bins
from cydp.exact._contributions import bound_users
from cydp.exact._grid import Grid
from cydp.exact._histogram import grouped_histogram
from cydp.exact._histogramdd import cell_codes
from cydp.exact._sorted_units import sort_groups

NEVER = ("31415", "Arrow's", "format '", "kernel")

CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "histogram": ("x", lambda x: exact.histogram(x, 2, (0, 1))),
    "clamped_sum": ("x", lambda x: exact.clamped_sum(x, (0, 1))),
    "clamped_sum_and_squares": ("x", lambda x: exact.clamped_sum_and_squares(x, (0, 1))),
    "grouped_clamped_sum": ("x", lambda x: exact.grouped_clamped_sum([0], x, 2, (0, 1))),
    "groups": ("codes", lambda x: exact.grouped_clamped_sum(x, [1], 2, (0, 1))),
    "bincount": ("codes", exact.bincount),
    "histogram pieces": ("x", lambda x: HistogramAccumulator(2, (0, 1)).update(x)),
    "group pieces": ("codes", lambda x: GroupedAccumulator(2).update(x)),
    "sums of pieces": (
        "income",
        lambda x: GroupedAccumulator(2, {"income": (0, 1)}).update([0], income=x),
    ),
}
OF_LABELS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "match_keys": ("x", lambda x: exact.match_keys(x, [1])),
    "value_counts": ("x", lambda x: exact.value_counts(x, [1])),
    "users": ("users", lambda x: exact.bound_contributions(x, [1], max_partitions=1)),
    "partitions": ("partitions", lambda x: exact.bound_contributions([1], x, max_partitions=1)),
}

# Columns

FRAME = pd.DataFrame({"age": [31415, 2], "income": [3, 4]})
COLUMNS: dict[str, tuple[Any, str]] = {
    "a frame": (FRAME, "must be one column, not a table of 2: choose one by its name"),
    "a polars frame": (pl.DataFrame(FRAME), "must be one column, not a table of 2"),
    "a relation": (duckdb.sql("select 31415 as a, 2 as b"), "must be one column, not a table of 2"),
    "a dict": ({"age": [31415]}, "must be a list, an array or a column, not dict"),
    "a set": ({31415}, "must be a list, an array or a column, not set"),
    "None": (None, "must be a list, an array or a column, not NoneType"),
    "lazy": (pl.LazyFrame({"age": [31415]}), "must be computed first: call its collect()"),
    "text": ("31415", "must be a list, an array or a column, not text"),
    "ragged lists": ([[31415], [2, 3]], "must hold "),
    "complex": ([31415j], "must hold "),
    "a polars column of lists": (pl.Series([[31415]]), "not lists"),
    "dates": (pd.Series(pd.to_datetime(["2020-01-01"])), "not dates"),
    "an arrow column of dates": (pa.array([31415], pa.date32()), "not dates"),
    "short decimals": (pa.array([31415], pa.decimal64(18, 2)), "not decimals of 32 or 64 bits"),
}
OF_ANY_KIND = {"ragged lists", "complex", "dates", "an arrow column of dates", "short decimals"}
"""What columns of labels may hold; what cannot be hashed is missing."""

TEXT: dict[str, Any] = {
    "a list": ["31415"], "beside a null": [None, "31415"], "numpy": np.array(["31415"]),
    "pandas": pd.Series(["31415"]), "pandas string": pd.Series(["31415"], dtype="string"),
    "pandas category": pd.Series(["31415"], dtype="category"), "polars": pl.Series(["31415"]),
    "pyarrow": pa.array(["31415"]), "pyarrow large": pa.array(["31415"], pa.large_string()),
    "a dictionary": pa.array(["31415"]).dictionary_encode(), "no rows": pa.array([], pa.string()),
}  # fmt: skip
NO_NUMBERS: dict[str, Any] = {
    "complex numbers": np.array([1 + 31415j]), "bytes": np.array([b"31415"]),
    "object": np.array([31415, object()]), "dates": np.array([31415], "M8[s]"),
    "time spans": np.array([31415], "m8[s]"), "records": np.array([(31415,)], [("a", int)]),
    "floats of more than 64 bits": np.array([31415], np.longdouble),
    "objects": np.ma.array([31415], dtype=object), "lists of different lengths": [[31415, 2], [3]],
}  # fmt: skip

KEY = np.zeros(2, np.uint64)


def test_every_function_says_the_same_of_what_is_no_column() -> None:
    """Each names its own argument."""
    refusals: dict[str, Refusal] = {}
    for name, (argument, call) in (CALLS | OF_LABELS).items():
        for mistake, (x, says) in COLUMNS.items():
            if name in OF_LABELS and mistake in OF_ANY_KIND:
                continue
            is_ragged = (name, mistake) == ("bincount", "ragged lists")
            error = ValueError if is_ragged else TypeError
            refusals[f"{name}, {mistake}"] = partial(call, x), error, (f"{argument} must", says)
    for name, (argument, call) in CALLS.items():
        for shape, x in TEXT.items():
            words = f"{argument} must hold", "text"
            refusals[f"{name}, text of {shape}"] = partial(call, x), TypeError, words
    for name in ("histogram", "clamped_sum"):
        for kind, x in NO_NUMBERS.items():
            words = "x must", f"not {kind}"
            refusals[f"{name} of {kind}"] = partial(CALLS[name][1], x), TypeError, words
    check_refusals(refusals, never=NEVER)


# Codes, labels and rows

INTEGERS_ALONE = ("codes must hold integers",)
CODES: dict[str, Refusal] = {
    "a float": (lambda: exact.bincount([0.5]), TypeError, ("codes", "integers or bool", "floats")),
    "floats": (lambda: exact.bincount(np.array([1.0])), TypeError, ("codes", "floats")),
    "no floats": (lambda: exact.bincount(np.array([])), TypeError, ("codes", "floats")),
    "a number": (lambda: exact.bincount(5), ValueError, ("codes", "one dimension")),
    "lists": (lambda: exact.bincount([[1]]), ValueError, ("one integer for each record", "lists")),
    "a matrix": (lambda: exact.bincount(np.ma.array([[1]])), ValueError, ("one dimension",)),
    "negative": (lambda: exact.bincount([-31415]), ValueError, ("codes", "from 0 to 2**63 - 1")),
    "uint64": (lambda: exact.bincount(np.array([2**63], np.uint64)), ValueError, ("from 0 to 2",)),
    "minlength": (lambda: exact.bincount(X, -1), ValueError, ("minlength", "0 to 2**60 - 1")),
    "no minlength": (lambda: exact.bincount(X, None), TypeError, ("minlength", "integer", "None")),
    "minlength 2.0": (lambda: exact.bincount(X, 2.0), TypeError, ("minlength", "float")),
    "minlength True": (lambda: exact.bincount(X, True), TypeError, ("minlength", "bool")),
    "a huge minlength": (lambda: exact.bincount([1], 2**62), ValueError, ("minlength",)),
    **{f"codes {i} of sums": (lambda c=codes: exact.grouped_clamped_sum(c, [1.0], 1, (0, 1)),
                              TypeError, INTEGERS_ALONE)
       for i, codes in enumerate(([0.31415], np.array([0.5]), np.zeros(0)))},
    "shapes": (lambda: exact.grouped_clamped_sum([1, 1], [1], 2, (0, 1)), ValueError,
               ("codes and x", "same shape", "(2,) and (1,)")),
    **{f"{n} groups": (lambda n=n: exact.grouped_clamped_sum(X, X, n, (0, 1)), ValueError,
                       ("n_groups", "from 0 to 2**32 - 3", str(n)))
       for n in (-1, 2**32 - 2)},
    **{f"{n!r} groups": (lambda n=n: exact.grouped_clamped_sum(X, X, n, (0, 1)), TypeError,
                         ("n_groups must be an integer",))
       for n in ("a", 1.5)},
    "units": (lambda: sort_groups(np.zeros(3, np.uint32), np.zeros(4), 1, Grid(0, 0, 1)),
              ValueError, ("same shape",)),
    "cells": (lambda: cell_codes([public_bins(4, (0, 4), np.dtype(float))] * 2,
                                 [np.zeros(3), np.zeros(2)]), ValueError, ("one shape",)),
    "groups of bins": (lambda: grouped_histogram(public_bins(2, (0, 1), np.dtype(float)),
                                                 [(np.zeros(1, np.uint32), np.zeros(2))], 2),
                       ValueError, ("one shape",)),
    "too many counts": (lambda: grouped_histogram(public_bins(2**20, (0, 1), np.dtype(float)),
                                                  [], 2**11),
                        ValueError, ("at most 2**30 counts",)),
}  # fmt: skip
TWO = {"a": [1], "b": [2]}
NO_KEYS: list[Any] = [
    *(pa.table(TWO), pl.DataFrame(TWO), pd.DataFrame(TWO), duckdb.from_arrow(pa.table(TWO))),
    *([[1]], {"a", "b"}, {"a": 1}, pl.LazyFrame({"a": [1]}), None, 1),
]
KEYS: dict[str, Refusal] = {
    **{f"{i}, which are no keys": (lambda k=keys: exact.match_keys(X, k), TypeError, ("keys ",))
       for i, keys in enumerate(NO_KEYS)},
    "none": (lambda: exact.match_keys(X, []), ValueError, ("keys", "1 to 2**32 - 4 keys", "not 0")),
    "twice": (lambda: exact.match_keys(X, ["b", "b"]), ValueError, ("keys must be distinct",)),
    "prepared twice": (lambda: exact.Keys([1, 1]), ValueError, ("keys must be distinct",)),
    "for text": (lambda: exact.match_keys(np.array(["a"]), [1]), TypeError,
                 ("keys must be text", "as the entries of x are")),
    "for numbers": (lambda: exact.match_keys(np.array([1]), ["a"]), TypeError,
                    ("keys must be numbers", "as the entries of x are")),
    **{f"{keys} missing": (lambda k=keys: exact.match_keys(X, k), ValueError,
                           ("keys must not be missing",))
       for keys in ([None], [float("nan"), 1])},
    **{f"missing {i}": (lambda k=keys: exact.match_keys(X, k), ValueError,
                        ("keys must not be missing",))
       for i, keys in enumerate((pa.array([1, None]), pl.Series([1, None])))},
    **{f"{np.ndim(keys)} dimensions": (lambda k=keys: exact.match_keys(X, k), ValueError,
                                       ("keys must have one dimension",))
       for keys in (np.array(5), np.array([[1, 2]]))},
    "of another number of columns": (lambda: exact.Keys(exact.Keys([1, 2]), by=("a", "b")),
                                     ValueError, ("keys must be of 2 columns",)),
    "text": (lambda: exact.match_keys(X, "ab"), TypeError, ("keys", "a list, an array", "text")),
}  # fmt: skip

NO_IDS: list[Any] = [np.array([1j]), pa.array([[1]]), pl.Series([[1]]), "text", {1}, None]


def stay(users: Any = X, groups: Any = X, most: Any = 1, **more: Any) -> Any:
    return exact.bound_contributions(users, groups, max_partitions=most, **more)


USERS: dict[str, Refusal] = {
    **{f"users {i}": (lambda x=x: stay(x, [0]), TypeError, ("users",))
       for i, x in enumerate(NO_IDS)},
    **{f"partitions {i}": (lambda x=x: stay([0], x), TypeError, ("partitions",))
       for i, x in enumerate(NO_IDS)},
    "no partitions": (lambda: stay(most=0), ValueError, ("max_partitions", "at least 1", "0")),
    "half a partition": (lambda: stay(most=1.5), TypeError, ("max_partitions", "integer", "float")),
    "no rows": (lambda: stay(max_rows_per_partition=0), ValueError,
                ("max_rows_per_partition must be at least 1, not 0",)),
    "numpy's generator": (lambda: stay(rng=np.random.default_rng()), TypeError,
                          ("rng", "cydp.Generator or None", "numpy's Generator")),
    "a seed": (lambda: stay(rng=42), TypeError, ("rng", "cydp.Generator or None", "int")),
    "lengths": (lambda: stay([31415], [1, 2]), ValueError, ("users and partitions", "same length")),
    "a matrix": (lambda: stay(np.zeros((2, 2), int), [1, 2]), ValueError, ("one dimension",)),
    "rows": (lambda: bound_users(Labels([1], "user"), np.zeros(2, np.uint32), 3, KEY,
                                 max_partitions=1),
             ValueError, ("user must have an entry for each row",)),
    "limits": (lambda: bound_users(Labels([1]), np.zeros(1, np.uint32), 3, KEY, max_partitions=0),
               ValueError, ("max_partitions must be at least 1",)),
}  # fmt: skip


def test_codes_keys_and_users_are_refused_by_name() -> None:
    """Where it can be, before data is read."""
    for table in (CODES, KEYS, USERS):
        check_refusals(table, never=NEVER)


# Accumulators

SENT = pa.table(HistogramAccumulator(3, (0, 3)))
OF_SUMS = partial(GroupedAccumulator, 2)
ACCUMULATORS: dict[str, Refusal] = {
    **{f"{n} groups": (lambda n=n: GroupedAccumulator(n), ValueError, ("n_groups", "from 1"))
       for n in (0, -1, 2**32 - 2)},
    "1.5 groups": (lambda: GroupedAccumulator(1.5), TypeError, ("n_groups", "integer", "float")),
    "sums": (lambda: OF_SUMS(["x"]), TypeError, ("sums", "mapping", "sums={'column': (", "list")),
    "steps": (lambda: OF_SUMS({"x": (0, 1)}, step=1), TypeError, ("step={'column': step}", "int")),
    "a step": (lambda: OF_SUMS({"x": (0, 1)}, step={"y": 1}), ValueError, ("names in step",)),
    **{f"the name {name!r}": (lambda n=name: OF_SUMS({n: (0, 1)}), ValueError, ("names in sums",))
       for name in ("a b", "codes", "self", 1)},
    "no column": (lambda: OF_SUMS({"x": (0, 1)}).update(X), TypeError, ("update(codes, x=...)",)),
    "a column": (lambda: OF_SUMS().update(X, x=X), TypeError, ("columns", "call update(codes)")),
    "a matrix": (lambda: OF_SUMS().update([[0]]), ValueError, ("codes",)),
    "lengths": (lambda: OF_SUMS({"x": (0, 1)}).update([0, 1], x=[1]), ValueError,
                ("codes and x", "same shape")),
    "no range": (lambda: HistogramAccumulator(3), ValueError, ("range=(lo, hi) must be given",)),
    **{f"dtype {dtype}": (lambda d=dtype: HistogramAccumulator(3, (0, 1), dtype=d), TypeError,
                          ("dtype must", says))
       for dtype, says in (("complex128", "numbers"), ("x", "one of numpy's"), ("U3", "numbers"))},
    "other": (lambda: HistogramAccumulator(2, (0, 1)).merge(1), TypeError,
              ("other must be a HistogramAccumulator", "int")),
    "other groups": (lambda: OF_SUMS().merge(1), TypeError, ("a GroupedAccumulator", "int")),
    **{f"table {i}": (lambda t=table: HistogramAccumulator.from_arrow(t), ValueError, (says,))
       for i, (table, says) in enumerate([
           (SENT.select(["lower", "upper"]), "the columns lower, upper, count"),
           (SENT.take([2, 1, 0]), "a row for each bin, in their order"),
           (SENT[:0], "and a row"),
           (SENT.set_column(2, "count", pa.array([1.0, 2, 3])), "counts must be of int64"),
           (SENT.set_column(2, "count", pa.array([1, None, 3])), "table must"),
           (SENT.set_column(2, "count", pa.array([1, -1, 3])), "counts from 0 on")])},
    "no table": (lambda: HistogramAccumulator.from_arrow(pa.array([1])), TypeError, ("a table",)),
}  # fmt: skip


def test_accumulators_are_refused_by_name() -> None:
    check_refusals(ACCUMULATORS, never=NEVER)
