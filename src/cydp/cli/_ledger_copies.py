# SPDX-License-Identifier: MIT
"""``cydp ledger backup``, ``restore`` and ``move``."""

from __future__ import annotations

import argparse
from typing import Any

from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._messages import print_head
from cydp.cli._options import add_head, add_parser, heads_of
from cydp.cli._payment import open_ledger, open_to_read

__all__ = ["add_copies"]

_CREATE = "cydp ledger create ages.db --epsilon 1 --privacy-unit person"
_BACKUP = "cydp ledger backup ages.db ages.backup"
_PLACE = "the new file, or address on a server"


def add_copies(ledger: Any, about_head: str) -> None:
    """Add the commands to those of ledgers."""
    backup = add_parser(
        ledger, "backup", "write an exact copy, while the ledger is in use", about_head,
        example=[_CREATE, _BACKUP],
    )  # fmt: skip
    backup.add_argument("path", metavar="PATH", help="file of the ledger, or its address")
    backup.add_argument("copy", metavar="COPY", help=_PLACE)
    backup.set_defaults(run=_backup)

    restore = add_parser(
        ledger, "restore", "make a ledger of a backup, unless it lacks what was charged since",
        "Restore one backup once: two ledgers of it would each spend the rest of the budget.",
        example=[_CREATE, _BACKUP, "cydp ledger restore ages.backup again.db --retire"],
    )  # fmt: skip
    restore.add_argument("backup", metavar="BACKUP", help="the backup")
    restore.add_argument("path", metavar="PATH", help=_PLACE)
    add_head(restore)
    restore.add_argument(
        "--retire",
        action="store_true",
        help="let nothing be charged any more: what was charged after the backup is not known",
    )
    restore.set_defaults(run=_restore)

    move = add_parser(
        ledger, "move", "move a ledger to a new file, or to a server, with its head", about_head,
        "What is at PATH stays as a copy to read, to which nothing can be charged.",
        example=[_CREATE, "cydp ledger move ages.db moved.db"],
    )  # fmt: skip
    move.add_argument("path", metavar="PATH", help="file of the ledger, or its address")
    move.add_argument("to", metavar="TO", help=_PLACE)
    move.set_defaults(run=_move)


def _backup(options: argparse.Namespace) -> int:
    with open_to_read(options.path) as ledger:
        seq, digest = ledger.backup(options.copy)
    print(f"head: {seq}:{digest}")
    return 0


def _restore(options: argparse.Namespace) -> int:
    about = {"retire": options.retire, **heads_of(options)}
    with open_ledger(BudgetLedger.restore, options.backup, options.path, **about) as ledger:
        print_head(ledger)
    return 0


def _move(options: argparse.Namespace) -> int:
    with open_ledger(BudgetLedger.open, options.path) as ledger:
        seq, digest = ledger.move(options.to)
    print(f"head: {seq}:{digest}")
    return 0
