"""Ledgers beside bare transactions: wrong answers are noticed, what a run measures, the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import run_ledger
from ledger import growth, ways
from ledger.homes import BUDGET, FileHome
from report import ledger_page

from cydp import BudgetLedger


@pytest.fixture
def home(tmp_path: Path) -> FileHome:
    return FileHome(tmp_path)


def test_a_ledger_with_another_number_of_charges_is_noticed(home: FileHome) -> None:
    place = home.ledger("here")
    BudgetLedger.create(place, BUDGET, privacy_unit="person").close()
    way = ways.charge_many(place, 5)
    assert way() == 5
    run_ledger.check_ledger(place, 5)
    with pytest.raises(AssertionError):
        run_ledger.check_ledger(place, 6)


def test_bare_inserts_are_counted(home: FileHome) -> None:
    for way in home.bare().values():
        one, many = (getattr(ways, way.function)(*way.arguments, n) for n in (1, 7))
        assert (one(), many()) == (1, 7)
        assert home.rows(way) == 8


def test_a_ledger_grows_to_each_length(home: FileHome) -> None:
    for length, place in home.grown([10, 30]):
        with BudgetLedger.open(place) as ledger:
            assert ledger.head()[0] == length
            ledger.verify()


WRONG: dict[str, tuple[Any, Any]] = {  # right and wrong answers of 1,002 entries, 1,000 at first
    "charge": (1002, 1000),
    "open": (0, None),
    "spent": (1.0, 1.001),
    "report()": (500, 10),
    "last page of history": (1000, 999),
    "history()": (1002, 1000),
    "verify()": (None, False),
    'totals("label")': (1.0, 0.999),
}


@pytest.mark.parametrize("use", growth.USES)
def test_wrong_answers_are_noticed(use: str) -> None:
    right, wrong = WRONG[use]
    growth.check(use, right, 1000, 1002)
    with pytest.raises(AssertionError):
        growth.check(use, wrong, 1000, 1002)


@pytest.mark.parametrize("use", ["charge", "last page of history"])
def test_a_use_is_measured_in_its_own_process(home: FileHome, use: str) -> None:
    ((length, place),) = home.grown([200])
    found = growth.measured(place, use, length, 0)
    assert len(found["seconds"]) == 1
    assert found["peak"] is None or found["peak"] > 10**6


CELLS: list[dict[str, Any]] = [
    {"what": "transaction", "home": "file", "many": 1, "way": "cydp",
     "seconds": [0.002, 0.003, 0.004], "ratio": [1, 1, 1]},
    {"what": "transaction", "home": "file", "many": 1, "way": "SQLite, WAL",
     "seconds": [0.001, 0.001, 0.001], "ratio": [2.0, 3.0, 4.0]},
    {"what": "transaction", "home": "file", "many": 1, "way": "SQLite, rollback journal",
     "seconds": [0.006, 0.006, 0.006], "ratio": [0.4, 0.5, 0.6]},
    {"what": "clients", "home": "file", "clients": 1, "way": "cydp", "rate": [90, 100, 110]},
    {"what": "clients", "home": "file", "clients": 4, "way": "cydp", "rate": [190, 200, 210]},
    *(
        {"what": "length", "home": "file", "length": length, "use": use, "peak": 50 * 10**6,
         "seconds": [seconds, seconds, seconds]}
        for length in (10**3, 10**5)
        for use, seconds in (("report()", length / 50_000), ("last page of history", 0.004))
    ),
]  # fmt: skip


def page_of(tmp_path: Path, **more: Any) -> str:
    folder = tmp_path / "benchmarks" / "results" / "here"
    folder.mkdir(parents=True)
    machine: dict[str, Any] = dict.fromkeys(
        ("cpu", "cores", "system", "python", "cydp", "commit", "date"), "x"
    )
    found = {
        "machine": machine | {"memory": 10**9}, "state": {"warnings": ["throttled"]},
        "versions": {"SQLite": "3"}, "load": [0.1, 3.0], "file system": "ext4", "without": "",
        "cells": CELLS,
    }  # fmt: skip
    (folder / ledger_page.FILE).write_text(json.dumps(found | more))
    ((path, text),) = ledger_page.pages(tmp_path).items()
    assert path == folder / "ledger.md"
    return text


def test_the_page_states_losses_and_missed_aims(tmp_path: Path) -> None:
    text = page_of(tmp_path)
    assert "**Warning: throttled.**" in text
    assert "files on ext4" in text
    assert "| file | cydp | 3 ms (2 ms) |  |" in text
    assert "| file | SQLite, WAL | 1 ms | **3 (2 to 4)** |" in text
    assert "| file | SQLite, rollback journal | 6 ms | 0.5 (0.4 to 0.6) |" in text
    assert "| home | way | 1 client | 4 clients |" in text
    assert "`report()` at 10^5 entries, file: 2 s; the aim was less than 1 s: **missed**" in text
    assert "4 ms at 10^5 entries, 1 times the time at 10^3" in text
    assert "other programs" not in text


@pytest.mark.parametrize(
    ("more", "words"),
    [({"load": [2.0, 3.0]}, "other programs were running"),
     ({"without": "without psycopg"}, "**Without a server: without psycopg.**")],
)  # fmt: skip
def test_the_page_says_what_was_not_as_it_should_be(
    tmp_path: Path, more: dict[str, Any], words: str
) -> None:
    assert words in page_of(tmp_path, **more)


def test_each_cell_has_a_line_for_the_terminal() -> None:
    assert [ledger_page.said(cell) for cell in CELLS][1:5] == [
        "file: SQLite, WAL, 1 in a transaction: 1 ms",
        "file: SQLite, rollback journal, 1 in a transaction: 6 ms",
        "file: cydp, 1 client: 100 (90 to 110) a second",
        "file: cydp, 4 clients: 200 (190 to 210) a second",
    ]
