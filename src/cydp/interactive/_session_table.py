# SPDX-License-Identifier: MIT
"""Which tables a session takes: those that can be read anew for each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cydp._columns.opening import is_relation, speaks_arrow
from cydp._columns.tables import Table, is_column, is_table, open_table

__all__ = ["check_table", "of_table", "opened", "takes_turns"]


def check_table(table: Any) -> None:
    """Raise a TypeError for what is no table or column, or can be read only once.

    No value is read.
    """
    if not is_relation(table) and (_is_read_once(table) or _has_column_read_once(table)):
        raise TypeError(
            "table must be one that can be read more than once, not a stream or an iterator: read "
            "it first, as by read_all() or list()"
        )
    if not (isinstance(table, Table) or is_column(table) or _is_a_table(table)):
        raise TypeError(
            "table must be a table or a column, of a kind that releases take, not "
            f"{type(table).__name__}"
        )


def opened(table: Any) -> Any:
    """Return a table as releases take it: a dict of one column is a table, too.

    >>> opened({"age": [31]}).names, opened([31])
    (('age',), [31])
    """
    return open_table(table) if isinstance(table, Mapping) and len(table) == 1 else table


def of_table(said: Any) -> Any:
    """Return what an error of a release says, which calls the table x, for a session.

    >>> of_table("column must be a column of x, which has 'x'")
    "column must be a column of the table, which has 'x'"
    """
    if not isinstance(said, str):
        return said
    said = said.replace(" of x, which has ", " of the table, which has ", 1)
    return f"table{said[1:]}" if said.startswith("x must ") else said


def takes_turns(table: Any) -> bool:
    """Whether threads must read a table one after the other, as a connection of DuckDB asks."""
    columns = table.values() if isinstance(table, Mapping) else ()
    return isinstance(table, Table) or any(map(is_relation, [table, *columns]))


def _is_a_table(table: Any) -> bool:
    return isinstance(table, Mapping | tuple) or is_relation(table) or is_table(table)


def _has_column_read_once(table: Any) -> bool:
    return isinstance(table, Mapping) and any(
        _is_read_once(column) for column in table.values() if not is_relation(column)
    )


def _is_read_once(x: Any) -> bool:
    return isinstance(x, Iterator) or (speaks_arrow(x) and not hasattr(x, "__len__"))
