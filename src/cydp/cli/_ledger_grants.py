# SPDX-License-Identifier: MIT
"""``cydp ledger grants``: the rights of those who charge ledgers on a server, and who read them."""

from __future__ import annotations

import argparse
from typing import Any

from cydp.accounting.ledger._postgres_rows import grants
from cydp.cli._options import add_parser

__all__ = ["add_grants"]


def add_grants(ledger: Any) -> None:
    """Add the command to those of ledgers."""
    parser = add_parser(
        ledger, "grants", "print the SQL that lets a role charge the ledgers of a database",
        "Nothing is executed here: the owner of the ledgers runs it, for a role that exists.",
        example=["cydp ledger grants --role service"],
    )  # fmt: skip
    parser.add_argument("--role", required=True, metavar="NAME", help="exactly as it is called")
    parser.add_argument("--read-only", action="store_true", help="only let the role read")
    parser.set_defaults(run=_grants)


def _grants(options: argparse.Namespace) -> int:
    print(grants(options.role, read_only=options.read_only), end="")
    return 0
