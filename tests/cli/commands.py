"""What tests of commands say about refusals, and the tables that they read."""

import re
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np

from cydp import BudgetLedger

__all__ = ["AGES", "DATA", "PUMS", "WEEK", "Run", "head", "instead", "parquet", "refused"]

Run = Callable[..., tuple[int, str, str]]

DATA = Path(__file__).parents[2] / "examples" / "data"
PUMS, WEEK = str(DATA / "pums.csv"), str(DATA / "restaurant_week.csv")
AGES = np.loadtxt(PUMS, delimiter=",", skiprows=1, usecols=0)

# Words for users of Python: arguments, classes and calls.
_PYTHON = re.compile(
    r"(?<![\w'-])[a-z]+_[a-z_]+(?![\w'./])|(?<![\w-])(?:user|unit|keys|by|n|epsilon|delta|rho)=(?![\d(a])"
    r"|\b(?:Pure|Approx|Z)C?DP\b|\bcydp\.[a-z]|\bNone\b|\bTrue\b|\bFalse\b|\bTraceback\b|="
    r"(?:\(|\[)"
)


def refused(done: tuple[int, str, str], code: int, message: str) -> None:
    """Check that a command printed one line that says what is wrong, in the words of options."""
    assert done[:2] == (code, ""), done
    assert done[2].count("\n") == 1, done
    assert message in done[2]
    assert len(done[2]) < 600
    assert not _PYTHON.search(re.sub(r"/\S+", "", done[2])), done


def instead(arguments: list[str], option: str, value: str) -> list[str]:
    """Return arguments with another value of an option."""
    place = arguments.index(option) + 1
    return [*arguments[:place], value, *arguments[place + 1 :]]


def head(path: str) -> tuple[int, str]:
    with BudgetLedger.open(path) as ledger:
        return ledger.head()


def parquet(folder: Path, table: str = PUMS, name: str = "table.parquet") -> str:
    """Write a CSV file as Parquet, with the types that DuckDB finds."""
    file = str(folder / name)
    duckdb.execute(f"COPY (SELECT * FROM '{table}') TO '{file}'")
    return file
