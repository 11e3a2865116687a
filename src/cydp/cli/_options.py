# SPDX-License-Identifier: MIT
"""The options that the commands of releases share."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from cydp._numbers.rational import read_exact
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.cli._specs import read_head, read_name

__all__ = [
    "BUDGETS",
    "add_budget",
    "add_head",
    "add_parser",
    "add_post_processors",
    "add_release",
    "heads_of",
    "read_budget",
    "read_count",
    "read_place",
    "texts_of_help",
]


_ORDER = (
    "All arguments, the outputs, the ledger, the file and its columns are checked; then the "
    "ledger is charged durably; then the values are read. What was charged stays charged, "
    "whatever happens afterwards."
)
_CSV = (
    "In a CSV file a value that is no number, date or time counts as missing, so a column in "
    "which nothing is a number gives pure noise. Users are compared as text, and so are keys, "
    "unless all of a column are written as numbers are: 1 is 1.0 and 01 then. An empty cell is "
    "missing."
)


def texts_of_help(summary: str, *paragraphs: str, example: Sequence[str]) -> dict[str, str]:
    """Return the beginning of a help, with an example of one or several commands, and its end."""
    lines = "\n".join(f"  {line}" for line in example)
    return {
        "description": f"{summary}\n\nExample:\n{lines}",
        "epilog": "\n\n".join(textwrap.fill(text, 79) for text in paragraphs),
    }


def add_parser(
    commands: Any,
    name: str,
    summary: str,
    *paragraphs: str,
    example: Sequence[str],
    aliases: Sequence[str] = (),
) -> argparse.ArgumentParser:
    """Add a command; its help begins with an example."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        aliases=aliases,
        **texts_of_help(f"{summary[0].upper()}{summary[1:]}.", *paragraphs, example=example),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def add_release(
    commands: Any, name: str, summary: str, parameters: Sequence[str], *, example: Sequence[str]
) -> tuple[argparse.ArgumentParser, Any]:
    """Add a command that releases something of a file, with the options that all of these share.

    It returns the parser, and its group for what is released.

    Parameters
    ----------
    commands : subparsers
    name, summary : str
    parameters : list of str
        The names of the arguments of the release: which bounds it has for the rows of a user.
    example : list of str

    """
    parser = add_parser(commands, name, summary, _ORDER, _CSV, example=example)
    _add_file(parser)
    group = parser.add_argument_group("what is released")
    _add_privacy(parser)
    _add_unit(parser, parameters)
    _add_ledger(parser)
    _add_output(parser)
    return parser, group


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="*.parquet and *.pq are read as Parquet, *.gz as compressed CSV, *.tsv as CSV with "
        "tabs, others as CSV; several files with the same columns are one table, and 'data/*.csv' "
        "names several; - is CSV or Parquet from the standard input, of which a temporary copy is "
        "made",
    )
    group = parser.add_argument_group("file")
    group.add_argument(
        "--format",
        dest="file_format",
        choices=("csv", "parquet"),
        help="read FILE as this, whatever its name is",
    )
    group.add_argument(
        "--delimiter",
        type=_read_delimiter,
        metavar="C",
        help=r"what separates the columns of a CSV file: one character, or \t (default: a comma; a "
        "tab for *.tsv)",
    )
    group.add_argument(
        "--where",
        metavar="CONDITION",
        help="read only the rows that satisfy this, such as \"age >= 18 and country = 'DE'\": "
        "columns are compared with constants by = != < <= > >=, in (...), between, like and is "
        "null, joined by and, or and not; it is public, and recorded with the charge",
    )


def _add_privacy(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "privacy",
        "--epsilon alone, --epsilon with --delta, or --rho; for keys that are not public "
        "--epsilon or --rho with --delta",
    )
    group.add_argument(
        "--epsilon", metavar="E", help="cost of the release: 1, 0.1, 1/3 ... (pure DP)"
    )
    group.add_argument("--delta", metavar="D", help="approximate DP, or zCDP")
    group.add_argument("--rho", metavar="R", help="zero-concentrated DP")
    group.add_argument(
        "--relation",
        help="what neighbours differ in: add-remove, change-one or add-remove-or-change (default: "
        "the ledger's; add-remove without one)",
    )


def _add_unit(parser: argparse.ArgumentParser, parameters: Sequence[str]) -> None:
    group = parser.add_argument_group("who is protected (default: a row)")
    group.add_argument(
        "--user", metavar="COLUMN", help="the column that says whose row each one is"
    )
    group.add_argument(
        "--unit",
        nargs="+",
        type=read_name,
        metavar="NAME",
        help="what a value of that column stands for, in the ledger's words, such as person, and "
        "the units within one (default: the name of the column); write FILE before it",
    )
    partitions = "bins" if "bins" in parameters else "keys"
    bounds = {
        "max_rows": "needed with --user: how many rows of each user count, chosen at random; in "
        "sums, means and variances all do, worth so many at most",
        "max_partitions": f"needed with --user: in how many {partitions} each user counts, chosen "
        "at random",
        "max_rows_per_partition": f"with --user: how many rows of a user count in each of the "
        f"{partitions} (default: 1)",
    }
    if "max_partitions" in parameters:
        bounds["max_rows"] = (
            f"instead of --max-partitions: how many rows of each user count, in all {partitions} "
            "together"
        )
    for name in (each for each in parameters if each in bounds):
        option = f"--{name.replace('_', '-')}"
        group.add_argument(option, type=read_count, metavar="K", help=bounds[name])
    if "max_rows_per_unit" in parameters:
        group.add_argument(
            "--max-rows-per-unit",
            type=read_count,
            metavar="K",
            help="instead of --user: your promise that no person, or whatever the unit of the "
            "ledger is, has more than K rows in FILE; the noise grows with K",
        )


def _add_ledger(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("budget")
    group.add_argument("--ledger", metavar="PATH", help="the ledger that pays")
    add_head(group)
    group.add_argument(
        "--blocks", nargs="+", action="extend", type=read_name, metavar="ID",
        help="the blocks of the ledger that pay, each in full; only their rows are read, by the "
        "--block-column of the ledger (--blocks=-1 for an id that begins with a minus sign); write "
        "FILE before it",
    )  # fmt: skip
    group.add_argument(
        "--file-in-blocks",
        action="store_true",
        help="with --blocks: your promise that all rows of FILE lie in these blocks, so that FILE "
        "is read whole and needs no column of blocks",
    )
    group.add_argument(
        "--account",
        type=read_name,
        metavar="NAME",
        help="the account of the ledger that pays (`cydp ledger open-account`)",
    )
    group.add_argument(
        "--label",
        metavar="TEXT",
        help="what the ledger's history says of the release (default: what it is, and of what)",
    )
    group.add_argument(
        "--charge-id",
        metavar="ID",
        help="makes the command safe to repeat: a repetition prints what was released before, and "
        "charges nothing",
    )
    group.add_argument(
        "--data-version",
        metavar="TEXT",
        help="with --charge-id, your name for what is in FILE (default: none). A repetition with "
        "another is refused, and one with another FILE, by its absolute path, or other columns",
    )
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="print what the release would do and cost, and whether the ledger would pay; no value "
        "is read and nothing is charged",
    )
    group.add_argument(
        "--rows",
        type=read_count,
        metavar="N",
        help="with --dry-run, how many rows there are, of each key for group-by: the error of a "
        "mean depends on it",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json",
        action="store_true",
        help="print the release as JSON, with the ledger's state beside it",
    )
    group.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help="write the release to *.csv, *.parquet or *.json as well; may be repeated",
    )
    group.add_argument(
        "--plot",
        metavar="FILE",
        help="draw the first column of the table (of group-by: the count, if there is one) to "
        "*.png, *.svg or *.pdf, with intervals as error bars where it has them; quantiles have "
        "none, and their error is said in words",
    )
    group.add_argument(
        "--certificate",
        metavar="FILE",
        help="write what `cydp verify-release FILE --release RELEASE.json` checks",
    )
    group.add_argument(
        "--force", action="store_true", help="replace files that exist (default: refuse)"
    )
    group.add_argument(
        "--confidence",
        metavar="C",
        help="the probability with which the errors hold, and the intervals of *.csv and *.parquet "
        "(default: 0.95)",
    )
    group.add_argument(
        "--simultaneous",
        action="store_true",
        help="print the error that holds for all cells together, not for each",
    )


def add_head(parser: Any) -> None:
    """Add ``--head``: a head that the ledger has or had."""
    parser.add_argument(
        "--head",
        type=read_head,
        metavar="SEQ:HASH",
        help="the head that another command printed: an older copy of the ledger is refused",
    )
    parser.add_argument(
        "--head-file",
        metavar="FILE",
        help="a file that keeps the head that was seen last: an older copy is refused",
    )


def heads_of(options: argparse.Namespace) -> dict[str, Any]:
    """Return the heads that a ledger must have, as `BudgetLedger.open` takes them."""
    return {"expect_head": options.head, "head_file": options.head_file}


def add_post_processors(parser: argparse.ArgumentParser) -> None:
    """Add ``--nonnegative`` and ``--total``, which change released counts."""
    group = parser.add_argument_group("post-processing of the counts, which makes them biased")
    group.add_argument(
        "--nonnegative",
        action="store_true",
        help="the nearest counts that are not negative, with the same total",
    )
    group.add_argument(
        "--total",
        type=_read_total,
        metavar="N",
        help="whole numbers that sum to N, which must be public or released: the number of rows is "
        "private",
    )


def read_count(given: str) -> int:
    return _read_int(given, 1)


def read_place(given: str) -> int:
    return _read_int(given, 0)


def _read_total(given: str) -> int:
    number = None
    with suppress(ValueError):
        number = read_exact(given, "N")  # 1e3 too, as other numbers
    if number is None or number.denominator != 1 or not 0 <= number < 10**18:
        raise argparse.ArgumentTypeError(
            f"must be a whole number of at least 0, not {given[:40]!r}"
        )
    return int(number)


def _read_int(given: str, least: int) -> int:
    if not (given.isascii() and given.isdigit() and len(given) <= 18) or int(given) < least:
        raise argparse.ArgumentTypeError(
            f"must be a whole number of at least {least}, not {given[:40]!r}"
        )
    return int(given)


def _read_delimiter(given: str) -> str:
    delimiter = "\t" if given == r"\t" else given
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise argparse.ArgumentTypeError(
            r"must be one character, or \t, and neither a quote nor the end of a line"
        )
    return delimiter


BUDGETS = "--epsilon or --rho, alone or with --delta"


def add_budget(parser: Any, title: str) -> None:
    """Add ``--epsilon``, ``--delta`` and ``--rho``."""
    group = parser.add_argument_group(title)
    group.add_argument("--epsilon", metavar="E", help="pure, or with --delta approximate, DP")
    group.add_argument("--delta", metavar="D")
    group.add_argument(
        "--rho", metavar="R", help="zero-concentrated, or with --delta approximate zCDP"
    )


def read_budget(options: argparse.Namespace) -> Loss | None:
    """Return the loss; None if no option is given; a ValueError for others together."""
    epsilon, delta, rho = options.epsilon, options.delta, options.rho
    if rho is not None and epsilon is None:
        if delta is None:
            return ZCDP(rho)
        return ApproxZCDP(read_exact(rho, "rho"), read_exact(delta, "delta"))
    if epsilon is not None and rho is None:
        if delta is None:
            return PureDP(epsilon)
        return ApproxDP(read_exact(epsilon, "epsilon"), read_exact(delta, "delta"))
    if delta is None and rho is None:
        return None
    raise ValueError(f"the budget must be {BUDGETS}")
