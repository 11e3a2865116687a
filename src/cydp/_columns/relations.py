# SPDX-License-Identifier: MIT
"""Relations of DuckDB, whose columns share one execution. docs/columns.md, "Tables"."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Generator
from contextlib import closing
from functools import partial
from typing import Any

from cydp._columns.arrow import import_nanoarrow
from cydp._columns.shared import SharedColumn, SharedRows, unread

__all__ = ["SharedRelation", "is_relation", "was_interrupted"]

# So nanoarrow tells it in the middle of a stream. What follows may show data.
_STREAM = "ArrowArrayStream::get_next() failed (5): "
_NO_MEMORY = f"{_STREAM}Out of Memory Error: "
_INTERRUPTED = "INTERRUPT Error: ", f"{_STREAM}INTERRUPT Error: ", "Query interrupted"


class SharedRelation(SharedRows):
    """A relation of DuckDB.

    Parameters
    ----------
    relation : DuckDBPyRelation
    repeatable, watch, text_as
        As in `SharedRows`.
    what : str, default "the relation"
        What to call it in an error.

    """

    __slots__ = ("_relation", "_what")

    def __init__(
        self,
        relation: Any,
        *,
        repeatable: bool = False,
        watch: Callable[[int], object] | None = None,
        what: str = "the relation",
        text_as: Collection[str] = (),
    ) -> None:
        super().__init__(repeatable=repeatable, watch=watch, text_as=text_as)
        self._relation, self._what = relation, what

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._relation.columns)

    def check(self) -> None:
        """Raise an ImportError if `nanoarrow` is missing, which no column may have asked for."""
        import_nanoarrow(self._what)

    def _column(self, label: str, place: int) -> SharedColumn:
        types = self._relation.select(self._expression(label)).types
        return SharedColumn(self, place, types=types)

    def _expression(self, label: str) -> Any:
        """Return what a label stands for: here the column of this name."""
        return sys.modules["duckdb"].ColumnExpression(label)

    def _batches(self, part: tuple[str, int, int] | None = None) -> Generator[Any, None, None]:
        chosen = self._relation
        if part is not None:
            duckdb = sys.modules["duckdb"]
            label, n, i = part
            hashes = duckdb.FunctionExpression("hash", self._expression(label))
            # A range of hashes: a remainder would take a division for each row.
            first, last = (i << 64) // n, ((i + 1) << 64) // n - 1
            constant = duckdb.ConstantExpression
            chosen = chosen.filter(hashes.between(constant(first), constant(last)))
        return self._run(chosen.select(*map(self._expression, self._wanted)))

    def _count(self, watch: Callable[[int], object] | None) -> int:
        rows = 0
        one = sys.modules["duckdb"].ConstantExpression(1)
        with closing(self._run(self._relation.select(one))) as batches:
            for batch in batches:
                rows += len(batch)
                if watch is not None:
                    watch(rows)
        return rows

    def _run(self, relation: Any) -> Generator[Any, None, None]:
        """Yield the batches of a relation, and keep their schema."""
        import nanoarrow  # it was imported before the charge

        stream = self._guard(partial(nanoarrow.c_array_stream, relation))
        try:
            self._schema = self._guard(stream.get_schema)
            batches = iter(stream)
            while (batch := self._guard(partial(next, batches, None))) is not None:
                yield batch
        finally:
            stream.release()  # or the connection could run no other query

    def _guard(self, call: Callable[[], Any]) -> Any:
        """Return the result of a call of DuckDB; the message of a failure may show data."""
        try:
            return call()
        except MemoryError:
            raise
        except Exception as error:  # what is raised here would have DuckDB's error as context
            no_memory = isinstance(error, sys.modules["duckdb"].OutOfMemoryException)
            no_memory |= str(error).startswith(_NO_MEMORY)
            interrupted = was_interrupted(error)
        if interrupted:
            raise KeyboardInterrupt
        if no_memory:
            raise MemoryError(f"{self._what} could not be read: DuckDB has too little memory")
        raise unread(self._what, "call its fetchall()")


def was_interrupted(error: BaseException) -> bool:
    """Whether a query of DuckDB ended because of Ctrl-C, for which it raises an error of its own.

    How the text begins is DuckDB's, whatever the rows hold.

    >>> was_interrupted(RuntimeError("Query interrupted")), was_interrupted(ValueError("x"))
    (True, False)
    """
    return str(error).startswith(_INTERRUPTED)


def is_relation(x: Any) -> bool:
    """Whether x is a relation of DuckDB, or a column of one."""
    if isinstance(x, SharedColumn):
        return x.types is not None
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(x, duckdb.DuckDBPyRelation)
