# SPDX-License-Identifier: MIT
"""Columns of files: how a release uses one of CSV, which has no type, decides what it holds."""

from __future__ import annotations

from typing import Any

from cydp._columns.conditions import Condition
from cydp._columns.csv_uses import NUMBER, uses_in_condition, uses_of_type
from cydp._columns.file_errors import as_value_errors
from cydp._columns.files import DataFile
from cydp._columns.relations import SharedRelation
from cydp._columns.shared import SharedColumn

__all__ = ["FileColumn", "SharedFile"]


class SharedFile(SharedRelation):
    """The rows of files, whose columns share one execution of a scan, which can be repeated."""

    __slots__ = ("_file",)

    def __init__(self, file: DataFile, where: Condition | None = None) -> None:
        with as_value_errors():
            rows = file.everything(where)
        super().__init__(rows, repeatable=True, what=repr(file.path))
        self._file = file
        if where is not None and not file.has_types:
            self.text_as.update(uses_in_condition(where))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._file.names

    def _expression(self, label: str) -> Any:
        """Return an expression of SQL."""
        import duckdb

        return duckdb.SQLExpression(label)

    def check(self) -> None:
        """Raise a ValueError if a CSV file is ill-formed, and an ImportError as a relation does."""
        super().check()
        with as_value_errors():
            self._file.check()


class FileColumn:
    """A column of files: how a release uses it decides what a column of CSV holds.

    Attributes
    ----------
    file : DataFile
    name : str

    """

    __slots__ = ("_rows", "file", "name")

    def __init__(self, rows: SharedFile, file: DataFile, name: str) -> None:
        self._rows, self.file, self.name = rows, file, name

    def numbers(self) -> SharedColumn:
        """Return the column as numbers; of CSV, what is none is null."""
        self._say(NUMBER)
        with as_value_errors():
            return self._rows.column(self.file.numbers_of(self.name))

    def labels(self, sql_type: str | None = None) -> SharedColumn:
        """Return the column as it is stored; of CSV, as entries of a type of DuckDB."""
        if sql_type is not None:
            self._say(uses_of_type(sql_type))
        with as_value_errors():
            return self._rows.column(self.file.labels_of(self.name, sql_type))

    def _say(self, what: str) -> None:
        """Note what text is read as, which depends on public parameters alone."""
        if not self.file.has_types:
            self._rows.text_as.add(what)
