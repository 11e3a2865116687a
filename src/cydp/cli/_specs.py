# SPDX-License-Identifier: MIT
"""Values of options that have several parts: LO:HI, COLUMN:Q:LO:HI, KEY=VALUE, SEQ:HASH."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TypeAlias

from cydp._columns.moments import WIDTHS, is_time, read_moment
from cydp._numbers.rational import float_of, read_exact
from cydp.exact._time_bins import refuse_other_text
from cydp.releases._date_trunc import date_trunc

__all__ = [
    "are_times",
    "has_zone",
    "read_bins",
    "read_by_column",
    "read_columns",
    "read_ends",
    "read_head",
    "read_name",
    "read_pairs",
    "read_qs",
    "read_qs_by_column",
]

Ends: TypeAlias = tuple[float, float] | tuple[str, str]
"""Numbers, or the texts of dates or times, which the library reads."""

_TIME = re.compile("[0-9]{4}-[0-9]{2}")  # how a date or a time begins
_WIDTH = re.compile("[0-9]+[a-z]+")  # of bins of dates or times
_TRUNCATED = re.compile(
    r"""\s*date_trunc\(\s*'([^']*)'\s*,\s*("(?:[^"]|"")+"|[^,"()]*[^,"()\s])\s*"""
    r"(?:,\s*'([^']*)'\s*)?\)\s*"
)

_MOST_BINS = 10**6


def read_bins(spec: str) -> int | str | list[float] | list[str]:
    """Return a number of bins, their width in time, or edges, which are separated by commas.

    >>> read_bins("10"), read_bins("1d"), read_bins("0,18,65.5"), read_bins("2024-01-01,2024-02-01")
    (10, '1d', [0.0, 18.0, 65.5], ['2024-01-01', '2024-02-01'])
    """
    parts = spec.split(",")
    if _WIDTH.fullmatch(spec):
        return spec
    if len(parts) > 1 and all(map(_TIME.match, parts)):
        return parts
    if ":" in spec:
        raise ValueError(_not_a_step(spec))
    if re.fullmatch("[0-9]* *[A-Za-z]+", spec):
        raise ValueError(f"--bins must be a number, edges or {WIDTHS}, not {spec[:40]!r}")
    if len(parts) > 1:
        refuse_other_text(parts, "--bins")
    numbers = [read_exact(part, "--bins") for part in parts]
    if len(numbers) > 1:
        edges = [float_of(number) for number in numbers]
        if not all(map(math.isfinite, edges)):
            raise ValueError(f"--bins must have edges that are finite as floats, not {spec!r}")
        return edges
    count = numbers[0]
    if count.denominator != 1 or not 1 <= count <= _MOST_BINS:
        raise ValueError(
            f"--bins must be a number of bins from 1 to {_MOST_BINS}, edges such as 0,18,65, or a "
            f"width in time such as 1d, not {spec!r}"
        )
    return int(count)


def _not_a_step(spec: str) -> str:
    """Return what to say of bins that are written with colons, as LO:HI:STEP or LO:HI."""
    bins, ends = "N", "LO:HI"
    with suppress(ArithmeticError, LookupError, ValueError):
        low, high, *step = spec.split(":")
        width = read_exact(high, "HI") - read_exact(low, "LO")
        ends = f"{low}:{high}"
        count = width / read_exact(step[0], "STEP")
        bins = str(count) if count > 0 and count.denominator == 1 else bins
    return (
        "--bins must be a number of bins or their edges, and --range has their ends: write "
        f"--bins {bins} --range {ends}, not {spec!r}"
    )


def read_ends(spec: str, option: str = "--bounds") -> Ends:
    """Return bounds, LO:HI or LO..HI, as floats; or as texts, if they are dates or times.

    >>> read_ends("-5:0.1"), read_ends("2024-01-01 08:00..2024-01-02")
    ((-5.0, 0.1), ('2024-01-01 08:00', '2024-01-02'))
    """
    parts = spec.split(".." if ".." in spec else ":")
    if len(parts) != 2:
        raise ValueError(
            f"{option} must be LO:HI, such as 0:100, or LO..HI for times with colons, not {spec!r}"
        )
    return _ends(parts[0], parts[1], option, spec)


def _ends(lower: str, upper: str, option: str, spec: str, *, times: bool = True) -> Ends:
    if times and _TIME.match(lower) and _TIME.match(upper):
        return lower, upper
    if times:
        refuse_other_text((lower, upper), option)
    low, high = (
        read_exact(part, f"{name} of {option}") for part, name in ((lower, "LO"), (upper, "HI"))
    )
    if low > high:
        raise ValueError(f"{option} must have LO <= HI, not {spec!r}")
    ends = float_of(low), float_of(high)
    if not all(map(math.isfinite, ends)):
        raise ValueError(f"{option} must have bounds that are finite as floats, not {spec!r}")
    return ends


def are_times(given: object) -> bool:
    """Whether bins or bounds that were read are dates, times or widths in time.

    >>> [*map(are_times, ["1d", ("2024-01-01", "2024-02-01"), (0.0, 1.0), 10, None])]
    [True, True, False, False, False]
    """
    first = given[0] if isinstance(given, list | tuple) and given else given
    return isinstance(first, str)


def has_zone(given: object) -> bool:
    """Whether bins or bounds that were read are times with a zone.

    >>> [*map(has_zone, [("2024-01-01[UTC]", "2024-01-02[UTC]"), ("2024-01-01", "2024-02-01"), 10])]
    [True, False, False]
    """
    ends = given if isinstance(given, list | tuple) else ()
    with suppress(ValueError):  # the release refuses it in words of its own
        return any(is_time(end) and read_moment(end, "").zone is not None for end in ends)
    return False


def read_by_column(specs: Iterable[str], option: str) -> dict[str, Ends]:
    """Return the bounds of columns, COLUMN:LO:HI each. A name may have colons.

    >>> read_by_column(["a:b:0:10"], "--sum")
    {'a:b': (0.0, 10.0)}
    """
    found: dict[str, Ends] = {}
    for spec in specs:
        column, *parts = spec.rsplit(":", 2)
        if len(parts) != 2 or not column:
            raise ValueError(
                f"{option} must be COLUMN:LO:HI, such as income:0:200000, not {spec!r}"
            )
        _check_new(column, found, option)
        found[column] = _ends(parts[0], parts[1], option, spec, times=False)
    return found


def read_qs_by_column(specs: Iterable[str]) -> dict[str, tuple[str | list[str], Ends]]:
    """Return quantiles and bounds of columns, COLUMN:Q:LO:HI each, where Q may be Q,Q,...

    >>> read_qs_by_column(["income:0.25,0.5:0:10"])
    {'income': (['0.25', '0.5'], (0.0, 10.0))}
    """
    found: dict[str, tuple[str | list[str], Ends]] = {}
    for spec in specs:
        column, *parts = spec.rsplit(":", 3)
        if len(parts) != 3 or not column:
            raise ValueError(
                f"--quantile must be COLUMN:Q:LO:HI, such as income:0.5:0:200000, not {spec!r}"
            )
        _check_new(column, found, "--quantile")
        ends = _ends(parts[1], parts[2], "--quantile", spec)
        found[column] = read_qs(parts[0], "--quantile"), ends
    return found


def _check_new(column: str, found: Iterable[str], option: str) -> None:
    if column in found:
        raise ValueError(f"{option} must name each column once, and {column!r} is named twice")


def read_qs(spec: str, option: str = "--q") -> str | list[str]:
    """Return a quantile, or several that are separated by commas."""
    qs = spec.split(",")
    for q in qs:
        if not 0 <= read_exact(q, f"Q of {option}") <= 1:
            raise ValueError(f"Q of {option} must be from 0 to 1, not {q[:40]!r}")
    return qs if len(qs) > 1 else qs[0]


def read_pairs(given: Sequence[str], option: str, reserved: Sequence[str] = ()) -> dict[str, str]:
    """Return the values of an option ``KEY=VALUE`` by key; a ValueError for anything else."""
    pairs: dict[str, str] = {}
    for each in given:
        key, equals, value = each.partition("=")
        if not (key and equals):
            raise ValueError(f"{option} must be KEY=VALUE, not {each[:100]!r}")
        if key in pairs:
            raise ValueError(f"{option} must have each key once, and {key[:100]!r} is given twice")
        if key in reserved:
            raise ValueError(f"{option} must have another key than {key!r}, which is reserved")
        pairs[key] = value
    return pairs


def _read_names(spec: str, option: str) -> list[str]:
    """Return names of columns, which are separated by commas; a name in quotes may have commas."""
    import csv

    try:
        names = next(csv.reader([spec], strict=True), [])
    except csv.Error:
        raise ValueError(f"{option} must be separated by commas, not {spec[:100]!r}") from None
    if not names:
        raise ValueError(f"{option} must not be empty")
    return names


def read_columns(spec: str, option: str) -> list[str]:
    """Return names of columns of labels, or one column of times by day, month or another part.

    >>> read_columns("Day,sex", "--by"), read_columns("date_trunc('month', ts)", "--by")[0].column
    (['Day', 'sex'], 'ts')
    """
    match = _TRUNCATED.fullmatch(spec)
    if match is not None:
        part, column, zone = match.groups()
        name = column[1:-1].replace('""', '"') if column.startswith('"') else column
        return [date_trunc(part, name, zone)]
    names = _read_names(spec, option)
    if any(name.startswith("date_trunc(") and f'"{name}' not in spec for name in names):
        raise ValueError(
            f"{option} must be written date_trunc('month', COLUMN), for a column of times; repeat "
            f"{option} for other columns"
        )
    return names


def read_name(given: str) -> str:
    """Return text that can be a name or an id; else an ArgumentTypeError."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("must be text in the terminal's encoding") from None
    if not given:
        raise argparse.ArgumentTypeError("must not be empty")
    return given


def read_head(given: str) -> tuple[int, str]:
    """Return the place and the hash of a head, SEQ:HASH; else an ArgumentTypeError."""
    match = re.fullmatch("(?:head: )?([0-9]{1,18}):([0-9a-f]{64})", given)
    if match is None:
        raise argparse.ArgumentTypeError(
            f"must be SEQ:HASH, as another command printed it, not {given[:100]!r}"
        )
    return int(match[1]), match[2]
