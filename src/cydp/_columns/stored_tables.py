# SPDX-License-Identifier: MIT
"""Tables that are not in memory: files, lazy frames, datasets and relations.

No value is read. docs/columns.md, "Tables".
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

from cydp._call_errors import nearest_name
from cydp._columns.condition_sql import check_blocks, sql_of_condition
from cydp._columns.conditions import Condition, InBlocks, all_of
from cydp._columns.file_columns import FileColumn, SharedFile
from cydp._columns.file_errors import FileError
from cydp._columns.files import DataFile, Format, open_data, sql_name
from cydp._columns.lazy import SharedDataset, SharedLazyFrame, is_dataset, is_lazy_frame
from cydp._columns.paths import is_path
from cydp._columns.relations import SharedRelation, is_relation
from cydp._columns.shared import SharedRows
from cydp._columns.table import Table

__all__ = ["choose_rows", "open_data_table", "table_of_relation"]


def open_data_table(x: Any, name: str = "table") -> Any:
    """Return a table that is not in memory, opened; anything else as it is.

    As a table a text is always a path. No value is read, and no query runs.

    Parameters
    ----------
    x : object
        A path or a glob of CSV or Parquet files, a lazy frame of polars, or a dataset of pyarrow.
        Each is a table, even of one column.
    name : str, default "table"
        What to call it in an error.

    Raises
    ------
    TypeError
        For a list with an `os.PathLike` in it, by its type. A list of texts is a column.
    ValueError
        If a file or its header cannot be read, or there is none, and if the schema of a lazy frame
        cannot be found.
    ImportError
        If DuckDB is not installed, which reads files.

    Examples
    --------
    >>> open_data_table([31, 64])
    [31, 64]

    """
    if is_path(x):
        try:
            return _of_files(open_data(os.fsdecode(x), Format()), name)
        except FileError as error:
            message = f"{name} must be the path of a table: {error}{_no_path(os.fsdecode(x))}"
            raise ValueError(message) from None
    if isinstance(x, list | tuple) and any(
        issubclass(kind, os.PathLike) for kind in set(map(type, x))
    ):
        raise TypeError(
            f"{name} must be one path, not a list with paths: write a glob such as 'days/*.csv', "
            "or name several files in duckdb.read_csv([...]) or pl.scan_csv([...])"
        )
    if is_lazy_frame(x):
        return _of_rows(lambda: SharedLazyFrame(x), name)
    return _of_rows(lambda: SharedDataset(x), name) if is_dataset(x) else x


def _no_path(text: str) -> str:
    """Return what to write instead of a text that is no path, or nothing."""
    if "://" in text:
        return " (nothing is fetched from a network: save it to a file first)"
    is_query = re.match(r"\s*(select|from|with)\s", text, re.IGNORECASE) is not None
    return " (a query is duckdb.sql(...))" if is_query else ""


def _of_files(file: DataFile, name: str, where: Condition | None = None) -> Table:
    rows = SharedFile(file, where)
    return Table(
        name,
        file.names,
        None,
        lambda i: FileColumn(rows, file, file.names[i]),
        rows=rows,
        reopen=partial(_of_files, file, name, where),
        restrict=lambda further: _of_files(file, name, _both(where, further)),
        first_line=None if file.has_types else file.first_line,
        where=where,
        path=str(Path(file.path).resolve()),
        elsewhere=file.in_folders,
    )


def _of_rows(share: Callable[[], SharedRows], name: str, **further: Any) -> Table:
    rows = share()
    return Table(
        name,
        rows.names,
        None,
        lambda i: rows.column(rows.names[i]),
        rows=rows,
        **({"reopen": partial(_of_rows, share, name)} | further),
    )


def _both(first: Condition | None, second: Condition) -> Condition:
    return second if first is None else all_of([first, second])


def table_of_relation(
    relation: Any,
    *,
    name: str = "table",
    repeatable: bool = False,
    watch: Callable[[int], object] | None = None,
    where: Condition | None = None,
    text_as: Collection[str] = (),
) -> Table:
    """Return a relation of DuckDB as a table that releases take. Its query does not run.

    Parameters
    ----------
    relation : DuckDBPyRelation
    name : str, default "table"
        What to call it in an error.
    repeatable : bool, default False
        Whether every execution of its query returns the same rows, in any order. Releases with
        users then read it in pieces too, by several executions: each has all rows of some users.
    watch : callable, optional
        A release calls it with the number of rows that it has read so far, after each batch.
    where : Condition, optional
        The condition by which the relation was filtered.
    text_as : collection of str, optional
        What text was made in it: see `SharedRows`.

    Examples
    --------
    >>> import duckdb
    >>> table = table_of_relation(duckdb.sql("select 31 as age, 'f' as sex"))
    >>> table.names, table.length
    (('age', 'sex'), None)

    """
    made = partial(
        table_of_relation, name=name, repeatable=repeatable, watch=watch, text_as=text_as
    )

    def restrict(further: Condition) -> Table:
        chosen = relation.filter(sql_of_condition(further, typed))
        check_blocks(further, typed)
        return made(chosen, where=_both(where, further))

    def typed(column: str) -> tuple[str, str]:
        if column not in relation.columns:
            near = nearest_name(column, relation.columns)
            raise ValueError(
                f"condition must be on columns of {name}, which has no {column!r}"
                + (f": did you mean {near!r}?" if near else "")
            )
        return sql_name(column), str(relation.types[relation.columns.index(column)])

    return _of_rows(
        lambda: SharedRelation(relation, repeatable=repeatable, watch=watch, text_as=text_as),
        name,
        reopen=partial(made, relation, where=where),
        restrict=restrict,
        where=where,
    )


def choose_rows(x: Any, condition: Condition, name: str) -> Table:
    """Return the rows of a table that satisfy a condition. No value is read.

    Parameters
    ----------
    x : path, relation of DuckDB, or Table of one
    condition : Condition
    name : str
        What to call it in an error.

    Raises
    ------
    TypeError
        For another table.
    ValueError
        For a column that is not there, or holds another type than the constants.

    """
    opened = open_data_table(x, name)
    if is_relation(opened):
        opened = table_of_relation(opened, name=name)
    if not isinstance(opened, Table) or opened.restrict is None:
        raise TypeError(
            f"{name} must be a path of files or a relation of DuckDB, to have its rows chosen: "
            "filter a frame or lazy frame yourself, as table.filter(polars.col('age') >= 18), "
            "table[table['age'] >= 18], or table.where('age >= 18') of Spark does"
        )
    if isinstance(condition.node, InBlocks) and condition.node.column not in opened.names:
        raise ValueError(
            f"{name} must have the ledger's block column {condition.node.column!r}, by which the "
            "rows of the blocks are read"
        )
    try:
        return opened.restrict(condition)
    except FileError as error:
        raise ValueError(f"condition must be on columns of {name}: {error}") from None
