# SPDX-License-Identifier: MIT
"""Columns of files: how a release uses one of CSV, which has no type, decides what it holds."""

from __future__ import annotations

from typing import Any

from cydp._columns.conditions import Condition, constants_of
from cydp._columns.files import DataFile
from cydp._columns.relations import SharedRelation
from cydp._columns.shared import SharedColumn

__all__ = ["CONSTANTS", "FileColumn", "SharedFile", "has_numbers_as_text"]

CONSTANTS = "constants"
"""In `text_as`: a condition compares text with a number or a time in quotes."""


def has_numbers_as_text(where: Condition) -> bool:
    """Whether a condition has a number, a date or a time in quotes, for which 01 is not 1."""
    return any(constant.unquoted is not None for constant in constants_of(where.node))


class SharedFile(SharedRelation):
    """The rows of files, whose columns share one execution of a scan, which can be repeated."""

    __slots__ = ("_file",)

    def __init__(self, file: DataFile, where: Condition | None = None) -> None:
        super().__init__(file.everything(where), repeatable=True, what=repr(file.path))
        self._file = file
        if where is not None and not file.has_types and has_numbers_as_text(where):
            self.text_as.add(CONSTANTS)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._file.names

    def _expression(self, label: str) -> Any:
        """Return an expression of SQL."""
        import duckdb

        return duckdb.SQLExpression(label)

    def check(self) -> None:
        """Raise a FileError if a CSV file is ill-formed, and an ImportError as a relation does."""
        super().check()
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
        self._say("number")
        return self._rows.column(self.file.numbers_of(self.name))

    def labels(self, sql_type: str | None = None) -> SharedColumn:
        """Return the column as it is stored; of CSV, as entries of a type of DuckDB."""
        if sql_type is not None:
            self._say("date or time" if sql_type.startswith("TIMESTAMP") else "number")
        return self._rows.column(self.file.labels_of(self.name, sql_type))

    def _say(self, what: str) -> None:
        """Note what text is read as, which depends on public parameters alone."""
        if not self.file.has_types:
            self._rows.text_as.add(what)
