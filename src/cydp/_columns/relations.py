# SPDX-License-Identifier: MIT
"""Columns of a relation of DuckDB, all read in one execution of its query.

Two executions need not return the rows in the same order. docs/columns.md, "Tables".
"""

from __future__ import annotations

import sys
from importlib import import_module
from threading import Lock
from typing import Any

__all__ = ["RelationColumn", "SharedRelation"]


class SharedRelation:
    """A relation, and what its columns held when the first of them was read.

    Parameters
    ----------
    relation : DuckDBPyRelation

    """

    __slots__ = ("_arrays", "_lock", "_relation", "_schema", "_wanted")

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        self._wanted: list[str] = []
        self._arrays: list[Any] | None = None
        self._schema: Any = None
        self._lock = Lock()

    def column(self, label: str) -> RelationColumn:
        """Return a column, which is read with all others that were asked for before.

        Raises
        ------
        ValueError
            If the query has run: the column's rows might not be those of the others.

        """
        with self._lock:
            if self._arrays is not None and label not in self._wanted:
                raise ValueError("columns of a relation must be chosen before one of them is read")
            if label not in self._wanted:
                self._wanted.append(label)
            return RelationColumn(self, self._project([label]).types, self._wanted.index(label))

    def read(self, i: int) -> tuple[Any, list[Any]]:
        """Return the schema and the arrays of a column; the query runs at the first call."""
        with self._lock:
            if self._arrays is None:
                import nanoarrow  # a declaration has imported it before

                stream = nanoarrow.c_array_stream(self._project(self._wanted))
                self._schema, self._arrays = stream.get_schema(), list(stream)
            return self._schema.child(i), [array.child(i) for array in self._arrays]

    def _project(self, labels: list[str]) -> Any:
        name_of = sys.modules["duckdb"].ColumnExpression
        return self._relation.select(*map(name_of, labels))


class RelationColumn:
    """One column of a shared relation, which declares a type and exports Arrow.

    Attributes
    ----------
    types : list of one DuckDBPyType

    """

    __slots__ = ("_i", "_shared", "types")

    def __init__(self, shared: SharedRelation, types: list[Any], i: int) -> None:
        self._shared, self.types, self._i = shared, types, i

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Run the query of the relation, if it has not run, and export the column."""
        schema, arrays = self._shared.read(self._i)
        streams = import_module("nanoarrow.c_array_stream").CArrayStream
        return streams.from_c_arrays(arrays, schema).__arrow_c_stream__(requested_schema)
