"""Accumulators: the integers of one call, however the rows are split, merged, stored and sent."""

import copy
import itertools
import multiprocessing
import pickle
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from exact.partial_aggregates import STEP, SUMS, partial_aggregates, table
from hypothesis import given, settings
from hypothesis import strategies as st

from cydp.exact import (
    GroupedAccumulator,
    HistogramAccumulator,
    bincount,
    grouped_clamped_sum,
    histogram,
)


def pieces(rows: int, cuts: list[int]) -> Iterator[slice]:
    ends = sorted({0, rows, *(cut % (rows + 1) for cut in cuts)})
    yield from map(slice, ends[:-1], ends[1:])


def check_groups(total: GroupedAccumulator, all_rows: dict[str, np.ndarray]) -> None:
    codes = all_rows["codes"]
    inside = codes[(codes >= 0) & (codes < 10)]
    assert total.counts.tolist() == bincount(inside, 10).tolist()
    for name, ends in SUMS.items():
        step = STEP.get(name)
        expected = grouped_clamped_sum(codes, all_rows[name], 10, ends, step=step)
        found = total.sums[name]
        assert (found.step, found.bounds) == (expected.step, expected.bounds)
        assert found.units.tolist() == expected.units.tolist()


@settings(max_examples=20)  # each of them sums ten times
@given(st.lists(st.integers(0, 10**6), max_size=9), st.randoms(use_true_random=False))
def test_any_split_and_any_order_of_merging(cuts: list[int], random: Any) -> None:
    rows = table(3000)
    grouped, counted = [], []
    for some in pieces(3000, cuts):
        part = {name: x[some] for name, x in rows.items()}
        grouped.append(GroupedAccumulator(10, SUMS, step=STEP).update(**part))
        counted.append(HistogramAccumulator(9, (0, 900)).update(part["income"]))
    order = list(range(len(grouped)))
    random.shuffle(order)
    total, counts = GroupedAccumulator(10, SUMS, step=STEP), HistogramAccumulator(9, (0, 900))
    for i in order:
        total, counts = total + grouped[i], counts.merge(counted[i])
    check_groups(total, rows)
    assert counts.counts.tolist() == histogram(rows["income"], 9, (0, 900))[0].tolist()


def test_numpys_answer_for_the_dtype() -> None:
    given_bins: list[Any] = [(7, (0, 200)), ([0, 1, 5, 200], None)]
    for dtype, bins in itertools.product(["float64", "float32", "int64", "uint8"], given_bins):
        x = np.random.default_rng(2).uniform(0, 210, 5000).astype(dtype)
        counter = HistogramAccumulator(*bins, dtype=dtype)
        for some in pieces(5000, [17, 1000, 1001]):
            counter.update(x[some])
        counts, edges = np.histogram(x, *bins)
        assert counter.counts.tolist() == counts.tolist()
        np.testing.assert_array_equal(counter.edges, edges)


@pytest.mark.parametrize("processes", [2, pytest.param(8, marks=pytest.mark.long)])
def test_64_pickled_partials_of_other_processes(processes: int) -> None:
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        parts = [pickle.loads(data) for data in pool.map(partial_aggregates, range(64))]
    every = [table(500, seed) for seed in range(64)]
    rows = {name: np.concatenate([one[name] for one in every]) for name in every[0]}
    total, counts = parts[0]
    for other_total, other_counts in parts[1:]:
        total, counts = total + other_total, counts + other_counts
    check_groups(total, rows)
    assert counts.counts.tolist() == histogram(rows["income"], 9, (0, 900))[0].tolist()


ACCUMULATORS: list[Any] = [
    HistogramAccumulator(9, (0, 900)),
    HistogramAccumulator(9, (-1, 900), dtype="float32"),
    HistogramAccumulator([0, 0.5, 7, 900]),
    HistogramAccumulator([0, 7, 900], dtype="int64"),
    HistogramAccumulator(4, (0, 2**60), dtype="int64"),
    HistogramAccumulator(4, (np.int64(0), np.uint64(2**60)), dtype="int64"),
    HistogramAccumulator(4, (0.5, 2**60), dtype="int64"),
    HistogramAccumulator(np.array([0, 7, 900.0], ">f8"), dtype=">f4"),
]


def test_histograms_through_arrow() -> None:
    for counter in ACCUMULATORS:
        check_through_arrow(counter + counter)


def check_through_arrow(counter: HistogramAccumulator) -> None:
    counter.update(np.arange(0, 900, 7))
    sent = pa.table(counter)
    assert sent.column_names == ["lower", "upper", "count"]
    _, ends, dtype = counter.__getstate__()[0]
    for received in (counter, sent, pa.concat_tables([sent[:2], sent[2:]])):
        check_twice(counter, HistogramAccumulator.from_arrow(received))
        check_twice(counter, HistogramAccumulator.from_arrow(received, ends, dtype=dtype))
        for other in ("uint32", "bool"):
            with pytest.raises(ValueError, match="table"):
                HistogramAccumulator.from_arrow(received, dtype=other)
    for dropped in (pl.DataFrame(counter), sent.to_pandas(), duckdb.from_arrow(sent)):
        check_twice(counter, HistogramAccumulator.from_arrow(dropped, ends, dtype=dtype))
        with pytest.raises(ValueError, match="metadata"):
            HistogramAccumulator.from_arrow(dropped)
        with pytest.raises(ValueError, match="edges"):
            HistogramAccumulator.from_arrow(dropped, (-7, 901), dtype=dtype)


def check_twice(counter: HistogramAccumulator, other: HistogramAccumulator) -> None:
    assert other.edges.tolist() == counter.edges.tolist()
    assert other.counts.tolist() == counter.counts.tolist()
    for twice in (counter + other, pickle.loads(pickle.dumps(other)).merge(counter)):
        assert twice.counts.tolist() == (2 * counter.counts).tolist()


def test_pieces_without_values_are_skipped() -> None:
    for dtype in ("int64", "uint8", "float32", "bool"):
        counter = HistogramAccumulator([0, 5, 10], dtype=dtype)
        for nothing in ([None], [], pa.nulls(2), np.ma.masked_all(3, bool), [None, None]):
            assert counter.update([1]).update(nothing) is counter
        assert counter.counts.tolist() == [5, 0]
    for nothing in ([None, None], pa.nulls(2), pl.Series([None, None]), np.ma.masked_all(2, bool)):
        total = GroupedAccumulator(4, {"x": (0, 10)}).update(nothing, x=nothing)
        assert total.counts.tolist() == [0] * 4


def test_pieces_that_do_not_become_the_dtype() -> None:
    """Whatever they hold, and whether they hold anything."""
    columns: list[tuple[str, Any]] = [
        ("int64", np.array([])), ("int8", np.ma.masked_all(3)), ("int64", np.array([1], np.uint64)),
        ("int64", np.ma.array([1.0, 2], mask=[0, 1])), ("int64", pl.Series([1.0])),
        ("int32", np.array([1], np.float32)),
    ]  # fmt: skip
    for dtype, x in columns:
        counter = HistogramAccumulator([0, 2**60], dtype=dtype)
        with pytest.raises(TypeError, match=f"x must be of a dtype that converts to {dtype}"):
            counter.update(x)
        assert counter.counts.tolist() == [0]
    for dtype in ("int64", "int8", "uint64", "bool"):  # a list, by the types of its entries
        counter = HistogramAccumulator([0, 2**60], dtype=dtype)
        for x in ([1.5], [1, 1.0], [None, float("nan")], np.array([1, 0.5], object)):
            with pytest.raises(TypeError, match=r"^x must hold integers, not float$"):
                counter.update(x)
        assert counter.update([2**63, -1, 2**70, -(2**70), 1, None]).counts.tolist() == [1]


def test_pieces_of_other_dtypes_count_alike() -> None:
    x = np.random.default_rng(1).uniform(0, 1, 10_000).astype("float32")
    ends = np.linspace(0, 1, 1001)
    for bins in (ends, ends.astype("float32"), (1000, (0, 1))):
        given = bins if isinstance(bins, tuple) else (bins,)
        whole = HistogramAccumulator(*given, dtype="float32").update(x)
        assert whole.counts.tolist() == np.histogram(x, *given)[0].tolist()
        for piece in (x.astype(float), x.astype(float).tolist(), x.astype(">f8")):
            again = HistogramAccumulator(*given, dtype="float32").update(piece)
            assert again.counts.tolist() == whole.counts.tolist()
    below = np.nextafter(0.1, 0)  # as float32 it is above
    assert HistogramAccumulator([0, 0.1, 1], dtype="float32").update([below]).counts[1] == 1
    assert HistogramAccumulator([0, 1, np.inf], dtype="float16").update([1e300]).counts[1] == 1
    for dtype, kinds in {
        "int64": "bhi",
        "float32": "bhilL",
        "uint8": "bhiql",
        "bool": "bl",
    }.items():
        counter = HistogramAccumulator([0, 2, 5], dtype=dtype)
        for kind in kinds:
            counter.update(np.array([1, 4], kind))
        assert counter.counts.tolist() == [len(kinds)] * 2


def test_what_counts_otherwise_is_not_merged() -> None:
    large = HistogramAccumulator(4, (0, 2**60), dtype="int64")
    edges = large.edges
    for other in (
        HistogramAccumulator(edges, dtype="int64"),
        HistogramAccumulator(4, (0.0, 2.0**60), dtype="int64"),
        HistogramAccumulator(4, (0.0, 2**60), dtype="int64"),
        HistogramAccumulator(4, (0, 2**60), dtype="int32"),
        HistogramAccumulator(4, (0, 2**60)),
    ):
        for one, two in ((large, other), (other, large)):
            with pytest.raises(ValueError, match="same dtype and range"):
                one + two
    assert (large + HistogramAccumulator(4, (0, np.int64(2**60)), dtype="int64")).counts.sum() == 0
    both = HistogramAccumulator([0, 1, 5], (0, 100)).update([3])  # where range is ignored
    check_twice(both, pickle.loads(pickle.dumps(both)))


def test_big_endian_edges() -> None:
    for bins, dtype in (([0, 5, 10.0], ">f8"), ([0, 5, 10], ">i4"), ([0, 5, 10], ">u8")):
        counter = HistogramAccumulator(np.array(bins, dtype), dtype=dtype).update([1, 7])
        assert counter.edges.dtype.isnative
        check_twice(counter, pickle.loads(pickle.dumps(counter)))
        check_twice(counter, HistogramAccumulator.from_arrow(counter))


def test_counts_do_not_wrap() -> None:
    counter, total = HistogramAccumulator([0, 1]).update([0]), GroupedAccumulator(1).update([0])
    for _ in range(62):
        counter, total = counter + counter, total + total
    for one in (counter, total):
        for call in (lambda x=one: x + x, lambda x=one: copy.copy(x).merge(x)):
            with pytest.raises(ValueError, match="counts must stay below"):
                call()
        assert one.counts.tolist() == [2**62]
        with pytest.raises(ValueError, match="counts must stay below"):
            one.merge(one)
        assert one.counts.tolist() == [2**62]


def test_counts_from_elsewhere_do_not_wrap() -> None:
    sent = pa.table(HistogramAccumulator([0, 1, 2]))
    for counts, good in (([2**63 - 1, 0], True), ([2**63 - 1, 1], False), ([2**62] * 2, False)):
        table = sent.set_column(2, "count", pa.array(counts))
        group = pa.table({"group": [0, 1], "count": counts})
        if good:
            counter = HistogramAccumulator.from_arrow(table)
            total = GroupedAccumulator.from_arrow(group, {})
            for call in (lambda x=counter: x.update([0.5]), lambda x=total: x.update([0])):
                with pytest.raises(ValueError, match="counts must stay below"):
                    call()
            assert counter.counts.tolist() == total.counts.tolist() == counts
            continue
        with pytest.raises(ValueError, match="table must have counts"):
            HistogramAccumulator.from_arrow(table)
        with pytest.raises(ValueError, match="counts must stay below"):
            GroupedAccumulator.from_arrow(group, {})


def test_groups_through_arrow() -> None:
    rows = table(1000)
    total = GroupedAccumulator(10, SUMS, step=STEP).update(**rows)
    sent = pa.table(total)
    assert sent.column_names == ["group", "count", "sum_income", "sum_loss"]
    for received in (total, sent, pa.concat_tables([sent[:3], sent[3:]])):
        check_groups(GroupedAccumulator.from_arrow(received), rows)
    about = sent.schema.metadata[b"cydp"]
    wrong = [(b"1000,", b"-5,"), (b"1000,", b"1.5,"), (b"[", b"[1, "), (b"{", b"["),
             (b'"1/64"', b'"1/63"'), (b'"1/64"', b"0.25"), (b'"1/64"', b'"2"'),
             (b'"-3"', b'"-3.0"'), (b'"-3"', b"NaN"), (b'"-3"', b'"9"')]  # fmt: skip
    for bad in (
        sent.take([1, 0, *range(2, 10)]),
        pa.concat_tables([sent, sent]),
        sent.set_column(1, "count", pa.array([-1] * 10)),
        sent.set_column(1, "count", pa.array([2**40] * 10)),
        sent.set_column(2, "sum_income", pa.array([2**62] * 10)),
        *(sent.replace_schema_metadata({b"cydp": about.replace(*pair)}) for pair in wrong),
    ):
        with pytest.raises(ValueError, match=r"table must"):
            GroupedAccumulator.from_arrow(bad)
    for dropped in (pl.DataFrame(total), sent.to_pandas(), duckdb.from_arrow(sent)):
        with pytest.raises(ValueError, match="table must have its metadata, or sums"):
            GroupedAccumulator.from_arrow(dropped)
        check_groups(GroupedAccumulator.from_arrow(dropped, SUMS, step=STEP), rows)
        turned = GroupedAccumulator.from_arrow(dropped, dict(reversed(SUMS.items())), step=STEP)
        check_groups(turned, rows)
        check_groups(turned + GroupedAccumulator(10, SUMS, step=STEP), rows)
        doubled = GroupedAccumulator.from_arrow(dropped, SUMS, step=STEP) + total
        check_groups(doubled, {name: np.tile(x, 2) for name, x in rows.items()})
    check_groups(GroupedAccumulator.from_arrow(sent, SUMS, step=STEP), rows)
    for other in (None, dict.fromkeys(SUMS, 8)):
        with pytest.raises(ValueError, match="sums and step must be those in the table's metadata"):
            GroupedAccumulator.from_arrow(sent, SUMS, step=other)
    with pytest.raises(ValueError, match="table must be that of a GroupedAccumulator"):
        GroupedAccumulator.from_arrow(pl.DataFrame(total), {"income": (0, 1)})


def test_so_many_rows_that_a_sum_could_overflow() -> None:
    half = GroupedAccumulator(1, {"x": (0, 2**51)}, step={"x": 1}).update(
        np.zeros(2048, int), x=np.full(2048, 2**51)
    )
    before = half.sums["x"].units.tolist()
    with pytest.raises(ValueError, match="step of x"):
        half.update(np.zeros(2048, int), x=np.zeros(2048))
    with pytest.raises(ValueError, match="step of x"):
        half.merge(pickle.loads(pickle.dumps(half)))
    imported = GroupedAccumulator.from_arrow(pa.table(half))
    with pytest.raises(ValueError, match="step of x"):
        imported.merge(half)
    assert half.sums["x"].units.tolist() == before == [2048 * 2**51]
    assert half.counts.tolist() == [2048]


def test_what_the_caller_changes_later_reaches_nothing() -> None:
    ends = [0.0, 10.0]
    counter = HistogramAccumulator(2, ends).update([1, 7])
    ends[1] = 100.0
    assert pickle.loads(pickle.dumps(counter)).edges.tolist() == [0, 5, 10]
    assert (counter + counter).counts.tolist() == [2, 2]
    narrow = HistogramAccumulator(3, (np.float32(0.1), np.float32(0.9)))
    np.testing.assert_array_equal(HistogramAccumulator.from_arrow(narrow).edges, narrow.edges)
    total = GroupedAccumulator(1, {"x": (0, 10)}).update([0], x=[1])
    other = copy.copy(total).update([0], x=[1])
    assert (total.counts.tolist(), other.counts.tolist()) == ([1], [2])
    assert [one.sums["x"].value.tolist() for one in (total, other)] == [[1], [2]]
    assert sum([total, other]).counts.tolist() == [3]
    assert sum([counter, counter]).counts.tolist() == [2, 2]


def test_a_mistake_adds_nothing() -> None:
    total = GroupedAccumulator(3, {"x": (0, 10)}).update([0, 1], x=[1, 2])
    for error, codes, columns in (
        (TypeError, [0], {}),
        (TypeError, [0], {"x": [1], "y": [1]}),
        (TypeError, [0.5], {"x": [1]}),
        (TypeError, [0], {"x": ["31415"]}),
        (ValueError, [0, 1], {"x": [1]}),
        (ValueError, [[0]], {"x": [[1]]}),
    ):
        with pytest.raises(error):
            total.update(codes, **columns)
    assert total.counts.tolist() == [1, 1, 0]
    counter = HistogramAccumulator(2, (0, 2)).update([1])
    with pytest.raises(TypeError, match="text"):
        counter.update(["31415"])
    with pytest.raises(ValueError, match="same"):
        counter.merge(HistogramAccumulator(2, (0, 3)))
    with pytest.raises(TypeError, match="unsupported operand"):
        counter + 1
    assert counter.counts.tolist() == [0, 1]
    for other in (GroupedAccumulator(2, {"x": (0, 10)}), GroupedAccumulator(3, {"x": (0, 11)}),
                  GroupedAccumulator(3, {"y": (0, 10)}), GroupedAccumulator(3)):  # fmt: skip
        with pytest.raises(ValueError, match="same"):
            total.merge(other)


def test_results_are_copies_and_say_that_they_are_not_private() -> None:
    counter = HistogramAccumulator(2, (0, 2)).update([1])
    counter.counts[:] = 7
    counter.edges[:] = 7
    assert (counter.counts.tolist(), counter.edges.tolist()) == ([0, 1], [0, 1, 2])
    total = GroupedAccumulator(2, {"x": (0, 1)}).update([1], x=[1])
    total.counts[:] = 7
    total.sums["x"].units[:] = 7
    assert total.counts.tolist() == [0, 1]
    assert total.sums["x"].value.tolist() == [0, 1]
    assert "NOT private" in repr(counter)
    assert "NOT private" in repr(total)
