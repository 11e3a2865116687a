# SPDX-License-Identifier: MIT
"""A table of any library: names, length, and a column by its name. docs/columns.md, "Tables"."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from cydp._call_errors import nearest_name
from cydp._columns.conditions import Condition
from cydp._columns.declared import Labels
from cydp._columns.pandas import as_series, is_series
from cydp._columns.shared import SharedRows
from cydp._columns.source import Source, speaks_arrow
from cydp._columns.sources import open_source
from cydp._columns.truncated import DateTrunc, TruncatedSource

__all__ = ["Table", "called", "is_column", "type_name"]


_MOST_NAMES = 20  # of a table, in an error
_LONGEST = 200  # letters of a condition


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
    path : str or None
        The absolute path, or glob, of the files that the table is; None for other tables.
    elsewhere : callable
        Returns where else a name is that no column has, and what to write then, or nothing.
    restrict : callable or None
        Returns the table of the rows that satisfy one more condition; None: it cannot.

    """

    __slots__ = (
        "_column_at", "_name", "_reopen", "elsewhere", "first_line", "length", "names", "path",
        "restrict", "rows", "where",
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
        path: str | None = None,
        elsewhere: Callable[[Hashable], str] = lambda _: "",
    ) -> None:
        self._name, self.names, self.length, self._column_at = name, tuple(names), length, column_at
        self.rows, self._reopen, self.first_line = rows, reopen, first_line
        self.restrict, self.where, self.path = restrict, where, path
        self.elsewhere = elsewhere

    def __repr__(self) -> str:
        shown = str(self.where)[:_LONGEST] + (" ..." if len(str(self.where)) > _LONGEST else "")
        where = "" if self.where is None else f", only rows where {shown}"
        return f"<table of {len(self.names)} columns{where}>"

    @property
    def declared(self) -> str:
        """What is asked of the table if its rows are counted: no type."""
        return f"{self._name}: rows"

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
            return TruncatedSource(
                times, argument, given.part, given.zone, called(given.column, argument)
            )
        if is_column(given):
            if self.length is None:
                raise TypeError(
                    f"{argument} must be the name of a column of {self._name}, not "
                    + (
                        "a list of names: give one; group_by takes several, by=[...]"
                        if isinstance(given, list)
                        else "a column itself: which rows there are is known only when they are "
                        "read"
                    )
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
            raise TypeError(f"{argument} must name a column, not be {type_name(given)}") from None
        if not places and self.first_line is not None:
            raise ValueError(
                f"{argument} must be a column of {self._name}: no {given!r} in {self.first_line}"
                + self.elsewhere(given)
            )
        if not places:
            # In a list, what was given may be a label: a list of labels is taken for names.
            said = f"{argument} must be a column of {self._name}, {self._names()}"
            hint = self._nearest(given) if is_named else ""
            raise ValueError(said + (self.elsewhere(given) or hint))
        if len(places) > 1:
            raise ValueError(f"{argument} must name one column: {given!r} is there more than once")
        return places[0]

    def _nearest(self, given: Hashable) -> str:
        """Return a name that is not there, and the nearest one that is."""
        if not isinstance(given, str):
            return ""
        near = nearest_name(given, self.names)
        return f", not {given!r}" + (f": did you mean {near!r}?" if near else "")

    def _names(self) -> str:
        shown = ", ".join(map(repr, self.names[:_MOST_NAMES]))
        if not shown:
            return "which has none"
        return f"which has {shown}" + (", ..." if len(self.names) > _MOST_NAMES else "")


def is_column(given: Any) -> bool:
    """Whether a column was given, and not the name of one."""
    if isinstance(given, list | np.ndarray | memoryview | array | Source) or is_series(given):
        return True
    if isinstance(getattr(given, "dtype", None), np.dtype) and not isinstance(given, np.generic):
        return True
    return speaks_arrow(given) or is_series(as_series(given))


def called(column: Any, name: str) -> str:
    """Return what to call a column in an error: by the name that it was chosen by, if there is one.

    >>> called("ts", "x"), called(None, "x"), called([1, 2], "x")
    ("column 'ts'", 'x', 'x')
    """
    return name if column is None or is_column(column) else f"column {column!r}"


def _same_name(label: Any, given: Any) -> bool:
    """Whether two names are equal; True is not the column at 1."""
    return isinstance(label, bool) == isinstance(given, bool) and bool(label == given)


def type_name(x: object) -> str:
    return "None" if x is None else type(x).__name__
