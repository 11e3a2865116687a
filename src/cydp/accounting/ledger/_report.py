# SPDX-License-Identifier: MIT
"""What a ledger has paid for, as text and as HTML for people who decide on budgets."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import groupby
from typing import Any, NamedTuple

from cydp._call_errors import explain_arguments
from cydp._html_looks import BOX, CELL, HEADER, SMALL, TABLE
from cydp._numbers.intervals import exp_interval
from cydp._numbers.rational import float_of, format_number
from cydp._numbers.rounding import words_above
from cydp.accounting._conversion import stated
from cydp.accounting._loss import ApproxDP, Loss
from cydp.accounting._words import format_name, format_numbers, names_of, numbers_of
from cydp.accounting.ledger._accounts import AccountState
from cydp.accounting.ledger._blocks import ALL, BlockState
from cydp.accounting.ledger._report_lines import ReportLine, grouped
from cydp.accounting.ledger._rows import FROZEN
from cydp.accounting.ledger._serialize import own_amount_of
from cydp.accounting.ledger._spending_picture import blocks_picture, spending_picture

__all__ = ["MOST_READ", "Found", "LedgerReport", "write_report"]

MOST_READ = 1000  # charges that are grouped in lines
_MOST_SHOWN = 20  # blocks, and lines of charges
_MOST_NAMED = 5  # blocks of a line
_MOST_WRITTEN = 700  # beyond which e**epsilon is not computed

_WRAPPED = CELL.replace("nowrap", "normal")
_HEADING = f"{HEADER};overflow-wrap:normal;text-align:left"  # it wraps at blanks, not in a word

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
        The same as a page, which also says what is protected and promised, with a picture of what
        was spent over time, or of each block.
    facts : dict
        The same for machines.

    Examples
    --------
    >>> import tempfile
    >>> import cydp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/b.db"
    ...     with cydp.BudgetLedger.create(path, cydp.PureDP(1), privacy_unit="row") as ledger:
    ...         report = ledger.report()
    >>> report.to_dict()["budget"], report.to_html().startswith("<div")
    ({'epsilon': '1'}, True)

    """

    text: str
    html: str
    facts: dict[str, Any]

    @explain_arguments
    def to_html(self) -> str:
        """Return the page: an element without scripts, ids and resources; names are escaped."""
        return self.html

    @explain_arguments
    def to_dict(self) -> dict[str, Any]:
        """Return what the report says as a dict that `json.dumps` takes.

        Returns
        -------
        dict
            "ledger", "head", "frozen" (whether this is a copy to which nothing can be charged),
            "protected", "promise", "budget", "charges", "blocks" and "released". Amounts are dicts
            of exact numbers, as text.

        """
        return self.facts

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


class Found(NamedTuple):
    """What a report reads of a ledger, as of one moment.

    Attributes
    ----------
    head : (int, str)
    about : dict
        The name and the note of the ledger, if it has them.
    blocks : dict
        The state of each block.
    accounts : sequence of AccountState
        Those that are open.
    charges : sequence of dict
        The last `MOST_READ` of `n_charges` entries, oldest first.
    n_charges : int
    recorded : container of str
        The ids of the charges with a recorded result.
    frozen : bool
        Whether this is a copy to which nothing can be charged.

    """

    head: tuple[int, str]
    about: Mapping[str, str]
    blocks: Mapping[str, BlockState]
    accounts: Sequence[AccountState]
    charges: Sequence[Mapping[str, Any]]
    n_charges: int
    recorded: Container[str]
    frozen: bool


def write_report(
    ledger: str,
    budget: Loss,
    unit: str,
    relation: str,
    guarantee: Loss,
    together: tuple[str, Loss | None] | None,
    found: Found,
) -> LedgerReport:
    """Return the report of a ledger.

    Parameters
    ----------
    ledger : str
        The uuid.
    budget : loss
    unit : str
        The privacy unit.
    relation : str
    guarantee : loss
        What holds for a unit with all its records in one block, or without blocks.
    together : (str, loss or None) or None
        The unit that blocks may split, and what holds for its records in all blocks; a loss of
        None: nothing. None: there is no such unit.
    found : Found

    """
    blocks = found.blocks
    lines = grouped(found.charges, type(budget), found.recorded)
    left_out = found.n_charges - sum(line.charges for line in lines[-_MOST_SHOWN:])
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
    text = [FROZEN] if found.frozen else []
    text += [f"{key}: {format_name(said)}" for key, said in found.about.items()]
    text.append(about)
    for group in alike[:_MOST_SHOWN]:
        state = group[0]
        name = "" if state.id == ALL else f"{_names_of(group, repr)}: "
        left = "retired" if state.retired else f"left {state.remaining}"
        if state.has_accounts:
            left += f", set aside for accounts {state.set_aside}"
        text.append(f"  {name}spent {state.spent}, {left}")
    text += _omitted(sum(map(len, alike[_MOST_SHOWN:])), "more blocks", "")
    text += [f"  account {_account_line(each)}" for each in found.accounts[:_MOST_SHOWN]]
    text += _omitted(len(found.accounts) - _MOST_SHOWN, "more accounts", "")
    text += [*_omitted(left_out, "charges"), *(line.text for line in shown)]
    facts = {
        **found.about,
        "protected": _PROTECTED[relation].format(format_name(unit)),
        "promise": " ".join(promises),
        "budget": _numbers(budget, left=True)
        + ("" if ALL in blocks else ", at most, for each block"),
        "charges": f"{found.n_charges:,}",
    }
    facts |= {"ledger": ledger, "head": "{}:{}".format(*found.head)}
    facts |= {"state": FROZEN} if found.frozen else {}
    name, most = names_of(budget)[0], own_amount_of(budget)
    if ALL in blocks:
        picture = spending_picture(found.charges, own_amount_of(blocks[ALL].spent), most, name)
    else:
        picture = blocks_picture([(id_, _share(each)) for id_, each in blocks.items()], name)
    page = _html(facts, alike, found.accounts, shown, left_out, picture)
    machines = _for_machines(facts, budget, relation, unit, guarantee, found, lines)
    return LedgerReport("\n".join(text), page, machines)


def _for_machines(
    facts: Mapping[str, str],
    budget: Loss,
    relation: str,
    unit: str,
    guarantee: Loss,
    found: Found,
    lines: Iterable[ReportLine],
) -> dict[str, Any]:
    def exact(loss: Loss) -> dict[str, str]:
        return {name: _exact(number) for name, number in numbers_of(loss).items()}

    return {
        **facts,
        "relation": relation,
        "privacy_unit": unit,
        "guarantee": exact(guarantee),
        "accounts": [
            {"account": each.name, "block": each.block, "budget": exact(each.budget),
             "spent": exact(each.spent), "left": exact(each.remaining)}
            for each in found.accounts
        ],
        "frozen": found.frozen,
        "budget": exact(budget),
        "charges": int(facts["charges"].replace(",", "")),
        "blocks": {
            name: {"budget": exact(state.budget), "spent": exact(state.spent),
                   "left": exact(state.remaining), "set_aside": exact(state.set_aside),
                   "state": "retired" if state.retired else "open"}
            for name, state in found.blocks.items()
        },
        "released": [
            {"what": line.what, "entries": list(line.seqs), "blocks": list(line.blocks),
             "first": line.first["time"], "last": line.last["time"],
             "cost_of_each": exact(line.cost), "label": line.first["label"],
             "account": line.first.get("account"),
             **{name: line.first.get(name) for name in ("user", "host", "service")}}
            for line in lines
        ],
    }  # fmt: skip


def _exact(number: Fraction) -> str:
    """Return a number as a decimal where that is exact, else as a quotient."""
    short = format_number(number)
    return str(number) if short.startswith("about") else short


def _alike(blocks: Mapping[str, BlockState]) -> list[list[BlockState]]:
    """Return blocks in a row that have spent and have left the same; first those that have spent.

    >>> _alike({})
    []
    """

    def amounts(state: BlockState) -> Any:
        return state.spent, state.remaining, state.set_aside, state.retired

    found = [list(group) for _, group in groupby(blocks.values(), amounts)]
    return sorted(found, key=lambda group: not any(numbers_of(group[0].spent).values()))


def _names_of(group: Sequence[BlockState], written: Callable[[str], str]) -> str:
    """Return the names of blocks; of many, their number, and the first and the last of them."""
    names = [written(state.id) for state in group]
    if len(names) <= _MOST_NAMED:
        return ", ".join(names)
    return f"{len(names):,} blocks from {names[0]} to {names[-1]}"


def _account_line(account: AccountState) -> str:
    place = "" if account.block is None else f" in {account.block!r}"
    return (
        f"{format_name(account.name)}{place}: left {_numbers(account.remaining, left=True)} of "
        f"{_numbers(account.budget, left=True)}"
    )


def _share(block: BlockState) -> Fraction:
    """Return which part of its budget a block has spent, of epsilon or rho."""
    spent, most = own_amount_of(block.spent)[0], own_amount_of(block.budget)[0]
    return spent / most if most else Fraction(0)


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
    plus = f", plus a probability of {format_number(delta)}" if delta else ""
    question = {
        "add-remove": f"whether one {unit} is in the data",
        "change-one": f"which of two values is that of one {unit}",
        "add-remove-or-change": f"whether one {unit} is in the data, or which data they have",
    }[relation]
    if is_nothing:
        return f"Nothing was spent: the releases reveal nothing about {question}."
    return (
        f"Suppose that somebody sees all releases, knows everything else, and guesses {question}. "
        f"Whatever their rule, they are at most {factor} times as likely to give an answer when it "
        f"is true as when it is false{plus}."
    )


def _html(
    facts: Mapping[str, str],
    alike: Sequence[Sequence[BlockState]],
    accounts: Sequence[AccountState],
    shown: Sequence[ReportLine],
    left_out: int,
    picture: str,
) -> str:
    has_blocks = not any(state.id == ALL for group in alike for state in group)
    first = ("name", "note", "protected", "promise", "budget")
    head = [(name, facts[name]) for name in first if name in facts]
    if not has_blocks:
        ((state,),) = alike
        head.append(("spent", _numbers(state.spent)))
        head.append(("left", _numbers(state.remaining, left=True)))
        if state.has_accounts:
            head.append(("set aside for accounts", _numbers(state.set_aside, left=True)))
    head += [
        (name, facts[name]) for name in ("charges", "ledger", "head", "state") if name in facts
    ]
    parts = [f'<div style="{BOX}">', "<div><strong>Privacy budget</strong></div>"]
    parts += _table([], [list(row) for row in head])
    parts += [picture] if picture else []
    if has_blocks:
        has_accounts = any(group[0].has_accounts for group in alike)
        rows = [
            [_names_of(group, format_name), "retired" if group[0].retired else "open",
             _numbers(group[0].spent), _numbers(group[0].remaining, left=True)]
            + ([_numbers(group[0].set_aside, left=True)] if has_accounts else [])
            for group in alike[:_MOST_SHOWN]
        ]  # fmt: skip
        header = ["block", "state", "spent of each", "left in each"]
        parts += _table([*header, *(["set aside for accounts"] if has_accounts else [])], rows)
        parts += _more(sum(map(len, alike[_MOST_SHOWN:])), "more blocks", "")
    if accounts:
        rows = [[_account_line(each)] for each in accounts[:_MOST_SHOWN]]
        parts += _table(["accounts, for which a part of the budget is set aside"], rows)
        parts += _more(len(accounts) - _MOST_SHOWN, "more accounts", "")
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
    head = [f'<th style="{_HEADING}">{escape(word)}</th>' for word in header]
    body = [[f'<td style="{_WRAPPED}">{escape(word)}</td>' for word in row] for row in rows]
    return [
        f'<table style="{TABLE}">',
        *([f"<thead><tr>{''.join(head)}</tr></thead>"] if header else []),
        "<tbody>",
        *(f"<tr>{''.join(row)}</tr>" for row in body),
        "</tbody>",
        "</table>",
    ]
