# SPDX-License-Identifier: MIT
"""Public keys from the command line: of a file, or of a list."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

from cydp._columns.column_keys import ColumnKeys
from cydp._columns.conditions import is_number_as_text
from cydp._columns.file_errors import FileError
from cydp._columns.files import DataFile, Format, connect, is_integer, open_data, sql_name
from cydp._columns.paths import named_files
from cydp._columns.truncated import DAYS, DateTrunc

__all__ = ["check_key_list", "read_keys"]

_MOST_KEYS = 2**24  # of all combinations of lists

_DECIMAL = re.compile(r"DECIMAL\([0-9]+,\s*([0-9]+)\)")
_LONG = ("HUGEINT", "UHUGEINT")
_NUMBER = re.compile(
    r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,15})?", re.ASCII
)  # exact, or as Python has it
_RANGE = re.compile(r"\s*([0-9]{1,18})-([0-9]{1,18})\s*")
_LISTED = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^",]*))(,|$)')  # a key in quotes, or without


def read_keys(
    file: str | None, given: Sequence[str] | None, by: Sequence[str], data: DataFile, form: Format
) -> tuple[Any, dict[str, str], list[str]]:
    """Return public keys with the types of the columns of the data; None if none are given.

    CSV has no types: keys of a column are numbers if all of them are written as numbers are,
    without a zero before other digits. Then they are compared as in Python, where they are given
    as numbers. Else they are text.

    The second value has the types of DuckDB that columns of CSV are read as, by name, unless they
    are text. The third has notes on how the keys were read.

    Parameters
    ----------
    file : str or None
        A CSV or Parquet file. Its columns are taken by the names of `by` if all of them are in its
        header, else by position, and then a CSV file has no header.
    given : sequence of str or None
        The keys of each column, separated by commas. All combinations are keys.
    by : names of columns
    data : DataFile
        Its columns tell the types of the keys.
    form : Format
        How the file is to be read.

    Raises
    ------
    FileError
        If the file cannot be read, or does not have these columns.
    ValueError
        For an entry that is missing or not of the type of its column.

    """
    types = [_type_of(name, data) for name in by]
    if given is not None:
        lists = [
            _of_list(each, name, kind) for each, name, kind in zip(given, by, types, strict=True)
        ]
        return _keys_of([*map(list, zip(*product(*lists), strict=True))]), *_how_read(
            lists, by, types
        )
    if file is None:
        return None, {}, []
    if not any(map(os.path.exists, named_files([file]))):
        raise FileError(f"no such file: {file!r}: --keys takes a file, and --key-list a list")
    opened = open_data(file, form)
    notes = []
    if all(opened.names.count(name) == 1 for name in by):
        columns = list(by)
    else:
        if opened.kind == "CSV":
            opened = open_data(file, form, header=False)
            notes = [f"{file!r} has no header of --by, so its first line is a key"]
        if len(opened.names) != len(by):
            raise FileError(
                f"--keys must be a file with the columns of --by, or with {len(by)} columns and no "
                f"header: {file!r} has {len(opened.names)}"
            )
        columns = []
    opened.check()
    relation = _ask(lambda: opened.all_columns(columns), opened.cannot_read)
    keys = _typed(relation, relation.columns, by, types, "--keys", opened.cannot_read)
    read_as, further = _how_read(keys, by, types)
    return _keys_of(keys), read_as, notes + further


def _type_of(name: str, data: DataFile) -> str:
    """Return the type of the labels of a column; "" for text of CSV."""
    if isinstance(name, DateTrunc):
        data.type_of(str(name.column))  # raises if there is none
        return "DATE" if name.part in DAYS else "TIMESTAMP_S"
    kind = data.type_of(name)
    return kind if data.has_types else ""


def check_key_list(given: Sequence[str] | None, by: Sequence[str]) -> None:
    """Raise a ValueError unless there is a list of keys for each column, if there are lists."""
    if given is None:
        return
    if len(given) != len(by):
        raise ValueError(
            f"--key-list must be given once for each column of keys, {', '.join(by)}, and is given "
            f"{'once' if len(given) == 1 else f'{len(given)} times'}: --keys FILE takes keys "
            "of several columns as well"
        )
    if prod(len(_stripped(each)) for each in given) > _MOST_KEYS:
        raise ValueError(f"--key-list must give at most {_MOST_KEYS:,} combinations")


def _of_list(given: str, name: str, kind: str) -> list[Any]:
    """Return the keys of a list of text."""
    if not kind or is_integer(kind):
        _refuse_range(given)
    keys = _ask(
        lambda: connect().sql("SELECT unnest(?::VARCHAR[]) AS k0", params=[_stripped(given)])
    )
    return _typed(keys, ["k0"], [name], [kind], "--key-list")[0]


def _stripped(given: str) -> list[str]:
    """Return the keys of a list: without blanks around them, but for those in quotes.

    >>> _stripped('DE, " FR","a,b"')
    ['DE', ' FR', 'a,b']
    """
    keys, place, comma = [], 0, ","
    while comma:
        match = _LISTED.match(given, place)
        if match is None:
            raise ValueError(f"--key-list must be separated by commas, not {given[:100]!r}")
        quoted, plain, comma = match.groups()
        keys.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        place = match.end()
    if keys == [""] and not given.strip():
        raise ValueError("--key-list must not be empty")
    return keys


def _refuse_range(given: str) -> None:
    """Raise a ValueError for 1-7 alone or beside integers, which would be the text '1-7'.

    Several ranges and nothing else, as 0-17,18-64, are the names of groups.

    >>> _refuse_range("0-17,18-64"), _refuse_range('"1-7"'), _refuse_range("2024-01")
    (None, None, None)
    """
    parts = given.split(",")
    others = [part for part in parts if not _RANGE.fullmatch(part)]
    ends = [(int(found[1]), int(found[2])) for found in map(_RANGE.fullmatch, parts) if found]
    is_mixed = bool(others) and all(part.strip().isdecimal() for part in others)
    if any(low < high for low, high in ends) and (len(parts) == 1 or is_mixed):
        raise ValueError(
            f"--key-list must name each key, and {given[:40]!r} would have a text for a range: "
            "write 1,2,3 for 1-3, or put a text in double quotes, as '\"1-3\"'"
        )


def _keys_of(columns: Sequence[list[Any]]) -> list[Any]:
    """Return the keys of one column, or tuples of the keys of several."""
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _how_read(
    columns: Sequence[list[Any]], by: Sequence[str], types: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """Return what columns of CSV are read as for their keys, and notes on those that are text."""
    read_as, notes = dict[str, str](), []
    for keys, name, kind in zip(columns, by, types, strict=True):
        if kind:
            continue
        if (found := ColumnKeys.of(keys)[0].sql_type) is not None:
            read_as[name] = found
        elif any(map(is_number_as_text, keys)):
            notes.append(
                f"keys of {name!r} are compared as text, so 1 is not 1.0 or 01: they are numbers "
                "if all are written as numbers, without a zero before other digits"
            )
    return read_as, notes


def _typed(
    relation: Any,
    columns: Sequence[str],
    by: Sequence[str],
    types: Sequence[str],
    option: str,
    cannot: str = "",
) -> list[list[Any]]:
    """Return the keys of each column."""
    import nanoarrow

    casts = [
        f"{_cast(sql_name(column), kind or 'VARCHAR')} AS {sql_name(name)}"
        for column, name, kind in zip(columns, by, types, strict=True)
    ]
    typed = _ask(lambda: relation.project(", ".join(casts)), cannot)
    missing = " OR ".join(f"{sql_name(name)} IS NULL" for name in by)
    if _ask(lambda: typed.filter(missing).limit(1).fetchall(), cannot):
        kinds = ", ".join(
            f"{kind or 'VARCHAR'} for {name!r}" for name, kind in zip(by, types, strict=True)
        )
        how = [f": they are {name.begins}" for name in by if isinstance(name, DateTrunc)]
        how += [": a date is written 2024-01-31"] if "DATE" in types else []
        raise ValueError(
            f"{option} must have keys of the types of the data, {kinds}, and none missing"
            + "".join(how[:1])
        )
    if any(map(_DECIMAL.fullmatch, types)):  # nanoarrow reads negative ones as other numbers
        rows = _ask(typed.fetchall, cannot)
        found = [[row[i] for row in rows] for i in range(len(by))]
    else:
        read = _ask(lambda: nanoarrow.Array(typed), cannot)
        found = [read.child(i).to_pylist() for i in range(len(by))]
    return [keys if kind else _numbers_of(keys) for keys, kind in zip(found, types, strict=True)]


def _numbers_of(keys: list[str]) -> list[Any]:
    """Return text as numbers, if all of it is written so; else as it is."""
    if not all(map(_NUMBER.fullmatch, keys)):
        return keys
    return [float(each) if "." in each else int(each) for each in keys]


def _cast(column: str, kind: str) -> str:
    """Return a column as one of another type; null where it has no such value."""
    decimal = _DECIMAL.fullmatch(kind)
    if decimal is not None or is_integer(kind) or kind in _LONG:  # a cast would round
        fraction = "" if decimal is None else f"(?:\\.[0-9]{{0,{decimal[1]}}}0*)?"
        pattern = f"'^\\s*([+-]?[0-9]+{fraction})\\s*$'"
        column = f"regexp_extract(CAST({column} AS VARCHAR), {pattern}, 1)"
    return f"TRY_CAST({column} AS {kind})"


def _ask(what: Callable[[], Any], cannot: str = "cannot read the keys") -> Any:
    import duckdb

    try:
        return what()
    except (duckdb.Error, OSError, MemoryError):
        raise FileError(cannot) from None
