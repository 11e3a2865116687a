# SPDX-License-Identifier: MIT
"""How commands speak: messages of the library by their options, and what they print of ledgers."""

from __future__ import annotations

import argparse
import ast
import json
import re
import shlex
from fractions import Fraction
from typing import Any

from cydp._numbers.rational import format_number
from cydp.accounting._errors import BudgetExceededError, ChargeConflictError
from cydp.accounting._words import format_name, format_numbers, numbers_of
from cydp.accounting.ledger._history import format_block
from cydp.accounting.ledger._ledger import BudgetLedger

__all__ = [
    "head_of",
    "in_options",
    "json_in_options",
    "json_of",
    "losses_in_options",
    "message_of",
    "print_head",
]


# Words of messages for users of Python, and for users of the command line.
_IN_PYTHON = {
    "open a ledger with BudgetLedger.open, say exist_ok=True, or choose": "add --exist-ok if it is "
    "a ledger with these options, or choose",
    "no BudgetLedger.create has made this file": "`cydp ledger create` has not made this file",
    "create a ledger there first": "create a ledger there first by `cydp ledger create`",
    "open it with BudgetLedger.open, if you mean the new ledger": "repeat the command, if you mean "
    "the new ledger",
    "without permission to write to it, open it with read_only=True": "permission to write to it "
    "is needed",
    "open it by open_account": "open it by `cydp ledger open-account`",
    "its accounts() are those that are": "`cydp ledger accounts` prints those that are",
    "use the primary, or open the ledger with read_only=True": "use the primary; commands that "
    "only look, such as `cydp ledger show`, may use a standby",
    "with by_block=True": "by `cydp ledger create --by-block`",
    "is Parquet: name it *.parquet": "is Parquet: name it *.parquet, or add --format parquet for "
    "FILE",
    "group_by counts labels, and histogram(by=..., by_keys=...) numbers": "group-by counts "
    "labels, and histogram with --by numbers",
    "expect_head": "--head",
    "head_file": "--head-file",
    "retire=True": "--retire",
    "BudgetLedger.restore": "`cydp ledger restore`",
    "BudgetLedger.backup": "`cydp ledger backup`",
    "give user=, or promise with max_rows_per_unit=k": "give --user, or promise with "
    "--max-rows-per-unit=k",
    "give user= as well": "give --user as well",
    "epsilon must be given, or rho": "--epsilon must be given, or --rho",
    "epsilon must be given with delta, or rho": "--epsilon must be given with --delta, or --rho",
    "epsilon and delta must be given": "--epsilon and --delta must be given",
    "by and by_keys must be given together: the column, and public keys": "--by must be "
    "given with --keys or --key-list",
    "edges in bins must never decrease: sort them": "--bins must have edges that never decrease",
    "edges of times in bins must increase": "--bins must have edges that increase",
    "each edge in bins": "each edge in --bins",
    "so bins, range and bounds must have one, such as '2024-01-31[Europe/Vienna]' or a datetime "
    "with tzinfo": "so --bins, --range and --bounds must have one, such as "
    "'2024-01-31[Europe/Vienna]'",
    "so bins, range and bounds must have": "so --bins, --range and --bounds must have",
    "range=(lo, hi)": "--range",
    "lo of range": "LO of --range",
    "hi of range": "HI of --range",
    "lower in bounds=(lower, upper)": "LO of --bounds",
    "upper in bounds=(lower, upper)": "HI of --bounds",
    "and come first: date_trunc('day', 'ts')": "as in date_trunc('day', COLUMN)",
    "repeat the same call, or use": "repeat the same command, or use",
    "True and False would be counted alike: pass the records that have the property, as x[mask], "
    "or use cydp.sum(x, (0, 1), ...)": "true and false would be counted alike: use `cydp sum` with "
    "--bounds 0:1",
    # Longer ones first.
    "use a ZCDP budget, or a mechanism with epsilon, or charge Plan([(mechanism, "
    "count)]).as_loss(delta), or of a loss "
    "cydp.accounting.convert(loss, delta=...)": "give --epsilon instead "
    "of --rho, or use a ledger with a budget of rho",
    "use a ZCDP budget, or a mechanism with epsilon": "give --epsilon instead of --rho, or use a "
    "ledger with a budget of rho",
    "use an ApproxDP or ApproxZCDP budget, or a mechanism with epsilon or rho alone": "give "
    "--epsilon or --rho alone, or use a ledger with a budget of delta and epsilon or rho",
    "use an ApproxZCDP budget, or a mechanism without rho and delta, or charge "
    "cydp.accounting.convert(loss, delta=...)": "give --epsilon instead of --rho, or use a ledger "
    "with a budget of rho and delta",
    "use an ApproxZCDP budget, or a mechanism without rho and delta": "give no --rho with --delta, "
    "or use a ledger with a budget of rho and delta",
    "use an ApproxDP budget, or a mechanism with epsilon alone": "give --epsilon alone, or use a "
    "ledger with a budget of epsilon and delta",
    ", unless step is given": "",
    "text, bytes, dates, times or objects, not": "text, bytes, dates or times, not",
    "a PureDP budget": "a budget of epsilon alone",
    "an ApproxDP budget": "a budget of epsilon and delta",
    "an ApproxZCDP budget": "a budget of rho and delta",
    "a ZCDP budget": "a budget of rho",
}
_LOSS = re.compile(
    r"\b(?:PureDP|ApproxDP|ZCDP|ApproxZCDP)\(((?:epsilon|rho)=[^()]*?)(?:, relation='[^']*')?\)"
)
_BLOCK_BUDGET = re.compile(r"^budget must be (\w+), as the ledger's budget is, not (\w+)")
_BY_OPTIONS = {
    "PureDP": "--epsilon alone", "ApproxDP": "--epsilon and --delta", "ZCDP": "--rho alone",
    "ApproxZCDP": "--rho and --delta",
}  # fmt: skip
_NAMES = (
    "max_rows_per_partition", "max_rows_per_unit", "max_partitions", "max_rows", "data_version",
    "charge_id", "left_out", "privacy_unit", "units_in_one_block", "by_block", "block_column",
)  # fmt: skip
_UNIT = re.compile(r"\bunit=(\([^()]*\)|'[^']*'|\"[^\"]*\")")
_POSITIONAL = {"block": "ID", "file": "FILE", "path": "PATH"}
_ARGUMENT = re.compile(rf"(?<![\w-])({'|'.join(_NAMES)}|user)(=|\b(?!-))")
_FIRST = re.compile(r"([a-z_]+) (must|names|bounds|has)\b")
# Arguments that have another name on the command line.
_OPTIONS = {"x": "--column", "keys": "--keys", "q": "--q", "n": "--total", "condition": "--where"}


# What can differ between a repetition and the charge of its id, as the ledger names it.
_DIFFERENCES = re.compile(r"(?<=differs in )[a-z_, ]+(?=: repeat)")
_FIELDS = {
    "cost": "the cost", "count": "the cost", "blocks": "--blocks", "account": "--account",
    "mechanism": "the options of the release", "params": "the options of the release",
    "query": "the options of the release", "arguments": "the options of the release",
    "function": "the command",
    "data_version": "the file, the column or --data-version", "table": "the file",
}  # fmt: skip


def head_of(ledger: BudgetLedger) -> str:
    """Return the head of a ledger, as ``--head`` takes it."""
    seq, digest = ledger.head()
    return f"{seq}:{digest}"


def print_head(ledger: BudgetLedger) -> None:
    """Print the head in a line of its own, which ``--head`` takes as it is."""
    print(f"head: {head_of(ledger)}")


def losses_in_options(text: str) -> str:
    """Return a text with the numbers of losses alone.

    >>> losses_in_options("left PureDP(epsilon='1/3')")
    'left epsilon=1/3'
    """
    return _LOSS.sub(lambda match: match[1].replace("'", ""), text)


def json_of(what: dict[str, Any]) -> str:
    """Return JSON in one line, in which fractions are strings, however long they are."""
    return json.dumps(what, default=_string_of)


def _string_of(number: Fraction) -> str:
    short = format_number(number)
    return str(number) if short.startswith("about") else short


def message_of(error: BaseException, options: argparse.Namespace) -> str:
    """Return what is wrong, in one line."""
    if isinstance(error, BudgetExceededError):
        return _refusal(error, options)
    message = str(error)
    for python, command in _IN_PYTHON.items():
        message = message.replace(python, command)
    if isinstance(error, ChargeConflictError):
        message = _DIFFERENCES.sub(_write_differences, message)
    message = _BLOCK_BUDGET.sub(_write_measures, message)
    message = losses_in_options(message)
    first = _FIRST.match(message)
    if first is not None and (shown := _option(first[1], options)) is not None:
        message = shown + message[first.end(1) :]
    message = _UNIT.sub(_write_unit, message)
    return _ARGUMENT.sub(_write_argument, message)


def in_options(text: str) -> str:
    """Return the text of a release or an explanation with options instead of arguments.

    >>> in_options("pass their column as user=")
    'pass their column as --user'
    """
    text = re.sub(r"\bthe(\s+)caller's(\s+)promise\b", r"your\2promise", text)
    text = re.sub(r"\bas(\s+)user=(?=\s|$)", r"as\1--user", text)
    return re.sub(r"\bgive(\s+)n(?:_per_key)?=\.", r"give\1--rows.", text)


def json_in_options(what: Any) -> Any:
    """Return what JSON holds with options instead of arguments in its texts.

    Lists, which have the keys and columns of a release, stay as they are.

    >>> json_in_options({"protects": "pass their column as user=", "keys": ["as user="]})
    {'protects': 'pass their column as --user', 'keys': ['as user=']}
    """
    if isinstance(what, dict):
        return {key: json_in_options(value) for key, value in what.items()}
    return in_options(what) if isinstance(what, str) else what


def _refusal(error: BudgetExceededError, options: argparse.Namespace) -> str:
    cost, left = (
        format_numbers(numbers_of(loss), left=is_left)
        for loss, is_left in ((error.requested, False), (error.remaining, True))
    )
    path = str(getattr(options, "ledger", None) or getattr(options, "path", "the ledger"))
    block = "" if error.block is None else f" for block {format_block(error.block)}"
    if error.account is not None:
        block += f" of account {format_name(error.account)}"
    if error.set_aside is not None:
        kept = format_numbers(numbers_of(error.set_aside), left=True)
        block += f", besides {kept} set aside for accounts,"
    what = "charge" if hasattr(options, "path") else "release"
    return f"the {what} costs {cost}, and {left} is left{block} in {format_name(path)}"


def _option(name: str, options: argparse.Namespace) -> str | None:
    """Return what the command line calls an argument; None if it has no such option."""
    if name == "keys" and getattr(options, "key_list", None) is not None:
        return "--key-list"
    if name in _POSITIONAL and hasattr(options, name):
        return _POSITIONAL[name]
    if name == "path":  # the path of a ledger beside FILE
        return "--ledger"
    if name in _OPTIONS or hasattr(options, name):
        return _OPTIONS.get(name, f"--{name.replace('_', '-')}")
    return None


def _write_differences(match: re.Match[str]) -> str:
    fields = match[0].split(", ")
    return ", ".join(dict.fromkeys(_FIELDS.get(name, name) for name in fields))


def _write_measures(match: re.Match[str]) -> str:
    own, given = (_BY_OPTIONS[name] for name in match.groups())
    return f"the budget of a block must be given by {own}, as the ledger's was, not by {given}"


def _write_unit(match: re.Match[str]) -> str:
    named = ast.literal_eval(match[1])
    return f"--unit {shlex.join([named] if isinstance(named, str) else named)}"


def _write_argument(match: re.Match[str]) -> str:
    if match[1] == "user" and match[2] != "=":
        return match[0]
    return f"--{match[1].replace('_', '-')}{match[2] if match[1] != 'user' else ''}"
