# SPDX-License-Identifier: MIT
"""One column of a CSV or Parquet file, read by DuckDB (extra ``cli``).

No record can raise an error: a value that is no number is missing, and a broken line is skipped.
The CSV parser decides what a record is. DuckDB's own messages quote the data, and the first line of
a CSV file may be a record, so messages contain neither.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["FileColumn", "FileError", "open_column"]

# Not parallel, because with several threads a newline inside quotes is an error.
_CSV = (
    "SELECT TRY_CAST({column} AS DOUBLE) AS x FROM read_csv(?, columns = {columns}, "
    "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
    "null_padding = true, ignore_errors = true, strict_mode = false, parallel = false, "
    "hive_partitioning = false)"
)
_PARQUET = "SELECT {columns} FROM read_parquet(?, hive_partitioning = false)"
_INTEGERS = {"TINYINT": "int8", "SMALLINT": "int16", "INTEGER": "int32", "BIGINT": "int64"}
_NUMBERS = ("BOOLEAN", "FLOAT", "DOUBLE", "HUGEINT", "UHUGEINT", "DECIMAL")


class FileError(ValueError):
    """A file or a column cannot be read. The message is one line without data."""


@dataclass(frozen=True, slots=True, eq=False)
class FileColumn:
    """A numeric column of a file, whose values are read when numpy asks for them.

    `open_column` makes it. Null values are left out.

    Attributes
    ----------
    dtype : dtype
        The dtype of the values, which the file declares; float64 for CSV.
    ndim : int
        1.

    """

    dtype: np.dtype[Any]
    _query: str
    _pattern: str
    _cannot_read: str
    ndim: ClassVar[int] = 1

    def __array__(
        self, dtype: np.dtype[Any] | None = None, copy: bool | None = None
    ) -> NDArray[Any]:
        """Read the values; a FileError if the file cannot be read."""
        import duckdb

        query = f"SELECT x FROM ({self._query}) WHERE x IS NOT NULL"
        try:
            with duckdb.connect() as connection:
                values = connection.execute(query, [self._pattern]).fetchnumpy()["x"]
        except (duckdb.Error, OSError, MemoryError):
            raise FileError(self._cannot_read) from None
        return np.asarray(values, self.dtype if dtype is None else dtype)


def open_column(path: str, column: str) -> FileColumn:
    r"""Find a numeric column, and do not read its values. The suffix .parquet tells the format.

    Raises
    ------
    FileError
        If the file, its header or the column cannot be read, or DuckDB is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("age,sex\n31,f\n,m\n")
    ...     np.asarray(open_column(f"{folder}/t.csv", "age"))
    array([31.])

    """
    try:
        import duckdb
    except ImportError:
        raise FileError("reading files needs DuckDB: pip install 'cydp[cli]'") from None
    file = _check_file(path)
    parquet = file.suffix.lower() in (".parquet", ".pq")
    cannot = f"cannot read {path!r} as {'Parquet' if parquet else 'CSV'}"
    # A name with a star would match other files too.
    pattern = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(file))
    try:
        if not parquet:
            return FileColumn(np.dtype(float), _csv_query(file, column, path), pattern, cannot)
        with duckdb.connect() as connection:
            dtype, query = _parquet_query(connection, pattern, column, path)
    except (csv.Error, duckdb.Error, OSError):
        raise FileError(cannot) from None
    return FileColumn(dtype, query, pattern, cannot)


def _check_file(path: str) -> Path:
    file = Path(path).absolute()  # DuckDB would take a leading ~ for the home directory
    try:
        if not file.exists():
            raise FileError(f"no such file: {path!r}")
        if not file.is_file():
            raise FileError(f"not a regular file: {path!r}")
        str(file).encode()  # DuckDB takes no other names
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot open {path!r}") from None
    return file


def _csv_query(file: Path, column: str, path: str) -> str:
    # The buffer reaches into the records, whose bytes may be anything.
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        header = next(csv.reader(lines), [])
    if header.count(column) != 1:
        found = "more than one" if column in header else "no"
        raise FileError(f"{found} column {column!r} in the first line of {path!r}")
    # The columns get numbered names, since a header may repeat a name.
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    return _CSV.format(column=f"c{header.index(column)}", columns=f"{{{columns}}}")


def _parquet_query(
    connection: Any, pattern: str, column: str, path: str
) -> tuple[np.dtype[Any], str]:
    query = _PARQUET.format(columns="*") + " LIMIT 0"
    types = {name: str(kind) for name, kind, *_ in connection.execute(query, [pattern]).description}
    if column not in types:
        names = ", ".join(map(repr, types))
        shown = names if len(names) <= 200 else names[:200] + " ..."
        raise FileError(f"no column {column!r} in {path!r}; it has: {shown}")
    kind, name = types[column], '"' + column.replace('"', '""') + '"'
    if (integer := kind.removeprefix("U")) in _INTEGERS:
        dtype = np.dtype(("u" if kind != integer else "") + _INTEGERS[integer])
        return dtype, _PARQUET.format(columns=f"{name} AS x")
    if kind.startswith(_NUMBERS) and not kind.endswith("]"):
        return np.dtype(float), _PARQUET.format(columns=f"CAST({name} AS DOUBLE) AS x")
    raise FileError(f"column {column!r} of {path!r} must be numeric, not {kind[:40]}")
