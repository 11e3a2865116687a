# SPDX-License-Identifier: MIT
"""``cydp ledger``: make a ledger, add and retire blocks, charge it, verify it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from cydp.accounting._errors import LedgerError
from cydp.accounting._words import format_name
from cydp.accounting.ledger._history import GROUPINGS, format_block
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._ledger_accounts import add_accounts
from cydp.cli._ledger_copies import add_copies
from cydp.cli._ledger_grants import add_grants
from cydp.cli._messages import head_of, print_head
from cydp.cli._options import (
    BUDGETS,
    add_budget,
    add_head,
    add_parser,
    heads_of,
    read_budget,
    read_count,
    read_place,
)
from cydp.cli._payment import (
    WITHOUT_BLOCKS,
    check_blocks,
    describe_left,
    has_blocks,
    left_in,
    open_ledger,
    open_to_read,
)
from cydp.cli._show import history, list_blocks, report, show, totals
from cydp.cli._specs import read_name, read_pairs

__all__ = ["add_commands"]


_NUMBERS = (
    "Numbers are exact: 1, 0.1, 1e-6, 1/3. In JSON they are texts, a decimal where that is exact, "
    "else a quotient; these options and Python's Fraction read them."
)
_READ = "Nothing is written: permission to read the file and its folder is enough."
_HEAD = (
    "The head, SEQ:HASH, is printed. Keep it elsewhere: with it, --head of the next command, or of "
    "`cydp ledger verify`, notices an older copy of the ledger."
)

_CREATE = "cydp ledger create ages.db --epsilon 1 --privacy-unit person"
_CREATE_DAYS = (
    "cydp ledger create days.db --epsilon 1 --privacy-unit person --by-block --block-column Day"
)
# Names that no dim can have: parameters of `add_blocks` and `find_blocks`, which take dims.
_RESERVED = ("self", "block", "blocks", "budget", "exist_ok", "at_least")
_PAID = "paid"  # what is recorded of a charge with an id, so that it can be repeated
_REPEATED = 3  # so that `cydp ledger charge && release` releases once for each charge


def add_commands(commands: Any) -> None:
    """Add the commands to the parser."""
    ledger = add_parser(
        commands,
        "ledger",
        "make and inspect a budget that is kept in a file",
        _NUMBERS,
        example=[_CREATE, "cydp ledger show ages.db"],
    ).add_subparsers(required=True, metavar="COMMAND")

    create = _command(
        ledger, "create", _create, "make a ledger in a new file", _NUMBERS, _HEAD, example=[_CREATE]
    )
    add_budget(create, "budget of each person, or whatever the privacy unit is")
    create.add_argument(
        "--privacy-unit", required=True, metavar="TEXT", help="what one unit stands for: person ..."
    )
    create.add_argument(
        "--relation",
        default="add-remove",
        help="what neighbours differ in: add-remove (default), change-one or add-remove-or-change",
    )
    create.add_argument(
        "--by-block",
        action="store_true",
        help="keep a budget for each block of data; add the blocks with `cydp ledger add-block`",
    )
    create.add_argument(
        "--block-column",
        metavar="COLUMN",
        help="with blocks: the column whose entry is the block of a row; --blocks of a release "
        "then reads the rows of these blocks alone",
    )
    create.add_argument(
        "--units-in-one-block",
        action="store_true",
        help="your promise that all records of a unit lie in one block, as of a person-day; else a "
        "unit in one block is protected",
    )
    create.add_argument(
        "--exist-ok",
        action="store_true",
        help="take a ledger that is there already, if it was made with the same options",
    )

    add = _command(
        ledger, "add-block", _add_block, "add blocks of data", _NUMBERS, _HEAD,
        example=[_CREATE_DAYS, "cydp ledger add-block days.db mon tue --dim week=47"],
        aliases=["add-blocks"],
    )  # fmt: skip
    add_head(add)
    add.add_argument("block", nargs="+", type=read_name, metavar="ID", help="such as a day")
    add_budget(add, "budget of each of these blocks (default: the ledger's)")
    add.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="what else the history should say of these blocks; repeat for several",
    )
    add.add_argument(
        "--exist-ok",
        action="store_true",
        help="leave blocks that are there already as they are, if their budget is the same",
    )

    retire = _command(
        ledger, "retire", _retire, "let nothing be charged to a block any more", _HEAD,
        example=[
            _CREATE_DAYS, "cydp ledger add-block days.db mon", "cydp ledger retire days.db mon",
        ],
    )  # fmt: skip
    add_head(retire)
    retire.add_argument("block", type=read_name, metavar="ID")

    spent = _command(
        ledger, "retire-spent", _retire_spent,
        "retire the blocks without anything left, and print their ids", _NUMBERS, _HEAD,
        example=[
            _CREATE_DAYS, "cydp ledger add-block days.db mon",
            "cydp ledger retire-spent days.db --epsilon 0.1",
        ],
    )  # fmt: skip
    add_head(spent)
    add_budget(spent, "also retire blocks that cannot pay this cost")

    _add_blocks(ledger)
    _add_charge(ledger)
    add_accounts(ledger, _HEAD)
    add_copies(ledger, _HEAD)
    add_grants(ledger)

    show_parser = _command(
        ledger, "show", show, "print what is spent and left", _NUMBERS, _READ,
        example=[
            _CREATE, "cydp ledger show ages.db", _CREATE_DAYS,
            "cydp ledger add-block days.db mon tue",
            "cydp ledger show days.db --unit person --max-blocks 2",
        ],
    )  # fmt: skip
    # A list of one, since the option of this name that releases have takes several.
    show_parser.add_argument(
        "--unit",
        nargs=1,
        type=read_name,
        metavar="NAME",
        help="whom the guarantee is for (default: the ledger's unit): of a ledger of a 'person in "
        "one block' also 'person', who may have records in several blocks",
    )
    show_parser.add_argument(
        "--max-blocks",
        type=read_count,
        metavar="K",
        help="in how many blocks such a person has records at most (default: in all of them)",
    )
    show_parser.add_argument("--json", action="store_true", help="print JSON")

    report_parser = _command(
        ledger, "report", report,
        "print what was spent and left, and a line for each thing that was released", _READ,
        example=[_CREATE, "cydp ledger report ages.db --html ages.html"],
    )  # fmt: skip
    report_parser.add_argument(
        "--html",
        metavar="FILE",
        help="write a page for people who decide on budgets, which also says what is protected",
    )
    report_parser.add_argument("--json", action="store_true", help="print JSON")
    report_parser.add_argument(
        "--force", action="store_true", help="replace a file that exists (default: refuse)"
    )

    history_parser = _command(
        ledger, "history", history, "print entries, oldest first", _NUMBERS, _READ,
        example=[_CREATE, "cydp ledger history ages.db --json"],
    )  # fmt: skip
    history_parser.add_argument(
        "--after", type=read_place, default=0, metavar="SEQ", help="begin after this entry"
    )
    history_parser.add_argument(
        "--most", type=read_count, metavar="N", help="print so many entries (default: all)"
    )
    history_parser.add_argument(
        "--kind", metavar="KIND", help="only entries of this kind: charge ..."
    )
    for field, what in {
        "label": "TEXT",
        "account": "NAME",
        "user": "NAME",
        "service": "NAME",
    }.items():
        history_parser.add_argument(
            f"--{field}", metavar=what, help=f"only entries with this {field}"
        )
    history_parser.add_argument("--json", action="store_true", help="print a JSON object a line")

    totals_parser = _command(
        ledger, "totals", totals, "print what was charged in all, by label, user, month ...",
        _NUMBERS, _READ, example=[
            _CREATE, "cydp ledger charge ages.db --epsilon 0.3 --label ages",
            "cydp ledger totals ages.db --by label",
        ],
    )  # fmt: skip
    totals_parser.add_argument(
        "--by", required=True, choices=GROUPINGS, help="for what, by whom or when"
    )
    totals_parser.add_argument("--json", action="store_true", help="print a JSON object a line")

    verify = _command(
        ledger, "verify", _verify, "compute everything anew, and exit with 1 if it differs", _READ,
        example=[_CREATE, "cydp ledger verify ages.db"],
    )  # fmt: skip
    add_head(verify)


def _add_blocks(ledger: Any) -> None:
    blocks = _command(
        ledger, "blocks", list_blocks, "print the blocks, in the order of their addition",
        _NUMBERS, _READ,
        example=[
            _CREATE_DAYS, "cydp ledger add-block days.db mon tue --dim site=north",
            "cydp ledger blocks days.db --open --where site=north --epsilon 0.5",
        ],
    )  # fmt: skip
    add_budget(blocks, "print only open blocks that can pay this cost")
    blocks.add_argument("--open", action="store_true", help="only those that are not retired")
    blocks.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="only those with this --dim; repeat for several",
    )
    blocks.add_argument("--json", action="store_true", help="print a JSON object a line")


def _add_charge(ledger: Any) -> None:
    paid = _command(
        ledger, "charge", _charge, "pay for a release that is made elsewhere", _NUMBERS, _HEAD,
        example=[_CREATE, "cydp ledger charge ages.db --epsilon 0.3 --label 'ages, made by hand'"],
    )  # fmt: skip
    add_budget(paid, "cost")
    add_head(paid)
    paid.add_argument(
        "--blocks", nargs="+", action="extend", type=read_name, metavar="ID",
        help="the blocks that are read; each pays in full",
    )  # fmt: skip
    paid.add_argument(
        "--label", required=True, metavar="TEXT", help="what the history says of the charge"
    )
    paid.add_argument(
        "--charge-id",
        metavar="ID",
        help="makes the command safe to repeat: a repetition charges nothing, and exits with 3",
    )
    paid.add_argument("--account", type=read_name, metavar="NAME", help="the account that pays")


def _command(
    ledger: Any, name: str, run: Any, summary: str, *more: str, **about: Sequence[str]
) -> Any:
    parser = add_parser(ledger, name, summary, *more, **about)
    parser.add_argument("path", metavar="PATH", help="file of the ledger, or its address")
    parser.set_defaults(run=run)
    return parser


def _create(options: argparse.Namespace) -> int:
    budget = read_budget(options)
    if budget is None:
        raise ValueError(f"the budget must be given: {BUDGETS}")
    with open_ledger(
        BudgetLedger.create,
        options.path,
        budget,
        relation=options.relation,
        privacy_unit=options.privacy_unit,
        by_block=options.by_block or options.block_column is not None,
        block_column=options.block_column,
        units_in_one_block=options.units_in_one_block,
        exist_ok=options.exist_ok,
    ) as ledger:
        print_head(ledger)
    return 0


def _add_block(options: argparse.Namespace) -> int:
    budget, blocks = read_budget(options), options.block
    dims = read_pairs(options.dim, "--dim", _RESERVED)
    if len(set(blocks)) < len(blocks):
        raise ValueError("each ID must be given once, and one is given twice")
    with open_ledger(BudgetLedger.open, options.path, **heads_of(options)) as ledger:
        there = ledger.remaining
        if not isinstance(there, dict):
            raise ValueError(
                "no block can be added, since the ledger was made without blocks: make another "
                "by `cydp ledger create --by-block`"
            )
        known = [block for block in blocks if block in there]
        if known and not options.exist_ok:
            raise ValueError(
                f"block {known[0]!r} is in the ledger already: use another id, leave it out, or "
                "add --exist-ok"
            )
        ledger.add_blocks(blocks, budget, exist_ok=options.exist_ok, **dims)
        print_head(ledger)
    return 0


def _retire(options: argparse.Namespace) -> int:
    with open_ledger(BudgetLedger.open, options.path, **heads_of(options)) as ledger:
        check_blocks(ledger, [options.block], "block")
        ledger.retire(options.block)
        print_head(ledger)
    return 0


def _retire_spent(options: argparse.Namespace) -> int:
    """Retire the blocks that have nothing left, and print their ids and the head."""
    with open_ledger(BudgetLedger.open, options.path, **heads_of(options)) as ledger:
        if not has_blocks(ledger):
            raise ValueError(WITHOUT_BLOCKS)
        for block in ledger.retire_spent(read_budget(options)):
            print(format_block(block))
        print_head(ledger)
    return 0


def _verify(options: argparse.Namespace) -> int:
    with open_to_read(options.path, **heads_of(options)) as ledger:
        ledger.verify()
        print("ok", head_of(ledger))
    return 0


def _charge(options: argparse.Namespace) -> int:
    """Charge a loss, print what is left and the head; return 0, or 3 if it was charged before."""
    loss = read_budget(options)
    if loss is None:
        raise ValueError(f"the cost must be given: {BUDGETS}")
    with open_ledger(BudgetLedger.open, options.path, **heads_of(options)) as ledger:
        check_blocks(ledger, options.blocks)
        scope = {name: getattr(options, name) for name in ("blocks", "label", "account")}
        is_fresh = options.charge_id is None

        def note() -> str:
            nonlocal is_fresh
            is_fresh = True
            return _PAID

        if options.charge_id is None:
            ledger.charge(loss, **scope)
        else:
            ledger.once(options.charge_id, loss, note, function="cydp ledger charge", **scope)
        if not is_fresh:
            print(
                f"repeated: --charge-id {format_name(options.charge_id)} was charged before, and "
                "nothing was charged now: release nothing new"
            )
        paid = ledger.scope(blocks=options.blocks, account=options.account)
        try:
            for line in describe_left(paid, left_in(paid)):
                print(line)
            print_head(ledger)
        except LedgerError as error:  # no refusal, which would have charged nothing
            print(f"cydp: charged, and what is left is not known: {error}", file=sys.stderr)
    return 0 if is_fresh else _REPEATED
