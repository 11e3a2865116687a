# SPDX-License-Identifier: MIT
"""``cydp quantile``: private quantiles of a column of numbers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cydp.cli._options import add_missing, add_release
from cydp.cli._release import Request, release
from cydp.cli._specs import read_ends, read_qs
from cydp.releases._quantile import quantile

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_release(
        commands,
        "quantile",
        "print private quantiles of a column of numbers, such as the median",
        example=[
            "cydp quantile examples/data/pums.csv --column income --q 0.5 --bounds 0:200000 "
            "--epsilon 1"
        ],
    )
    parser.add_argument(
        "--column",
        required=True,
        help="name of a numeric column, which is held in memory: some 24 bytes a row",
    )
    parser.add_argument(
        "--q", required=True, metavar="Q[,Q...]", help="which: 0.5 is the median; 0.25,0.5,0.75"
    )
    parser.add_argument(
        "--bounds", required=True, metavar="LO:HI",
        help="numbers outside are clamped; chosen without looking at the data",
    )  # fmt: skip
    add_missing(parser)
    parser.set_defaults(run=_quantile)


def _quantile(options: argparse.Namespace) -> int:
    request = Request(
        function=quantile,
        arguments=(read_qs(options.q), read_ends(options.bounds)),
        numbers=[options.column],
        column=options.column,
        label=f"quantile {options.q} of {options.column} in {Path(options.file).name}",
    )
    return release(options, request)
