# SPDX-License-Identifier: MIT
"""How a ledger pays for a release of a command: its scope, its label, and what is left."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any

from cydp.accounting._words import format_name
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope
from cydp.cli._format import Numbers, format_block, format_numbers, head_of, left_of
from cydp.cli._ledger_file import check_blocks, open_ledger

__all__ = [
    "check_ledger_options",
    "describe_left",
    "json_of_ledger",
    "ledger_of",
    "left_in",
    "scope_of",
]

_NEED_A_LEDGER = ("head", "blocks", "label", "charge_id", "data_version")
_LONGEST_LABEL = 1000


def check_ledger_options(options: argparse.Namespace) -> None:
    """Refuse options that need a ledger or a charge id that is not given."""
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
        BudgetLedger.open, options.ledger, expect_head=options.head, read_only=options.dry_run
    )


def scope_of(
    ledger: BudgetLedger, options: argparse.Namespace, columns: Sequence[str], about: str
) -> LedgerScope:
    """Return the budget of a release of some columns; `about` is its label by default."""
    check_blocks(ledger, options.blocks)
    return ledger.scope(
        blocks=options.blocks,
        label=options.label if options.label is not None else _shorten(about),
        charge_id=options.charge_id,
        data_version=_name_source(options, columns),
    )


def _shorten(label: str) -> str:
    return label.encode(errors="replace").decode()[:_LONGEST_LABEL]


def _name_source(options: argparse.Namespace, columns: Sequence[str]) -> str | None:
    """Return a name for the data of a charge id: a repetition must be on the same data."""
    if options.charge_id is None:
        return None
    text = json.dumps([str(Path(options.file).resolve()), *columns, options.data_version])
    return text if len(text) <= _LONGEST_LABEL else sha256(text.encode()).hexdigest()


def left_in(ledger: BudgetLedger, blocks: Sequence[str] | None) -> dict[str, Numbers]:
    """Return what is left in the blocks that have paid."""
    left = left_of(ledger)
    return {block: left[block] for block in blocks} if blocks else left


def describe_left(ledger: BudgetLedger, left: dict[str, Numbers]) -> list[str]:
    """Return lines that say what is left."""
    return [
        f"left in the ledger for each {format_name(ledger.privacy_unit)}:",
        *(f"  {format_block(block)}: {format_numbers(loss, left=True)}"
          for block, loss in left.items()),
    ]  # fmt: skip


def json_of_ledger(ledger: BudgetLedger, left: dict[str, Numbers]) -> dict[str, Any]:
    """Return the state of a ledger, as JSON can hold it."""
    return {"privacy_unit": ledger.privacy_unit, "left": left, "head": head_of(ledger)}
