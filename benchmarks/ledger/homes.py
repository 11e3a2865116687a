"""Where the benchmark keeps ledgers and bare tables: a folder, and a PostgreSQL server."""

import hashlib
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from accounting.ledger.postgres_server import Place, PostgresServer

from cydp import BudgetLedger, PureDP

BUDGET = PureDP(10**6)
BATCH = 10_000  # charges of one transaction, while a ledger grows
LABELS = 20
COLUMNS = "seq INTEGER PRIMARY KEY, body TEXT NOT NULL"


class Bare(NamedTuple):
    """A way to insert a row without a ledger: its function in ways.py, and where it writes."""

    function: str
    arguments: list[Any]


class Home(Protocol):
    """A place for ledgers, and for bare tables beside them."""

    name: str

    def ledger(self, name: str) -> str:
        """Where a ledger of that name is."""

    def bare(self) -> dict[str, Bare]:
        """Make bare tables, and return the ways to insert into them, by title."""

    def rows(self, way: Bare) -> int:
        """How many rows a bare table has."""

    def versions(self) -> dict[str, str]:
        """What keeps the ledgers."""


class FileHome:
    """A folder of files of SQLite."""

    name = "file"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def ledger(self, name: str) -> str:
        return str(self.folder / name)

    def bare(self) -> dict[str, Bare]:
        found = {}
        for title, journal in (("SQLite, WAL", "wal"), ("SQLite, rollback journal", "delete")):
            path = self.folder / f"{uuid.uuid4().hex}.{journal}"
            with closing(sqlite3.connect(path)) as file:
                file.execute(f"PRAGMA journal_mode = {journal}")
                file.execute(f"CREATE TABLE bare ({COLUMNS})")
                file.commit()
            found[title] = Bare("insert_sqlite", [str(path), journal])
        return found

    def rows(self, way: Bare) -> int:
        with closing(sqlite3.connect(way.arguments[0])) as file:
            return int(file.execute("SELECT count(*) FROM bare").fetchone()[0])

    def versions(self) -> dict[str, str]:
        return {"SQLite": sqlite3.sqlite_version}

    def grown(self, lengths: list[int]) -> Iterator[tuple[int, str]]:
        """Let one ledger grow by `charge_many`, and yield it at each length, closed."""
        path = self.ledger("grown")
        with BudgetLedger.create(path, BUDGET, privacy_unit="person") as ledger:
            for length in lengths:
                while missing := length - ledger.head()[0]:
                    ledger.charge_many(
                        [{"cost": PureDP("0.001"), "label": f"label {n % LABELS}"}
                         for n in range(min(missing, BATCH))]
                    )  # fmt: skip
                ledger.close()
                yield length, path


class ServerHome:
    """A server of PostgreSQL, which is started and ended."""

    name = "server"

    def __init__(self) -> None:
        self.server = PostgresServer()

    def ledger(self, name: str) -> str:
        return str(Place(self.server.address(), name))

    def bare(self) -> dict[str, Bare]:
        with self._connected() as connection:
            connection.execute("DROP TABLE IF EXISTS bare")
            columns = COLUMNS.replace("INTEGER", "bigint GENERATED ALWAYS AS IDENTITY")
            connection.execute(f"CREATE TABLE bare ({columns})")
        return {"insert of psycopg": Bare("insert_postgres", [self.server.address()])}

    def rows(self, way: Bare) -> int:
        with self._connected() as connection:
            return int(connection.execute("SELECT count(*) FROM bare").fetchone()[0])

    def versions(self) -> dict[str, str]:
        import psycopg

        with self._connected() as connection:
            version = connection.execute("SHOW server_version").fetchone()[0]
        return {"PostgreSQL": version.split()[0], "psycopg": psycopg.__version__}

    def copy_of(self, path: str) -> str:
        """Copy a ledger from its file, with a row for each sum that its charges have reached."""
        name = uuid.uuid4().hex
        BudgetLedger.create(self.ledger("first"), BUDGET, privacy_unit="x", exist_ok=True).close()
        key = str(uuid.uuid4())
        with closing(sqlite3.connect(path)) as file, self._connected() as connection:
            connection.execute("SET search_path = cydp")
            connection.execute("SET session_replication_role = replica")  # without triggers
            connection.execute("INSERT INTO ledger VALUES (%s, %s)", (key, name))
            with connection.cursor().copy("COPY entry FROM STDIN") as copy:
                for seq, charge_id, body, digest in file.execute("SELECT * FROM entry"):
                    copy.write_row((key, seq, sha256(charge_id), charge_id, body, digest))
            charges = file.execute("SELECT count(charge_id) FROM entry").fetchone()[0]
            ((block, budget, spent, retired),) = file.execute("SELECT * FROM block")
            shared = key, sha256(block)
            connection.execute(
                "INSERT INTO block VALUES (%s, %s, %s, %s)", (*shared, block, budget)
            )
            connection.execute(
                "INSERT INTO state SELECT %s, %s, step, %s, %s FROM generate_series(0, %s) AS step",
                (*shared, spent, retired, charges),
            )
        with self._connected(autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")  # as the server does by itself, after a while
        return self.ledger(name)

    def _connected(self, *, autocommit: bool = False) -> Any:
        import psycopg

        return psycopg.connect(self.server.address(), autocommit=autocommit)


def sha256(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()
