# SPDX-License-Identifier: MIT
"""All entries of a ledger, as dicts and as a text. docs/accounting/ledger.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from cydp.accounting._amounts import Amount, add_amounts, zero_amount
from cydp.accounting._loss import Loss
from cydp.accounting._words import format_name, format_numbers, names_of
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._report_lines import what_of
from cydp.accounting.ledger._serialize import amount_from

__all__ = [
    "GROUPINGS",
    "LedgerHistory",
    "check_grouping",
    "format_block",
    "format_dims",
    "matcher",
    "totals_of",
]

# Those of every version that has written entries.
_FIELDS = frozenset((
    "about", "account", "analyst", "arguments", "block", "block_column", "blocks", "budget",
    "charge_id", "cost", "count", "data_version", "dims", "fingerprint", "function", "hash",
    "host", "kind", "label", "measure", "mechanism", "params", "pid", "privacy_unit", "query",
    "relation", "released", "result_of", "rounded", "seq", "service", "sha256", "table", "time",
    "user", "uuid", "version", "whole_unit",
))  # fmt: skip
GROUPINGS = (
    "label", "account", "analyst", "user", "host", "service", "function", "mechanism", "month",
    "block",
)  # fmt: skip


class LedgerHistory(list[dict[str, Any]]):
    """All entries of a ledger, oldest first: a list of dicts, which prints a line for each.

    Parameters
    ----------
    entries : iterable of dict
    budget : loss
        Of the ledger, whose numbers the amounts in the entries are.

    Examples
    --------
    >>> import tempfile
    >>> import cydp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/b.db"
    ...     ledger = cydp.BudgetLedger.create(path, cydp.PureDP(1), privacy_unit="row")
    ...     paid = ledger.charge(cydp.PureDP("0.1"), label="ages")
    ...     (entry,) = found = ledger.history(kind="charge")
    ...     ledger.close()
    >>> entry["label"], found.amount(entry["cost"])
    ('ages', {'epsilon': Fraction(1, 10)})

    """

    __slots__ = ("_names",)

    def __init__(self, entries: Iterable[dict[str, Any]] = (), budget: Loss | None = None) -> None:
        super().__init__(entries)
        self._names = () if budget is None else names_of(budget)

    def amount(self, written: Iterable[str]) -> dict[str, Fraction]:
        """Return the numbers of an amount by name: of a budget, or of a cost.

        Parameters
        ----------
        written : list of str
            "budget" or "cost" of an entry: exact numbers as texts.

        Returns
        -------
        dict of Fraction
            Such as "epsilon" and "delta".

        Examples
        --------
        >>> from cydp import PureDP
        >>> LedgerHistory([{"kind": "charge", "cost": ["1/10"]}], PureDP(1)).amount(["1/10"])
        {'epsilon': Fraction(1, 10)}

        """
        return dict(zip(self._names, map(Fraction, written), strict=True))

    def line(self, entry: Mapping[str, Any]) -> str:
        """Return an entry in words, without its hash: the line that is printed for it.

        Parameters
        ----------
        entry : dict
            An entry of this history.

        Returns
        -------
        str
            Its place, time and kind, its blocks and amounts, and what else it says.

        Examples
        --------
        >>> entry = {"seq": 2, "time": "2026-11-29T09:00", "kind": "retire", "block": "mon"}
        >>> LedgerHistory([entry]).line(entry)
        "2 2026-11-29T09:00 retire 'mon'"

        """
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
        words += format_dims(entry.get("about", {}))
        if "account" in entry:
            words += ["account", format_name(entry["account"])]
        if "blocks" in entry:
            named = [format_block(block) for block in entry["blocks"] if block != ALL]
            words[-1] += f" to {', '.join(named)}" if named else ""
        if "cost" in entry:
            words[-1] += ":"
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


def matcher(fields: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], bool]:
    """Return whether an entry has fields of these values, or of values that a function accepts."""
    for name in fields:
        if name not in _FIELDS:
            there = ", ".join(sorted(_FIELDS))
            raise ValueError(f"fields must be those of entries, and {name!r} is none: {there}")

    def has(entry: Mapping[str, Any], name: str, wanted: Any) -> bool:
        if name not in entry:
            return False
        return bool(wanted(entry[name])) if callable(wanted) else bool(entry[name] == wanted)

    return lambda entry: all(has(entry, name, wanted) for name, wanted in fields.items())


def check_grouping(by: str) -> str:
    """Return a field that totals are made by; TypeError or ValueError for anything else."""
    if not isinstance(by, str):
        raise TypeError(f"by must be text, not {type(by).__name__}")
    if by not in GROUPINGS:
        raise ValueError(f"by must be one of {', '.join(GROUPINGS)}, not {by!r}")
    return by


def totals_of(charges: Iterable[Mapping[str, Any]], by: str) -> dict[str | None, Amount]:
    """Return the sum of the costs of charges, for each value of a field."""
    found: dict[str | None, Amount] = {}
    for charge in charges:
        cost = amount_from(charge["cost"])
        for key in _keys_of(charge, by):
            found[key] = add_amounts(found.get(key, zero_amount(cost)), cost)
    return found


def _keys_of(charge: Mapping[str, Any], by: str) -> list[str | None]:
    if by == "month":
        return [charge["time"][:7]]
    return charge["blocks"] if by == "block" else [charge.get(by)]
