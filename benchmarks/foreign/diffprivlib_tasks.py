"""The twelve tasks in diffprivlib, on a frame of pandas, where it can do them.

Each body is the shortest code that we know.
"""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from diffprivlib import BudgetAccountant, tools
from tasks.public import COUNTRIES, PLACES

OPEN = 'pd.read_parquet("visits.parquet")'


def answers(values: Any) -> Any:
    """No labels, the numbers and no error."""
    return [(None, np.atleast_1d(values).tolist(), None)]


def counts(visits: Any) -> Any:
    country = pd.Categorical(visits["country"], COUNTRIES).codes
    return tools.histogram(country, epsilon=1, bins=20, range=(0, 20))[0]


def users(visits: Any) -> Any:
    return tools.count_nonzero(visits["user"].drop_duplicates().notna(), epsilon=1)


def mean(visits: Any) -> Any:
    return tools.mean(visits["euros"], epsilon=1, bounds=(0, 100))


def median(visits: Any) -> Any:
    return tools.median(visits["euros"], epsilon=1, bounds=(0, 100))


def months(visits: Any) -> Any:
    edges = pd.date_range("2024-01-01", periods=13, freq="MS", unit="us").asi8
    time, year = visits["ts"].astype("int64"), (edges[0], edges[-1])
    return tools.histogram(time, epsilon=1, bins=edges, range=year)[0]


def two_way(visits: Any) -> Any:
    country = pd.Categorical(visits["country"], COUNTRIES).codes
    place = pd.Categorical(visits["place"], PLACES).codes
    ranges = [(0, 20), (0, 1000)]
    return tools.histogram2d(country, place, epsilon=1, bins=(20, 1000), range=ranges)[0].ravel()


def daily(visits: Any) -> Any:
    found, day_of = [], visits["ts"].dt.floor("D")
    for day in pd.date_range("2024-01-01", periods=30):
        budget = BudgetAccountant(epsilon=1)
        found.append(tools.count_nonzero(day_of == day, epsilon=1, accountant=budget))
    return found


def bound(visits: Any) -> Any:
    return tools.quantile(visits.groupby("user").size(), 0.95, epsilon=1, bounds=(1, 100))


def picture(visits: Any) -> Any:
    found = tools.histogram(visits["euros"], epsilon=1, bins=20, range=(0, 100))
    plt.stairs(*found)
    plt.savefig("euros.png")
