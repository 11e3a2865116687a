"""A table of visits in Parquet files, from a fixed seed, and the exact answers about it."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PIECE = 10**6  # rows, of a row group


MOST = 10**7  # rows of a file


def write(folder: Path, rows: int, keys: int) -> tuple[str, dict[str, float]]:
    """Write files; return their glob, and how many rows there are, add up to, and users keep.

    Of each user, a tenth as many as rows, one row in each of three keys is kept. More than 10^7
    rows are names of one file.
    """
    for earlier in folder.glob("*.parquet"):
        earlier.unlink()
    names = max(1, rows // MOST)
    rows //= names
    random = np.random.default_rng(1)
    columns: dict[str, Any] = {}
    euros = 0.0
    pairs = []
    schema = pa.schema({"user": pa.int64(), "key": pa.int32(), "euros": pa.float64()})
    with pq.ParquetWriter(folder / "0.parquet", schema) as writer:
        for _ in range(rows // PIECE):
            columns["user"] = random.integers(rows // 10, size=PIECE)
            columns["key"] = random.integers(keys, size=PIECE, dtype=np.int32)
            columns["euros"] = random.exponential(20, size=PIECE).clip(0, 200).round(2)
            writer.write_table(pa.table(columns, schema))
            euros += columns["euros"].clip(0, 50).sum()
            pairs.append(columns["user"] * keys + columns["key"])
    for i in range(1, names):
        (folder / f"{i}.parquet").hardlink_to(folder / "0.parquet")
    users = np.unique(np.concatenate(pairs)) // keys
    kept = int(np.bincount(users).clip(max=3).sum())
    exact = {"rows": rows * names, "euros": float(euros) * names, "kept": kept}
    return str(folder / "*.parquet"), exact
