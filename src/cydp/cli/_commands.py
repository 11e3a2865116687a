# SPDX-License-Identifier: MIT
"""The commands that release, such as ``cydp count``.

A command is an entry of `_COMMANDS`: its options are those of the signature of its release.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from cydp._columns.files import shown_files
from cydp._columns.times import sql_type_of_times
from cydp._columns.truncated import DateTrunc
from cydp.cli._arguments import ARGUMENTS, columns_of_keys, columns_of_times, numbers_by_column
from cydp.cli._options import add_post_processors, add_release
from cydp.cli._release import Request, release
from cydp.releases._contribution_bound import contribution_bound
from cydp.releases._count import count
from cydp.releases._group_by import group_by
from cydp.releases._histogram import histogram
from cydp.releases._histogramdd import histogramdd
from cydp.releases._mean import mean
from cydp.releases._quantile import median, quantile
from cydp.releases._sum import sum
from cydp.releases._top_k import top_k
from cydp.releases._value_counts import value_counts
from cydp.releases._variance import variance

__all__ = ["add_commands"]

_NUMBERS = "name of a numeric column"
_HELD = f"{_NUMBERS}, which is held in memory: some 24 bytes a row"
_LABELS = (
    "name of a column of labels; \"date_trunc('month', COLUMN)\" is the month of a column of times "
    "or its day, week, hour ..., and its keys are the first days"
)


@dataclass(frozen=True, slots=True)
class _Command:
    """A command that releases.

    Attributes
    ----------
    function : callable
        The release of the library.
    summary : str
        What it prints.
    column : str or None
        The help of ``--column``; None: the release names its columns by other arguments.
    example : str
        Its arguments in an example, but for the cost.
    optional : bool
        Whether the column may be left out, and all rows count.
    post_processed : bool
        Whether its counts may be made nonnegative, and sum to a total.

    """

    function: Callable[..., Any]
    summary: str
    column: str | None
    example: str
    optional: bool = False
    post_processed: bool = False

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return self.function.__name__.replace("_", "-")

    @property
    def parameters(self) -> list[str]:
        """The names of the arguments of the release."""
        return list(signature(self.function).parameters)

    @property
    def own(self) -> list[str]:
        """The arguments that not every release has, in the order of the signature."""
        return [name for name in self.parameters if name in ARGUMENTS]


_INCOME = "examples/data/pums.csv --column income --bounds 0:200000"
_VISITS = "examples/data/restaurant_week.csv"
_VISITORS = "--user VisitorId --max-partitions 2"
_COMMANDS = (
    _Command(
        histogram,
        "print a private histogram of a column, for each key if --by is given",
        _NUMBERS,
        "examples/data/pums.csv --column age --bins 10 --range 0:100",
        post_processed=True,
    ),
    _Command(
        histogramdd,
        "print private counts in the cells of several columns",
        None,
        "examples/data/pums.csv --column age --bins 0,18,65,100 --column income --bins 4 "
        "--range 0:200000",
        post_processed=True,
    ),
    _Command(
        count,
        "print a private count of rows, or of the entries of a column",
        "count the rows in which this column is not empty (default: all rows)",
        f"{_VISITS} --user VisitorId --max-rows 2",
        optional=True,
    ),
    *(
        _Command(function, f"print the private {name} of a column of numbers", _NUMBERS, _INCOME)
        for function, name in ((sum, "sum"), (mean, "mean"), (variance, "variance"))
    ),
    _Command(
        quantile,
        "print private quantiles of a column of numbers",
        _HELD,
        f"{_INCOME} --q 0.25,0.5,0.75",
    ),
    _Command(median, "print the private median of a column of numbers", _HELD, _INCOME),
    _Command(
        contribution_bound,
        "print how many rows, or keys, of a user keep a share of users or rows",
        None,
        f"{_VISITS} --user VisitorId --max 10 --share 0.9",
    ),
    _Command(
        value_counts,
        "print private counts of the values of a column",
        _LABELS,
        f"{_VISITS} --column Day --key-list 1,2,3,4,5,6,7 {_VISITORS}",
        post_processed=True,
    ),
    _Command(
        top_k,
        "print the most frequent values of a column, selected privately",
        _LABELS,
        f"{_VISITS} --column Day --k 3 --key-list 1,2,3,4,5,6,7",
    ),
    _Command(
        group_by,
        "print private counts, sums, means and quantiles for each key",
        None,
        f'{_VISITS} --by Day --key-list 1,2,3,4,5,6,7 --sum "Money spent (euros)":0:50 {_VISITORS}',
        post_processed=True,
    ),
)


def add_commands(commands: Any) -> None:
    """Add the commands to the parser."""
    for command in _COMMANDS:
        example = f"cydp {command.name} {command.example} --epsilon 1"
        parser, group = add_release(
            commands, command.name, command.summary, command.parameters, example=[example]
        )
        if command.column is not None:
            group.add_argument("--column", required=not command.optional, help=command.column)
        for add in (ARGUMENTS[name].add for name in command.own):
            if add is not None:
                add(group, command.own)
        if command.post_processed:
            add_post_processors(parser)
        parser.set_defaults(run=partial(_run, command))


def _run(command: _Command, options: argparse.Namespace) -> int:
    read = {name: ARGUMENTS[name].read for name in command.own}
    named = {name: each(options) for name, each in read.items() if each is not None}
    by = columns_of_keys(options)
    column: str | None = getattr(options, "column", None)
    numbers, labels = [*named.get("columns", ()), *numbers_by_column(options)], list(by or ())
    if column is not None and hasattr(options, "key_list") and not hasattr(options, "by"):
        (column,) = labels
    elif column is not None:
        is_numbers = not {"bins", "bounds"}.isdisjoint(command.own)
        (numbers if is_numbers else labels).append(column)
    times = columns_of_times(column, named) | {
        str(name.column): sql_type_of_times(has_zone=name.zone is not None)
        for name in labels
        if isinstance(name, DateTrunc)
    }
    request = Request(
        function=command.function,
        named=named,
        numbers=[name for name in numbers if name not in times],
        times=times,
        labels=[name for name in labels if not isinstance(name, DateTrunc)],
        column=column,
        every_row=command.optional and column is None,
        by=by if hasattr(options, "key_list") else None,
        keys="by_keys" if "by_keys" in command.own else "keys",
        label=_label_of(command, options, [column] if column else numbers or by or ["rows"]),
    )
    return release(options, request)


def _label_of(command: _Command, options: argparse.Namespace, columns: Sequence[str]) -> str:
    """Return what the ledger's history says of a release: what it is, and of what."""
    what = f"{command.name} of {', '.join(columns)} in {Path(shown_files(options.files)).name}"
    given = {name: getattr(options, name, None) for name in ("k", "q", "bins", "range", "bounds")}
    words = (f"{name} {_written(each)}" for name, each in given.items() if each is not None)
    where = [] if options.where is None else [f"where {options.where}"]
    return ", ".join([what, *words, *where])


def _written(given: Any) -> str:
    return " and ".join(given) if isinstance(given, list) else str(given)
