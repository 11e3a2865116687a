# SPDX-License-Identifier: MIT
"""``cydp sum`` and ``cydp mean``: of a column of numbers that are clamped to bounds."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from cydp.cli._options import add_missing, add_release
from cydp.cli._release import Request, release
from cydp.cli._specs import read_ends
from cydp.releases._mean import mean
from cydp.releases._sum import sum

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    """Add the commands to the parser."""
    for function in (sum, mean):
        name = function.__name__
        parser = add_release(
            commands,
            name,
            f"print the private {name} of a column of numbers",
            example=[
                f"cydp {name} examples/data/pums.csv --column income --bounds 0:200000 --epsilon 1"
            ],
        )
        parser.add_argument("--column", required=True, help="name of a numeric column")
        parser.add_argument(
            "--bounds", required=True, metavar="LO:HI",
            help="numbers outside are clamped; chosen without looking at the data",
        )  # fmt: skip
        add_missing(parser)
        parser.set_defaults(run=partial(_release, function))


def _release(function: Callable[..., Any], options: argparse.Namespace) -> int:
    name = f"{function.__name__} of {options.column} in {Path(options.file).name}"
    request = Request(
        function=function,
        arguments=(read_ends(options.bounds),),
        numbers=[options.column],
        column=options.column,
        label=f"{name} from {options.bounds}",
    )
    return release(options, request)
