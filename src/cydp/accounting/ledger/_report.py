# SPDX-License-Identifier: MIT
"""What a ledger has paid for, as text and as HTML for people who decide on budgets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import groupby
from typing import Any

from cydp._call_errors import explain_arguments
from cydp._html_looks import BOX, CELL, HEADER, SMALL, TABLE
from cydp._numbers.intervals import exp_interval
from cydp._numbers.rational import float_of, format_number
from cydp._numbers.rounding import words_above
from cydp.accounting._amounts import loss_of_amount
from cydp.accounting._conversion import stated
from cydp.accounting._loss import ApproxDP, Loss
from cydp.accounting._words import format_name, format_numbers, numbers_of
from cydp.accounting.ledger._blocks import ALL, BlockState
from cydp.accounting.ledger._serialize import amount_from

__all__ = ["MOST_READ", "LedgerReport", "what_of", "write_report"]

MOST_READ = 1000  # charges that are grouped in lines
_MOST_SHOWN = 20  # blocks, and lines of charges
_MOST_NAMED = 5  # blocks of a line
_LONGEST = 200  # characters of what a charge was for
_BLOCKS = re.compile(r" in blocks \((?:[^()']|'(?:[^']|'')*')*\)")  # of a condition
_MOST_WRITTEN = 1000  # beyond which e**epsilon is not computed

_WRAPPED = CELL.replace("nowrap", "normal")

_SAME = ("label", "released", "params", "count", "table", "data_version")  # of charges of one line

_PROTECTED = {
    "add-remove": "whether one {} is in the data or not",
    "change-one": "which data one {} has",
    "add-remove-or-change": "whether one {} is in the data or not, and which data they have",
}


@dataclass(frozen=True, slots=True, repr=False)
class LedgerReport:
    """What a ledger has paid for: a text, which it prints, and a page. `BudgetLedger.report`.

    Attributes
    ----------
    text : str
        The totals, and a line for each thing that was released.
    html : str
        The same as a page, which also says what is protected and promised.

    """

    text: str
    html: str

    @explain_arguments
    def to_html(self) -> str:
        """Return the page: an element without scripts, ids and resources; names are escaped.

        Examples
        --------
        >>> LedgerReport("budget ...", "<div>...</div>").to_html()
        '<div>...</div>'

        """
        return self.html

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def what_of(entry: Mapping[str, Any]) -> str:
    """Return the label of a charge and what was released, unless the label begins with that."""
    label, released = entry["label"] or "", entry.get("released") or entry["params"] or ""
    what, _, condition = released.partition(", where ")
    named = [label] if label.startswith(what) and condition in label else [label, released]
    return ": ".join(format_name(each) for each in named if each) or "a loss"


@dataclass(frozen=True, slots=True)
class _Line:
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
        """The label, what was released, and the version of the data, where they are known."""
        entry, what = self.first, what_of(self.first)
        if version := _version_of(entry):
            what += f", data {format_name(version)}"
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
        several = f"{self.charges:,} times " if self.charges > 1 else ""
        blocks = f" in {self.named(repr)}" if self.blocks else ""
        return f"  {self.places}. {self.times} {several}{self.cost}{blocks}: {self.what}"


def write_report(
    budget: Loss,
    unit: str,
    relation: str,
    guarantee: Loss,
    together: tuple[str, Loss | None] | None,
    blocks: Mapping[str, BlockState],
    charges: Sequence[Mapping[str, Any]],
    n_charges: int,
    recorded: Container[str],
) -> LedgerReport:
    """Return the report of a ledger.

    Parameters
    ----------
    budget : loss
    unit : str
        The privacy unit.
    relation : str
    guarantee : loss
        What holds for a unit with all its records in one block, or without blocks.
    together : (str, loss or None) or None
        The unit that blocks may split, and what holds for its records in all blocks; a loss of
        None: nothing. None: there is no such unit.
    blocks : mapping
        The state of each block.
    charges : sequence of dict
        The last `MOST_READ` of `n_charges` entries, oldest first.
    n_charges : int
    recorded : container of str
        The ids of the charges with a recorded result.

    """
    lines = _grouped(charges, type(budget), recorded)
    left_out = n_charges - sum(line.charges for line in lines[-_MOST_SHOWN:])
    shown = lines[-_MOST_SHOWN:]
    about = f"budget {budget} for each {format_name(unit)}, under {relation!r}"
    promises = [_promise(guarantee, format_name(unit), relation)]
    if ALL not in blocks:
        about += f"; all releases together cost each {format_name(unit)} {_numbers(guarantee)}"
    if together is not None:
        whole, loss = together
        about += f", and each {format_name(whole)} with records in all blocks "
        about += "any amount" if loss is None else _numbers(loss)
        promises.append(
            f"Nothing is promised to a {format_name(whole)} with records in all blocks."
            if loss is None
            else "With records in all blocks: " + _promise(loss, format_name(whole), relation)
        )
    alike = _alike(blocks)
    text = [about]
    for group in alike[:_MOST_SHOWN]:
        state = group[0]
        name = "" if state.id == ALL else f"{_names_of(group, repr)}: "
        left = "retired" if state.retired else f"left {state.remaining}"
        text.append(f"  {name}spent {state.spent}, {left}")
    text += _omitted(sum(map(len, alike[_MOST_SHOWN:])), "more blocks", "")
    text += [*_omitted(left_out, "charges"), *(line.text for line in shown)]
    facts = {
        "protected": _PROTECTED[relation].format(format_name(unit)),
        "promise": " ".join(promises),
        "budget": _numbers(budget, left=True) + ("" if ALL in blocks else " for each block"),
        "charges": f"{n_charges:,}",
    }
    return LedgerReport("\n".join(text), _html(facts, alike, shown, left_out))


def _grouped(
    charges: Iterable[Mapping[str, Any]], kind: type[Loss], recorded: Container[str]
) -> list[_Line]:
    """Return charges for the same thing, at the same cost, as one line, in the order of the last.

    >>> _grouped([], Loss, ())
    []
    """
    lines: dict[tuple[Any, ...], _Line] = {}
    for entry in charges:
        # An entry of a call has its function: its result is recorded.
        is_open = "function" in entry and entry["charge_id"] not in recorded
        what = (_BLOCKS.sub("", str(entry.get(name))) for name in _SAME)
        key = (*what, *entry["cost"], is_open)
        blocks = () if entry["blocks"] == [ALL] else tuple(entry["blocks"])
        before = lines.pop(key, None)
        if before is None:
            cost = loss_of_amount(kind, amount_from(entry["cost"]))
            lines[key] = _Line(entry, entry, cost, blocks, (entry["seq"],), is_open)
        else:
            together = tuple(dict.fromkeys([*before.blocks, *blocks]))
            seqs = *before.seqs, entry["seq"]
            lines[key] = _Line(before.first, entry, before.cost, together, seqs, is_open)
    return list(lines.values())


def _version_of(entry: Mapping[str, Any]) -> str | None:
    """Return the caller's name for the data; the command line writes it behind file and columns."""
    version: str | None = entry.get("data_version")
    if version is not None and version.startswith("["):
        with suppress(ValueError):
            version = json.loads(version)[-1]
    return version


def _alike(blocks: Mapping[str, BlockState]) -> list[list[BlockState]]:
    """Return blocks in a row that have spent and have left the same; first those that have spent.

    >>> _alike({})
    []
    """

    def amounts(state: BlockState) -> Any:
        return state.spent, state.remaining, state.retired

    found = [list(group) for _, group in groupby(blocks.values(), amounts)]
    return sorted(found, key=lambda group: not any(numbers_of(group[0].spent).values()))


def _names_of(group: Sequence[BlockState], written: Callable[[str], str]) -> str:
    """Return the names of blocks; of many, their number, and the first and the last of them."""
    names = [written(state.id) for state in group]
    if len(names) <= _MOST_NAMED:
        return ", ".join(names)
    return f"{len(names):,} blocks from {names[0]} to {names[-1]}"


def _omitted(count: int, what: str, end: str = ", and then") -> list[str]:
    return [f"  {count:,} {what}{end}"] if count > 0 else []


def _numbers(loss: Loss, *, left: bool = False) -> str:
    return format_numbers(numbers_of(loss), left=left)


def _promise(loss: Loss, unit: str, relation: str) -> str:
    """Return what all releases together promise to each unit.

    It is the largest rate of true positives of any test, by its rate of false ones, in plain words.
    """
    is_nothing = not any(numbers_of(loss).values())
    loss = stated(loss)
    if loss.epsilon > _MOST_WRITTEN:
        factor = f"10**{_MOST_WRITTEN * 43 // 100} or more"
    else:
        factor = words_above(float_of(Fraction(exp_interval(loss.epsilon)[1])))
    delta = loss.delta if isinstance(loss, ApproxDP) else Fraction(0)
    plus = f", plus {format_number(delta)}" if delta else ""
    question = {
        "add-remove": f"whether one {unit} is in the data",
        "change-one": f"which of two values is that of one {unit}",
        "add-remove-or-change": f"whether one {unit} is in the data, or which data they have",
    }[relation]
    if is_nothing:
        return f"Nothing was spent: the releases tell nothing about {question}."
    return (
        f"Somebody may see all releases, know whatever else there is, and guess {question}. Any "
        f"rule by which they guess says so at most {factor} times as often if it is true as if it "
        f"is not{plus}."
    )


def _html(
    facts: Mapping[str, str],
    alike: Sequence[Sequence[BlockState]],
    shown: Sequence[_Line],
    left_out: int,
) -> str:
    has_blocks = not any(state.id == ALL for group in alike for state in group)
    head = [("protected", facts["protected"]), ("promise", facts["promise"])]
    head.append(("budget", facts["budget"]))
    if not has_blocks:
        ((state,),) = alike
        head.append(("spent", _numbers(state.spent)))
        head.append(("left", _numbers(state.remaining, left=True)))
    head.append(("charges", facts["charges"]))
    parts = [f'<div style="{BOX}">', "<div><strong>Privacy budget</strong></div>"]
    parts += _table([], [list(row) for row in head])
    if has_blocks:
        rows = [
            [_names_of(group, format_name), "retired" if group[0].retired else "open",
             _numbers(group[0].spent), _numbers(group[0].remaining, left=True)]
            for group in alike[:_MOST_SHOWN]
        ]  # fmt: skip
        parts += _table(["block", "state", "spent of each", "left in each"], rows)
        parts += _more(sum(map(len, alike[_MOST_SHOWN:])), "more blocks", "")
    parts += _more(left_out, "charges")
    rows = [
        [line.places, line.times, line.what, f"{line.charges:,}", _numbers(line.cost)]
        + ([line.named(format_name)] if has_blocks else [])
        for line in shown
    ]
    header = ["entry", "time", "what was released", "times", "cost of each"]
    parts += _table([*header, *(["blocks"] if has_blocks else [])], rows) if rows else []
    return "\n".join([*parts, "</div>"])


def _more(count: int, what: str, end: str = ", and then") -> list[str]:
    return [f'<div style="{SMALL}">{count:,} {what}{end}</div>'] if count > 0 else []


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table of words, all escaped."""
    head = [f'<th style="{HEADER};text-align:left">{escape(word)}</th>' for word in header]
    body = [[f'<td style="{_WRAPPED}">{escape(word)}</td>' for word in row] for row in rows]
    return [
        f'<table style="{TABLE}">',
        *([f"<thead><tr>{''.join(head)}</tr></thead>"] if header else []),
        "<tbody>",
        *(f"<tr>{''.join(row)}</tr>" for row in body),
        "</tbody>",
        "</table>",
    ]
