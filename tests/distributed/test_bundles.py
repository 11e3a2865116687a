"""Rows that are moved as bytes come back, each with the others of its piece."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from cydp.distributed._bundles import bundle, joined, unbundle

from .test_label_bytes import table_of


def rows_by_piece(table: pa.Table, places: np.ndarray) -> dict[int, list[tuple[object, ...]]]:
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return {
        int(piece): [rows[i] for i in np.flatnonzero(places == piece)]
        for piece in np.unique(places)
    }


@pytest.mark.parametrize("nbytes", [1, 300, 2**20])
@pytest.mark.parametrize("n", [0, 1, 7, 500])
def test_rows_come_back_in_the_order_of_their_piece(n: int, nbytes: int) -> None:
    table = table_of(3, 1 + n).drop(["v", "i"]).slice(1)
    places = np.random.default_rng(n).choice([0, 3, 4, 2**16 - 1], n).astype(np.int32)
    made = bundle(table, places, nbytes)
    assert made.schema == pa.schema({"piece": pa.int32(), "rows": pa.binary()})
    found: dict[int, list[tuple[object, ...]]] = {}
    for i in range(made.num_rows):
        done = set[int]()
        (batch,) = unbundle([made.slice(i, 1)], table.schema.types, done)
        (piece,) = done
        rows = pa.Table.from_batches([batch])
        assert nbytes > 1 or len(rows) == 1
        found.setdefault(piece, []).extend(rows_by_piece(rows, np.zeros(len(rows)))[0])
    assert repr(found) == repr(rows_by_piece(table, places))  # NaN is not equal to NaN
    done = set[int]()
    whole = list(unbundle([made, made.slice(0, 0)], table.schema.types, done))
    assert (sum(map(len, whole)), done) == (n, set(places.tolist()))


def test_batches_are_joined_without_a_loss() -> None:
    table = table_of(4, 300)
    batches = table.to_batches(max_chunksize=7)
    assert pa.concat_tables(joined(batches)).to_pydict()["s"] == table["s"].to_pylist()
    assert [*joined([])] == []


def test_long_texts_are_bundled_apart() -> None:
    table = pa.table({"s": ["x" * 10**6] * 50})
    made = bundle(table, np.zeros(50, np.int32), 2**18)
    assert made.num_rows == 50
    assert [len(each) for each in joined(table.to_batches(max_chunksize=1) * 2)] == [68, 32]
