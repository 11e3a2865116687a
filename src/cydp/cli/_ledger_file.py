# SPDX-License-Identifier: MIT
"""How the command line opens the file of a ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cydp.accounting._errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
)
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._column_file import FileError

__all__ = ["opened"]


def opened(make: Callable[..., BudgetLedger], path: str, *about: Any, **more: Any) -> BudgetLedger:
    """Return what opens or makes a ledger; a FileError if its file cannot be opened or made.

    A ledger that is in use, damaged or older than expected refuses by itself.
    """
    try:
        return make(path, *about, **more)
    except (LedgerBusyError, LedgerCorruptError, LedgerRollbackError):
        raise
    except LedgerError as error:
        raise FileError(str(error)) from None
