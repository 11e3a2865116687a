# SPDX-License-Identifier: MIT
"""Columns of one query, read in one execution of it: at once, or in pieces.

Two executions need not return the same rows. docs/columns.md, "Tables" and "Pieces".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Generator
from contextlib import closing
from threading import Lock
from typing import Any, Self

__all__ = ["SharedColumn", "SharedRows", "unread"]

_PIECE_ROWS = 2**16  # at least, except in the last piece: a batch of DuckDB, which is not copied
_ANSWERS_FOR_EACH_ROW = 2  # at most: a piece passes over all of them
_USER_ROWS = 2**23  # about: a piece has all rows of its users


class SharedRows(ABC):
    """The rows of a query, and what its columns hold: all rows, or the current piece.

    Parameters
    ----------
    repeatable : bool, default False
        Whether every execution of the query returns the same rows, in any order.
    watch : callable, optional
        It is called with the number of rows that were read so far, after each batch.
    text_as : collection of str, optional
        What text was made in the query, and for its condition: names in `NOTES` of `csv_uses`.

    Attributes
    ----------
    answers : int
        How many exact answers each piece adds to.
    repeatable : bool
    text_as : set of str
        What text is read as: `text_as`, and what columns of CSV that were opened are used for.

    """

    __slots__ = (
        "_arrays", "_has_run", "_lock", "_rows", "_schema", "_wanted", "_watch", "answers",
        "repeatable", "text_as",
    )  # fmt: skip

    def __init__(
        self,
        *,
        repeatable: bool = False,
        watch: Callable[[int], object] | None = None,
        text_as: Collection[str] = (),
    ) -> None:
        self.repeatable, self._watch, self.text_as = repeatable, watch, set(text_as)
        self.answers = 0
        self._wanted: list[str] = []
        self._arrays: list[Any] | None = None
        self._schema: Any = None
        self._has_run = False
        self._rows = 0
        self._lock = Lock()

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @abstractmethod
    def _column(self, label: str, place: int) -> SharedColumn:
        """Return a column, which declares its type; the query does not run."""

    @abstractmethod
    def _batches(self, part: tuple[str, int, int] | None = None) -> Generator[Any, None, None]:
        """Yield arrays of nanoarrow with the columns that were asked for, and keep their schema.

        The query runs; its errors may show data and are replaced. With a part, a column and two
        numbers n and i, the rows whose entry in the column has a hash in the part i of n; only rows
        that are repeatable are asked for it.
        """

    @abstractmethod
    def _count(self, watch: Callable[[int], object] | None) -> int:
        """Return how many rows there are; a query of its own runs, and its errors are replaced."""

    def check(self) -> None:
        """Raise an error, before a charge, if the rows cannot be read as they are."""
        return

    def column(self, label: str) -> SharedColumn:
        """Return a column, which is read with all others that were asked for before.

        Raises
        ------
        ValueError
            If the query has run: the rows of the column might be other rows.

        """
        with self._lock:
            if self._has_run and label not in self._wanted:
                raise ValueError("columns of a query must be chosen before one of them is read")
            is_new = label not in self._wanted
            place = len(self._wanted) if is_new else self._wanted.index(label)
            column = self._column(label, place)
            if is_new:
                self._wanted.append(label)
            return column

    def count_rows(self) -> int:
        """Return how many rows there are; a query of its own runs.

        Raises
        ------
        ValueError
            If the query fails.

        """
        return self._count(self._watch)

    def read(self, i: int) -> tuple[Any, list[Any]]:
        """Return the schema and the arrays of a column, of the current piece or of all rows.

        Raises
        ------
        ValueError
            If the query fails, or has been read to its end in pieces.

        """
        with self._lock:
            if not self._has_run:
                self._has_run = True
                self._arrays = list(self._watched())
            if self._arrays is None:
                raise ValueError("columns of a query must be read together, piece by piece")
            return self._schema.child(i), [array.child(i) for array in self._arrays]

    def pieces(self, users: int | None = None) -> Generator[Self, None, None]:
        """Let the columns hold a piece of the rows while each item lasts; there is at least one.

        Each item is this object.

        Parameters
        ----------
        users : int or None
            The place of a column, if rows that have equal entries in it must be in one piece. The
            query runs once for each piece then.

        Raises
        ------
        ValueError
            If the query fails, or has run before.

        """
        with self._lock:
            if self._has_run:
                raise ValueError("a query must be read once: at once, or in pieces")
            self._has_run = True
        pieces = self._joined() if users is None else self._by_users(self._wanted[users])
        with closing(pieces):
            for self._arrays in pieces:
                yield self
                self._arrays = None  # its memory is for the next one

    def _joined(self) -> Generator[list[Any], None, None]:
        """Yield batches, as many at a time as are worth a pass over the answers."""
        held: list[Any] = []
        rows, is_first = 0, True
        with closing(self._watched()) as batches:
            for batch in batches:
                held.append(batch)
                rows += len(batch)
                if rows >= max(_PIECE_ROWS, self.answers // _ANSWERS_FOR_EACH_ROW):
                    full, held, rows, is_first = held, [], 0, False
                    yield full
                    full.clear()
        if held or is_first:
            yield held

    def _by_users(self, label: str) -> Generator[list[Any], None, None]:
        """Yield the batches of the users with a hash in one part of all, for each part."""
        n = max(1, -(-self._count(None) // _USER_ROWS))
        for i in range(n):
            yield list(self._watched((label, n, i) if n > 1 else None))

    def _watched(self, part: tuple[str, int, int] | None = None) -> Generator[Any, None, None]:
        """Yield batches, and tell how many rows were read."""
        with closing(self._batches(part)) as batches:
            for batch in batches:
                self._rows += len(batch)
                if self._watch is not None:
                    self._watch(self._rows)
                yield batch


def unread(what: str, to_see_why: str) -> ValueError:
    """Return the error for a query that has failed: its own error may show data.

    >>> str(unread("the lazy frame", "call its collect()"))[-55:]
    'may show data, so call its collect() yourself to see it'
    """
    return ValueError(
        f"{what} could not be read: its query or its conversion to Arrow failed; the reason may "
        f"show data, so {to_see_why} yourself to see it"
    )


class SharedColumn:
    """One column of a query, which declares a type and holds arrays of Arrow.

    Attributes
    ----------
    rows : SharedRows
    place : int
        Which of the columns that were asked for it is.
    types : list of one DuckDBPyType, or None
    schema : schema of Arrow, or None
        One of the two declares its type.

    """

    __slots__ = ("place", "rows", "schema", "types")

    def __init__(
        self, rows: SharedRows, place: int, *, types: list[Any] | None = None, schema: Any = None
    ) -> None:
        self.rows, self.place, self.types, self.schema = rows, place, types, schema

    def arrays(self) -> tuple[Any, list[Any]]:
        """Return the schema and the arrays of the rows that it holds; the query may run.

        They are not exported and imported: nanoarrow 0.9 copies string views, as polars has them,
        beyond the end of what it allocates (`CArrayStream.from_c_arrays`).
        """
        return self.rows.read(self.place)
