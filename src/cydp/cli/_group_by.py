# SPDX-License-Identifier: MIT
"""``cydp group-by``: private counts, sums, means and quantiles for each key."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cydp.cli._options import add_missing, add_post_processors, add_release
from cydp.cli._release import Request, release
from cydp.cli._specs import read_by_column, read_names, read_qs_by_column
from cydp.releases._group_by import group_by

__all__ = ["add_command"]


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_release(
        commands,
        "group-by",
        "print private counts, sums, means and quantiles for each key",
        partitions="keys",
        example=[
            "cydp group-by examples/data/restaurant_week.csv --by Day --key-list 1,2,3,4,5,6,7 "
            '--sum "Money spent (euros)":0:50 --user VisitorId --max-partitions 2 --epsilon 1'
        ],
    )
    group = parser.add_argument_group("what is released")
    group.add_argument(
        "--by", required=True, metavar="COLUMN[,COLUMN...]",
        help='the columns of keys; a name with a comma is written in quotes, "\\"a,b\\""',
    )  # fmt: skip
    keys = group.add_mutually_exclusive_group()
    keys.add_argument(
        "--keys", metavar="FILE",
        help="the public keys: a CSV or Parquet file with the columns of --by, by name, or if its "
        "first line does not have these names, by position and without a header; CSV has commas, "
        "whatever the --delimiter of FILE is. Without keys they are selected privately, which "
        "takes --epsilon and --delta, and memory for the columns that are used",
    )  # fmt: skip
    keys.add_argument(
        "--key-list", metavar="KEY[,KEY...]", help="the public keys of one column: mon,tue,wed"
    )
    group.add_argument("--no-count", action="store_true", help="do not count the rows of each key")
    group.add_argument(
        "--sum", action="append", default=[], metavar="COLUMN:LO:HI",
        help="the sum of a column of numbers, which are clamped to LO and HI; may be repeated",
    )  # fmt: skip
    group.add_argument(
        "--mean", action="append", default=[], metavar="COLUMN:LO:HI", help="the mean, likewise"
    )
    group.add_argument(
        "--quantile", action="append", default=[], metavar="COLUMN:Q:LO:HI",
        help="a quantile, or several as Q,Q,...; 0.5 is the median; may be repeated; takes memory "
        "for the column",
    )  # fmt: skip
    add_missing(group)
    add_post_processors(parser)
    parser.set_defaults(run=_group_by)


def _group_by(options: argparse.Namespace) -> int:
    by = read_names(options.by, "--by")
    if len(set(by)) < len(by):
        raise ValueError("--by must name each column once, and one is named twice")
    if options.key_list is not None and len(by) > 1:
        raise ValueError(
            "--key-list is for one column of --by: give several columns by --keys FILE"
        )
    sums, means = read_by_column(options.sum, "--sum"), read_by_column(options.mean, "--mean")
    quantiles = read_qs_by_column(options.quantile)
    if options.no_count and not (sums or means or quantiles):
        raise ValueError("--no-count needs --sum, --mean or --quantile: nothing would be released")
    if options.no_count and means and options.missing != "drop":
        raise ValueError("--no-count and --missing must not be given together with --mean, which "
                         "is divided by the count")  # fmt: skip
    if options.no_count and (options.nonnegative or options.total is not None):
        raise ValueError("--nonnegative and --total are for counts: leave --no-count out")
    request = Request(
        function=group_by,
        arguments=(by,),
        named={"count": not options.no_count, "sums": sums, "means": means, "quantiles": quantiles},
        numbers=list(dict.fromkeys([*sums, *means, *quantiles])),
        labels=by,
        by=by,
        label=f"group-by {options.by} in {Path(options.file).name}",
    )
    return release(options, request)
