# SPDX-License-Identifier: MIT
"""One column of a CSV or Parquet file, read by DuckDB (extra ``cli``).

Nothing that a record says can raise: what is no number is missing, a broken line is skipped.
DuckDB's own messages quote the data, so none of them is passed on.
"""

import csv
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

_CSV = (
    "SELECT TRY_CAST({column} AS DOUBLE) AS x FROM read_csv(?, columns = {columns}, "
    "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
    "null_padding = true, ignore_errors = true, strict_mode = false)"
)
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
    file = Path(path)
    if not file.is_file():
        raise FileError(f"no such file: {path}")
    # A name with a star would match other files too.
    quoted = "".join(f"[{letter}]" if letter in "*?[" else letter for letter in str(file))
    try:
        with duckdb.connect() as connection:
            if file.suffix.lower() in (".parquet", ".pq"):
                query = _parquet_query(connection, quoted, column, path)
            else:
                query = _csv_query(file, column, path)
            values: NDArray[Any] = connection.execute(query, [quoted]).fetchnumpy()["x"]
    except duckdb.Error:
        kind = "Parquet" if file.suffix.lower() in (".parquet", ".pq") else "CSV"
        raise FileError(f"cannot read {path} as {kind}") from None
    return values


def _csv_query(file: Path, column: str, path: str) -> str:
    try:
        # The buffer reaches into the records, whose bytes may be anything.
        with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
            header = next(csv.reader(lines), [])
    except (OSError, csv.Error):
        raise FileError(f"cannot read {path} as CSV") from None
    index = _index(header, column, path)
    # Numbered names, since a header may repeat its own.
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
    return _CSV.format(column=f"c{index}", columns=f"{{{columns}}}")


def _parquet_query(connection: Any, quoted: str, column: str, path: str) -> str:
    described = connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [quoted]).description
    index = _index([name for name, *_ in described], column, path)
    kind = str(described[index][1])
    name = '"' + column.replace('"', '""') + '"'
    if kind.removeprefix("U") in _INTEGERS:
        return f"SELECT {name} AS x FROM read_parquet(?)"
    if kind.startswith(_NUMBERS):
        return f"SELECT CAST({name} AS DOUBLE) AS x FROM read_parquet(?)"
    raise FileError(f"column {column!r} of {path} must be numeric, not {kind}")


def _index(names: list[str], column: str, path: str) -> int:
    if names.count(column) != 1:
        found = "more than one" if column in names else "no"
        raise FileError(f"{found} column {column!r} in {path}; it has: {', '.join(names)}")
    return names.index(column)
