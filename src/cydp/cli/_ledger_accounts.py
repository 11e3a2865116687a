# SPDX-License-Identifier: MIT
"""``cydp ledger open-account``, ``close-account``, ``accounts`` and ``describe``."""

from __future__ import annotations

import argparse
from typing import Any

from cydp.accounting._words import format_name, format_numbers, numbers_of
from cydp.accounting.ledger._history import format_block
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._messages import json_of, print_head
from cydp.cli._options import BUDGETS, add_budget, add_head, add_parser, heads_of, read_budget
from cydp.cli._payment import check_blocks, has_blocks, open_ledger, open_to_read
from cydp.cli._specs import read_name

__all__ = ["add_accounts"]

_CREATE = "cydp ledger create ages.db --epsilon 1 --privacy-unit person"
_OPEN = "cydp ledger open-account ages.db nightly --epsilon 0.4"


def add_accounts(ledger: Any, about_head: str) -> None:
    """Add the commands to those of ledgers."""
    opened = add_parser(
        ledger, "open-account", "set a part of the budget aside for a pipeline",
        "Only charges with --account NAME can spend it, until the account is closed.", about_head,
        example=[_CREATE, _OPEN],
    )  # fmt: skip
    _add_names(opened)
    add_head(opened)
    add_budget(opened, "what is set aside; in each of the blocks")
    _add_blocks(opened, "the blocks in which it is set aside")
    opened.add_argument(
        "--exist-ok",
        action="store_true",
        help="leave an account that is open already as it is, if its budget is the same",
    )
    opened.set_defaults(run=_open)

    closed = add_parser(
        ledger, "close-account", "set nothing aside for an account any more",
        "What it has not spent is printed. What was charged stays charged.", about_head,
        example=[_CREATE, _OPEN, "cydp ledger close-account ages.db nightly"],
    )  # fmt: skip
    _add_names(closed)
    add_head(closed)
    _add_blocks(closed, "the blocks in which it is closed (default: all)")
    closed.set_defaults(run=_close)

    listed = add_parser(
        ledger, "accounts", "print the open accounts, and what they have left",
        example=[_CREATE, _OPEN, "cydp ledger accounts ages.db"],
    )  # fmt: skip
    _add_path(listed)
    listed.add_argument("--json", action="store_true", help="print a JSON object a line")
    listed.set_defaults(run=_list)

    described = add_parser(
        ledger, "describe", "give the ledger a name or a note, which reports show", about_head,
        example=[_CREATE, "cydp ledger describe ages.db --name 'Ages of 2026'"],
    )  # fmt: skip
    _add_path(described)
    add_head(described)
    described.add_argument("--name", metavar="TEXT", help="what people call the ledger")
    described.add_argument("--note", metavar="TEXT", help="anything else, such as whom to ask")
    described.set_defaults(run=_describe)


def _add_path(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="file of the ledger, or its address")


def _add_names(parser: argparse.ArgumentParser) -> None:
    _add_path(parser)
    parser.add_argument("account", type=read_name, metavar="NAME", help="such as a pipeline")


def _add_blocks(parser: argparse.ArgumentParser, about: str) -> None:
    parser.add_argument(
        "--blocks", nargs="+", action="extend", type=read_name, metavar="ID", help=about
    )


def _open(options: argparse.Namespace) -> int:
    budget = read_budget(options)
    if budget is None:
        raise ValueError(f"the budget must be given: {BUDGETS}")
    with open_ledger(BudgetLedger.open, options.path, **heads_of(options)) as ledger:
        check_blocks(ledger, options.blocks)
        ledger.open_account(
            options.account, budget, blocks=options.blocks, exist_ok=options.exist_ok
        )
        print_head(ledger)
    return 0


def _close(options: argparse.Namespace) -> int:
    with open_ledger(BudgetLedger.open, options.path, **heads_of(options)) as ledger:
        if options.blocks is not None:
            check_blocks(ledger, options.blocks)
        found = ledger.close_account(options.account, blocks=options.blocks)
        if has_blocks(ledger):
            for block, left in found.items():
                print(f"{format_block(block)}: not spent {_numbers(left)}")
        else:
            print(f"not spent {_numbers(found)}")
        print_head(ledger)
    return 0


def _list(options: argparse.Namespace) -> int:
    with open_to_read(options.path) as ledger:
        accounts = ledger.accounts()
    for state in accounts:
        if options.json:
            losses = {"budget": state.budget, "spent": state.spent, "left": state.remaining}
            numbers = {name: numbers_of(loss) for name, loss in losses.items()}
            print(json_of({"account": state.name, "block": state.block} | numbers))
        else:
            place = "" if state.block is None else f" in {format_block(state.block)}"
            print(
                f"{format_name(state.name)}{place}: left {_numbers(state.remaining)}; spent "
                f"{format_numbers(numbers_of(state.spent))} of {_numbers(state.budget)}"
            )
    return 0


def _describe(options: argparse.Namespace) -> int:
    if options.name is None and options.note is None:
        raise ValueError("--name or --note must be given")
    with open_ledger(BudgetLedger.open, options.path, **heads_of(options)) as ledger:
        ledger.describe(name=options.name, note=options.note)
        print_head(ledger)
    return 0


def _numbers(loss: Any) -> str:
    return format_numbers(numbers_of(loss), left=True)
