# SPDX-License-Identifier: MIT
"""``cydp ledger show`` and ``history``, and how a ledger's numbers and names are written."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any, TypeAlias

from cydp._numbers.rational import text
from cydp.accounting._errors import LedgerCorruptError
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.cli._column_file import FileError
from cydp.cli._ledger_file import opened

__all__ = [
    "as_json",
    "head_of",
    "history",
    "left_of",
    "reading",
    "show",
    "shown",
    "shown_block",
    "told",
]

Numbers: TypeAlias = dict[str, Fraction]  # of a loss in its own measure, by name

ALL = "all"  # the block of a ledger without blocks
_NAMES = {PureDP: ("epsilon",), ApproxDP: ("epsilon", "delta"), ZCDP: ("rho",)}


@contextmanager
def reading(path: str, expect_head: tuple[int, str] | None = None) -> Iterator[BudgetLedger]:
    """Open a ledger to look at it: what goes wrong then is the fault of what is in the file.

    Nothing is written, so that whoever may read the file and its folder may look.
    """
    try:
        with opened(BudgetLedger.open, path, expect_head=expect_head, read_only=True) as ledger:
            yield ledger
    except FileError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError):
        raise LedgerCorruptError("the ledger is damaged: it is not what was written") from None


def head_of(ledger: BudgetLedger) -> str:
    """Return place and hash of the last entry, as ``--head`` takes them."""
    seq, digest = ledger.head()
    return f"{seq}:{digest}"


def left_of(ledger: BudgetLedger) -> dict[str, Numbers]:
    """Return what is left in each block; of a ledger without blocks, in "all"."""
    return _each(ledger.remaining)


def _each(losses: Any) -> dict[str, Numbers]:
    each = losses if isinstance(losses, dict) else {ALL: losses}
    return {block: _numbers(loss) for block, loss in each.items()}


def told(numbers: Numbers, *, left: bool = False) -> str:
    """Write a loss for people: ``epsilon=0.1, delta=1e-06``.

    Long numbers are written roughly: those of a cost are rounded up, and those of what may be spent
    (`left`) are rounded down.
    """
    rounding = ROUND_FLOOR if left else ROUND_CEILING
    return ", ".join(f"{name}={text(number, rounding)}" for name, number in numbers.items())


def as_json(what: dict[str, Any]) -> str:
    """Write JSON in one line, numbers of losses as texts, however long they are."""
    return json.dumps(what, default=_exact)


def _exact(number: Fraction) -> str:
    short = text(number)
    return str(number) if short.startswith("about") else short


def shown(name: str) -> str:
    """Return what somebody has written, in quotes if it could take more than its line."""
    return name if name.isprintable() else repr(name)


def shown_block(block: str) -> str:
    """Return the id of a block in quotes, since it may have spaces and commas."""
    return block if block == ALL else repr(block)


def show(options: argparse.Namespace) -> int:
    """Print what is spent and left."""
    with reading(options.path) as ledger:
        entries, left, spent = _at_one_moment(ledger)
        about = {
            "budget": _numbers(ledger.budget),
            "privacy_unit": ledger.privacy_unit,
            "relation": ledger.relation,
            "charges": sum(entry["kind"] == "charge" for entry in entries),
            "head": f"{entries[-1]['seq']}:{entries[-1]['hash']}",
            "blocks": _blocks(entries, left, spent),
        }
    if options.json:
        print(as_json(about))
        return 0
    print(f"budget: {told(about['budget'], left=True)}")
    print(f"privacy unit: {shown(about['privacy_unit'])}")
    for name in ("relation", "charges", "head"):
        print(f"{name}: {about[name]}")
    for block, its in about["blocks"].items():
        print(
            f"{shown_block(block)}: left {told(its['left'], left=True)}; "
            f"spent {told(its['spent'])} of {told(its['budget'], left=True)}; {its['state']}"
        )
    return 0


def history(options: argparse.Namespace) -> int:
    """Print all entries, a line each."""
    with reading(options.path) as ledger:
        names, entries = _NAMES[type(ledger.budget)], ledger.history()
    for entry in entries:
        for key in {"budget", "cost"} & entry.keys():
            entry[key] = _read(names, entry[key])
        print(as_json(entry) if options.json else _line(entry))
    return 0


def _line(entry: dict[str, Any]) -> str:
    words = [str(entry["seq"]), entry["time"], entry["kind"]]
    if "block" in entry:
        words.append(shown_block(entry["block"]))
    words += [told(entry[k], left=k == "budget") for k in ("budget", "cost") if k in entry]
    if "privacy_unit" in entry:
        words.append(f"for each {shown(entry['privacy_unit'])}, {entry['relation']}")
    words += [f"{shown(key)}={shown(str(value))}" for key, value in entry.get("dims", {}).items()]
    if "blocks" in entry:
        words.append(f"to {', '.join(map(shown_block, entry['blocks']))}:")
        words.append(shown(entry["label"] or entry["params"] or "a loss"))
    return " ".join(words)


def _at_one_moment(
    ledger: BudgetLedger,
) -> tuple[list[dict[str, Any]], dict[str, Numbers], dict[str, Numbers]]:
    """Return all entries, what they leave and what they spend: again, if somebody charged."""
    while True:
        entries, left, spent = ledger.history(), left_of(ledger), _each(ledger.spent)
        if ledger.head()[0] == len(entries):
            return entries, left, spent


def _blocks(
    entries: list[dict[str, Any]], left: dict[str, Numbers], spent: dict[str, Numbers]
) -> dict[str, dict[str, Any]]:
    blocks: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if entry["kind"] == "create":
            whole = entry["budget"]
        elif entry["kind"] == "block":
            rest = left[entry["block"]]
            blocks[entry["block"]] = {
                "budget": _read(tuple(rest), entry.get("budget", whole)),
                "spent": spent[entry["block"]],
                "left": rest,
                "state": "open",
                "dims": entry.get("dims", {}),
            }
        elif entry["kind"] == "retire":
            blocks[entry["block"]]["state"] = "retired"
    return blocks


def _numbers(loss: PureDP | ApproxDP | ZCDP) -> Numbers:
    return {name: getattr(loss, name) for name in _NAMES[type(loss)]}


def _read(names: tuple[str, ...], texts: list[str]) -> Numbers:
    return dict(zip(names, map(Fraction, texts), strict=True))
