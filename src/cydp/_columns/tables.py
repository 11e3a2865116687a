# SPDX-License-Identifier: MIT
"""Tables of users, of any library or in files: names, length, and a column by its name.

No value is read, but to count the rows of a relation. docs/columns.md, "Tables".
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np

from cydp._columns.condition_sql import sql_of_condition
from cydp._columns.conditions import Condition, all_of
from cydp._columns.declared import Labels
from cydp._columns.file_columns import FileColumn, SharedFile
from cydp._columns.file_errors import FileError
from cydp._columns.files import DataFile, Format, open_data, sql_name
from cydp._columns.lazy import SharedDataset, SharedLazyFrame, is_dataset, is_lazy_frame
from cydp._columns.pandas import as_series, is_frame, is_series
from cydp._columns.paths import is_path
from cydp._columns.reading import read_table_columns
from cydp._columns.relations import SharedRelation, is_relation
from cydp._columns.shared import SharedRows
from cydp._columns.source import Source, open_source, refuse_lazy, speaks_arrow
from cydp._columns.truncated import DateTrunc, TruncatedSource

__all__ = [
    "Table",
    "choose_rows",
    "columns_of",
    "is_column",
    "is_one_connection",
    "is_read_once",
    "is_table",
    "is_table_or_column",
    "is_tabular",
    "open_data_table",
    "open_table",
    "table_of_relation",
]

_KINDS = (
    "a frame of pandas or polars, a table of pyarrow, a relation of DuckDB, a dict of columns, a "
    "structured array or a 2-D array"
)
_MOST_NAMES = 20  # of a table, in an error


class Table:
    """A table with columns that are known by their names.

    Attributes
    ----------
    names : tuple
        The names of the columns, which are public; numbers from 0 on for a 2-D array.
    length : int or None
        How many rows there are; None for a query, such as a relation of DuckDB: it would run.
    rows : SharedRows or None
        The rows of a query; None for a table in memory.
    first_line : str or None
        Of CSV, whose first line has the names, and may be a record: what to call it in an error.
    where : Condition or None
        The public condition that all rows satisfy: others were left out.
    restrict : callable or None
        Returns the table of the rows that satisfy one more condition; None: it cannot.

    """

    __slots__ = (
        "_column_at", "_name", "_reopen", "first_line", "length", "names", "restrict", "rows",
        "where",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        names: Sequence[Hashable],
        length: int | None,
        column_at: Callable[[int], Any],
        *,
        rows: SharedRows | None = None,
        reopen: Callable[[], Table] | None = None,
        restrict: Callable[[Condition], Table] | None = None,
        first_line: str | None = None,
        where: Condition | None = None,
    ) -> None:
        self._name, self.names, self.length, self._column_at = name, tuple(names), length, column_at
        self.rows, self._reopen, self.first_line = rows, reopen, first_line
        self.restrict, self.where = restrict, where

    def again(self) -> Table:
        """Return the table for one more release: a new one for a query, which is read once."""
        return self if self._reopen is None else self._reopen()

    def count_rows(self) -> int:
        """Return how many rows there are; a query runs.

        Raises
        ------
        ValueError
            If the query fails.

        """
        if self.length is not None:
            return self.length
        if self.rows is not None:
            return self.rows.count_rows()
        return len(Labels(self._column_at(0), "x").read())

    def column(self, given: Any, argument: str, *, is_named: bool = False) -> Any:
        """Return a column, by its name, or the column itself that was given instead of a name.

        Take all columns of a query before one is read: it runs once.

        Parameters
        ----------
        given : hashable, or array_like
            A name; of a table whose length is known also a list, an array or a column with an entry
            for each row.
        argument : str
            What to call it in an error.
        is_named : bool, default False
            Whether a name was given by itself, and not in a list, so that an error may show it.

        Raises
        ------
        TypeError, ValueError
            For a name that is not in the table or is there twice, for a column of another length
            than the table, and for a column itself beside a query, whose rows may be others.

        """
        if isinstance(given, DateTrunc):
            times = self.column(given.column, argument, is_named=is_named)
            return TruncatedSource(times, argument, given.part, given.zone)
        if is_column(given):
            if self.length is None:
                given_as = "a list of names" if isinstance(given, list) else "a column itself"
                raise TypeError(
                    f"{argument} must be the name of a column of {self._name}, not {given_as}: "
                    "which rows there are is known only when they are read"
                )
            column = open_source(given, argument)
            length = column.length
            if length is not None and length != self.length:
                raise ValueError(f"{argument} must have an entry for each row of {self._name}")
            return column
        return open_source(self._column_at(self._place(given, argument, is_named)), argument)

    def _place(self, given: Hashable, argument: str, is_named: bool) -> int:
        try:
            places = [i for i, label in enumerate(self.names) if _same_name(label, given)]
        except Exception:
            raise TypeError(f"{argument} must name a column, not be {_type_name(given)}") from None
        if not places and self.first_line is not None:
            raise ValueError(
                f"{argument} must be a column of {self._name}: no {given!r} in {self.first_line}"
            )
        if not places:
            # In a list, what was given may be a label: a list of labels is taken for names.
            said = f"{argument} must be a column of {self._name}, {self._names()}"
            raise ValueError(said + (self._nearest(given) if is_named else ""))
        if len(places) > 1:
            raise ValueError(f"{argument} must name one column: {given!r} is there more than once")
        return places[0]

    def _nearest(self, given: Hashable) -> str:
        """Return a name that is not there, and the nearest one that is."""
        if not isinstance(given, str):
            return ""
        lowered = {name.lower(): name for name in self.names if isinstance(name, str)}
        near = get_close_matches(given.lower(), lowered, 1)
        return f", not {given!r}" + (f": did you mean {lowered[near[0]]!r}?" if near else "")

    def _names(self) -> str:
        shown = ", ".join(map(repr, self.names[:_MOST_NAMES]))
        if not shown:
            return "which has none"
        return f"which has {shown}" + (", ..." if len(self.names) > _MOST_NAMES else "")


def open_table(x: Any, name: str = "table") -> Table:
    """Return a table of any library.

    Parameters
    ----------
    x : table
        A frame of pandas or polars, a table or record batch of pyarrow, a relation of DuckDB, a
        dict of columns, a structured array, a 2-D array, or what `table_of_relation` returns.
    name : str, default "table"
        What to call it in an error.

    Raises
    ------
    TypeError, ValueError
        For anything else, for a table that is not computed yet, and for columns of a dict that
        have different lengths.

    Examples
    --------
    >>> table = open_table({"age": [31, 64], "sex": ["f", "m"]})
    >>> table.names, table.length, table.column("sex", "by").x
    (('age', 'sex'), 2, ['f', 'm'])

    """
    if is_frame(x):
        return Table(name, x.columns.tolist(), len(x), lambda i: x.iloc[:, i])
    if isinstance(x, Mapping):
        return _of_mapping(x, name)
    if isinstance(x, np.ndarray):
        return _of_array(x, name)
    if isinstance(x, Table):
        return x.again()
    if is_relation(x):
        return table_of_relation(x, name=name)
    if hasattr(x, "collect"):
        raise TypeError(f"{name} must be computed first: call its collect()")
    if speaks_arrow(x) and not is_series(x):
        if hasattr(x, "get_columns"):  # polars
            return Table(name, x.columns, len(x), lambda i: x.get_columns()[i])
        if hasattr(x, "num_columns") and hasattr(x, "column"):  # pyarrow
            return Table(name, x.schema.names, x.num_rows, x.column)
        if hasattr(x, "read_all"):  # a reader of pyarrow
            raise TypeError(f"{name} must be read first: call its read_all()")
    if hasattr(x, "to_table"):  # a dataset or scanner of pyarrow
        raise TypeError(f"{name} must be read first: call its to_table()")
    raise TypeError(f"{name} must be {_KINDS}, not {_type_name(x)}")


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
        return made(chosen, where=_both(where, further))

    def typed(column: str) -> tuple[str, str]:
        if column not in relation.columns:
            raise ValueError(f"condition must be on columns of {name}, which has no {column!r}")
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
    table = open_table(opened, name) if isinstance(opened, Table) or is_relation(opened) else None
    if table is None or table.restrict is None:
        raise TypeError(
            f"{name} must be a path of files or a relation of DuckDB, to have its rows chosen by "
            f'"{condition}": filter another table or lazy frame itself'
        )
    return table.restrict(condition)


def is_table(x: Any) -> bool:
    """Whether x is a table of several columns, or of none: a table of a single column is a column.

    A `Table` is a table, however many columns it has.
    """
    if isinstance(x, Table):
        return True
    if isinstance(x, np.ndarray):
        fields = x.dtype.names
        return x.ndim == 2 and x.shape[1] != 1 if fields is None else len(fields) != 1
    return is_tabular(x) and (len(x) if isinstance(x, Mapping) else len(open_table(x).names)) != 1


def is_tabular(x: Any) -> bool:
    """Whether x is a table, of a single column too."""
    if isinstance(x, np.ndarray):
        return x.ndim == 2 or x.dtype.names is not None
    if isinstance(x, Mapping | Table) or is_frame(x) or is_relation(x):
        return True
    return speaks_arrow(x) and (hasattr(x, "get_columns") or hasattr(x, "num_columns"))


def is_table_or_column(x: Any) -> bool:
    """Whether x is of a kind that releases take, by its type and its attributes."""
    is_stored = is_path(x) or is_lazy_frame(x) or is_dataset(x)
    return is_stored or isinstance(x, tuple) or is_column(x) or is_tabular(x)


def is_read_once(table: Any) -> bool:
    """Whether a table, or one of its columns, is a stream or an iterator."""
    parts = [table, *(table.values() if isinstance(table, Mapping) else ())]
    return any(map(_is_stream, parts))


def is_one_connection(table: Any) -> bool:
    """Whether threads must read a table one after the other, as a connection of DuckDB asks."""
    columns = table.values() if isinstance(table, Mapping) else ()
    return isinstance(table, Table) or any(map(is_relation, [table, *columns]))


def columns_of(x: Any, name: str) -> list[Any]:
    """Return the columns of a list, a mapping, a 2-D array or a table, in their order.

    Raises
    ------
    TypeError
        For anything else.

    """
    if is_frame(x) or isinstance(x, Mapping):
        return [column for _, column in x.items()]
    if isinstance(x, memoryview):
        x = np.asarray(x)
    if isinstance(x, np.ndarray) and x.ndim == 2:
        return list(x.T)
    if speaks_arrow(x):
        return read_table_columns(x, name)
    if hasattr(x, "items") and not is_series(x):
        return [column for _, column in x.items()]
    if isinstance(x, str | bytes) or not hasattr(x, "__len__"):
        refuse_lazy(x, name)
        raise TypeError(
            f"{name} must be a list, mapping or table of columns, not {type(x).__name__}"
        )
    return list(x)


def _is_stream(x: Any) -> bool:
    is_one = isinstance(x, Iterator) or (speaks_arrow(x) and not hasattr(x, "__len__"))
    return is_one and not is_relation(x)


def _of_mapping(x: Mapping[Any, Any], name: str) -> Table:
    columns = {label: open_source(column, f"{name}[{label!r}]") for label, column in x.items()}
    lengths = [column.length for column in columns.values()]
    known = {length for length in lengths if length is not None}
    if len(known) > 1:
        raise ValueError(f"{name} must have columns of one length")
    if not x:  # as a frame without columns has no rows
        known.add(0)
    length = known.pop() if known and None not in lengths else None
    return Table(name, list(columns), length, list(columns.values()).__getitem__)


def _of_array(x: np.ndarray[Any, Any], name: str) -> Table:
    fields = x.dtype.names
    if fields is not None and x.ndim == 1:
        return Table(name, fields, len(x), lambda i: x[fields[i]])
    if x.ndim != 2 or fields is not None:
        raise ValueError(f"{name} must have two dimensions, rows and columns, not {x.ndim}")
    return Table(name, range(x.shape[1]), len(x), lambda i: x[:, i])


def is_column(given: Any) -> bool:
    """Whether a column was given, and not the name of one."""
    if isinstance(given, list | np.ndarray | memoryview | array | Source) or is_series(given):
        return True
    if isinstance(getattr(given, "dtype", None), np.dtype) and not isinstance(given, np.generic):
        return True
    return speaks_arrow(given) or is_series(as_series(given))


def _same_name(label: Any, given: Any) -> bool:
    """Whether two names are equal; True is not the column at 1."""
    return isinstance(label, bool) == isinstance(given, bool) and bool(label == given)


def _type_name(x: object) -> str:
    return "None" if x is None else type(x).__name__
