"""The tasks from a frame of pandas; a ledger does not choose rows of a frame."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet  # noqa: F401  pandas would import it as it reads

import cydp

OPEN = 'pd.read_parquet("visits.parquet")'


def daily(visits: Any) -> Any:
    days = np.arange("2024-01-01", "2024-01-31", dtype="datetime64[D]")
    ledger = cydp.BudgetLedger.create(
        "days.db", cydp.PureDP(1), privacy_unit="user", by_block=True, block_column="ts"
    )
    ledger.add_blocks(days)
    found = []
    for day in days:
        payer = ledger.scope(blocks=[day], table_in_blocks=True)
        rows = visits[visits["ts"].dt.floor("D") == pd.Timestamp(day)]
        found.append(cydp.count(rows, user="user", max_rows=20, epsilon=1, budget=payer))
    return found
