# SPDX-License-Identifier: MIT
"""All entries of a ledger, as dicts and as a text. docs/accounting/ledger.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from cydp.accounting._loss import Loss
from cydp.accounting._words import format_name, format_numbers, names_of
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._report import what_of

__all__ = ["LedgerHistory", "format_block", "format_dims"]


class LedgerHistory(list[dict[str, Any]]):
    """All entries of a ledger, oldest first: a list of dicts, which prints a line for each.

    Parameters
    ----------
    entries : iterable of dict
    budget : loss
        Of the ledger, whose numbers the amounts in the entries are.

    """

    __slots__ = ("_names",)

    def __init__(self, entries: Iterable[dict[str, Any]] = (), budget: Loss | None = None) -> None:
        super().__init__(entries)
        self._names = () if budget is None else names_of(budget)

    def amount(self, written: Iterable[str]) -> dict[str, Fraction]:
        """Return the numbers of an amount by name: of a budget, or of a cost."""
        return dict(zip(self._names, map(Fraction, written), strict=True))

    def line(self, entry: Mapping[str, Any]) -> str:
        """Return an entry in words, without its hash."""
        words = [str(entry["seq"]), entry["time"], entry["kind"]]
        if "block" in entry:
            words += [] if entry["block"] == ALL else [format_block(entry["block"])]
        words += [
            format_numbers(self.amount(entry[k]), left=k == "budget")
            for k in ("budget", "cost")
            if k in entry
        ]
        if "privacy_unit" in entry:
            words.append(f"for each {format_name(entry['privacy_unit'])}, {entry['relation']}")
        words += format_dims(entry.get("dims", {}))
        if "blocks" in entry:
            paid = [format_block(block) for block in entry["blocks"] if block != ALL]
            words[-1] += f" to {', '.join(paid)}:" if paid else ":"
            words.append(what_of(entry))
        return " ".join(words)

    def __repr__(self) -> str:
        return "\n".join(map(self.line, self))


def format_block(block: str) -> str:
    """Return the id of a block in quotes, since it may have spaces and commas."""
    return block if block == ALL else repr(block)


def format_dims(dims: Mapping[str, Any]) -> list[str]:
    """Write the dims of a block for people."""
    return [f"{format_name(name)}={format_name(str(value))}" for name, value in dims.items()]
