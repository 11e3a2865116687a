# SPDX-License-Identifier: MIT
"""Tables of users, of any library or in files: names, length, and a column by its name.

No value is read, but to count the rows of a relation. docs/columns.md, "Tables".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from cydp._columns.lazy import is_dataset, is_lazy_frame
from cydp._columns.pandas import is_frame, is_series
from cydp._columns.paths import is_path, named_files
from cydp._columns.reading import read_table_columns
from cydp._columns.relations import is_relation
from cydp._columns.source import speaks_arrow
from cydp._columns.sources import open_source, refuse_lazy
from cydp._columns.stored_tables import table_of_relation
from cydp._columns.table import Table, is_column, type_name

__all__ = [
    "columns_of",
    "is_one_connection",
    "is_read_once",
    "is_table",
    "is_tabular",
    "open_table",
    "refuse_other_than_table",
]

_KINDS = (
    "a frame of pandas or polars, a table of pyarrow, a relation of DuckDB, a dict of columns, a "
    "structured array or a 2-D array"
)
_ALL_KINDS = (
    "a table or a column: a path of CSV or Parquet files, a frame of pandas or polars, a lazy "
    "frame, a table or dataset of pyarrow, a relation of DuckDB, a dict of columns, an array or a "
    "list"
)


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
        return Table(
            name, x.columns.tolist(), len(x), lambda i: x.iloc[:, i], elsewhere=_in_index_of(x)
        )
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
    raise TypeError(f"{name} must be {_KINDS}, not {type_name(x)}")


def _in_index_of(frame: Any) -> Callable[[Hashable], str]:
    """Return what to say of a name that is no column of a frame of pandas, but of its index."""

    def said(given: Hashable) -> str:
        if not isinstance(given, str) or given not in frame.index.names:
            return ""
        return f", and {given!r} is the index: reset_index() makes it a column"

    return said


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


def _is_table_or_column(x: Any) -> bool:
    """Whether x is of a kind that releases take, by its type and its attributes."""
    is_stored = is_path(x) or is_lazy_frame(x) or is_dataset(x)
    return is_stored or isinstance(x, tuple) or is_column(x) or is_tabular(x)


def refuse_other_than_table(x: Any, name: str, given: Mapping[str, Any]) -> None:
    """Raise a TypeError that says more than that a call has failed, if x is no table.

    Another argument may be the table, or x a column, where `column` would name one. Only types are
    looked at, and whether there is a file.

    Parameters
    ----------
    x : object
        What stands in the place of the table.
    name : str
        The name of this argument.
    given : mapping
        All arguments by name, in their order.

    """
    if _is_whole_table(x):
        return
    other = next((each for each in given if each != name), "keys")
    if (
        other != "keys"
        and not isinstance(given[other], Mapping | np.ndarray)
        and _is_whole_table(given[other])
    ):
        raise TypeError(
            f"{name}, the first argument, must be the table, and {other} is one: are they swapped?"
        ) from None
    if given.get("column") is not None and (is_column(x) or isinstance(x, tuple)):
        is_list = isinstance(x, list | tuple)
        files = "; several files are one path, such as 'data/*.csv'" if is_list else ""
        raise TypeError(f"{name} is a column already: leave column= out{files}") from None
    if _is_table_or_column(x) or isinstance(x, Sequence):
        return
    refuse_lazy(x, name)
    hint = ": give its path" if hasattr(x, "readline") else ""
    hint = ": a query of it is a table, as connection.sql(...)" if hasattr(x, "sql") else hint
    raise TypeError(f"{name} must be {_ALL_KINDS}, not {type_name(x)}{hint}") from None


def _is_whole_table(x: Any) -> bool:
    if is_path(x):
        return any(map(os.path.exists, named_files([os.fsdecode(x)])))
    return is_lazy_frame(x) or is_dataset(x) or is_tabular(x)


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
