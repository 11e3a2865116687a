"""The twelve tasks in Python, as a user would write them: the body of each function.

A body is the same whatever `visits` is, unless the module of an input (`from_pandas.py`, ...) has
another.
"""

from itertools import product
from typing import Any

import numpy as np
from tasks.answers import of_releases as answers  # noqa: F401  what cells report
from tasks.public import COUNTRIES, PLACES

import cydp.releases  # `import cydp` alone loads it at the first release


def counts(visits: Any) -> Any:
    return cydp.value_counts(
        visits, COUNTRIES, column="country", user="user", max_rows=20, epsilon=1
    )


def users(visits: Any) -> Any:
    return cydp.count(visits, user="user", max_rows=1, epsilon=1)


def mean(visits: Any) -> Any:
    return cydp.mean(visits, (0, 100), column="euros", user="user", max_rows=20, epsilon=1)


def median(visits: Any) -> Any:
    return cydp.median(visits, (0, 100), column="euros", user="user", max_rows=20, epsilon=1)


def top_ten(visits: Any) -> Any:
    return cydp.top_k(
        visits, 10, column="place", user="user", max_partitions=20, epsilon=1, delta=1e-6
    )


def months(visits: Any) -> Any:
    year = "2024-01-01", "2025-01-01"
    return cydp.histogram(
        visits, "1mo", year, column="ts", user="user", max_partitions=12, epsilon=1
    )


def two_way(visits: Any) -> Any:
    cells = [*product(COUNTRIES, PLACES)]
    return cydp.group_by(
        visits, ["country", "place"], keys=cells, user="user", max_partitions=20, epsilon=1
    )


def daily(visits: Any) -> Any:
    days = np.arange("2024-01-01", "2024-01-31", dtype="datetime64[D]")
    ledger = cydp.BudgetLedger.create(
        "days.db", cydp.PureDP(1), privacy_unit="user", by_block=True, block_column="ts"
    )
    ledger.add_blocks(days)
    found = []
    for day in days:
        payer = ledger.scope(blocks=[day])
        found.append(cydp.count(visits, user="user", max_rows=20, epsilon=1, budget=payer))
    return found


def unknown(visits: Any) -> Any:
    return cydp.value_counts(
        visits, column="place", user="user", max_partitions=20, epsilon=1, delta=1e-6
    )


def bound(visits: Any) -> Any:
    return cydp.contribution_bound(visits, user="user", max=100, epsilon=1)


def export(visits: Any) -> Any:
    found = cydp.value_counts(
        visits, COUNTRIES, column="country", user="user", max_rows=20, epsilon=1
    )
    found.to_parquet("countries.parquet", overwrite=True)


def picture(visits: Any) -> Any:
    found = cydp.histogram(
        visits, 20, (0, 100), column="euros", user="user", max_partitions=20, epsilon=1
    )
    found.plot().figure.savefig("euros.png")
