"""The table of the twelve tasks, from a fixed seed, and the exact answers, by numpy.

Bounds on users leave nothing out, so that answers are near those of all rows: each user has 1 to 19
visits, in up to three countries. The rows are in the order of time.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from tasks.public import COUNTRIES, PLACES

START, DAY = np.datetime64("2024-01-01", "us"), np.timedelta64(1, "D")
YEAR = 366 * 24 * 60 * 60 * 10**6  # microseconds


def write(folder: Path, rows: int) -> dict[str, Any]:
    """Write the table, and the files of keys; return the exact answers to the tasks."""
    random = np.random.default_rng(1)
    half = random.integers(1, 20, size=rows // 20)
    each = np.concatenate([half, 20 - half])  # ten on average, so that there are as many as asked
    user = random.permutation(np.repeat(np.arange(len(each)), each))
    home = random.integers(len(COUNTRIES), size=len(each))
    country = (home[user] + random.choice(3, p=[0.9, 0.06, 0.04], size=rows)) % len(COUNTRIES)
    frequency = 1 / np.arange(1, len(PLACES) + 1)
    place = random.choice(len(PLACES), p=frequency / frequency.sum(), size=rows)
    time = START + np.sort(random.integers(YEAR, size=rows))
    euros = random.exponential(20, size=rows).clip(0, 100).round(2)
    columns = {
        "user": user,
        "country": texts(country, COUNTRIES),
        "place": texts(place, PLACES),
        "ts": time,
        "euros": euros,
    }
    pyarrow.parquet.write_table(pa.table(columns), folder / "visits.parquet")
    (folder / "countries.txt").write_text(",".join(COUNTRIES))
    (folder / "places.txt").write_text(",".join(PLACES))
    by_country = np.bincount(country, minlength=len(COUNTRIES))
    month = time.astype("M8[M]").astype(int) % 12
    cell, cells = country * len(PLACES) + place, len(COUNTRIES) * len(PLACES)
    by_place = users_of(place, user, len(PLACES))
    return {
        "counts": by_country,
        "users": len(each),
        "mean": euros.mean(),
        "median": np.sort(euros),
        "top_ten": by_place,
        "months": users_of(month, user, 12),
        "months, rows": np.bincount(month, minlength=12),
        "two_way": users_of(cell, user, cells),
        "two_way, rows": np.bincount(cell, minlength=cells),
        "daily": np.bincount((time - START) // DAY)[:30],
        "unknown": by_place,
        "bound": np.sort(each),
        "export": by_country,
        "picture": None,
    }


def texts(codes: Any, names: list[str]) -> Any:
    return pa.DictionaryArray.from_arrays(codes.astype(np.int16), pa.array(names)).cast(pa.string())


def users_of(code: Any, user: Any, size: int) -> Any:
    """How many users have each code."""
    pairs = np.unique(user * size + code)
    return np.bincount(pairs % size, minlength=size)
