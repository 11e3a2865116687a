"""The two homes of a ledger: a file, and a PostgreSQL server that the tests start."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from accounting.ledger.postgres_server import Place, PostgresServer, missing


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    """A server that all tests of a process share."""
    if why := missing():
        pytest.skip(why)
    found = PostgresServer()
    yield found
    found.close()


@pytest.fixture(params=["file", "server"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path | Place:
    """Where a new ledger is made: with `with_name`, others beside it."""
    if request.param == "file":
        return tmp_path / "ledger"
    running: PostgresServer = request.getfixturevalue("server")
    return Place(running.address(), uuid.uuid4().hex)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a new ledger is made in a file."""
    return tmp_path / "ledger"
