"""A PostgreSQL server of the tests, on a port of the loopback."""

from __future__ import annotations

import glob
import os
import pwd
import resource
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

__all__ = ["Place", "PostgresServer", "missing", "tamper"]

_SETTINGS = {
    "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "80",
    "shared_buffers": "16MB", "max_wal_size": "256MB", "log_statement": "none",
}  # fmt: skip
_WAIT = ("-w", "-t", "600")  # seconds


def _binaries() -> Path | None:
    """The folder of initdb and postgres, newest version first; None if there is none."""
    found = shutil.which("pg_ctl")
    folders = [Path(found).resolve().parent] if found else []
    folders += map(Path, sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True))
    return next((each for each in folders if (each / "initdb").exists()), None)


def _user() -> dict[str, Any]:
    """Who runs the server, which refuses root."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    return {}


def missing() -> str:
    """Why no server can be started here; "" if one can."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "without psycopg"
    if _binaries() is None:
        return "without the binaries of a PostgreSQL server"
    return "" if os.geteuid() != 0 or _user() else "without a user to run the server"


class Place(str):
    """The address of a ledger on a server, with what tests ask of the path of a file."""

    def __new__(cls, address: str, name: str) -> Place:
        place = super().__new__(cls, f"{address}#{name}")
        place._address, place._name = address, name
        return place

    @property
    def key(self) -> str:
        """SQL for what stands for the ledger in its tables."""
        return f"(SELECT key FROM cydp.ledger WHERE name = '{self._name}')"

    def with_name(self, name: str) -> Place:
        """The address of another ledger beside this one."""
        return Place(self._address, f"{self._name} {name}")


def tamper(path: Path | Place, *statements: str) -> None:
    """Change rows of a ledger, which its triggers refuse, in either home."""
    if isinstance(path, Place):
        import psycopg

        with psycopg.connect(path.partition("#")[0]) as connection:
            connection.execute("SET search_path = cydp")
            connection.execute("SET session_replication_role = replica")  # without triggers
            for statement in statements:
                connection.execute(statement)
        return
    with closing(sqlite3.connect(path)) as file, file:
        for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
            file.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            file.execute(statement)


class PostgresServer:
    """A server with a database "budgets", whose superuser "owner" needs no password."""

    def __init__(self) -> None:
        binaries = _binaries()
        assert binaries is not None
        self.binaries, self._who = binaries, _user()
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        if self._who:
            os.chown(self.folder, self._who["user"], self._who["group"])
        self.data = self.folder / "data"
        self.run("initdb", "-D", self.data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync",
                 "--locale=C")  # fmt: skip
        # Kept, so that nobody else is given the port, be the server away; the server may listen.
        self._reserved = socket.socket()
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self.port = self._reserved.getsockname()[1]
        if sys.platform != "linux":  # elsewhere the server could not listen then
            self._reserved.close()
        self.set(port=str(self.port), **_SETTINGS)
        self.start()
        self.run("createdb", "-h", "127.0.0.1", "-p", self.port, "-U", "owner", "budgets")

    def set(self, **settings: str) -> None:
        """Add settings, which count from the next start."""
        lines = "".join(f"{name} = '{value}'\n" for name, value in settings.items())
        with (self.data / "postgresql.conf").open("a") as file:
            file.write(lines)

    def run(self, program: str, *arguments: object, most_bytes: int | None = None) -> None:
        """Run one of the server's programs; no file that it writes may have more bytes."""

        def limit() -> None:
            if most_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

        with tempfile.TemporaryFile("w+") as said:  # a server keeps a pipe open
            done = subprocess.run(
                [self.binaries / program, *map(str, arguments)], cwd=self.folder, stdout=said,
                stderr=said, preexec_fn=limit, **self._who,
            )  # fmt: skip
            said.seek(0)
            assert done.returncode == 0, said.read()

    def start(self, most_bytes: int | None = None) -> None:
        """Start the server; none of its files may have more bytes."""
        log = self.folder / "log"
        self.run("pg_ctl", "-D", self.data, *_WAIT, "-l", log, "start", most_bytes=most_bytes)

    def stop(self, how: str = "fast") -> None:
        """Stop the server; "immediate" is what a power cut leaves to it."""
        self.run("pg_ctl", "-D", self.data, *_WAIT, "-m", how, "stop")

    def address(self, user: str = "owner", port: int | None = None) -> str:
        """The address of the database."""
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/budgets"

    def close(self) -> None:
        """Stop the server and remove it."""
        self.stop("immediate")
        self._reserved.close()
        shutil.rmtree(self.folder, ignore_errors=True)
