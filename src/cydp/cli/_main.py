# SPDX-License-Identifier: MIT
"""The command line: arguments in, the public API, text or JSON out."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NoReturn

from cydp._selftest import checks
from cydp._version import __version__
from cydp.accounting._errors import BudgetExceededError, LedgerError, PrivacyError
from cydp.build import build_info
from cydp.cli import _ledger
from cydp.cli._commands import add_commands
from cydp.cli._known import check_known, one_word
from cydp.cli._messages import message_of
from cydp.cli._options import add_parser, texts_of_help
from cydp.cli._release import charged_words
from cydp.cli._verify import add_verify_release

__all__ = ["main"]


_EXIT_CODES = (
    "Exit codes: 0 done; 1 refused by a budget or a ledger, and nothing charged; 2 a mistake in "
    "the command, or a file that cannot be read or written. What is wrong is said in one line."
)
_LONGEST_MESSAGE = 500
_GIVEN = "_given"  # the options of a namespace that were given


class _Parser(argparse.ArgumentParser):
    """The parser of cydp and of its commands. It takes no option of one value twice."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)

    def format_help(self) -> str:
        """Return the help, whose first lines have what must be given, and an example."""
        if self.usage is None:
            formatter = self._get_formatter()
            required = [action for action in self._actions if action.required]
            formatter.add_usage(None, required, [], "")
            words = [*formatter.format_help().split(), "[OPTION ...]"]
            usage = textwrap.fill(" ".join(words), 72, subsequent_indent="  ")
            self.usage = usage.replace("%", "%%")
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line and exit with 2."""
        lists = [action for action in self._actions if action.nargs == "+"]
        taken = [action.option_strings[0] for action in lists if action.option_strings]
        if taken and re.search(r"required: (FILE|PATH)", message):
            message += f" (before {' and '.join(taken)}, which take all words after them)"
        if message.endswith("required: COMMAND"):
            message += f" (`{self.prog} --help` lists them)"
        self.refuse(message, 2)

    def refuse(self, message: str, code: int, kind: str = "error") -> NoReturn:
        """Say what is wrong in one line and exit."""
        line = " ".join(message.split())
        shown = line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + " ..."
        self.exit(code, f"{self.prog}: {kind}: {shown}\n")


class _StoreOnce(argparse._StoreAction):
    """Stores a value once. Otherwise the last value would silently be used and charged."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        given = vars(namespace).setdefault(_GIVEN, set())
        if option_string is not None and self.dest in given:
            parser.error(f"{option_string} must be given once")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``cydp``; return the exit code."""
    parser = _make_parser()
    given = sys.argv[1:] if arguments is None else arguments
    joined = _join_values(given, *_options_of(parser))
    check_known(parser, joined)
    options, unknown = parser.parse_known_args(joined)
    if unknown:
        hint = one_word(parser, joined, unknown[0])
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
    # It may be closed: an answer could not be read, but would be paid for.
    if sys.stdout is None:
        parser.error("there is no standard output to write to")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may lack characters of an id
        sys.stdout.reconfigure(errors="backslashreplace")
    charge_id = getattr(options, "charge_id", None)
    try:
        code = int(options.run(options))
        sys.stdout.flush()
    except BudgetExceededError as error:
        parser.refuse(message_of(error, options), 1, "refused")
    except LedgerError as error:
        parser.refuse(message_of(error, options), 1)
    except (PrivacyError, TypeError, ValueError, ImportError) as error:
        parser.error(message_of(error, options))
    except KeyboardInterrupt as error:
        parser.refuse("interrupted" + charged_words(error, charge_id), 130)
    except OSError as error:
        # The rest of the buffer would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the output is read no further
            return 141  # the exit code of a shell for SIGPIPE
        parser.error(f"cannot write: {error.strerror}" + charged_words(error, charge_id))
    return code


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="cydp",
        **texts_of_help(
            "Exact noise, private histograms, budgets.",
            _EXIT_CODES,
            example=["cydp count examples/data/pums.csv --epsilon 1"],
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"cydp {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_commands(commands)
    _ledger.add_commands(commands)
    add_verify_release(commands)
    selftest = add_parser(
        commands, "selftest", "check the installed package", example=["cydp selftest"]
    )
    selftest.set_defaults(run=_selftest)
    return parser


def _options_of(parser: argparse.ArgumentParser) -> tuple[set[str], set[str]]:
    """Return all options of a parser and its commands, and those that take one value."""
    known: set[str] = set()
    with_value: set[str] = set()
    for action in parser._actions:
        known.update(action.option_strings)
        if action.nargs is None:
            with_value.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                more, more_with_value = _options_of(command)
                known |= more
                with_value |= more_with_value
    return known, with_value


def _join_values(arguments: Sequence[str], known: set[str], with_value: set[str]) -> list[str]:
    """Join values that may begin with a minus sign to their options by "=", for argparse."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in with_value and argument not in known:
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _selftest(options: argparse.Namespace) -> int:
    build = build_info()
    print(f"cydp {__version__}, {build['isa']} kernels, {build['compiler']}")
    failed = 0
    for name, holds in checks():
        print(f"{'ok    ' if holds else 'FAILED'}  {name}")
        failed += not holds
    return 1 if failed else 0
