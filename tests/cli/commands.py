"""What tests of commands say about refusals, and the tables that they read."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb
import numpy as np

from cydp import BudgetLedger

__all__ = [
    "AGES", "DATA", "PUMS", "SECRET", "WEEK", "Run", "Told", "check_told", "head", "parquet",
    "refused",
]  # fmt: skip

Run = Callable[..., tuple[int, str, str]]

DATA = Path(__file__).parents[2] / "examples" / "data"
PUMS, WEEK = str(DATA / "pums.csv"), str(DATA / "restaurant_week.csv")
AGES = np.loadtxt(PUMS, delimiter=",", skiprows=1, usecols=0)

SECRET = "secret-4711"  # a value that no message shows

# Words for users of Python: arguments, classes and calls.
_PYTHON = re.compile(
    r"(?<![\w'-])(?!date_trunc\()[a-z]+_[a-z_]+(?![\w'./])|(?<![\w-])(?:user|unit|keys|by|n|epsilon|delta|rho)=(?![\d(a])"
    r"|\b(?:Pure|Approx|Z)C?DP\b|\bcydp\.[a-z]|\bNone\b|\bTrue\b|\bFalse\b|\bTraceback\b|="
    r"(?:\(|\[)"
)


def complaint(done: tuple[int, str, str], code: int, *words: str) -> str:
    """Return what is wrong with a refusal: one line, in the words of options; or nothing."""
    said = done[2]
    missing = [word for word in words if word not in said]
    plain = said.count("\n") == 1 and len(said) < 600
    in_python = _PYTHON.search(re.sub(r"/\S+", "", said))
    if done[:2] == (code, "") and plain and not (missing or in_python or SECRET in said):
        return ""
    return f"exit code {done[0]}, lacks {missing}, shows {in_python}: {done[1][:100]}{said[:700]}"


def refused(done: tuple[int, str, str], code: int, *words: str) -> None:
    """Check that a command printed one line that says what is wrong, in the words of options."""
    assert complaint(done, code, *words) == ""


Told = tuple[list[str], int, str]  # arguments, exit code, and words that matter


def check_told(
    run: Run, refusals: list[Told], names: Mapping[str, str], kept: Callable[[], object]
) -> None:
    """Check that each command is refused, and that what must be kept stays; list all offenders.

    `names` are the files that words in capitals stand for.
    """
    before, wrong = kept(), []
    for arguments, code, words in refusals:
        said = complaint(run(*(names.get(word, word) for word in arguments)), code, words)
        if not said and kept() != before:
            said = "changed what must be kept"
            before = kept()
        if said:
            wrong.append((" ".join(arguments)[-150:], said))
    assert not wrong, "\n".join(map(str, wrong))


def head(path: str) -> tuple[int, str]:
    with BudgetLedger.open(path) as ledger:
        return ledger.head()


def parquet(folder: Path, table: str = PUMS, name: str = "table.parquet") -> str:
    """Write a CSV file as Parquet, with the types that DuckDB finds."""
    file = str(folder / name)
    duckdb.execute(f"COPY (SELECT * FROM '{table}') TO '{file}'")
    return file
