# SPDX-License-Identifier: MIT
"""Commands and options that are not known: named before what is missing, with the nearest."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from cydp._call_errors import nearest_name

__all__ = ["check_known", "one_word"]

_NEGATIVE = re.compile(r"-\.?[0-9]")
# Releases of rows have the one bound of a user, and releases of keys or bins the other.
_INSTEAD = {
    "--max-rows": "--max-partitions", "--max-partitions": "--max-rows",
    "--median": "--quantile", "--medians": "--quantile", "--bounds": "--range",
    "--range": "--bounds",
}  # fmt: skip

# What other commands take.
_ELSEWHERE = {"--left-out": "count, value-counts and group-by have it"}


def check_known(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Exit with an error that names the first option that its command does not know."""
    for argument in arguments:
        option = argument.partition("=")[0]
        if argument == "--":
            return
        if not option.startswith("-") or option == "-":
            parser = _command_of(parser, argument)
        elif not (option in parser._option_string_actions or _is_text(option)):
            near = _near(option, parser._option_string_actions)
            meant = _ELSEWHERE.get(option, f"did you mean {near}?" if near else "")
            hint = f" ({meant})" if meant else ""
            parser.error(f"unrecognized arguments: {option[:60]}{hint}")


def one_word(parser: argparse.ArgumentParser, arguments: Sequence[str], unknown: str) -> str:
    """Return how the option is written that stands before a word that it does not take."""
    for argument in arguments[: arguments.index(unknown)]:
        option = argument.partition("=")[0]
        if not option.startswith("-"):
            parser = _command_of(parser, argument)
    if option == "--by":
        return " (several columns of keys are --by A --by B, each with its --key-list)"
    action = parser._option_string_actions.get(option)
    if action is None or action.nargs is not None:
        return ""
    return f" ({option} takes one word: {option} {action.metavar})"


def _command_of(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    """Return the parser of a command of this name; the parser itself if it has no commands."""
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        if name not in action.choices:
            near = nearest_name(name, action.choices)
            wanted = f"did you mean {near}?" if near else f"choose from {', '.join(action.choices)}"
            parser.error(f"no command {name[:60]!r}: {wanted}")
        found: argparse.ArgumentParser = action.choices[name]
        return found
    return parser


def _is_text(option: str) -> bool:
    """Whether argparse takes this as no option: a negative number, or words with a blank."""
    return " " in option or _NEGATIVE.match(option) is not None


def _near(option: str, known: Iterable[str]) -> str | None:
    """Return the known option that is meant: one of the same word or beginning, or alike.

    >>> [_near(each, ["--privacy-unit", "--units-in-one-block", "--q"]) for each in
    ...  ("--unit", "-q", "--quantiles", "--units", "--privacy-unite", "--seed")]
    ['--privacy-unit', '--q', '--q', '--units-in-one-block', '--privacy-unit', None]
    """
    names = [each for each in known if each.startswith("--") and each != "--help"]
    if _INSTEAD.get(option) in names:
        return _INSTEAD[option]
    given = option.lstrip("-").replace("_", "-").lower()
    found = [each for each in names if given in each[2:].split("-")]
    found += [each for each in names if given and each[2:].startswith(given)]
    found += [each for each in names if given.startswith(each[2:])]
    found += [
        f"--{each}" for each in get_close_matches(given, [name[2:] for name in names], 1, 0.7)
    ]
    return found[0] if found else None
