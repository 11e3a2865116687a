# SPDX-License-Identifier: MIT
"""The arguments of releases as options: how each is asked for, and how it is read.

A command has the options of the parameters in the signature of its release, so `ARGUMENTS` says
once what an argument is on the command line. Those that all releases share are in `_options.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from cydp._columns.times import sql_type_of_times
from cydp.cli._options import read_count
from cydp.cli._specs import (
    are_times,
    has_zone,
    read_bins,
    read_by_column,
    read_columns,
    read_ends,
    read_pairs,
    read_qs,
    read_qs_by_column,
)
from cydp.releases._quantile_list import Method

__all__ = ["ARGUMENTS", "columns_of_keys", "columns_of_times", "numbers_by_column"]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a release on the command line.

    Attributes
    ----------
    add : callable or None
        Adds its options to a parser, for a release with arguments of these names. None: another
        argument adds them.
    read : callable or None
        Returns the argument from the options; None: it is read by another one, or from a file.

    """

    add: Callable[[Any, Sequence[str]], None] | None
    read: Callable[[argparse.Namespace], Any] | None = None


def columns_of_keys(options: argparse.Namespace) -> list[str] | None:
    """Return the columns that have the keys of a command; None if there are none."""
    if not hasattr(options, "by"):
        return _one_column(options.column) if hasattr(options, "key_list") else None
    if options.by is None:
        if (getattr(options, "keys", None), getattr(options, "key_list", None)) != (None, None):
            raise ValueError("--keys and --key-list need --by: the columns of the keys")
        return None
    found = [name for spec in options.by for name in read_columns(spec, "--by")]
    if len(set(found)) < len(found):
        raise ValueError("--by must name each column once, and one is named twice")
    return found


def _one_column(spec: str) -> list[str]:
    """Return the column of labels that is named as it is, or is a part of times."""
    return read_columns(spec, "--column") if spec.startswith("date_trunc(") else [spec]


def _read_by(options: argparse.Namespace) -> Any:
    """Return the columns of keys: the name of a single one, whose keys are a list."""
    found = columns_of_keys(options)
    return found[0] if found is not None and len(found) == 1 else found


def numbers_by_column(options: argparse.Namespace) -> list[str]:
    """Return the columns of numbers that are summed up for each key."""
    if not hasattr(options, "sum"):
        return []
    sums, means = _by_column("sum")(options), _by_column("mean")(options)
    return list(dict.fromkeys([*sums, *means, *read_qs_by_column(options.quantile)]))


def columns_of_times(column: str | None, named: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns whose bins or bounds are dates or times, and the type they are read as."""
    if "columns" in named:
        given = zip(named["columns"], named["bins"], named["range"], strict=True)
        ends = {name: each for name, *each in given}
    elif column is not None:
        ends = {column: [named.get(name) for name in ("bins", "range", "bounds")]}
    else:
        quantiles = named.get("quantiles") or {}
        ends = {name: [bounds] for name, (_, bounds) in quantiles.items()}
    return {
        name: sql_type_of_times(has_zone=any(map(has_zone, each)))
        for name, each in ends.items()
        if any(map(are_times, each))
    }


def _option(name: str, **about: Any) -> Callable[[Any, Sequence[str]], None]:
    def add(parser: Any, own: Sequence[str]) -> None:
        parser.add_argument(name, **about)

    return add


def _add_split(parser: Any, own: Sequence[str]) -> None:
    counts = "n" if "by" in own else "count"
    parser.add_argument(
        "--split",
        action="append",
        default=[],
        metavar="NAME=WEIGHT",
        help=f"the weight of a part in the privacy, such as {counts}=3 (default: 1 each); may be "
        "repeated",
    )


def _by_column(name: str) -> Callable[[argparse.Namespace], Any]:
    def read(options: argparse.Namespace) -> Any:
        return read_by_column(getattr(options, name), f"--{name}")

    return read


def _add_columns(parser: Any, own: Sequence[str]) -> None:
    parser.add_argument(
        "--column",
        dest="columns",
        action="append",
        required=True,
        metavar="COLUMN",
        help="name of a numeric column; one for each dimension",
    )


def _add_bins(parser: Any, own: Sequence[str]) -> None:
    several = "columns" in own
    each = {"action": "append"} if several else {}
    parser.add_argument(
        "--bins",
        required=True,
        metavar="N | WIDTH | EDGE,EDGE,...",
        help="how many equal bins, over --range; their width in time, such as 1d or 1mo; or their "
        "edges, such as 0,18,65,100"
        + ("; once for all columns, or once for each in their order" if several else ""),
        **each,
    )
    parser.add_argument(
        "--range",
        metavar="LO:HI",
        help="the ends of the bins, chosen without looking at the data; dates are written as "
        "2024-01-01:2024-02-01, times with colons as LO..HI"
        + ("; once for all columns whose --bins has no edges, or once for each" if several else ""),
        **each,
    )


def _read_columns(options: argparse.Namespace) -> list[str]:
    names: list[str] = options.columns
    if len(set(names)) < len(names):
        raise ValueError("--column must name each column once, and one is named twice")
    return names


def _read_bins(options: argparse.Namespace) -> Any:
    if isinstance(options.bins, str):
        return read_bins(options.bins)
    return _for_each(
        [read_bins(spec) for spec in options.bins], len(options.columns), "--bins", "columns"
    )


def _read_range(options: argparse.Namespace) -> Any:
    """Return the ends of the bins that are given by their number, which need them."""
    bins, given = _read_bins(options), options.range
    several = isinstance(bins, list) and isinstance(options.bins, list)
    counted = [isinstance(each, int | str) for each in (bins if several else [bins])]
    if given is None and any(counted):
        raise ValueError("--range must be given unless --bins has the edges: --range 0:100")
    if given is not None and not any(counted):
        raise ValueError("--range must be left out if --bins has the edges")
    if not several:
        return None if given is None else read_ends(given, "--range")
    ends = [read_ends(spec, "--range") for spec in given or ()]
    left = iter(
        _for_each(ends, sum(counted), "--range", "columns whose --bins has no edges")
        if given
        else ()
    )
    return [next(left) if is_number else None for is_number in counted]


def _for_each(given: list[Any], size: int, option: str, what: str) -> list[Any]:
    """Return one value for each of some columns, from as many values, or from a single one."""
    if len(given) not in (1, size):
        raise ValueError(
            f"{option} must be given once, or once for each of the {size} {what}, not "
            f"{len(given)} times"
        )
    return given * size if len(given) < size else given


def _add_by(parser: Any, own: Sequence[str]) -> None:
    parser.add_argument(
        "--by",
        action="append",
        required="keys" in own,
        metavar="COLUMN[,COLUMN...]",
        help="the columns of keys; may be repeated; a name with a comma is written in quotes, "
        '"\\"a,b\\""; "date_trunc(\'month\', COLUMN)" is the month of a column of times, or its '
        "day, week, hour ..., and its keys are the first days",
    )


def _add_keys(parser: Any, own: Sequence[str]) -> None:
    keys = parser.add_mutually_exclusive_group()
    keys.add_argument(
        "--keys",
        metavar="FILE",
        help="the public keys: a CSV or Parquet file with the columns of the keys, by name, or if "
        "its first line does not have these names, by position and without a header; CSV has "
        "commas, whatever the --delimiter of FILE is. Where keys may be left out they are selected "
        "privately, which takes --epsilon and --delta, and memory for the columns that are used",
    )
    keys.add_argument(
        "--key-list",
        action="append",
        metavar="KEY[,KEY...]",
        help="the public keys of a column: mon,tue,wed, without blanks around them, and no range "
        "such as 1-7; with several columns once for each, in their order, and all combinations are "
        "keys",
    )


def _add_summaries(parser: Any, own: Sequence[str]) -> None:
    parser.add_argument("--no-count", action="store_true", help="do not count the rows of each key")
    parser.add_argument(
        "--sum",
        action="append",
        default=[],
        metavar="COLUMN:LO:HI",
        help="the sum of a column of numbers, which are clamped to LO and HI; may be repeated",
    )
    parser.add_argument(
        "--mean", action="append", default=[], metavar="COLUMN:LO:HI", help="the mean, likewise"
    )
    parser.add_argument(
        "--quantile",
        action="append",
        default=[],
        metavar="COLUMN:Q:LO:HI",
        help="a quantile, or several as Q,Q,...; 0.5 is the median; may be repeated; takes memory "
        "for the column",
    )


def _read_count(options: argparse.Namespace) -> bool:
    summed = options.sum or options.mean or options.quantile
    if options.no_count and not summed:
        raise ValueError("--no-count needs --sum, --mean or --quantile: nothing would be released")
    if options.no_count and options.mean and options.missing != "drop":
        raise ValueError(
            "--no-count and --missing must not be given together with --mean, which "
            "is divided by the count"
        )
    if options.no_count and (options.nonnegative or options.total is not None):
        raise ValueError("--nonnegative and --total are for counts: leave --no-count out")
    return not options.no_count


ARGUMENTS: dict[str, Argument] = {
    "columns": Argument(_add_columns, _read_columns),
    "k": Argument(
        _option("--k", required=True, type=read_count, help="how many keys are selected"),
        lambda options: options.k,
    ),
    "q": Argument(
        _option(
            "--q",
            required=True,
            metavar="Q[,Q...]",
            help="which: 0.5 is the median; 0.25,0.5,0.75",
        ),
        lambda options: read_qs(options.q),
    ),
    "bounds": Argument(
        _option(
            "--bounds",
            required=True,
            metavar="LO:HI",
            help="numbers or dates outside are clamped; chosen without looking at the data",
        ),
        lambda options: read_ends(options.bounds),
    ),
    "bins": Argument(_add_bins, _read_bins),
    "range": Argument(None, _read_range),
    "by": Argument(_add_by, _read_by),
    "keys": Argument(_add_keys),
    "by_keys": Argument(_add_keys),
    "count": Argument(_add_summaries, _read_count),
    "sums": Argument(None, _by_column("sum")),
    "means": Argument(None, _by_column("mean")),
    "quantiles": Argument(None, lambda options: read_qs_by_column(options.quantile)),
    "max": Argument(
        _option(
            "--max",
            required=True,
            type=read_count,
            metavar="K",
            help="the most rows of a user, or keys with --by, that are told apart: public",
        ),
        lambda options: options.max,
    ),
    "share": Argument(
        _option("--share", default="0.95", metavar="S", help="which share to keep (default: 0.95)"),
        lambda options: options.share,
    ),
    "of": Argument(
        _option("--of", default="users", choices=("users", "contributions"), help="of what"),
        lambda options: options.of,
    ),
    "interval": Argument(
        _option(
            "--interval",
            metavar="C",
            help="release an interval as well that holds the quantile with this probability, such "
            "as 0.95; paid from the same cost",
        ),
        lambda options: options.interval,
    ),
    "step": Argument(
        _option(
            "--step",
            metavar="S",
            help="round numbers to multiples of a power of two, of which the result is one: 1 for "
            "integers, which CSV does not declare",
        ),
        lambda options: options.step,
    ),
    "method": Argument(
        _option(
            "--method",
            default="auto",
            choices=get_args(Method),
            help="how several quantiles are chosen: each alone, or the middle ones first (default: "
            "as the error to expect is less)",
        ),
        lambda options: options.method,
    ),
    "left_out": Argument(
        _option(
            "--left-out",
            type=read_count,
            metavar="M",
            help="with --user: release as well how many rows its bounds leave out, of each user at "
            "most M; paid from the same cost",
        ),
        lambda options: options.left_out,
    ),
    "selection": Argument(
        _option(
            "--selection",
            metavar="WAY",
            help="how keys that are not public are selected: by a threshold on their noisy counts, "
            "or optimal, before these, for a share of the cost; and the k most frequent public "
            "ones, by peeling or one-shot, one by one or by noise that is added once (default: "
            "the way with less error)",
        ),
        lambda options: options.selection,
    ),
    "split": Argument(
        _add_split,
        lambda options: read_pairs(options.split, "--split") or None,
    ),
    "max_sum_per_user": Argument(
        _option(
            "--max-sum-per-user",
            metavar="M",
            help="with --user: the size to which the sum of each user is clamped (in each key); "
            "the noise grows with it, and not with the number of rows",
        ),
        lambda options: options.max_sum_per_user,
    ),
    "noise": Argument(
        _option(
            "--noise",
            choices=("laplace", "gaussian"),
            help="which noise is added with --delta (default: the one with less variance)",
        ),
        lambda options: options.noise,
    ),
    "missing": Argument(
        _option(
            "--missing",
            default="drop",
            metavar="VALUE",
            help="what a missing number counts as: drop (default), or a number within the bounds",
        ),
        lambda options: options.missing,
    ),
}
"""By the names of parameters; those of the signature of a release are its options."""
