"""The data of the lessons, and each attack on it with a fixed key."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cydp.teach import attacks
from cydp.testing import SeededGenerator

PATH = Path(__file__).parents[3] / "examples" / "data" / "pums.csv"
with PATH.open() as file:
    ROWS = [{name: float(entry) for name, entry in row.items()} for row in csv.DictReader(file)]
PUMS = {name: np.array([row[name] for row in ROWS]) for name in ROWS[0]}

KNOWN = {"age": (100, (0, 100)), "sex": [0, 1], "educ": range(1, 17), "race": range(1, 7)}
EDGES = [0, 1, 10_000, 20_000, 30_000, 50_000, 100_000, 10**6]
INCOMES = KNOWN | {"income": (EDGES, None)}
REGISTER = {"sex": [0, 1], "race": range(1, 7), "educ": range(1, 17)}
PERSON = {"age": 59, "sex": 1, "educ": 9, "race": 1}
MARRIED = {"married": 1}

ATTACKS: dict[str, Callable[..., Any]] = {
    "averaging": lambda table=PUMS, **given: attacks.averaging(table, MARRIED, **given),
    "repeated_array": lambda table=PUMS, **given: attacks.repeated_array(table, MARRIED, **given),
    "differencing": lambda table=PUMS, **given: attacks.differencing(
        table, MARRIED, PERSON, **given
    ),
    "linkage": lambda table=PUMS, **given: attacks.linkage(table, INCOMES, "income", **given),
    "reconstruction": lambda table=PUMS, **given: attacks.reconstruction(
        table, REGISTER, MARRIED, block={"age": 73}, **given
    ),
}


def run(name: str, **given: Any) -> Any:
    """Return the attack on the lessons' data, with noise of key 1."""
    return ATTACKS[name](rng=SeededGenerator(1), **given)
