# SPDX-License-Identifier: MIT
"""One column of a CSV or Parquet file, read by DuckDB (extra ``cli``).

What a record says cannot raise: what is no number is missing, a broken line is skipped. A
record is what the CSV parser takes for one. DuckDB's own messages quote the data, and the first
line of a CSV file may be a record, so no message passes either on.
"""

import csv
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

# Not parallel: with several threads a newline inside quotes is an error.
_CSV = (
    "SELECT TRY_CAST({column} AS DOUBLE) AS x FROM read_csv(?, columns = {columns}, "
    "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
    "null_padding = true, ignore_errors = true, strict_mode = false, parallel = false, "
    "hive_partitioning = false)"
)
_PARQUET = "SELECT {columns} FROM read_parquet(?, hive_partitioning = false)"
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_NUMBERS = ("BOOLEAN", "FLOAT", "DOUBLE", "HUGEINT", "UHUGEINT", "DECIMAL")


class FileError(ValueError):
    """A file or column that cannot be read; the message is one line without data."""


def read_column(path: str, column: str) -> NDArray[Any]:
    """Read a numeric column, nulls as NaN or masked; the suffix .parquet tells the format.

    Raises
    ------
    FileError
        If the file, its header or the column cannot be read, or DuckDB is not installed.

    """
    try:
        import duckdb
    except ImportError:
        raise FileError("reading files needs DuckDB: pip install 'cydp[cli]'") from None
    file = _existing(path)
    parquet = file.suffix.lower() in (".parquet", ".pq")
    # A name with a star would match other files too.
    quoted = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(file))
    try:
        with duckdb.connect() as connection:
            if parquet:
                query = _parquet_query(connection, quoted, column, path)
            else:
                query = _csv_query(file, column, path)
            values: NDArray[Any] = connection.execute(query, [quoted]).fetchnumpy()["x"]
    except (duckdb.Error, OSError):
        raise FileError(f"cannot read {path!r} as {'Parquet' if parquet else 'CSV'}") from None
    return values


def _existing(path: str) -> Path:
    file = Path(path).absolute()  # DuckDB would take a leading ~ for the home directory
    try:
        if not file.exists():
            raise FileError(f"no such file: {path!r}")
        if not file.is_file():
            raise FileError(f"not a regular file: {path!r}")
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot open {path!r}") from None
    return file


def _csv_query(file: Path, column: str, path: str) -> str:
    try:
        # The buffer reaches into the records, whose bytes may be anything.
        with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
            header = next(csv.reader(lines), [])
    except csv.Error:
        raise FileError(f"cannot read {path!r} as CSV") from None
    if header.count(column) != 1:
        found = "more than one" if column in header else "no"
        raise FileError(f"{found} column {column!r} in the first line of {path!r}")
    # Numbered names, since a header may repeat its own.
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    return _CSV.format(column=f"c{header.index(column)}", columns=f"{{{columns}}}")


def _parquet_query(connection: Any, quoted: str, column: str, path: str) -> str:
    query = _PARQUET.format(columns="*") + " LIMIT 0"
    types = {name: str(kind) for name, kind, *_ in connection.execute(query, [quoted]).description}
    if column not in types:
        names = ", ".join(map(repr, types))
        shown = names if len(names) <= 200 else names[:200] + " ..."
        raise FileError(f"no column {column!r} in {path!r}; it has: {shown}")
    kind, name = types[column], '"' + column.replace('"', '""') + '"'
    if kind.removeprefix("U") in _INTEGERS:
        return _PARQUET.format(columns=f"{name} AS x")
    if kind.startswith(_NUMBERS) and not kind.endswith("]"):
        return _PARQUET.format(columns=f"CAST({name} AS DOUBLE) AS x")
    raise FileError(f"column {column!r} of {path!r} must be numeric, not {kind[:40]}")
