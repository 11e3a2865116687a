# SPDX-License-Identifier: MIT
"""The report of a ledger for people: what was spent, on what, and what is left."""

from __future__ import annotations

from typing import Any

from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._loss import Loss
from cydp.accounting._words import format_name
from cydp.accounting.ledger._blocks import ALL, State
from cydp.accounting.ledger._fields import amount_from

__all__ = ["MOST_SHOWN", "write_report"]

MOST_SHOWN = 20  # blocks, and charges
_MOST_NAMED = 5  # blocks of a charge
_LONGEST = 200  # characters of the description of a charge


def write_report(
    about: str,
    blocks: dict[str, State],
    charges: list[dict[str, Any]],
    n_charges: int,
    kind: type[Loss],
) -> str:
    """Return the lines of a report: the ledger, its last blocks, and its last charges.

    `charges` are the last `MOST_SHOWN` of `n_charges`.
    """
    lines = [about, *_omitted(len(blocks), "blocks")]
    for block, (_, spent, left, retired) in list(blocks.items())[-MOST_SHOWN:]:
        name = "" if block == ALL else f"{block!r}: "
        lines.append(f"  {name}spent {spent}, {'retired' if retired else f'left {left}'}")
    lines += _omitted(n_charges, "charges")
    for entry in charges:
        cost = loss_of_amount(kind, amount_from(entry["cost"]))
        what = format_name(entry["label"] or entry["params"] or "a loss")
        if len(what) > _LONGEST:
            what = what[:_LONGEST] + " ..."
        times = "" if entry["count"] == 1 else f"{entry['count']:,} x "
        lines.append(
            f"  {entry['seq']}. {entry['time'][:19]}Z {cost}{_blocks_of(entry)}: {times}{what}"
        )
    return "\n".join(lines)


def _omitted(count: int, what: str) -> list[str]:
    return [f"  {count - MOST_SHOWN:,} {what}, and then"] if count > MOST_SHOWN else []


def _blocks_of(entry: dict[str, Any]) -> str:
    blocks = entry["blocks"]
    if blocks == [ALL]:
        return ""
    more = f" and {len(blocks) - _MOST_NAMED:,} more" if len(blocks) > _MOST_NAMED else ""
    return f" in {', '.join(map(repr, blocks[:_MOST_NAMED]))}{more}"
