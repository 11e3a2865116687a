"""Columns where nanoarrow or pyarrow is not installed: what is refused is refused by its type."""

import subprocess
import sys

import pytest

PRELUDE = """
import sys
import numpy as np

absent = {absent}
sys.modules.update(dict.fromkeys(absent))  # an import of these raises
import cydp
from cydp import exact

ENTRIES = [[1, 2, 3], [1, None, 3], [None, 2], [], [None], [7]]
budget = cydp.PrivacyFilter(cydp.PureDP(10**6))

def taken(x, entries):
    present = [entry for entry in entries if entry is not None]
    released = cydp.histogram(x, 4, (0, 8), epsilon=1000, budget=budget).counts
    assert released.tolist() == np.histogram(present, 4, (0, 8))[0].tolist()
    assert exact.clamped_sum(x, (0, 8)).value == sum(present)
    assert exact.value_counts(x, [1, 7]).tolist() == [present.count(1), present.count(7)]
    stays = exact.bound_contributions(x, x, max_partitions=1)
    assert stays.tolist() == [entry is not None for entry in entries]
    assert exact.grouped_clamped_sum(x, x, 9, (0, 8)).units.shape == (9,)
    assert exact.histogramdd([x], 4, [(0, 8)])[0].sum() == len(present)

def refused(x, says):
    before = budget.spent
    for call in (
        lambda: cydp.histogram(x, 4, (0, 8), epsilon=1, budget=budget),
        lambda: exact.clamped_sum(x, (0, 8)),
        lambda: exact.value_counts(x, [1]),
        lambda: exact.bound_contributions(x, x, max_partitions=1),
        lambda: exact.bincount(x),
        lambda: exact.grouped_clamped_sum(x, x, 9, (0, 8)),
        lambda: exact.HistogramAccumulator(4, (0, 8)).update(x),
        lambda: exact.GroupedAccumulator(9).update(x),
    ):
        try:
            call()
        except ImportError as error:
            assert says in str(error), error
        else:
            raise AssertionError(type(x))
    assert budget.spent == before
"""

PANDAS = """
import pandas as pd

# With pyarrow, pandas keeps text in Arrow.
texts = ["object", pd.StringDtype("python")]
texts += [] if absent == ["nanoarrow"] else ["str", "category"]

for entries in ENTRIES:
    for dtype in ("Int64", "UInt8", "Float64"):
        x = pd.Series(entries, dtype=dtype)
        if dtype != "Float64":
            taken(x, entries), taken(x.array, entries), taken(x.to_frame()[::-1][::-1], entries)
        assert cydp.histogram(x, 1, (0, 8), epsilon=1000).counts == x.count()
    ints = [entry for entry in entries if entry is not None]
    taken(pd.Series(ints, dtype=np.int16), ints)
    taken(pd.Series(entries, dtype="Int64").astype("category"), entries)
    taken(pd.Series(pd.Categorical(entries, [1, 2, 3, 7])), entries)
    words = [None if entry is None else "ab"[entry % 2] for entry in entries]
    expected = [words.count("b"), words.count("z")]
    known = [word is not None for word in words]
    for dtype in texts:
        x = pd.Series(words, dtype=dtype)
        assert exact.value_counts(x, ["b", "z"]).tolist() == expected
        stays = exact.bound_contributions(x, x, max_partitions=1, max_rows_per_partition=9)
        assert stays.tolist() == known
    flags = pd.Series([None if entry is None else entry > 2 for entry in entries], dtype="boolean")
    assert exact.clamped_sum(flags, (0, 1)).value == sum(entry > 2 for entry in ints)
"""

WITHOUT_NANOARROW = """
import duckdb, pandas as pd, polars as pl, pyarrow as pa

def is_refused(call, name):
    try:
        call()
    except ImportError as error:
        assert f"{name} is read through Arrow, which needs nanoarrow" in str(error), error
    else:
        raise AssertionError(name)

for entries in ENTRIES:
    for x in (
        pl.Series(entries, dtype=pl.Int64), pl.DataFrame({"x": pl.Series(entries, dtype=pl.Int8)}),
        pa.array(entries, pa.int64()), pa.chunked_array([entries], pa.int16()),
        pa.table({"x": pa.array(entries, pa.int64())}),
        pa.array(entries, pa.int64()).dictionary_encode(),
        pd.Series(entries, dtype="int64[pyarrow]"),
        duckdb.from_arrow(pa.table({"x": pa.array(entries, pa.int64())})),
    ):
        refused(x, "is read through Arrow, which needs nanoarrow: pip install nanoarrow")
    table = pl.DataFrame({"a": pl.Series(entries, dtype=pl.Int8)})
    is_refused(lambda: exact.histogramdd(table, 2, [(0, 1)]), "columns")
    words = [None if entry is None else "ab"[entry % 2] for entry in entries]
    for dtype in ("str", pd.ArrowDtype(pa.string())):
        is_refused(lambda: exact.value_counts(pd.Series(words, dtype=dtype), ["b"]), "x")
"""

LABELS = """
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys
from cydp._columns.tables import open_table
from cydp.exact._lookup import match_labels
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
        assert set(match_labels([Labels(x)], Keys(keys)).tolist()) == {0, 1}
for rows in ([1, 2], [None], []):
    for x in (pl.Series(rows, dtype=pl.Int8), pd.Series(rows, dtype="int8[pyarrow]"),
              duckdb.sql("select 1 as a where false"),
              open_table(duckdb.sql("select 1 as a")).column("a", "by")):
        is_refused(lambda: Labels(x), "by")
"""

WITHOUT_PYARROW = """
import duckdb, polars as pl

for entries in ENTRIES:
    x = pl.Series(entries, dtype=pl.Int64)
    taken(x, entries), taken(x.to_frame(), entries)
    rows = ", ".join(f"({'null' if entry is None else entry})" for entry in entries)
    table = f"(values {rows})" if entries else "(select 1 where false)"
    taken(duckdb.sql(f"select a::int as a from {table} as of_(a)"), entries)
"""


@pytest.mark.parametrize(
    ("absent", "code"),
    [
        pytest.param(["nanoarrow"], PANDAS + WITHOUT_NANOARROW + LABELS, id="nanoarrow"),
        pytest.param(["pyarrow"], PANDAS + WITHOUT_PYARROW, id="pyarrow"),
        pytest.param(
            ["nanoarrow", "pyarrow", "polars", "duckdb"], PANDAS, id="all but pandas",
            marks=pytest.mark.long,
        ),
        pytest.param(
            ["pyarrow", "pandas"], WITHOUT_PYARROW, id="pyarrow and pandas", marks=pytest.mark.long
        ),
    ],
)  # fmt: skip
def test_columns_where_a_library_is_absent(absent: list[str], code: str) -> None:
    whole = PRELUDE.replace("{absent}", repr(absent)) + code
    done = subprocess.run(
        [sys.executable, "-c", whole], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
