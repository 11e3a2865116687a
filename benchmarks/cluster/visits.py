"""A table of visits in a Parquet file, from a fixed seed, and the exact answers about it."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PIECE = 10**6  # rows, of a row group


def write(file: Path, rows: int, keys: int) -> dict[str, float]:
    """Write the file; return how many rows there are, what they add up to, and what users keep.

    Of each user, a tenth as many as rows, one row in each of three keys is kept.
    """
    random, kept = np.random.default_rng(1), 0
    columns: dict[str, Any] = {}
    euros = 0.0
    pairs = []
    schema = pa.schema({"user": pa.int64(), "key": pa.int32(), "euros": pa.float64()})
    with pq.ParquetWriter(file, schema) as writer:
        for _ in range(rows // PIECE):
            columns["user"] = random.integers(rows // 10, size=PIECE)
            columns["key"] = random.integers(keys, size=PIECE, dtype=np.int32)
            columns["euros"] = random.exponential(20, size=PIECE).clip(0, 200).round(2)
            writer.write_table(pa.table(columns, schema))
            euros += columns["euros"].clip(0, 50).sum()
            pairs.append(columns["user"] * keys + columns["key"])
    if rows <= 10**7:  # else only rows are protected
        users = np.unique(np.concatenate(pairs)) // keys
        kept = int(np.bincount(users).clip(max=3).sum())
    return {"rows": rows, "euros": float(euros), "kept": kept}
