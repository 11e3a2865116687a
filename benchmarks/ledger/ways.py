"""Charges of a ledger, and bare transactions of one insert, for `harness.environments.Process`.

Each function returns a way, which makes one transaction and returns what it can be checked by.
"""

import sqlite3
import time
from collections.abc import Callable
from typing import Any

from cydp import BudgetLedger, PureDP

COST = PureDP("0.001")
CONNECTED: dict[tuple[str, ...], Callable[[], int]] = {}  # which a client keeps between its rounds
BODY = "x" * 500  # about what an entry of a ledger has


def charge(place: str) -> Callable[[], int]:
    """One charge; the place of its entry."""
    ledger = BudgetLedger.open(place)
    return lambda: ledger.charge(COST, label="ages").seq


def charge_many(place: str, many: int) -> Callable[[], int]:
    """Many charges in one transaction; how many."""
    ledger = BudgetLedger.open(place)
    return lambda: len(ledger.charge_many([{"cost": COST, "label": "ages"}] * many))


def insert_postgres(address: str, many: int = 1) -> Callable[[], int]:
    """One insert, which commits by itself, or many in one transaction."""
    import psycopg

    connection = psycopg.connect(address, autocommit=True)
    connection.execute("SET synchronous_commit = on")
    insert, rows = "INSERT INTO bare (body) VALUES (%s)", [(BODY,)] * many

    def one() -> int:
        return connection.execute(insert, rows[0], prepare=True).rowcount

    def all_of_them() -> int:
        with connection.transaction(), connection.cursor() as cursor:
            cursor.executemany(insert, rows)
            return cursor.rowcount

    return one if many == 1 else all_of_them


def insert_sqlite(path: str, journal: str, many: int = 1) -> Callable[[], int]:
    """The same in a file, which has the table already, with a WAL file or a rollback journal."""
    connection = sqlite3.connect(path, timeout=60, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.execute("PRAGMA synchronous = FULL")
    insert, rows = "INSERT INTO bare (body) VALUES (?)", [(BODY,)] * many

    def one() -> int:
        return connection.execute(insert, rows[0]).rowcount

    def all_of_them() -> int:
        connection.execute("BEGIN IMMEDIATE")
        count = connection.executemany(insert, rows).rowcount
        connection.execute("COMMIT")
        return count

    return one if many == 1 else all_of_them


def from_a_moment(
    function: str, arguments: list[Any], turns: int, wait: float
) -> Callable[[], tuple[float, float]]:
    """Many transactions one after the other, after `wait` seconds of which all clients agree.

    The moments of the first and of the last, by a clock that all processes of a machine share.
    """
    key = function, *map(str, arguments)
    if key not in CONNECTED:
        CONNECTED[key] = globals()[function](*arguments)
    way = CONNECTED[key]

    def run() -> tuple[float, float]:
        time.sleep(max(0.0, wait - time.monotonic()))
        begin = time.monotonic()
        for _ in range(turns):
            way()
        return begin, time.monotonic()

    return run
