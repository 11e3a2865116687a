# SPDX-License-Identifier: MIT
"""``cydp histogram``: a private histogram of a column of a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cydp.cli._options import add_post_processors, add_release
from cydp.cli._release import Request, release
from cydp.cli._specs import read_edges
from cydp.releases._histogram import histogram

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_release(
        commands,
        "histogram",
        "print a private histogram of a column of a CSV or Parquet file",
        partitions="bins",
        example=["cydp histogram examples/data/pums.csv --column age --bins 0:100:10 --epsilon 1"],
    )
    parser.add_argument("--column", required=True, help="name of a numeric column")
    parser.add_argument(
        "--bins", required=True, metavar="LO:HI:STEP",
        help="equal bins, chosen without looking at the data",
    )  # fmt: skip
    add_post_processors(parser)
    parser.set_defaults(run=_histogram)


def _histogram(options: argparse.Namespace) -> int:
    request = Request(
        function=histogram,
        arguments=(read_edges(options.bins),),
        numbers=[options.column],
        column=options.column,
        label=f"histogram of {options.column} in {Path(options.file).name} by {options.bins}",
    )
    return release(options, request)
