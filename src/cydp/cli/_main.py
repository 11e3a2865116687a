# SPDX-License-Identifier: MIT
"""The command line: arguments in, the public API, text or JSON out."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from cydp._build import build_info
from cydp._selftest import checks
from cydp._version import __version__
from cydp.accounting._errors import PrivacyError
from cydp.cli import _histogram, _ledger, _verify_release

__all__ = ["main"]

_EXIT_CODES = (
    "Exit codes: 0 done; 1 refused by a budget or a ledger, and nothing charged; 2 a mistake in "
    "the command, or a file that cannot be read or written. What is wrong is said in one line."
)
_LONGEST_MESSAGE = 500

# Options whose values may begin with a minus sign.
_TAKE_A_VALUE = {
    "--bins", "--column", "--delta", "--dim", "--epsilon", "--ledger", "--privacy-unit", "--rho",
}  # fmt: skip
_POSITIONAL = {"block": "ID", "file": "FILE", "path": "PATH"}

# Words of messages for users of Python, and for users of the command line.
_IN_PYTHON = {
    "open a ledger with BudgetLedger.open, or choose another path": "choose another path",
    "no BudgetLedger.create has made this file": "`cydp ledger create` has not made this file",
    "create a ledger there first": "create a ledger there first by `cydp ledger create`",
    "open it with BudgetLedger.open, if you mean the new ledger": "repeat the command, if you mean "
    "the new ledger",
    "without permission to write to it, open it with read_only=True": "permission to write to it "
    "is needed",
    "with by_block=True": "by `cydp ledger create --by-block`",
    "expect_head": "--head",
    "give user=, or promise with max_rows_per_unit=k": "promise with --max-rows-per-unit=k",
}
_LOSS = re.compile(r"\b(?:PureDP|ApproxDP|ZCDP)\(((?:epsilon|rho)=[^()]*)\)")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line and exit with 2."""
        self.refuse(message, 2)

    def refuse(self, message: str, code: int) -> NoReturn:
        """Say what is wrong in one line and exit."""
        line = " ".join(message.split())
        shown = line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + " ..."
        self.exit(code, f"{self.prog}: error: {shown}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``cydp``; return the exit code."""
    parser = _make_parser()
    options = parser.parse_args(_join_values(sys.argv[1:] if arguments is None else arguments))
    if (
        sys.stdout is None
    ):  # it is closed, so that an answer could not be read, but would be paid for
        parser.error("there is no standard output to write to")
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may lack characters of an id
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = int(options.run(options))
        sys.stdout.flush()
    except PrivacyError as error:
        parser.refuse(_translate(str(error), options), 1)
    except (TypeError, ValueError) as error:
        parser.error(_translate(str(error), options))
    except KeyboardInterrupt:
        parser.refuse("interrupted", 130)
    except OSError as error:
        # The rest of the buffer would fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the output is read no further
            return 141  # the exit code of a shell for SIGPIPE
        parser.error(f"cannot write: {error.strerror}")
    return code


def _make_parser() -> _Parser:
    parser = _Parser(
        prog="cydp", description="Exact noise, private histograms, budgets.", epilog=_EXIT_CODES
    )
    parser.add_argument("--version", action="version", version=f"cydp {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _histogram.add_command(commands)
    _ledger.add_commands(commands)
    _verify_release.add_command(commands)
    selftest = commands.add_parser("selftest", help="check the installed package")
    selftest.set_defaults(run=_selftest)
    return parser


def _translate(message: str, options: argparse.Namespace) -> str:
    """Return a message of the library with the options and commands of the command line."""
    for python, command in _IN_PYTHON.items():
        message = message.replace(python, command)
    message = _LOSS.sub(r"\1", message)
    name, must, rest = message.partition(" must ")
    if not must:
        return message
    if name == "path" and not hasattr(options, name):  # the path of a ledger beside FILE
        name = "ledger"
    if not hasattr(options, name):
        return message
    shown = _POSITIONAL.get(name) or f"--{name.replace('_', '-')}"
    return f"{shown} must {rest}"


def _join_values(arguments: Sequence[str]) -> list[str]:
    """Join values that may begin with a minus sign to their options by "=", for argparse."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in _TAKE_A_VALUE:
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
