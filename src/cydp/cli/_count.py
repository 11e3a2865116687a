# SPDX-License-Identifier: MIT
"""``cydp count``: a private count of the rows of a file, or of the entries of a column."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cydp.cli._options import add_release
from cydp.cli._release import Request, release
from cydp.releases._count import count

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_release(
        commands,
        "count",
        "print a private count of rows, or of the entries of a column",
        example=[
            "cydp count examples/data/restaurant_week.csv --user VisitorId --max-rows 2 --epsilon 1"
        ],
    )
    parser.add_argument(
        "--column", help="count the rows in which this column is not empty (default: all rows)"
    )
    parser.set_defaults(run=_count)


def _count(options: argparse.Namespace) -> int:
    what = "rows" if options.column is None else options.column
    request = Request(
        function=count,
        labels=[] if options.column is None else [options.column],
        column=options.column,
        every_row=options.column is None,
        label=f"count of {what} in {Path(options.file).name}",
    )
    return release(options, request)
