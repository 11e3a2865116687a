# SPDX-License-Identifier: MIT
"""Addresses of ledgers on a PostgreSQL server: of a database, and the name of a ledger in it."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from cydp.accounting.ledger._serialize import check_string

__all__ = ["is_server", "place_of", "read_address"]

_ADDRESS = re.compile(  # user and password, hosts and ports, a database, and more
    r"postgres(?:ql)?://(?:[^/@#?:]*(?::[^/@#?:]*)?@)?(?:[\w.,%-]|:\d+|\[[\w:.%]*\])*(?:/[^/@#?]*)?(?:\?[^@#]*)?"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def is_server(path: object) -> bool:
    """Whether a path of a ledger is the address of one on a PostgreSQL server.

    >>> is_server("postgresql://db/budgets#visits"), is_server("visits.ledger")
    (True, False)
    """
    return isinstance(path, str) and path.startswith(("postgresql:", "postgres:"))


def read_address(address: str) -> tuple[str, str]:
    """Return the address of a database, and the name of a ledger in it."""
    base, mark, name = address.partition("#")
    if not mark or not name:
        raise ValueError(
            "path must name a ledger on its server after '#', as in postgresql://host/database#visits"
        )
    # No part of it is shown: it may be a password.
    if not _ADDRESS.fullmatch(base) or "@" in name:
        raise ValueError(
            "path must be an address as in postgresql://user@host:5432/database#visits; in a user "
            "or a password, write ':' as %3A, '/' as %2F, '?' as %3F, '#' as %23 and '@' as %40"
        )
    name = check_string(unquote(name), "the name of the ledger")
    if not name.strip() or _CONTROL.search(name):
        raise ValueError(
            "path must name a ledger by more than spaces, without ends of lines and other control "
            "characters"
        )
    return base, name


def place_of(address: str, name: str) -> str:
    """Return an address without user and password, for messages."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}#{name}"
