# SPDX-License-Identifier: MIT
"""The report of a ledger for people: what was spent, on what, and what is left."""

from __future__ import annotations

from typing import Any

from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._format import format_name
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._blocks import ALL, State
from cydp.accounting.ledger._entries import fractions_of

__all__ = ["report_of"]

_SHOWN = 20  # blocks, and charges
_NAMED = 5  # blocks of a charge
_LONGEST = 200  # characters of what was charged


def report_of(
    about: str, blocks: dict[str, State], charges: list[dict[str, Any]], kind: type[Loss]
) -> str:
    """Return what the ledger is, its last blocks, and its last charges."""
    lines = [about, *_before(len(blocks), "blocks")]
    for block, (_, spent, left, retired) in list(blocks.items())[-_SHOWN:]:
        name = "" if block == ALL else f"{block!r}: "
        lines.append(f"  {name}spent {spent}, {'retired' if retired else f'left {left}'}")
    lines += _before(len(charges), "charges")
    for entry in charges[-_SHOWN:]:
        cost = loss_of_amount(kind, fractions_of(entry["cost"]))
        what = format_name(entry["label"] or entry["params"] or "a loss")
        if len(what) > _LONGEST:
            what = what[:_LONGEST] + " ..."
        times = "" if entry["count"] == 1 else f"{entry['count']:,} x "
        lines.append(
            f"  {entry['seq']}. {entry['time'][:19]}Z {cost}{_where(entry)}: {times}{what}"
        )
    return "\n".join(lines)


def _before(count: int, what: str) -> list[str]:
    return [f"  {count - _SHOWN:,} {what}, and then"] if count > _SHOWN else []


def _where(entry: dict[str, Any]) -> str:
    blocks = entry["blocks"]
    if blocks == [ALL]:
        return ""
    more = f" and {len(blocks) - _NAMED:,} more" if len(blocks) > _NAMED else ""
    return f" in {', '.join(map(repr, blocks[:_NAMED]))}{more}"
