# SPDX-License-Identifier: MIT
"""The ledgers of commands: how they are opened, how they pay for a release, and what is left."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from cydp._columns.file_errors import FileError
from cydp.accounting._errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerRollbackError,
    UnknownAccountError,
)
from cydp.accounting._words import format_name, format_numbers, numbers_of
from cydp.accounting.ledger._blocks import ALL, unknown_message
from cydp.accounting.ledger._history import format_block
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope
from cydp.cli._messages import head_of
from cydp.cli._options import heads_of
from cydp.cli._stdin import STDIN

__all__ = [
    "WITHOUT_BLOCKS",
    "check_blocks",
    "check_ledger_options",
    "describe_left",
    "has_blocks",
    "json_of_ledger",
    "ledger_of",
    "left_in",
    "open_ledger",
    "open_to_read",
    "rows_of_blocks",
    "scope_of",
]

WITHOUT_BLOCKS = "the ledger must have blocks: make another by `cydp ledger create --by-block`"
_NEED_A_LEDGER = (
    "head", "head_file", "blocks", "account", "label", "charge_id", "data_version",
)  # fmt: skip
_LONGEST_LABEL = 1000

_Numbers: TypeAlias = dict[str, Fraction]  # the numbers of a loss in its own measure, by name


def open_ledger(
    make: Callable[..., BudgetLedger], path: str, *about: Any, **more: Any
) -> BudgetLedger:
    """Return the ledger that `make` opens or creates.

    Raises FileError if the file cannot be opened or created. If the ledger is in use, damaged or
    older than expected, it raises the ledger's own errors.
    """
    try:
        return make(path, *about, **more)
    except (LedgerBusyError, LedgerCorruptError, LedgerRollbackError):
        raise
    except LedgerError as error:
        raise FileError(str(error)) from None


def has_blocks(ledger: BudgetLedger) -> bool:
    """Whether a ledger was made for blocks."""
    return isinstance(ledger.remaining, dict)


def check_blocks(ledger: BudgetLedger, blocks: Sequence[str] | None, name: str = "blocks") -> None:
    """Raise a ValueError unless blocks are named if, and only if, the ledger has blocks.

    `name` is the argument that names them, for the error.
    """
    if has_blocks(ledger) != (blocks is not None):
        block = blocks[0] if blocks and name != "blocks" else ALL
        raise ValueError(ledger._store.read(lambda rows: unknown_message(rows, block, name)))


@contextmanager
def open_to_read(path: str, **heads: Any) -> Iterator[BudgetLedger]:
    """Open a ledger to look at it, which needs no permission to write.

    Every error while the ledger is looked at is caused by what is in the file, and is raised as a
    LedgerCorruptError.
    """
    ledger = open_ledger(BudgetLedger.open, path, read_only=True, **heads)
    try:
        with ledger:
            yield ledger
    except FileError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError):
        raise LedgerCorruptError("the ledger is damaged: it is not what was written") from None


def check_ledger_options(options: argparse.Namespace) -> None:
    """Refuse options that need a ledger, a charge id or blocks that are not given."""
    if options.file_in_blocks and options.blocks is None:
        raise ValueError("--file-in-blocks needs --blocks: name the blocks, or leave it out")
    if options.ledger is None:
        for name in _NEED_A_LEDGER:
            if getattr(options, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise ValueError(f"{option} needs --ledger: give the ledger, or leave {option} out")
    elif options.data_version is not None and options.charge_id is None:
        raise ValueError("--data-version needs --charge-id: give the id, or leave it out")


def ledger_of(options: argparse.Namespace) -> AbstractContextManager[BudgetLedger | None]:
    """Open the ledger that pays, if there is one; to look at it only, if nothing is paid."""
    if options.ledger is None:
        return nullcontext()
    return open_ledger(
        BudgetLedger.open, options.ledger, read_only=options.dry_run, **heads_of(options)
    )


def scope_of(
    ledger: BudgetLedger, options: argparse.Namespace, columns: Sequence[str], about: str
) -> LedgerScope:
    """Return the budget of a release of some columns; `about` is its label by default."""
    return ledger.scope(
        blocks=options.blocks,
        label=options.label if options.label is not None else _shorten(about),
        charge_id=options.charge_id,
        data_version=_name_source(options, columns),
        table_in_blocks=options.blocks is not None,  # its rows were chosen, or promised
        account=options.account,
    )


def _shorten(label: str) -> str:
    return label.encode(errors="replace").decode()[:_LONGEST_LABEL]


def _name_source(options: argparse.Namespace, columns: Sequence[str]) -> str | None:
    """Return a name for the data of a charge id: a repetition must be on the same data."""
    if options.charge_id is None:
        return None
    files = [each if each == STDIN else str(Path(each).resolve()) for each in options.files]
    text = json.dumps([*files, *columns, options.data_version])
    return text if len(text) <= _LONGEST_LABEL else sha256(text.encode()).hexdigest()


def rows_of_blocks(
    ledger: BudgetLedger, options: argparse.Namespace
) -> tuple[str, Sequence[str]] | None:
    """Return the column of blocks and the blocks whose rows are read; None for the whole file.

    Raises
    ------
    ValueError
        If the rows of the blocks cannot be told, and the caller has not promised to give no others:
        the other blocks would be read, and would not pay.

    """
    check_blocks(ledger, options.blocks)
    if options.blocks is None or options.file_in_blocks:
        return None
    if ledger.block_column is None:
        raise ValueError(
            "--blocks needs to know which rows lie in them: make the ledger by `cydp ledger create "
            "--block-column`, or promise by --file-in-blocks that FILE has rows of these blocks "
            "alone"
        )
    return ledger.block_column, options.blocks


def left_in(scope: LedgerScope) -> dict[str, _Numbers]:
    """Return what is left in the blocks, or in the account, that have paid; else in "all".

    Nothing is left of an account that was closed since.
    """
    try:
        left = scope.remaining
    except UnknownAccountError:
        return {}
    by_block = left if isinstance(left, dict) else {(*scope.blocks, ALL)[0]: left}
    return {block: numbers_of(loss) for block, loss in by_block.items()}


def describe_left(scope: LedgerScope, left: dict[str, _Numbers]) -> list[str]:
    """Return lines that say what is left."""
    place = "ledger" if scope.account is None else f"account {format_name(scope.account)}"
    if not left:
        return [f"the {place} was closed"]
    about = f"left in the {place} for each {format_name(scope.ledger.privacy_unit)}:"
    if left.keys() == {ALL}:
        return [f"{about} {format_numbers(left[ALL], left=True)}"]
    return [
        about,
        *(
            f"  {format_block(block)}: {format_numbers(loss, left=True)}"
            for block, loss in left.items()
        ),
    ]


def json_of_ledger(ledger: BudgetLedger, left: dict[str, _Numbers]) -> dict[str, Any]:
    """Return the state of a ledger, as JSON can hold it."""
    return {"privacy_unit": ledger.privacy_unit, "left": left, "head": head_of(ledger)}
