# SPDX-License-Identifier: MIT
"""The commands that release, such as ``cydp count``, and ``cydp verify-release``, which checks."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from cydp._columns.file_errors import FileError
from cydp._version import __version__
from cydp.accounting._words import format_name
from cydp.cli._options import add_missing, add_parser, add_post_processors, add_release
from cydp.cli._payment import open_to_read
from cydp.cli._release import Request, release
from cydp.cli._specs import (
    read_by_column,
    read_edges,
    read_ends,
    read_names,
    read_qs,
    read_qs_by_column,
)
from cydp.releases._certificate import (
    read_certificate,
    wrong_in_certificate,
    wrong_in_ledger,
    wrong_in_release,
)
from cydp.releases._count import count
from cydp.releases._group_by import group_by
from cydp.releases._histogram import histogram
from cydp.releases._mean import mean
from cydp.releases._quantile import quantile
from cydp.releases._sum import sum

__all__ = ["add_commands", "add_verify_release"]

# Beside the releases; once imported, their queries can be built again.
_PACKAGES_OF_QUERIES = ("cydp.models", "cydp.publishing", "cydp.teach", "cydp.workloads")


def add_commands(commands: Any) -> None:
    """Add the commands to the parser."""
    _add_histogram(commands)
    _add_count(commands)
    _add_sum_and_mean(commands)
    _add_quantile(commands)
    _add_group_by(commands)


def _add_count(commands: Any) -> None:
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


def _add_sum_and_mean(commands: Any) -> None:
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
            "--bounds",
            required=True,
            metavar="LO:HI",
            help="numbers outside are clamped; chosen without looking at the data",
        )
        add_missing(parser)
        parser.set_defaults(run=partial(_release_number, function))


def _release_number(function: Callable[..., Any], options: argparse.Namespace) -> int:
    name = f"{function.__name__} of {options.column} in {Path(options.file).name}"
    request = Request(
        function=function,
        arguments=(read_ends(options.bounds),),
        numbers=[options.column],
        column=options.column,
        label=f"{name} from {options.bounds}",
    )
    return release(options, request)


def _add_histogram(commands: Any) -> None:
    parser = add_release(
        commands,
        "histogram",
        "print a private histogram of a column of a CSV or Parquet file",
        partitions="bins",
        example=["cydp histogram examples/data/pums.csv --column age --bins 0:100:10 --epsilon 1"],
    )
    parser.add_argument("--column", required=True, help="name of a numeric column")
    parser.add_argument(
        "--bins",
        required=True,
        metavar="LO:HI:STEP",
        help="equal bins, chosen without looking at the data",
    )
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


def _add_quantile(commands: Any) -> None:
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
        "--bounds",
        required=True,
        metavar="LO:HI",
        help="numbers outside are clamped; chosen without looking at the data",
    )
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


def _add_group_by(commands: Any) -> None:
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
        "--by",
        required=True,
        metavar="COLUMN[,COLUMN...]",
        help='the columns of keys; a name with a comma is written in quotes, "\\"a,b\\""',
    )
    keys = group.add_mutually_exclusive_group()
    keys.add_argument(
        "--keys",
        metavar="FILE",
        help="the public keys: a CSV or Parquet file with the columns of --by, by name, or if its "
        "first line does not have these names, by position and without a header; CSV has commas, "
        "whatever the --delimiter of FILE is. Without keys they are selected privately, which "
        "takes --epsilon and --delta, and memory for the columns that are used",
    )
    keys.add_argument(
        "--key-list", metavar="KEY[,KEY...]", help="the public keys of one column: mon,tue,wed"
    )
    group.add_argument("--no-count", action="store_true", help="do not count the rows of each key")
    group.add_argument(
        "--sum",
        action="append",
        default=[],
        metavar="COLUMN:LO:HI",
        help="the sum of a column of numbers, which are clamped to LO and HI; may be repeated",
    )
    group.add_argument(
        "--mean", action="append", default=[], metavar="COLUMN:LO:HI", help="the mean, likewise"
    )
    group.add_argument(
        "--quantile",
        action="append",
        default=[],
        metavar="COLUMN:Q:LO:HI",
        help="a quantile, or several as Q,Q,...; 0.5 is the median; may be repeated; takes memory "
        "for the column",
    )
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
        raise ValueError(
            "--no-count and --missing must not be given together with --mean, which "
            "is divided by the count"
        )
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


def add_verify_release(commands: Any) -> None:
    """Add ``verify-release`` to the parser."""
    parser = add_parser(
        commands,
        "verify-release",
        "check the certificate of a release, without data and without a network",
        "Exit codes: 0 all that was checked holds; 1 something does not hold; 2 a mistake "
        "in the command, or a file that cannot be read or is no certificate. A certificate is not "
        "signed: it holds together, and with --ledger the release was paid for, but it does not "
        "say which data were read.",
        example=[
            "cydp histogram examples/data/pums.csv --column age --bins 0:100:10 --epsilon 1 "
            "--output ages.json --certificate ages.cert",
            "cydp verify-release ages.cert --release ages.json",
        ],
    )
    parser.add_argument(
        "certificate",
        metavar="CERTIFICATE",
        help="what --certificate writes, or JSON of release.certificate() in Python",
    )
    parser.add_argument(
        "--release",
        metavar="FILE",
        help="what was released: what --output FILE.json writes, or release.to_json() in Python",
    )
    parser.add_argument("--ledger", metavar="PATH", help="the ledger that has paid")
    parser.set_defaults(run=_verify_release)


def _verify_release(options: argparse.Namespace) -> int:
    certificate = read_certificate(_read(options.certificate))
    released = None if options.release is None else _read(options.release)
    for package in _PACKAGES_OF_QUERIES:
        import_module(package)
    wrong = wrong_in_certificate(certificate)
    checked = ["the certificate holds together: loss and scales follow from its parameters"]
    if released is not None:
        wrong += wrong_in_release(certificate, released)
        checked.append("the release is the one of the certificate")
    if options.ledger is not None and not wrong:
        with open_to_read(options.ledger) as ledger:
            wrong += wrong_in_ledger(certificate, ledger)
        checked.append("the ledger is whole, and has the entry that paid for the release")
    version = certificate.get("version")
    if version != __version__:
        print(f"note: made by cydp {format_name(str(version))}, checked by cydp {__version__}")
    for sentence in wrong:
        print(f"does not hold: {sentence}")
    if wrong:
        return 1
    for sentence in checked:
        print(f"ok: {sentence}")
    return 0


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise FileError(f"cannot read {path}: {reason}") from None
