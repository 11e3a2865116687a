"""What a session shows besides its answers does not depend on any record, nulls included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from interactive.test_session import CALLS
from releases.neighbours import CELLS, other_rows

from cydp import BudgetExceededError, BudgetLedger, PrivacyError, PrivacyFilter, PureDP, Session

RANDOM = np.random.default_rng(22)
ROWS = [
    {"x": 1.0, "s": "a", "u": 7},
    {"x": None, "s": None, "u": None},
    {"x": float("nan"), "s": "z", "u": 2**62},
    {"x": float("inf"), "s": "", "u": -1},
    {"x": -1e300, "s": "\ud800", "u": 0},
]


def table_of(row: dict[str, Any] | None, others: int) -> dict[str, list[Any]]:
    rest = other_rows(RANDOM, others)
    table = {
        "x": rest["x"].tolist(), "s": rest["label"].tolist(), "u": rest["unit"].tolist(),
    }  # fmt: skip
    return {name: column + ([] if row is None else [row[name]]) for name, column in table.items()}


def told(folder: Path, table: Any, *, durable: bool) -> list[Any]:
    """All that a session of one budget shows besides answers: errors, costs, keys, the report."""
    budget = PureDP(800_000)
    payer: Any = PrivacyFilter(budget)
    if durable:
        payer = BudgetLedger.create(folder / "ledger", budget, privacy_unit="row")
    session = Session(table, payer, version="1", analyst="ada")
    seen: list[Any] = []
    for call in [*CALLS.values(), *CALLS.values()]:
        try:
            call(session)
        except PrivacyError as error:
            seen.append((type(error), str(error)))
    seen += [session.history(), session.spent, session.spent_by_analyst(), repr(session)]
    if durable:
        seen += [
            {name: entry[name] for name in ("charge_id", "label", "arguments", "query")}
            for entry in payer.history()
            if entry["kind"] == "charge"
        ]
        payer.close()
    assert any(kind is BudgetExceededError for kind, _ in seen[:8])
    return seen


@pytest.mark.parametrize(
    ("durable", "others", "rows"),
    [
        (False, 0, ROWS),
        (True, CELLS, ROWS[1:4:2]),
        pytest.param(True, 0, ROWS, marks=pytest.mark.long),
        pytest.param(False, CELLS, ROWS, marks=pytest.mark.long),
    ],
)
def test_nothing_but_answers_depends_on_a_record(
    tmp_path: Path, durable: bool, others: int, rows: list[dict[str, Any]]
) -> None:
    found = []
    for place, row in enumerate([None, *rows]):
        folder = tmp_path / str(place)
        folder.mkdir()
        found.append(told(folder, table_of(row, others), durable=durable))
    assert all(each == found[0] for each in found[1:])
    assert len(found[0]) > 8
