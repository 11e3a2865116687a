# SPDX-License-Identifier: MIT
"""Public keys from the command line: of a file, or of a list."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from math import prod
from typing import Any

from cydp._columns.file_errors import FileError
from cydp._columns.files import DataFile, Format, connect, is_integer, open_data, sql_name
from cydp._columns.paths import named_files
from cydp._columns.truncated import DAYS, DateTrunc
from cydp.cli._specs import read_names

__all__ = ["check_key_list", "read_keys"]

_MOST_KEYS = 2**24  # of all combinations of lists

_DECIMAL = re.compile(r"DECIMAL\([0-9]+,\s*([0-9]+)\)")
_LONG = ("HUGEINT", "UHUGEINT")


def read_keys(
    file: str | None, given: Sequence[str] | None, by: Sequence[str], data: DataFile, form: Format
) -> tuple[Any, str | None]:
    """Return public keys with the types of the columns of the data; None if none are given.

    The second value is a note on how the file was read, or None.

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
        return _tuples_of(_keys_of_lists(given, by, types), by), None
    if file is None:
        return None, None
    if not any(map(os.path.exists, named_files([file]))):
        raise FileError(f"no such file: {file!r}: --keys takes a file, and --key-list a list")
    opened = open_data(file, form)
    note = None
    if all(opened.names.count(name) == 1 for name in by):
        columns = list(by)
    else:
        if opened.kind == "CSV":
            opened = open_data(file, form, header=False)
            note = f"{file!r} has no header of --by, so its first line is a key"
        if len(opened.names) != len(by):
            raise FileError(
                f"--keys must be a file with the columns of --by, or with {len(by)} columns and no "
                f"header: {file!r} has {len(opened.names)}"
            )
        columns = []
    opened.check()
    relation = _ask(lambda: opened.all_columns(columns), opened.cannot_read)
    found = _typed(relation, relation.columns, by, types, "--keys", opened.cannot_read)
    return _tuples_of(found, by), note


def _type_of(name: str, data: DataFile) -> str:
    """Return the type of the labels of a column."""
    if isinstance(name, DateTrunc):
        data.type_of(str(name.column))  # raises if there is none
        return "DATE" if name.part in DAYS else "TIMESTAMP_S"
    return data.type_of(name)


def _tuples_of(keys: Any, by: Sequence[str]) -> Any:
    """Return keys of several columns as tuples if one is a part of times: no key has this name."""
    if isinstance(keys, dict) and any(isinstance(name, DateTrunc) for name in by):
        return list(zip(*keys.values(), strict=True))
    return keys


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
    if prod(len(read_names(each, "--key-list")) for each in given) > _MOST_KEYS:
        raise ValueError(f"--key-list must give at most {_MOST_KEYS:,} combinations")


def _keys_of_lists(given: Sequence[str], by: Sequence[str], types: Sequence[str]) -> Any:
    """Return the keys of one list, or all combinations of the keys of several."""
    connection, lists = connect(), list[Any]()
    for text, name, kind in zip(given, by, types, strict=True):
        keys = [read_names(text, "--key-list")]
        relation = _ask(partial(connection.sql, "SELECT unnest(?::VARCHAR[]) AS k0", params=keys))
        lists.append(_typed(relation, ["k0"], [name], [kind], "--key-list"))
    if len(lists) == 1:
        return lists[0]
    columns = zip(*product(*lists), strict=True)
    return dict(zip(by, map(list, columns), strict=True))


def _typed(
    relation: Any,
    columns: Sequence[str],
    by: Sequence[str],
    types: Sequence[str],
    option: str,
    cannot: str = "",
) -> Any:
    """Return the keys: a list, or lists by the names of several columns."""
    import nanoarrow

    casts = [
        f"{_cast(sql_name(column), kind)} AS {sql_name(name)}"
        for column, name, kind in zip(columns, by, types, strict=True)
    ]
    typed = _ask(lambda: relation.project(", ".join(casts)), cannot)
    missing = " OR ".join(f"{sql_name(name)} IS NULL" for name in by)
    if _ask(lambda: typed.filter(missing).limit(1).fetchall(), cannot):
        kinds = ", ".join(f"{kind} for {name!r}" for name, kind in zip(by, types, strict=True))
        raise ValueError(
            f"{option} must have keys of the types of the data, {kinds}, and none missing"
        )
    if any(map(_DECIMAL.fullmatch, types)):  # nanoarrow reads negative ones as other numbers
        rows = _ask(typed.fetchall, cannot)
        found = {name: [row[i] for row in rows] for i, name in enumerate(by)}
    else:
        read = _ask(lambda: nanoarrow.Array(typed), cannot)
        found = {name: read.child(i).to_pylist() for i, name in enumerate(by)}
    return found if len(by) > 1 else found[by[0]]


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
