# SPDX-License-Identifier: MIT
"""Rows of a piece as bytes: an engine shuffles a thousand rows as one. docs/distributed.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._extras import import_extra

__all__ = ["PIECE", "bundle", "joined", "unbundle"]

PIECE, ROWS = "piece", "rows"  # the columns of bundles

_MOST_ROWS, _MOST_BYTES = 2**20, 2**26  # of a table that is bundled, and the last batch besides
_NEEDS = "a shuffle of rows"


def joined(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield record batches as tables, with as many rows as make bundles worth it."""
    pa = import_extra("pyarrow", _NEEDS)
    held, rows, nbytes = list[Any](), 0, 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        nbytes += batch.nbytes
        if rows >= _MOST_ROWS or nbytes >= _MOST_BYTES:
            yield pa.Table.from_batches(held)
            held, rows, nbytes = [], 0, 0
    if held:
        yield pa.Table.from_batches(held)


def bundle(rows: Any, places: NDArray[np.int32], nbytes: int) -> Any:
    """Return the rows of each piece as a few bundles.

    Parameters
    ----------
    rows : pyarrow.Table
    places : ndarray of int32, shape (n,)
        The piece of each row, below 2**16.
    nbytes : int
        About how large a bundle is, at most.

    Returns
    -------
    pyarrow.RecordBatch
        A piece and its rows, in the binary format of record batches of Arrow, in their order.

    """
    pa = import_extra("pyarrow", _NEEDS)
    order = np.argsort(places.astype(np.uint16), kind="stable")  # by digits: several times as fast
    sorted_places = places[order]
    most = max(1, len(places) * nbytes // max(rows.nbytes, 1))
    firsts = np.flatnonzero(np.diff(sorted_places, prepend=-1))
    pieces, bundles = list[int](), list[bytes]()
    for batch in rows.take(pa.array(order)).combine_chunks().to_batches():
        for first, end in zip(firsts.tolist(), [*firsts[1:].tolist(), len(places)], strict=True):
            for start in range(first, end, most):
                part = batch.slice(start, min(most, end - start))
                bundles.append(part.serialize().to_pybytes())
                pieces.append(int(sorted_places[first]))
    columns = [pa.array(pieces, pa.int32()), pa.array(bundles, pa.binary())]
    return pa.record_batch(columns, [PIECE, ROWS])


def unbundle(bundles: Iterable[Any], types: Iterable[Any], done: set[int]) -> Iterator[Any]:
    """Yield the rows of bundles as record batches, and note their pieces.

    Parameters
    ----------
    bundles : iterable of pyarrow.RecordBatch
    types : iterable of pyarrow.DataType
        Of the columns of rows.
    done : set of int
        Where pieces are added.

    """
    pa = import_extra("pyarrow", _NEEDS)
    schema, held = pa.schema([(str(i), kind) for i, kind in enumerate(types)]), list[Any]()
    for batch in bundles:
        done.update(np.unique(batch.column(PIECE)).tolist())
        held += [pa.ipc.read_record_batch(each.as_buffer(), schema) for each in batch.column(ROWS)]
    yield from pa.Table.from_batches(held, schema).combine_chunks().to_batches()
