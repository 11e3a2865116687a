# SPDX-License-Identifier: MIT
"""How commands open the file of a ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from cydp.accounting._errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
)
from cydp.accounting.ledger._blocks import ALL, unknown_message
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._errors import FileError

__all__ = ["check_blocks", "open_ledger", "open_to_read"]


def open_ledger(
    make: Callable[..., BudgetLedger], path: str, *about: Any, **more: Any
) -> BudgetLedger:
    """Return the ledger that `make` opens or creates.

    Raises FileError if the file cannot be opened or created. The errors of a ledger that is in use,
    damaged or older than expected are those of the ledger.
    """
    try:
        return make(path, *about, **more)
    except (LedgerBusyError, LedgerCorruptError, LedgerRollbackError):
        raise
    except LedgerError as error:
        raise FileError(str(error)) from None


def check_blocks(ledger: BudgetLedger, blocks: Sequence[str] | None, name: str = "blocks") -> None:
    """Raise a ValueError for blocks of a ledger without blocks, and for none of one with blocks.

    `name` is the argument that names them, for the error.
    """
    has_blocks = isinstance(ledger.remaining, dict)
    if has_blocks != (blocks is not None):
        block = blocks[0] if blocks and name != "blocks" else ALL
        raise ValueError(
            ledger._store.read(lambda connection: unknown_message(connection, block, name))
        )


@contextmanager
def open_to_read(path: str, expect_head: tuple[int, str] | None = None) -> Iterator[BudgetLedger]:
    """Open a ledger to look at it, which needs no permission to write.

    Every error while the ledger is looked at is caused by what is in the file, and is raised as a
    LedgerCorruptError.
    """
    try:
        with open_ledger(
            BudgetLedger.open, path, expect_head=expect_head, read_only=True
        ) as ledger:
            yield ledger
    except FileError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError):
        raise LedgerCorruptError("the ledger is damaged: it is not what was written") from None
