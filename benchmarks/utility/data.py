"""The data of the tasks: made by fixed seeds, and the real tables of examples/data."""

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

TABLES = Path(__file__).parents[2] / "examples" / "data"
N, FEW = 10_000, 50
HEAVY = (0.0, 1000.0)  # bounds of the heavy tail, which leave out a row in 200
KEYS = 1000


def uniform() -> Any:
    """Return 10^4 numbers from 0 to 100."""
    return np.random.default_rng(1).uniform(0, 100, N)


def heavy() -> Any:
    """Return 10^4 amounts with a heavy tail: the median is 20, the mean 60."""
    return np.minimum(np.random.default_rng(2).lognormal(3, 1.5, N), HEAVY[1])


def answers() -> Any:
    """Return 50 answers from 1 to 5, most of which are 4."""
    return np.repeat([1, 2, 3, 4, 5], [3, 5, 9, 21, 12])


def keys(exponent: float) -> Any:
    """Return the keys of 10^4 rows, of 1,000 keys with frequencies rank^-exponent."""
    shares = np.arange(1, KEYS + 1.0) ** -exponent
    return np.random.default_rng(3).choice(KEYS, N, p=shares / shares.sum())


def stream() -> Any:
    """Return the events of 1,024 steps."""
    return np.random.default_rng(4).poisson(20, 1024)


def spenders() -> tuple[Any, Any]:
    """Return the users and the amounts of rows: 1,000 users, a few of whom have most rows."""
    rng = np.random.default_rng(5)
    rows = np.minimum(rng.zipf(1.8, 1000), 200)
    return np.repeat(np.arange(1000), rows), np.round(
        np.minimum(rng.lognormal(2, 1, rows.sum()), 100)
    )


@cache
def table(name: str) -> dict[str, list[str]]:
    """Return the columns of a table of examples/data, as text."""
    with (TABLES / f"{name}.csv").open(newline="") as file:
        head, *rows = csv.reader(file)
    return dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))


def pums(column: str) -> Any:
    """Return a column of 1,000 people."""
    return np.array(table("pums")[column], float).astype(int)


def visits() -> dict[str, Any]:
    """Return a week of a restaurant: who came, on which day, in which quarter hour, and spent."""
    week = table("restaurant_week")
    return {
        "visitor": np.array(week["VisitorId"], int),
        "day": np.array(week["Day"], int),
        "quarter": np.array([quarter(text) for text in week["Time entered"]]),
        "euros": np.array(week["Money spent (euros)"], int),
    }


def quarter(text: str) -> int:
    """Return the quarter hour of a time such as 9:27AM, from midnight on."""
    hour, minute = text[:-2].split(":")
    return 4 * (int(hour) % 12 + 12 * (text[-2:] == "PM")) + int(minute) // 15
