# SPDX-License-Identifier: MIT
"""A CSV or Parquet file as a table, which DuckDB reads (extra ``cli``).

No record of a well-formed file can raise an error, and none is dropped: a value that is no number
is missing, and so are the values that a short line lacks. DuckDB's own messages quote the data, and
the first line of a CSV file may be a record, so messages contain neither.
"""

from __future__ import annotations

import csv
import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from cydp._columns.file_errors import LONGEST, FileError, check_text, check_well_formed

__all__ = [
    "DataFile",
    "Format",
    "connect",
    "is_integer",
    "open_data",
    "sql_name",
    "sql_text",
]

_ROW = "row"  # a column that every record has

# Not parallel, because with several threads a newline inside quotes is an error. A longer line is
# one, too. Unless it is told how lines end, DuckDB makes two records of a blank line.
_CSV = (
    "read_csv({file}, columns = {columns}, header = {header}, auto_detect = false, "
    "delim = {delim}, quote = '\"', escape = '\"', null_padding = true, ignore_errors = false, "
    "strict_mode = false, parallel = false, hive_partitioning = false, "
    "new_line = '{end}', max_line_size = 60000000, buffer_size = 64000000, "
    "compression = '{compression}')"
)
_ENDS = {"\r\n": "\\r\\n", "\n": "\\n", "\r": "\\r"}  # of lines, as DuckDB's option writes them
_PARQUET = "read_parquet({file}, hive_partitioning = false)"
_PARQUET_NAMES = (".parquet", ".pq")
_INTEGERS = {
    f"{sign}{kind}" for sign in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")
}
_NUMBERS = ("BOOLEAN", "FLOAT", "DOUBLE", "HUGEINT", "UHUGEINT", "DECIMAL")
# A scan holds a few blocks for each thread. Nothing of the data is written to a disk, and nothing
# is fetched from a network.
_SETTINGS = {
    "memory_limit": "200MB",
    "temp_directory": "",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_MOST_THREADS = 4


@dataclass(frozen=True, slots=True)
class Format:
    """How a file is to be read.

    Attributes
    ----------
    kind : {"csv", "parquet"} or None
        None: the name of the file tells.
    delimiter : str or None
        What separates the columns of a CSV file; None: a comma.

    """

    kind: str | None = None
    delimiter: str | None = None

    def of(self, path: str) -> str:
        """Return "csv" or "parquet"; a ValueError for a delimiter of Parquet."""
        kind = self.kind or ("parquet" if path.lower().endswith(_PARQUET_NAMES) else "csv")
        if kind == "parquet" and self.delimiter is not None:
            raise ValueError(f"--delimiter is for CSV, and {path!r} is read as Parquet")
        return kind


@dataclass(frozen=True, slots=True, eq=False)
class DataFile:
    """A file: its header was read, and no value.

    `open_data` makes it.

    Attributes
    ----------
    path : str
        As the user wrote it.
    kind : str
        "CSV" or "Parquet".
    names, types : tuple of str
        The columns, and the types that the file declares; VARCHAR for CSV. They are as DuckDB
        writes them.

    """

    path: str
    kind: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    _file: str
    _scan: str
    _connection: Any  # no relation outlives it
    _check: Callable[[], None]
    _compressed: bool = False

    @property
    def cannot_read(self) -> str:
        """What to say of a file that turns out to be broken."""
        return f"cannot read {self.path!r} as {self.kind}"

    @property
    def too_little_memory(self) -> str:
        """What to say if a file does not fit into the memory that there is for it."""
        return f"not enough memory to read {self.path!r}"

    def type_of(self, name: str) -> str:
        """Return the type of a column; a FileError if there is none or several of this name."""
        return self.types[self._place(name)]

    def check(self) -> None:
        """Read a CSV file to its end; a FileError if it is ill-formed. Of Parquet, do nothing."""
        try:
            self._check()
        except (OSError, EOFError, zlib.error):
            raise FileError(self.cannot_read) from None
        if self._compressed:  # DuckDB reads fewer forms of gzip than Python does
            query = f"SELECT count(*) FROM {self._scan}"
            self._ask(
                lambda connection: connection.cursor().execute(query).fetchall(),
                f"{self.cannot_read}: if its gzip has more than its data, such as zero bytes "
                "behind them or a comment, decompress it and compress it again",
            )

    def count_rows(self) -> int | None:
        """Return how many rows the footer of a Parquet file states; None for CSV."""
        if self.kind == "CSV":
            return None
        query = f"SELECT sum(num_rows) FROM parquet_file_metadata({self._file})"
        # By a connection of its own, since another query ends the query of a relation.
        rows = self._ask(lambda connection: connection.cursor().execute(query).fetchone())
        return int(rows[0] or 0)

    def relation(
        self, numbers: Sequence[str], labels: Sequence[str], *, every_row: bool = False
    ) -> Any:
        """Return columns as a relation of DuckDB. Its query has not run.

        Parameters
        ----------
        numbers : names of columns
            Of CSV, what is no number is null.
        labels : names of columns
            Of keys and users.
        every_row : bool, default False
            Whether to add the column `row_name`, which is null in no record.

        Raises
        ------
        FileError
            If a column is not there or is no column of numbers; for names that DuckDB does not tell
            apart, and for a column that is used in both ways.

        """
        both = [name for name in numbers if name in labels]
        if both:
            raise FileError(
                f"column {both[0]!r} must be used either for numbers or for keys and users"
            )
        selected = {name: self._number(name) for name in dict.fromkeys(numbers)}
        selected |= {name: self._column(name) for name in dict.fromkeys(labels)}
        lowered: dict[str, str] = {}
        for name in selected:
            other = lowered.setdefault(name.lower(), name)
            if other != name:
                raise FileError(
                    f"columns {other!r} and {name!r} differ in case only, which is not told apart: "
                    "rename one of them"
                )
        columns = [f"{column} AS {sql_name(name)}" for name, column in selected.items()]
        if every_row:
            columns.append(f"1::TINYINT AS {sql_name(self.row_name(labels))}")
        query = f"SELECT {', '.join(columns)} FROM {self._scan}"
        return self._ask(lambda connection: connection.sql(query))

    def all_columns(self, names: Sequence[str]) -> Any:
        """Return columns as they are stored, as a relation: all of them, if no names are given."""
        columns = [self._column(name) for name in names]
        if not names:
            columns = (
                [f"c{i}" for i in range(len(self.names))]
                if self.kind == "CSV"
                else [sql_name(name) for name in self.names]
            )
        return self._ask(
            lambda connection: connection.sql(f"SELECT {', '.join(columns)} FROM {self._scan}")
        )

    @staticmethod
    def row_name(labels: Sequence[str]) -> str:
        """Return the name of the column that every record has, beside columns of labels."""
        name = _ROW
        while name in map(str.lower, labels):
            name += "_"
        return name

    def _ask(self, what: Callable[[Any], Any], cannot: str = "") -> Any:
        import duckdb

        try:
            return what(self._connection)
        except (duckdb.OutOfMemoryException, MemoryError):
            raise FileError(self.too_little_memory) from None
        except (duckdb.Error, OSError):
            raise FileError(cannot or self.cannot_read) from None

    def _place(self, name: str) -> int:
        if self.names.count(name) == 1:
            return self.names.index(name)
        if self.kind == "CSV":
            found = "more than one" if name in self.names else "no"
            raise FileError(f"{found} column {name!r} in the first line of {self.path!r}")
        names = ", ".join(map(repr, self.names))
        shown = names if len(names) <= 200 else names[:200] + " ..."
        raise FileError(f"no column {name!r} in {self.path!r}; it has: {shown}")

    def _column(self, name: str) -> str:
        place = self._place(name)  # of CSV the header may repeat a name
        return f"c{place}" if self.kind == "CSV" else sql_name(name)

    def _number(self, name: str) -> str:
        column = self._column(name)
        if self.kind == "CSV":
            # A cast of the column itself would move into read_csv, and be an error of the line.
            return f"TRY_CAST(NULLIF({column}, '') AS DOUBLE)"
        kind = self.type_of(name)
        if not _is_number(kind):
            raise FileError(f"column {name!r} of {self.path!r} must be numeric, not {kind[:40]}")
        return column if kind in _INTEGERS else f"CAST({column} AS DOUBLE)"


def _is_number(kind: str) -> bool:
    """Whether a type of DuckDB is one of numbers."""
    return kind in _INTEGERS or (kind.startswith(_NUMBERS) and not kind.endswith("]"))


def is_integer(kind: str) -> bool:
    """Whether a type of DuckDB is one of integers of up to 64 bits."""
    return kind in _INTEGERS


def sql_text(text: str) -> str:
    """Return text as SQL writes it.

    >>> print(sql_text("it's"), sql_name('a "b'))
    'it''s' "a ""b"
    """
    return "'" + text.replace("'", "''") + "'"


def sql_name(name: str) -> str:
    """Return the name of a column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def connect() -> Any:
    """Return a connection to a DuckDB that holds nothing, and takes little memory."""
    import duckdb

    threads = min(os.cpu_count() or 1, _MOST_THREADS)
    return duckdb.connect(config={"threads": threads, **_SETTINGS})


def open_data(path: str, form: Format, *, header: bool = True) -> DataFile:
    r"""Find the columns of a file, and do not read its values.

    Parameters
    ----------
    path : str
        A name that ends with .parquet or .pq is Parquet, with .gz compressed CSV, others CSV.
    form : Format
    header : bool, default True
        Of CSV, whether the first line has the names. Otherwise they are empty.

    Raises
    ------
    FileError
        If the file or its header cannot be read, or DuckDB is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("age,sex\n31,f\n,m\n")
    ...     file = open_data(f"{folder}/t.csv", Format())
    ...     file.names, file.relation(["age"], ["sex"]).fetchall()
    (('age', 'sex'), [(31.0, 'f'), (None, 'm')])

    """
    try:
        import duckdb
    except ImportError:
        raise FileError("reading files needs DuckDB: pip install 'cydp[cli]'") from None
    kind = form.of(path)
    file = _check_file(path)
    # A name with a star would match other files too.
    letters = (f"[{letter}]" if letter in "*?[" else letter for letter in str(file))
    pattern = sql_text("".join(letters))
    try:
        if kind == "csv":
            return _open_csv(path, file, pattern, form.delimiter or ",", header)
        scan = _PARQUET.format(file=pattern)
        connection = connect()
        about = connection.execute(f"SELECT * FROM {scan} LIMIT 0").description
    except (duckdb.OutOfMemoryException, MemoryError):
        raise FileError(f"not enough memory to read {path!r}") from None
    except (csv.Error, duckdb.Error, OSError, EOFError, zlib.error):
        name = "CSV" if kind == "csv" else "Parquet"
        raise FileError(f"cannot read {path!r} as {name}") from None
    names, types = zip(*((name, str(kind)) for name, kind, *_ in about), strict=True)
    return DataFile(path, "Parquet", names, types, pattern, scan, connection, lambda: None)


def _check_file(path: str) -> Path:
    try:
        file = Path(path).absolute()  # DuckDB would take a leading ~ for the home directory
        if not file.exists():
            raise FileError(f"no such file: {path!r}")
        if not file.is_file():
            raise FileError(f"not a regular file: {path!r}")
        str(file).encode()  # DuckDB takes no other names
        with file.open("rb"):
            pass
    except PermissionError:
        raise FileError(f"permission denied: {path!r}") from None
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"cannot open {path!r}") from None
    return file


def _open_csv(path: str, file: Path, pattern: str, delimiter: str, header: bool) -> DataFile:
    compressed = path.lower().endswith(".gz")
    if not compressed:
        with file.open("rb") as raw:
            check_text(path, raw.read(LONGEST))
    else:
        with gzip.open(file) as packed:
            check_text(path, packed.read(LONGEST))
    header_lines: list[str] = []

    def kept(lines: IO[str]) -> Iterator[str]:
        for line in lines:
            header_lines.append(line)
            yield line

    with _open_text(file, compressed) as lines:
        first = next(csv.reader(kept(lines), delimiter=delimiter), [])
    if any("\0" in name for name in first):
        raise FileError(f"{path!r} is no text in UTF-8: its first line has zero bytes")
    line = header_lines[-1] if header_lines else ""
    end = next((end for end in _ENDS if line.endswith(end)), "\n")
    # The columns get numbered names, since a header may repeat a name.
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(max(len(first), 1)))
    scan = _CSV.format(
        file=pattern, columns=f"{{{columns}}}", header=str(header).lower(),
        delim=sql_text(delimiter), end=_ENDS[end], compression="gzip" if compressed else "none",
    )  # fmt: skip
    names = tuple(first) if header else ("",) * len(first)
    types = ("VARCHAR",) * len(first)
    check = partial(check_well_formed, path, file, delimiter, compressed)
    return DataFile(path, "CSV", names, types, pattern, scan, connect(), check, compressed)


def _open_text(file: Path, compressed: bool) -> AbstractContextManager[IO[str]]:
    # The buffer reaches into the records, and their bytes may be anything.
    how = {"encoding": "utf-8-sig", "errors": "surrogateescape", "newline": ""}
    if compressed:
        return gzip.open(file, "rt", **how)  # type: ignore[call-overload, no-any-return]
    return file.open(**how)  # type: ignore[call-overload, no-any-return]
