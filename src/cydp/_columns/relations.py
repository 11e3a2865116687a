# SPDX-License-Identifier: MIT
"""Columns of a relation of DuckDB, read in one execution of its query: at once, or in pieces.

Two executions need not return the same rows. docs/columns.md, "Tables" and "Pieces".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from importlib import import_module
from threading import Lock
from typing import Any

__all__ = ["RelationColumn", "SharedRelation"]

_PIECE_ROWS = 2**20  # at least, except in the last piece: so many that kernels use all threads
_USER_ROWS = 2**22  # about: a piece has all rows of its users


class SharedRelation:
    """A relation, and the rows that its columns hold: all, or the current piece.

    Parameters
    ----------
    relation : DuckDBPyRelation
    repeatable : bool, default False
        Whether every execution of its query returns the same rows, in any order.
    watch : callable, optional
        It is called with the number of rows that were read so far, after each batch.

    Attributes
    ----------
    repeatable : bool

    """

    __slots__ = (
        "_arrays", "_has_run", "_lock", "_relation", "_rows", "_schema", "_wanted", "_watch",
        "repeatable",
    )  # fmt: skip

    def __init__(
        self,
        relation: Any,
        *,
        repeatable: bool = False,
        watch: Callable[[int], object] | None = None,
    ) -> None:
        self._relation, self.repeatable, self._watch = relation, repeatable, watch
        self._wanted: list[str] = []
        self._arrays: list[Any] | None = None
        self._schema: Any = None
        self._has_run = False
        self._rows = 0
        self._lock = Lock()

    def column(self, label: str) -> RelationColumn:
        """Return a column, which is read with all others that were asked for before.

        Raises
        ------
        ValueError
            If the query has run: the rows of the column might be other rows.

        """
        with self._lock:
            if self._has_run and label not in self._wanted:
                raise ValueError("columns of a relation must be chosen before one of them is read")
            if label not in self._wanted:
                self._wanted.append(label)
            types = self._project(self._relation, [label]).types
            return RelationColumn(self, types, self._wanted.index(label))

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
                self._arrays = list(self._read(self._relation))
            if self._arrays is None:
                raise ValueError("columns of a relation must be read together, piece by piece")
            return self._schema.child(i), [array.child(i) for array in self._arrays]

    def pieces(self, users: int | None = None) -> Generator[None, None, None]:
        """Let the columns hold a piece of the rows while each item lasts; there is at least one.

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
                raise ValueError("a relation must be read once: at once, or in pieces")
            self._has_run = True
        pieces = self._joined() if users is None else self._by_users(self._wanted[users])
        with closing(pieces):
            for self._arrays in pieces:
                yield
                self._arrays = None  # its memory is for the next one

    def _joined(self) -> Generator[list[Any], None, None]:
        """Yield batches, as many at a time as make kernels worth it."""
        held: list[Any] = []
        rows, is_first = 0, True
        with closing(self._read(self._relation)) as batches:
            for batch in batches:
                held.append(batch)
                rows += len(batch)
                if rows >= _PIECE_ROWS:
                    full, held, rows, is_first = held, [], 0, False
                    yield full
                    full.clear()
        if held or is_first:
            yield held

    def _by_users(self, label: str) -> Generator[list[Any], None, None]:
        """Yield the batches of the users with one remainder of their hash, for each remainder."""
        duckdb = sys.modules["duckdb"]
        column, function = duckdb.ColumnExpression, duckdb.FunctionExpression
        constant = duckdb.ConstantExpression
        n = max(1, -(-self._count(None) // _USER_ROWS))
        for i in range(n):
            chosen = self._relation
            if n > 1:
                chosen = chosen.filter(function("hash", column(label)) % constant(n) == constant(i))
            yield list(self._read(chosen))

    def _count(self, watch: Callable[[int], object] | None) -> int:
        rows = 0
        one = sys.modules["duckdb"].ConstantExpression(1)
        with closing(self._run(self._relation.select(one))) as batches:
            for batch in batches:
                rows += len(batch)
                if watch is not None:
                    watch(rows)
        return rows

    def _read(self, relation: Any) -> Generator[Any, None, None]:
        """Yield the batches of the columns that were asked for."""
        with closing(self._run(self._project(relation, self._wanted))) as batches:
            for batch in batches:
                self._rows += len(batch)
                if self._watch is not None:
                    self._watch(self._rows)
                yield batch

    def _run(self, relation: Any) -> Generator[Any, None, None]:
        """Yield the batches of a relation, and keep their schema."""
        import nanoarrow  # a declaration has imported it before

        stream = _guard(partial(nanoarrow.c_array_stream, relation))
        try:
            self._schema = _guard(stream.get_schema)
            batches = iter(stream)
            while (batch := _guard(partial(next, batches, None))) is not None:
                yield batch
        finally:
            stream.release()  # or the connection could run no other query

    @staticmethod
    def _project(relation: Any, labels: list[str]) -> Any:
        return relation.select(*map(sys.modules["duckdb"].ColumnExpression, labels))


class RelationColumn:
    """One column of a shared relation, which declares a type and exports Arrow.

    Attributes
    ----------
    shared : SharedRelation
    types : list of one DuckDBPyType
    place : int
        Which of the columns that were asked for it is.

    """

    __slots__ = ("place", "shared", "types")

    def __init__(self, shared: SharedRelation, types: list[Any], place: int) -> None:
        self.shared, self.types, self.place = shared, types, place

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the rows that the column holds; the query runs if it has not run."""
        schema, arrays = self.shared.read(self.place)
        streams = import_module("nanoarrow.c_array_stream").CArrayStream
        return streams.from_c_arrays(arrays, schema).__arrow_c_stream__(requested_schema)


def _guard(call: Callable[[], Any]) -> Any:
    """Return the result of a call of DuckDB; the message of a failure may show data."""
    try:
        return call()
    except MemoryError:
        raise
    except Exception as error:  # an error that is raised here would have DuckDB's as its context
        no_memory = isinstance(error, sys.modules["duckdb"].OutOfMemoryException)
    if no_memory:
        raise MemoryError("the relation could not be read: DuckDB has too little memory")
    raise ValueError("the relation could not be read: its query or its conversion to Arrow failed")
