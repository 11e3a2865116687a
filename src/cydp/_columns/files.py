# SPDX-License-Identifier: MIT
"""CSV and Parquet files as a table, which DuckDB reads.

No record of a well-formed file can raise an error, and none is dropped: a value that is no number
is missing, and so are the values that a short line lacks. DuckDB's own messages quote the data, and
the first line of a CSV file may be a record, so messages contain neither.
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cydp import _threads
from cydp._call_errors import nearest_name
from cydp._columns.condition_sql import check_blocks, sql_of_condition
from cydp._columns.conditions import Condition
from cydp._columns.csv_cells import cells_as, sql_text
from cydp._columns.csv_files import CsvForm, check_alike, read_form, scan_of
from cydp._columns.dtypes import FOR_LABELS, FOR_TIMES
from cydp._columns.file_errors import FileError, check_well_formed
from cydp._columns.paths import files_of
from cydp._columns.relations import was_interrupted
from cydp._extras import import_extra

__all__ = [
    "DataFile",
    "Format",
    "connect",
    "is_integer",
    "open_data",
    "shown_files",
    "sql_name",
]

_ROW = "row"  # a column that every record has

_PARQUET = "read_parquet({files}, hive_partitioning = false)"
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
_PARQUET_MEMORY = "2GB"  # each thread holds a row group's text as a whole
_MOST_THREADS = 4
_AHEAD = "16MB"  # of rows that its threads read while others are counted


@dataclass(frozen=True, slots=True)
class Format:
    """How a file is to be read.

    Attributes
    ----------
    kind : {"csv", "parquet"} or None
        None: the name of the file tells.
    delimiter : str or None
        What separates the columns of a CSV file; None: the name of the file tells.

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
    """Files of one table: their headers were read, and no value.

    `open_data` makes it.

    Attributes
    ----------
    path : str
        As the user wrote it.
    kind : str
        "CSV" or "Parquet".
    names, types : tuple of str
        The columns, and the types that the files declare; VARCHAR for CSV. They are as DuckDB
        writes them.

    """

    path: str
    kind: str
    names: tuple[str, ...]
    types: tuple[str, ...]
    _files: tuple[str, ...]
    _scan: str
    _connection: Any  # no relation outlives it
    _form: CsvForm | None = None

    @property
    def has_types(self) -> bool:
        """Whether columns declare types, and their names are public.

        The first line of a CSV file may be a record.
        """
        return self._form is None

    @property
    def first_line(self) -> str:
        """What to call the first line of a CSV file, without what is in it."""
        assert self._form is not None
        hint = f", which has one cell: is it separated by another than {self._form.delimiter!r}?"
        return f"the first line of {self.path!r}" + (hint if len(self.names) == 1 else "")

    def in_folders(self, name: object) -> str:
        """Return what to write for a column that the names of folders have, or nothing."""
        parts = {part for file in self._files for part in Path(file).parent.parts}
        if not isinstance(name, str) or not any(part.startswith(f"{name}=") for part in parts):
            return ""
        read = "read_parquet('...', " if self.has_types else "read_csv('...', all_varchar=true, "
        return (
            f" (it is in names of folders, {name}=..., of which a path makes no column: give "
            f'duckdb.sql("from {read}hive_partitioning=true, hive_types_autocast=false)"))'
        )

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
        """Read CSV files to their ends; a FileError if one is ill-formed. Do nothing of Parquet."""
        if self._form is None:
            return
        delimiter, _, compressed = self._form.writing
        try:
            for path in self._files:
                check_well_formed(path, Path(path), delimiter, compressed)
        except (OSError, EOFError, zlib.error):
            raise FileError(self.cannot_read) from None
        if compressed:  # DuckDB reads fewer forms of gzip than Python does
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
        query = f"SELECT sum(num_rows) FROM parquet_file_metadata({_list_of(self._files)})"
        # By a connection of its own, since another query ends the query of a relation.
        rows = self._ask(lambda connection: connection.cursor().execute(query).fetchone())
        return int(rows[0] or 0)

    def relation(
        self,
        numbers: Sequence[str],
        labels: Sequence[str],
        times: Mapping[str, str] = MappingProxyType({}),
        *,
        label_types: Mapping[str, str] = MappingProxyType({}),
        every_row: bool = False,
        where: Condition | None = None,
    ) -> Any:
        """Return columns as a relation of DuckDB. Its query has not run.

        Parameters
        ----------
        numbers : names of columns
            Of CSV, what is no number is null.
        labels : names of columns
            Of keys and users.
        times : mapping of names of columns
            The type of DuckDB that each is read as; of CSV, what is no such time is null.
        label_types : mapping
            Types of DuckDB by the names of labels that are no text. Of CSV, what is none is null.
        every_row : bool, default False
            Whether to add the column `row_name`, which is null in no record.
        where : Condition, optional
            Rows that do not satisfy it are left out.

        Raises
        ------
        FileError
            If a column is not there or is no column of numbers; for names that DuckDB does not tell
            apart, and for a column that is used in both ways.
        ValueError
            For a condition on a column of another type.

        """
        both = [name for name in (*numbers, *times) if name in labels]
        if both:
            raise FileError(
                f"column {both[0]!r} must be used either for numbers or for keys and users"
            )
        selected = {name: self.numbers_of(name) for name in dict.fromkeys(numbers)}
        selected |= {name: self.labels_of(name, sql_type) for name, sql_type in times.items()}
        selected |= {
            name: self.labels_of(name, label_types.get(name)) for name in dict.fromkeys(labels)
        }
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
        query = f"SELECT {', '.join(columns)} FROM {self._scan}{self._rows(where)}"
        return self._ask(lambda connection: connection.sql(query))

    def everything(self, where: Condition | None = None) -> Any:
        """Return a relation of all columns as they are stored, whose expressions columns are."""
        query = f"SELECT * FROM {self._scan}{self._rows(where)}"
        return self._ask(lambda connection: connection.sql(query))

    def _rows(self, where: Condition | None) -> str:
        if where is None:
            return ""
        sql = sql_of_condition(where, self._typed)
        check_blocks(where, self._typed)
        return f" WHERE {sql}"

    def numbers_of(self, name: str) -> str:
        """Return a column of numbers as SQL; of CSV, what is none is null."""
        column = self._column(name)
        if self.kind == "CSV":
            # A cast of the column itself would move into read_csv, and be an error of the line.
            return cells_as(column, "DOUBLE")
        kind = self.type_of(name)
        if not _is_number(kind):
            raise TypeError(
                f"column {name!r} of {self.path!r} must be numeric, not {kind[:40]}"
                + (f": {FOR_TIMES}" if kind.startswith(("DATE", "TIMESTAMP")) else "")
                + (f": {FOR_LABELS}" if kind.startswith(("VARCHAR", "ENUM")) else "")
            )
        is_decimal = kind.startswith(("DECIMAL", "HUGEINT"))  # which become floats later
        return column if kind in _INTEGERS or is_decimal else f"CAST({column} AS DOUBLE)"

    def labels_of(self, name: str, sql_type: str | None = None) -> str:
        """Return a column of labels as SQL; of CSV, what is no entry of the type is null."""
        column = self._column(name)
        return column if sql_type is None or self.has_types else cells_as(column, sql_type)

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
        except (duckdb.Error, OSError, RuntimeError) as error:
            if was_interrupted(error):
                raise KeyboardInterrupt from None
            raise FileError(cannot or self.cannot_read) from None

    def _place(self, name: str) -> int:
        if self.names.count(name) == 1:
            return self.names.index(name)
        if self.kind == "CSV":
            found = "more than one" if name in self.names else "no"
            hint = "" if name in self.names else self.in_folders(name)
            raise FileError(f"{found} column {name!r} in {self.first_line}{hint}")
        names = ", ".join(map(repr, self.names))
        shown = names if len(names) <= 200 else names[:200] + " ..."
        near = nearest_name(name, self.names)
        raise FileError(
            f"no column {name!r} in {self.path!r}; it has: {shown}"
            + (self.in_folders(name) or (f": did you mean {near!r}?" if near else ""))
        )

    def _column(self, name: str) -> str:
        place = self._place(name)  # of CSV the header may repeat a name
        return f"c{place}" if self.kind == "CSV" else sql_name(name)

    def _typed(self, name: str) -> tuple[str, str]:
        """Return a column and its type, which is "" for CSV: text that may stand for any type."""
        return self._column(name), "" if self.kind == "CSV" else self.type_of(name)


def _is_number(kind: str) -> bool:
    """Whether a type of DuckDB is one of numbers."""
    return kind in _INTEGERS or (kind.startswith(_NUMBERS) and not kind.endswith("]"))


def is_integer(kind: str) -> bool:
    """Whether a type of DuckDB is one of integers of up to 64 bits."""
    return kind in _INTEGERS


def sql_name(name: str) -> str:
    """Return the name of a column as SQL writes it.

    >>> print(sql_name('a "b'))
    "a ""b"
    """
    return '"' + name.replace('"', '""') + '"'


def connect() -> Any:
    """Return a connection to a DuckDB that holds nothing, and takes little memory."""
    import duckdb

    threads = min(_threads.NUM_THREADS, _MOST_THREADS)
    connection = duckdb.connect(config={"threads": threads, **_SETTINGS})
    connection.execute(f"SET streaming_buffer_size = '{_AHEAD}'")
    # It reads the least and largest entries of all columns of Parquet, of which one may be beyond
    # DuckDB's times, so that no other column could be read. No query of ours has a join.
    connection.execute("SET disabled_optimizers = 'join_order'")
    # On by itself where Python is interactive, as with -c: it would tell how many rows there are.
    # In Jupyter without ipywidgets it is off, and DuckDB refuses to set it.
    [(is_on,)] = connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()
    if is_on:
        connection.execute("SET enable_progress_bar = false")
    return connection


def open_data(given: str | Sequence[str], form: Format, *, header: bool = True) -> DataFile:
    r"""Find the columns of files, and do not read their values.

    Parameters
    ----------
    given : str, or sequence of str
        A path or a glob, or several, which are one table. A name that ends with .parquet or .pq is
        Parquet, with .gz compressed CSV, others CSV.
    form : Format
    header : bool, default True
        Of CSV, whether the first line has the names. Otherwise they are empty.

    Raises
    ------
    FileError
        If a file or its header cannot be read, or the files have other columns than the first.
    ImportError
        If DuckDB is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "t.csv").write_text("age,sex\n31,f\n,m\n")
    ...     file = open_data(f"{folder}/t.csv", Format())
    ...     file.names, file.relation(["age"], ["sex"]).fetchall()
    (('age', 'sex'), [(31.0, 'f'), (None, 'm')])

    """
    duckdb = import_extra("duckdb", "reading files")
    paths = [given] if isinstance(given, str) else list(given)
    found = tuple(dict.fromkeys(each for path in paths for each in files_of(path)))
    shown = shown_files(paths)
    kinds = [form.of(each) for each in found]
    for each, kind in zip(found, kinds, strict=True):
        if kind != kinds[0]:
            raise FileError(f"{found[0]!r} and {each!r} must both be CSV, or both Parquet")
    is_csv = kinds[0] == "csv"
    reading = shown
    try:
        if is_csv:
            forms = []
            for reading in found:
                forms.append(read_form(reading, Path(reading).absolute(), form.delimiter))
            check_alike(found, forms, header)
            first = forms[0].first
            names = first if header else ("",) * len(first)
            types = ("VARCHAR",) * len(first)
            scan = scan_of(_list_of(found), forms[0], header)
            return DataFile(shown, "CSV", names, types, found, scan, connect(), forms[0])
        connection = connect()
        connection.execute(f"SET memory_limit = '{_PARQUET_MEMORY}'")
        columns = []
        for reading in found:
            scan = _PARQUET.format(files=_list_of([reading]))
            about = connection.execute(f"SELECT * FROM {scan} LIMIT 0").description
            columns.append([(name, str(kind)) for name, kind, *_ in about])
    except (duckdb.OutOfMemoryException, MemoryError):
        raise FileError(f"not enough memory to read {reading!r}") from None
    except (csv.Error, duckdb.Error, OSError, EOFError, zlib.error):
        raise FileError(f"cannot read {reading!r} as {'CSV' if is_csv else 'Parquet'}") from None
    for each, others in zip(found, columns, strict=True):
        if others != columns[0]:
            raise FileError(
                f"{found[0]!r} and {each!r} must have the same columns, of the same types and in "
                "the same order, to be read as one table"
            )
    names, types = zip(*columns[0], strict=True)
    scan = _PARQUET.format(files=_list_of(found))
    return DataFile(shown, "Parquet", names, types, found, scan, connection)


def shown_files(given: Sequence[str]) -> str:
    """Return what to call files that are one table.

    >>> shown_files(["a.csv", "b.csv"])
    'a.csv and 1 more'
    """
    return given[0] if len(given) == 1 else f"{given[0]} and {len(given) - 1} more"


def _list_of(files: Sequence[str]) -> str:
    """Return files as SQL writes a list of them; a name with a star would match other files too."""
    names = (str(Path(file).absolute()) for file in files)
    escaped = ("".join(f"[{c}]" if c in "*?[" else c for c in name) for name in names)
    return f"[{', '.join(map(sql_text, escaped))}]"
