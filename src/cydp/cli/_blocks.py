# SPDX-License-Identifier: MIT
"""``cydp ledger blocks`` and ``cydp ledger retire-spent``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cydp.accounting.ledger._blocks import BlockState, can_pay, match_dims
from cydp.accounting.ledger._charge import requested_amount
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._budget import read_budget
from cydp.cli._format import format_block, format_dims, head_of, json_of, numbers_of
from cydp.cli._ledger_file import open_ledger, open_to_read
from cydp.cli._show import state_line_of

__all__ = ["list_blocks", "read_pairs", "retire_spent"]

_WITHOUT = "the ledger must have blocks: make another by `cydp ledger create --by-block`"


def read_pairs(given: Sequence[str], option: str, reserved: Sequence[str] = ()) -> dict[str, str]:
    """Return the values of an option ``KEY=VALUE`` by key; a ValueError for anything else."""
    pairs: dict[str, str] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not (key and equals):
            raise ValueError(f"{option} must be KEY=VALUE, not {each[:100]!r}")
        if key in pairs:
            raise ValueError(f"{option} must have each key once, and {key[:100]!r} is given twice")
        if key in reserved:
            raise ValueError(f"{option} must have another key than {key!r}, which is reserved")
        pairs[key] = value
    return pairs


def list_blocks(options: argparse.Namespace) -> int:
    """Print the blocks that are asked for, in the order of their addition."""
    wanted, cost = read_pairs(options.where, "--where"), read_budget(options)
    with open_to_read(options.path) as ledger:
        budget, relation = ledger.budget, ledger.relation
        states = ledger.blocks() if _has_blocks(ledger) else None
    if states is None:
        raise ValueError(_WITHOUT)
    requested = None if cost is None else requested_amount(budget, relation, cost)[0]
    matches: dict[str, Callable[[Any], bool]] = {
        key: partial(_is_written, value) for key, value in wanted.items()
    }
    for block in match_dims(states, matches):
        if (options.open or cost is not None) and (block.retired or not can_pay(block, requested)):
            continue
        about = _describe(block)
        if options.json:
            print(json_of({"block": block.id} | about))
        else:
            words = [f"{format_block(block.id)}: {state_line_of(about)}"]
            print("; ".join([*words, *format_dims(block.dims)]))
    return 0


def retire_spent(options: argparse.Namespace) -> int:
    """Retire the blocks that have nothing left, and print their ids and the head."""
    with open_ledger(BudgetLedger.open, options.path, expect_head=options.head) as ledger:
        if not _has_blocks(ledger):
            raise ValueError(_WITHOUT)
        for block in ledger.retire_spent(read_budget(options)):
            print(format_block(block))
        print(head_of(ledger))
    return 0


def _has_blocks(ledger: BudgetLedger) -> bool:
    return isinstance(ledger.remaining, dict)


def _is_written(text: str, value: Any) -> bool:
    """Whether a value of a dim is this text, or is written so in JSON: 47 as ``47``."""
    return text in (value, json.dumps(value))


def _describe(block: BlockState) -> dict[str, Any]:
    return {
        "budget": numbers_of(block.budget),
        "spent": numbers_of(block.spent),
        "left": numbers_of(block.remaining),
        "state": "retired" if block.retired else "open",
        "dims": block.dims,
    }
