# SPDX-License-Identifier: MIT
"""The lines of a ledger's report: charges of one cost for the same thing, taken together."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._loss import Loss
from cydp.accounting._words import format_name
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._serialize import amount_from

__all__ = ["ReportLine", "grouped", "what_of"]

_MOST_NAMED = 5  # blocks of a line
_LONGEST = 200  # characters of what a charge was for
_BLOCKS = re.compile(r" in blocks \((?:[^()']|'(?:[^']|'')*')*\)")  # of a condition
# Of charges of one line.
_SAME = (
    "label", "released", "params", "count", "table", "data_version", "account", "user", "host",
    "service",
)  # fmt: skip


def what_of(entry: Mapping[str, Any]) -> str:
    """Return the label of a charge and what was released, unless the label begins with that."""
    label, released = entry["label"] or "", entry.get("released") or entry["params"] or ""
    what, _, condition = released.partition(", where ")
    named = [label] if label.startswith(what) and condition in label else [label, released]
    return ": ".join(format_name(each) for each in named if each) or "a loss"


@dataclass(frozen=True, slots=True)
class ReportLine:
    """Charges of one cost for the same thing.

    Attributes
    ----------
    first, last : dict
        The entries of the first and of the last of them.
    cost : loss
        Of each.
    blocks : tuple of str
        The ids of the blocks that have paid; empty for a ledger without blocks.
    seqs : tuple of int
        The places of the entries.
    is_open : bool
        Whether a result was to be recorded, and was not.

    """

    first: Mapping[str, Any]
    last: Mapping[str, Any]
    cost: Loss
    blocks: tuple[str, ...]
    seqs: tuple[int, ...]
    is_open: bool

    @property
    def charges(self) -> int:
        """How many they are."""
        return len(self.seqs)

    @property
    def what(self) -> str:
        """The label, what was released, the version of the data, the account, and the service."""
        entry, what = self.first, what_of(self.first)
        if version := _version_of(entry):
            what += f", data {format_name(version)}"
        if account := entry.get("account"):
            what += f", account {format_name(account)}"
        if service := entry.get("service"):
            what += f", by {format_name(service)}"
        if len(what) > _LONGEST:
            what = what[:_LONGEST] + " ..."
        if self.is_open:
            what += " (charged; no result)"
        return what if entry["count"] == 1 else f"{entry['count']:,} x {what}"

    @property
    def places(self) -> str:
        """The numbers of the entries; of many, of the first and the last."""
        first, *_, last = (*self.seqs, self.seqs[-1])
        if last - first + 1 == len(self.seqs) > 1:
            return f"{first} to {last}"
        if len(self.seqs) <= _MOST_NAMED:
            return ", ".join(map(str, self.seqs))
        return f"{first}, ..., {last}"

    @property
    def times(self) -> str:
        """When the first and the last were charged."""
        ends = dict.fromkeys(f"{entry['time'][:19]}Z" for entry in (self.first, self.last))
        return " to ".join(ends)

    def named(self, written: Callable[[str], str]) -> str:
        """Return the first of its blocks."""
        more = len(self.blocks) - _MOST_NAMED
        shown = ", ".join(map(written, self.blocks[:_MOST_NAMED]))
        return shown + (f" and {more:,} more" if more > 0 else "")

    @property
    def text(self) -> str:
        """The line."""
        entry, several = "entry", ""
        if self.charges > 1:
            entry, several = "entries", f"{self.charges:,} times "
        blocks = f" in {self.named(repr)}" if self.blocks else ""
        return f"  {entry} {self.places}: {self.times} {several}{self.cost}{blocks}: {self.what}"


def grouped(
    charges: Iterable[Mapping[str, Any]], kind: type[Loss], recorded: Container[str]
) -> list[ReportLine]:
    """Return charges for the same thing, at the same cost, as one line, in the order of the last.

    >>> grouped([], Loss, ())
    []
    """
    lines: dict[tuple[Any, ...], ReportLine] = {}
    for entry in charges:
        # An entry of a call has its function: its result is recorded.
        is_open = "function" in entry and entry["charge_id"] not in recorded
        what = (_BLOCKS.sub("", str(entry.get(name))) for name in _SAME)
        key = (*what, *entry["cost"], is_open)
        blocks = () if entry["blocks"] == [ALL] else tuple(entry["blocks"])
        before = lines.pop(key, None)
        if before is None:
            cost = loss_of_amount(kind, amount_from(entry["cost"]))
            lines[key] = ReportLine(entry, entry, cost, blocks, (entry["seq"],), is_open)
        else:
            together = tuple(dict.fromkeys([*before.blocks, *blocks]))
            seqs = *before.seqs, entry["seq"]
            lines[key] = ReportLine(before.first, entry, before.cost, together, seqs, is_open)
    return list(lines.values())


def _version_of(entry: Mapping[str, Any]) -> str | None:
    """Return the caller's name for the data; the command line writes it behind file and columns."""
    version: str | None = entry.get("data_version")
    if version is not None and version.startswith("["):
        with suppress(ValueError):
            version = json.loads(version)[-1]
    return version
