# SPDX-License-Identifier: MIT
"""``cydp ledger``: make a ledger, add and retire blocks, verify it."""

from __future__ import annotations

import argparse
import re
from typing import Any

from cydp._numbers.rational import read_exact
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._format import head_of
from cydp.cli._ledger_file import open_ledger, open_to_read
from cydp.cli._show import history, show

__all__ = ["add_commands", "read_block_id"]

_NUMBERS = (
    "Numbers are exact: 1, 0.1, 1e-6, 1/3. In JSON they are texts, a decimal where that is exact, "
    "else a quotient; these options and Python's Fraction read them."
)
_READ = "Nothing is written: permission to read the file and its folder is enough."
_HEAD = (
    "The head, SEQ:HASH, is printed. Keep it elsewhere: with it, `cydp ledger verify --head` "
    "notices an older copy of the ledger."
)

_BUDGETS = "--epsilon alone, --epsilon with --delta, or --rho alone"
_RESERVED = ("self", "block", "blocks", "budget")  # parameters of `add_blocks`, which takes dims


def add_commands(commands: Any) -> None:
    """Add the commands to the parser."""
    ledger = commands.add_parser(
        "ledger", help="make and inspect a budget that is kept in a file", epilog=_NUMBERS
    ).add_subparsers(required=True, metavar="COMMAND")

    create = _command(ledger, "create", _create, "make a ledger in a new file", _NUMBERS, _HEAD)
    _add_budget(create, "of each person, or whatever the privacy unit is")
    create.add_argument(
        "--privacy-unit", required=True, metavar="TEXT", help="what one unit stands for: person ..."
    )
    create.add_argument(
        "--relation",
        default="add-remove",
        help="what neighbours differ in: add-remove (default) or change-one",
    )
    create.add_argument(
        "--by-block",
        action="store_true",
        help="keep a budget for each block of data; add the blocks with `cydp ledger add-block`",
    )

    add = _command(ledger, "add-block", _add_block, "add blocks of data", _NUMBERS, _HEAD)
    add.add_argument("block", nargs="+", type=read_block_id, metavar="ID", help="such as a day")
    _add_budget(add, "of each of these blocks (default: the ledger's)")
    add.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what else the history should say of these blocks; repeat for several",
    )

    retire = _command(
        ledger, "retire", _retire, "let nothing be charged to a block any more", _HEAD
    )
    retire.add_argument("block", type=read_block_id, metavar="ID")

    show_parser = _command(ledger, "show", show, "print what is spent and left", _NUMBERS, _READ)
    show_parser.add_argument("--json", action="store_true", help="print JSON")

    history_parser = _command(
        ledger, "history", history, "print all entries, oldest first", _NUMBERS, _READ
    )
    history_parser.add_argument("--json", action="store_true", help="print a JSON object a line")

    verify = _command(
        ledger, "verify", _verify, "compute everything anew, and exit with 1 if it differs", _READ
    )
    verify.add_argument(
        "--head",
        type=_read_head,
        metavar="SEQ:HASH",
        help="the head that another command printed: an older copy of the ledger is refused",
    )


def _command(ledger: Any, name: str, run: Any, summary: str, *more: str) -> Any:
    parser = ledger.add_parser(name, help=summary, epilog=" ".join(more))
    parser.add_argument("path", metavar="PATH", help="file of the ledger")
    parser.set_defaults(run=run)
    return parser


def _add_budget(parser: Any, whose: str) -> None:
    group = parser.add_argument_group(f"budget {whose}")
    group.add_argument("--epsilon", metavar="E", help="pure, or with --delta approximate, DP")
    group.add_argument("--delta", metavar="D")
    group.add_argument("--rho", metavar="R", help="zero-concentrated DP")


def read_block_id(given: str) -> str:
    """Return a string that can be the id of a block; else an ArgumentTypeError."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("must be text in the terminal's encoding") from None
    if not given:
        raise argparse.ArgumentTypeError("must not be empty")
    return given


def _read_head(given: str) -> tuple[int, str]:
    match = re.fullmatch("([0-9]{1,18}):([0-9a-f]{64})", given)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"must be SEQ:HASH, as another command printed it, not {given[:100]!r}"
        )
    return int(match[1]), match[2]


def _read_budget(options: argparse.Namespace) -> PureDP | ApproxDP | ZCDP | None:
    epsilon, delta, rho = options.epsilon, options.delta, options.rho
    if rho is not None and epsilon is None and delta is None:
        return ZCDP(rho)
    if epsilon is not None and rho is None:
        if delta is None:
            return PureDP(epsilon)
        return ApproxDP(read_exact(epsilon, "epsilon"), read_exact(delta, "delta"))
    if delta is None and rho is None:
        return None
    raise ValueError(f"the budget must be {_BUDGETS}")


def _read_dims(options: argparse.Namespace) -> dict[str, str]:
    dims: dict[str, str] = {}
    for given in options.dim:
        key, equals, value = given.partition("=")
        if not (key and equals):
            raise ValueError(f"--dim must be KEY=VALUE, not {given[:100]!r}")
        if key in dims:
            raise ValueError(f"--dim must have each key once, and {key[:100]!r} is given twice")
        if key in _RESERVED:
            raise ValueError(f"--dim must have another key than {', '.join(_RESERVED)}")
        dims[key] = value
    return dims


def _create(options: argparse.Namespace) -> int:
    budget = _read_budget(options)
    if budget is None:
        raise ValueError(f"the budget must be given: {_BUDGETS}")
    with open_ledger(
        BudgetLedger.create,
        options.path,
        budget,
        relation=options.relation,
        privacy_unit=options.privacy_unit,
        by_block=options.by_block,
    ) as ledger:
        print(head_of(ledger))
    return 0


def _add_block(options: argparse.Namespace) -> int:
    budget, dims, blocks = _read_budget(options), _read_dims(options), options.block
    if len(set(blocks)) < len(blocks):
        raise ValueError("each ID must be given once, and one is given twice")
    with open_ledger(BudgetLedger.open, options.path) as ledger:
        ledger.add_blocks(blocks, budget, **dims)
        print(head_of(ledger))
    return 0


def _retire(options: argparse.Namespace) -> int:
    with open_ledger(BudgetLedger.open, options.path) as ledger:
        ledger.retire(options.block)
        print(head_of(ledger))
    return 0


def _verify(options: argparse.Namespace) -> int:
    with open_to_read(options.path, options.head) as ledger:
        ledger.verify()
        print("ok", head_of(ledger))
    return 0
