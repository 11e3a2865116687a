# SPDX-License-Identifier: MIT
"""``cydp ledger show`` and ``cydp ledger history``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from cydp.accounting._loss import LOSSES, Loss
from cydp.accounting._words import format_name
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._format import (
    Numbers,
    format_block,
    format_dims,
    format_numbers,
    json_of,
    left_of,
    names_of,
    numbers_by_block,
    numbers_of,
)
from cydp.cli._ledger_file import open_to_read

__all__ = ["history", "show", "state_line_of"]


def show(options: argparse.Namespace) -> int:
    """Print what was spent and what is left."""
    with open_to_read(options.path) as ledger:
        entries, left, spent, guarantee = _read_consistently(ledger, options)
        about = {
            "budget": numbers_of(ledger.budget),
            "privacy_unit": ledger.privacy_unit,
            "relation": ledger.relation,
            "charges": sum(entry["kind"] == "charge" for entry in entries),
            "head": f"{entries[-1]['seq']}:{entries[-1]['hash']}",
            "guarantee": numbers_of(guarantee) if isinstance(guarantee, LOSSES) else {},
            "guarantee_for": {
                "unit": _unit_of(options) or ledger.privacy_unit, "max_blocks": options.max_blocks,
            },
            "blocks": _describe_blocks(entries, left, spent),
        }  # fmt: skip
    if isinstance(guarantee, ValueError):
        raise guarantee
    if options.json:
        print(json_of(about))
        return 0
    print(f"budget: {format_numbers(about['budget'], left=True)}")
    print(f"privacy unit: {format_name(about['privacy_unit'])}")
    for name in ("relation", "charges", "head"):
        print(f"{name}: {about[name]}")
    if ALL not in about["blocks"] or options.unit is not None:
        unit = format_name(about["guarantee_for"]["unit"])
        if options.max_blocks is not None:
            unit += f" with records in at most {options.max_blocks:,} blocks,"
        print(f"guarantee: {format_numbers(about['guarantee'])} for each {unit} in all data")
    for block, state in about["blocks"].items():
        print(f"{format_block(block)}: {state_line_of(state)}")
    return 0


def history(options: argparse.Namespace) -> int:
    """Print all entries, one line for each."""
    with open_to_read(options.path) as ledger:
        names, entries = names_of(ledger.budget), ledger.history()
    for entry in entries:
        for key in {"budget", "cost"} & entry.keys():
            entry[key] = _read_numbers(names, entry[key])
        print(json_of(entry) if options.json else _line_of(entry))
    return 0


def state_line_of(state: dict[str, Any]) -> str:
    """Return what a block has left and has spent, in a line for people."""
    left, budget = (format_numbers(state[name], left=True) for name in ("left", "budget"))
    return f"left {left}; spent {format_numbers(state['spent'])} of {budget}; {state['state']}"


def _line_of(entry: dict[str, Any]) -> str:
    words = [str(entry["seq"]), entry["time"], entry["kind"]]
    if "block" in entry:
        words.append(format_block(entry["block"]))
    words += [
        format_numbers(entry[k], left=k == "budget") for k in ("budget", "cost") if k in entry
    ]
    if "privacy_unit" in entry:
        words.append(f"for each {format_name(entry['privacy_unit'])}, {entry['relation']}")
    words += format_dims(entry.get("dims", {}))
    if "blocks" in entry:
        words.append(f"to {', '.join(map(format_block, entry['blocks']))}:")
        words.append(format_name(entry["label"] or entry["params"] or "a loss"))
    return " ".join(words)


def _read_consistently(
    ledger: BudgetLedger, options: argparse.Namespace
) -> tuple[list[dict[str, Any]], dict[str, Numbers], dict[str, Numbers], Loss | ValueError]:
    """Return all entries, what is left, what was spent, and the guarantee.

    They are read again if the ledger was charged in between, so that they go together.
    """
    while True:
        entries, left, spent = ledger.history(), left_of(ledger), numbers_by_block(ledger.spent)
        guarantee = _guarantee_for(ledger, options)
        if ledger.head()[0] == len(entries):
            return entries, left, spent, guarantee


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


def _describe_blocks(
    entries: list[dict[str, Any]], left: dict[str, Numbers], spent: dict[str, Numbers]
) -> dict[str, dict[str, Any]]:
    blocks: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if entry["kind"] == "create":
            budget_of_ledger = entry["budget"]
        elif entry["kind"] == "block":
            left_in_block = left[entry["block"]]
            blocks[entry["block"]] = {
                "budget": _read_numbers(
                    tuple(left_in_block), entry.get("budget", budget_of_ledger)
                ),
                "spent": spent[entry["block"]],
                "left": left_in_block,
                "state": "open",
                "dims": entry.get("dims", {}),
            }
        elif entry["kind"] == "retire":
            blocks[entry["block"]]["state"] = "retired"
    return blocks


def _read_numbers(names: tuple[str, ...], strings: Sequence[str]) -> Numbers:
    return dict(zip(names, map(Fraction, strings), strict=True))
