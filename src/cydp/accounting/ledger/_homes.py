# SPDX-License-Identifier: MIT
"""Where a ledger is kept: in a file, or on a PostgreSQL server, according to its path."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from cydp.accounting.ledger._address import is_server
from cydp.accounting.ledger._create import create_file
from cydp.accounting.ledger._path import read_path
from cydp.accounting.ledger._postgres_store import PostgresStore
from cydp.accounting.ledger._rows import Rows, Store
from cydp.accounting.ledger._store import FileStore

__all__ = ["create_store", "open_store"]

T = TypeVar("T")


def open_store(path: str | os.PathLike[str], *, read_only: bool) -> Store:
    """Open the home of a ledger; a LedgerError if there is none."""
    if isinstance(path, str) and is_server(path):
        return PostgresStore.open(path, read_only=read_only)
    return FileStore.open(read_path(path), read_only=read_only)


def create_store(
    path: str | os.PathLike[str], ledger: str, write: Callable[[Rows], T], *, or_open: bool = False
) -> T:
    """Make the home of a ledger of this uuid, and return what a function returns that writes it.

    If there is one already, the error advises to open it with `or_open`.
    """
    if isinstance(path, str) and is_server(path):
        return PostgresStore.create(path, write, or_open=or_open)
    return create_file(read_path(path), ledger, write, or_open=or_open)
