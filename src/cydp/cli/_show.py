# SPDX-License-Identifier: MIT
"""``cydp ledger show``, ``report``, ``blocks`` and ``history``, which only read."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cydp._columns.file_errors import FileError
from cydp.accounting._loss import LOSSES, Loss
from cydp.accounting._words import format_name, format_numbers, numbers_of
from cydp.accounting.ledger._blocks import ALL, BlockState, can_pay, match_dims
from cydp.accounting.ledger._charge import requested_amount
from cydp.accounting.ledger._history import format_block, format_dims
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._rows import FROZEN
from cydp.cli._messages import json_of, losses_in_options
from cydp.cli._options import read_budget
from cydp.cli._outputs import check_output
from cydp.cli._payment import WITHOUT_BLOCKS, has_blocks, open_to_read
from cydp.cli._specs import read_pairs
from cydp.releases.output._files import write_file

_DOCUMENT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Privacy budget</title></head>
<body>
{}
</body></html>
"""

__all__ = ["history", "list_blocks", "report", "show", "totals"]


def show(options: argparse.Namespace) -> int:
    """Print what was spent and what is left."""
    with open_to_read(options.path) as ledger:
        entries, blocks, guarantee, in_all_blocks = _read_consistently(ledger, options)
        named = {"name": ledger.name, "note": ledger.note}
        about = {
            **{key: text for key, text in named.items() if text is not None},
            "budget": numbers_of(ledger.budget),
            "privacy_unit": ledger.privacy_unit,
            "relation": ledger.relation,
            "block_column": ledger.block_column,
            "charges": sum(entry["kind"] == "charge" for entry in entries),
            "head": f"{entries[-1]['seq']}:{entries[-1]['hash']}",
            "frozen": ledger._store.frozen,
            "guarantee": numbers_of(guarantee) if isinstance(guarantee, LOSSES) else {},
            "guarantee_for": {
                "unit": _unit_of(options) or ledger.privacy_unit,
                "max_blocks": options.max_blocks,
            },
            "in_all_blocks": in_all_blocks
            and {
                "unit": in_all_blocks[0],
                "guarantee": in_all_blocks[1] and numbers_of(in_all_blocks[1]),
            },
            "blocks": blocks,
        }
    if isinstance(guarantee, ValueError):
        raise guarantee
    if options.json:
        print(json_of(about))
        return 0
    if about["frozen"]:
        print(FROZEN)
    for name in ("name", "note"):
        if name in about:
            print(f"{name}: {format_name(about[name])}")
    print(f"budget: {format_numbers(about['budget'], left=True)}")
    print(f"privacy unit: {format_name(about['privacy_unit'])}")
    if about["block_column"] is not None:
        print(f"block column: {format_name(about['block_column'])}")
    for name in ("relation", "charges", "head"):
        print(f"{name}: {about[name]}")
    if ALL not in about["blocks"] or options.unit is not None:
        unit = format_name(about["guarantee_for"]["unit"])
        if options.max_blocks is not None:
            unit += f" with records in at most {options.max_blocks:,} blocks"
        print(f"guarantee: {format_numbers(about['guarantee'])} for each {unit}")
        if in_all_blocks is not None and options.unit is None:
            whole, loss = in_all_blocks
            promised = "nothing" if loss is None else format_numbers(numbers_of(loss))
            print(f"guarantee: {promised} for each {format_name(whole)} with records in all blocks")
    for block, state in about["blocks"].items():
        name = "" if block == ALL else f"{format_block(block)}: "
        print(f"{name}{_state_line_of(state)}")
    return 0


def report(options: argparse.Namespace) -> int:
    """Print what was released, or write it as a page."""
    if options.force and options.html is None:
        raise ValueError("--force needs --html")
    target = None
    if options.html is not None:
        target = check_output("--html", options.html, [options.path], options.force)
    with open_to_read(options.path) as ledger:
        found = ledger.report()
    if target is not None:
        page = _DOCUMENT.format(found.to_html())
        try:
            write_file(target, lambda draft: Path(draft).write_text(page, encoding="utf-8"))
        except OSError as error:
            raise FileError(f"cannot write {options.html!r}: {error.strerror}") from None
    print(json_of(found.to_dict()) if options.json else losses_in_options(found.text))
    return 0


def history(options: argparse.Namespace) -> int:
    """Print entries, one line for each."""
    names = ("kind", "label", "account", "user", "service")
    fields = {name: getattr(options, name) for name in names}
    wanted = {name: value for name, value in fields.items() if value is not None}
    with open_to_read(options.path) as ledger:
        entries = ledger.history(after=options.after, most=options.most, **wanted)
    for entry in entries:
        amounts = {k: entries.amount(entry[k]) for k in ("budget", "cost") if k in entry}
        print(json_of(entry | amounts) if options.json else entries.line(entry))
    return 0


def totals(options: argparse.Namespace) -> int:
    """Print what was charged, in all, for each value of a field."""
    with open_to_read(options.path) as ledger:
        found = ledger.totals(options.by)
    for key, loss in found.items():
        numbers = numbers_of(loss)
        if options.json:
            print(json_of({options.by: key} | numbers))
        else:
            print(f"{'(none)' if key is None else format_name(key)}: {format_numbers(numbers)}")
    return 0


def list_blocks(options: argparse.Namespace) -> int:
    """Print the blocks that are asked for, in the order of their addition."""
    wanted, cost = read_pairs(options.where, "--where"), read_budget(options)
    with open_to_read(options.path) as ledger:
        budget, relation = ledger.budget, ledger.relation
        states = ledger.blocks() if has_blocks(ledger) else None
    if states is None:
        raise ValueError(WITHOUT_BLOCKS)
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
            words = [f"{format_block(block.id)}: {_state_line_of(about)}"]
            print("; ".join([*words, *format_dims(block.dims)]))
    return 0


def _state_line_of(state: dict[str, Any]) -> str:
    """Return what a block has left and has spent, in a line for people."""
    left, budget = (format_numbers(state[name], left=True) for name in ("left", "budget"))
    if any(state["set_aside"].values()):
        left += f", set aside for accounts {format_numbers(state['set_aside'], left=True)}"
    return f"left {left}; spent {format_numbers(state['spent'])} of {budget}; {state['state']}"


def _read_consistently(
    ledger: BudgetLedger, options: argparse.Namespace
) -> tuple[
    list[dict[str, Any]],
    dict[str, dict[str, Any]],
    Loss | ValueError,
    tuple[str, Loss | None] | None,
]:
    """Return all entries, the blocks, the guarantee, and the unit and its guarantee in all blocks.

    They are read again if the ledger was charged in between, so that they go together.
    """
    while True:
        entries, blocks = ledger.history(), _read_blocks(ledger)
        guarantee = _guarantee_for(ledger, options)
        in_all_blocks = ledger._in_all_blocks(ledger._states())
        if ledger.head()[0] == len(entries):
            return entries, blocks, guarantee, in_all_blocks


def _read_blocks(ledger: BudgetLedger) -> dict[str, dict[str, Any]]:
    """Return the state of each block; of a ledger without blocks, of "all"."""
    states = ledger.blocks() if has_blocks(ledger) else ledger._states().values()
    return {block.id: _describe(block) for block in states}


def _guarantee_for(ledger: BudgetLedger, options: argparse.Namespace) -> Loss | ValueError:
    """Return the guarantee, or what is wrong with the options.

    While a ledger is looked at, an error that is raised means damage.
    """
    ledger.guarantee()  # so that what is raised below is not of damage
    try:
        return ledger.guarantee(unit=_unit_of(options), max_blocks=options.max_blocks)
    except ValueError as error:
        return error


def _unit_of(options: argparse.Namespace) -> str | None:
    return None if options.unit is None else str(options.unit[0])


def _is_written(text: str, value: Any) -> bool:
    """Whether a value of a dim is this text, or is written so in JSON: 47 as ``47``."""
    return text in (value, json.dumps(value))


def _describe(block: BlockState) -> dict[str, Any]:
    return {
        "budget": numbers_of(block.budget),
        "spent": numbers_of(block.spent),
        "left": numbers_of(block.remaining),
        "set_aside": numbers_of(block.set_aside),
        "state": "retired" if block.retired else "open",
        "dims": block.dims,
    }
