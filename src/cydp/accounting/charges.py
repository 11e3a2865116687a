# SPDX-License-Identifier: MIT
"""Charges of a ledger: what they say, and how blocks follow from them."""

import datetime
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cydp.accounting.budget import Parts, measured, total_of
from cydp.accounting.errors import LedgerCorruptError, UnknownBlockError
from cydp.accounting.loss import Loss

ALL = "all"  # the block of a ledger made without blocks


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a charge has written.

    Attributes
    ----------
    seq : int
        Its place in the ledger, from 1 on.
    charge_id : str
    cost : loss
        What each block has paid.
    blocks : tuple of str
    hash : str
        Of this entry and all before it.
    rounded : bool
        Whether a total was so long that the charge was rounded up.
    result : object
        What `record` has stored for the charge, if it was paid before.

    """

    seq: int
    charge_id: str
    cost: Loss
    blocks: tuple[str, ...]
    hash: str
    rounded: bool = False
    result: Any = None


ARGUMENTS: dict[str, Any] = {
    "cost": None, "count": 1, "blocks": None, "charge_id": None, "label": None, "relation": None
}  # fmt: skip


def check_names(given: dict[str, Any]) -> bool:
    """Raise a TypeError unless these are arguments of `charge` by name; return False."""
    if not isinstance(given, dict) or "cost" not in given or not given.keys() <= ARGUMENTS.keys():
        raise TypeError(f"each of charges must be a dict of {', '.join(ARGUMENTS)}")
    return False


@dataclass(frozen=True, slots=True)
class Charge:
    """A charge that was checked, and not yet written."""

    asked: Parts
    blocks: tuple[str, ...]
    charge_id: str
    entry: dict[str, Any]


def replayed(entries: Iterable[dict[str, Any]]) -> tuple[set[tuple[Any, ...]], set[Any]]:
    """Return the rows of blocks, and the hash of each charge's result, as the entries give them."""
    blocks: dict[str, tuple[Parts, Parts, int]] = {}
    results = set()
    whole: Parts = ()
    for entry in entries:
        if entry["kind"] == "create":
            whole = fractions_of(entry["budget"])
        elif entry["kind"] == "block":
            budget = fractions_of(entry["budget"]) if "budget" in entry else whole
            blocks[entry["block"]] = (budget, tuple(Fraction(0) for _ in budget), 0)
        elif entry["kind"] == "retire":
            budget, spent, _ = blocks[entry["block"]]
            blocks[entry["block"]] = (budget, spent, 1)
        elif entry["kind"] == "result":
            results.add((entry["result_of"], entry["sha256"]))
        else:
            for block in entry["blocks"]:
                budget, spent, retired = blocks[block]
                total = tuple(map(total_of, spent, fractions_of(entry["cost"])))
                if retired or any(a > b for a, b in zip(total, budget, strict=True)):
                    raise LedgerCorruptError(
                        f"entry {entry['seq']} charges what nothing was left of"
                    )
                blocks[block] = (budget, total, retired)
    rows = {(block, row_of(b), row_of(s), retired) for block, (b, s, retired) in blocks.items()}
    return rows, results


def block_of(connection: Any, block: str) -> tuple[Parts, Parts, int]:
    """Return budget, spending and state of a block; UnknownBlockError if there is none."""
    row = connection.execute(
        "SELECT budget, spent, retired FROM block WHERE id = ?", (block,)
    ).fetchone()
    if row is None:
        if block == ALL:
            raise UnknownBlockError("blocks must be named: the ledger was made with blocks")
        raise UnknownBlockError(f"block {block!r} is not in the ledger")
    return from_row(row[0]), from_row(row[1]), row[2]


def insert_block(connection: Any, block: str, budget: Parts) -> None:
    """Write a block that nothing was charged for."""
    nothing = tuple(Fraction(0) for _ in budget)
    connection.execute(
        "INSERT INTO block VALUES (?, ?, ?, 0)", (block, row_of(budget), row_of(nothing))
    )


def row_of(parts: Parts) -> str:
    """Return fractions as the table of blocks has them."""
    return json.dumps(texts_of(parts))


def from_row(text: str) -> Parts:
    """Read what `row_of` has written; a LedgerCorruptError for anything else."""
    try:
        return fractions_of(json.loads(text))
    except (TypeError, ValueError, ArithmeticError):
        raise LedgerCorruptError("a block of the ledger is not what was written") from None


def block_ids(blocks: Iterable[str]) -> tuple[str, ...]:
    """Return ids; TypeError or ValueError for other things, none, or one twice."""
    if isinstance(blocks, str) or not isinstance(blocks, Iterable):
        raise TypeError(f"blocks must be ids of blocks, not {type(blocks).__name__}")
    ids = tuple(text_of(block, "blocks") for block in blocks)
    if not ids or len(set(ids)) < len(ids):
        raise ValueError("blocks must be at least one, and each of them once")
    return ids


def text_of(value: str, name: str) -> str:
    """Return a text that a ledger can hold; TypeError or ValueError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    if not 0 < len(value) <= 1000:
        raise ValueError(f"{name} must have 1 to 1,000 characters")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{name} must be text that has an encoding")
    return value


def json_of(value: Any, name: str) -> str:
    """Return the JSON of a value; TypeError or ValueError for what it cannot hold."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must be what JSON can hold") from None


def when() -> dict[str, Any]:
    """Return who writes an entry, and when."""
    from cydp import __version__

    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
    return {"time": now, "pid": os.getpid(), "version": __version__}


def parts_of(loss: Loss) -> Parts:
    """Return the numbers of a loss in its own measure."""
    return measured(loss, loss)


def texts_of(parts: Parts) -> list[str]:
    """Return fractions as JSON can hold them."""
    return [str(part) for part in parts]


def fractions_of(texts: Sequence[str]) -> Parts:
    """Read what `texts_of` has written."""
    return tuple(map(Fraction, texts))
