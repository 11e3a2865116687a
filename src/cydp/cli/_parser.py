# SPDX-License-Identifier: MIT
"""The parser of the command line: it says what is wrong in one line, and takes no option twice."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

__all__ = ["Parser"]

_LONGEST_MESSAGE = 500
_GIVEN = "_given"  # the options of a namespace that were given


class Parser(argparse.ArgumentParser):
    """A parser, of a command too, that refuses an option of one value that is given twice."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line and exit with 2."""
        self.refuse(message, 2)

    def refuse(self, message: str, code: int, kind: str = "error") -> NoReturn:
        """Say what is wrong in one line and exit."""
        line = " ".join(message.split())
        shown = line if len(line) <= _LONGEST_MESSAGE else line[:_LONGEST_MESSAGE] + " ..."
        self.exit(code, f"{self.prog}: {kind}: {shown}\n")


class _StoreOnce(argparse._StoreAction):
    """Stores a value. The last of several would win in silence, and be paid for."""

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
