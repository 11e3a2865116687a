# SPDX-License-Identifier: MIT
"""The rows of a table that satisfy a public condition."""

from __future__ import annotations

from typing import Any

from cydp._call_errors import explain_arguments
from cydp._columns.condition_parser import parse_condition
from cydp._columns.stored_tables import choose_rows
from cydp._columns.tables import refuse_other_than_table

__all__ = ["where"]


@explain_arguments
def where(table: Any, condition: str) -> Any:
    """Return the rows of a table that satisfy a public condition, as a table for releases.

    Whether a row does depends on this row alone, so a release of these rows is as private as one of
    the table. It costs nothing by itself, and reads nothing: a release reads it.

    Parameters
    ----------
    table : path, or relation of DuckDB
        A path or a glob of CSV or Parquet files, or a query, or what `where` has returned. Other
        tables are filtered by their own library.
    condition : str
        Comparisons of columns with constants by ``= != < <= > >=``, ``in (...)``, ``between``,
        ``like`` and ``is null``, joined by ``and``, ``or``, ``not`` and parentheses, such as
        ``"age >= 18 and country = 'DE'"``. Names of columns distinguish case. A row for which it is
        unknown, since a value is missing, is left out. Releases, certificates and ledgers say the
        condition.

    Returns
    -------
    table
        What a release takes as its table, with columns by their names.

    Raises
    ------
    TypeError, ValueError
        For another table, for another condition, for a column that is not there, or that has
        another type than the constants.

    Notes
    -----
    Under "change-one", a number for missing ones is refused with it: the number of rows is not
    public then.

    Examples
    --------
    >>> import cydp, duckdb
    >>> visits = duckdb.sql("select unnest([31, 12, 64]) as age")
    >>> cydp.count(where(visits, "age >= 18"), epsilon=100).query.reads.where
    'age >= 18'

    """
    try:
        return choose_rows(table, parse_condition(condition), "table")
    except (TypeError, ValueError):
        refuse_other_than_table(table, "table", {"condition": condition})
        raise
