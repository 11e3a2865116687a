# SPDX-License-Identifier: MIT
"""CSV files as DuckDB reads them: what the first line tells, and the scan that follows from it."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cydp._columns.file_errors import LONGEST, FileError, check_text

__all__ = ["CsvForm", "check_alike", "read_form", "scan_of"]

# Not parallel, because with several threads a newline inside quotes is an error. A longer line is
# one, too. Unless it is told how lines end, DuckDB makes two records of a blank line.
_CSV = (
    "read_csv({files}, columns = {columns}, header = {header}, auto_detect = false, "
    "delim = {delim}, quote = '\"', escape = '\"', null_padding = true, ignore_errors = false, "
    "strict_mode = false, parallel = false, hive_partitioning = false, "
    "new_line = '{end}', max_line_size = 60000000, buffer_size = 64000000, "
    "compression = '{compression}')"
)
_ENDS = {"\r\n": "\\r\\n", "\n": "\\n", "\r": "\\r"}  # of lines, as DuckDB's option writes them


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a CSV file is written.

    Attributes
    ----------
    first : tuple of str
        The cells of its first line.
    delimiter : str
    end : str
        The end of its lines.
    compressed : bool
        Whether by gzip.

    """

    first: tuple[str, ...]
    delimiter: str
    end: str
    compressed: bool

    @property
    def writing(self) -> tuple[str, str, bool]:
        """What DuckDB must be told, besides the columns."""
        return self.delimiter, self.end, self.compressed


def read_form(path: str, file: Path, delimiter: str | None) -> CsvForm:
    """Return how a file is written, from its name and its first line.

    Parameters
    ----------
    path : str
        As the user wrote it: with .gz at its end it is compressed.
    file : Path
    delimiter : str or None
        None: a tab for a name with .tsv or .tsv.gz at its end, else a comma.

    Raises
    ------
    FileError
        If it is of another format.

    """
    name = path.lower()
    compressed = name.endswith(".gz")
    if delimiter is None:
        delimiter = "\t" if name.removesuffix(".gz").endswith(".tsv") else ","
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
    if not header_lines:
        raise FileError(f"{path!r} is empty: the first line of CSV has the names of the columns")
    if not first:
        raise FileError(
            f"{path!r} has a blank first line, which must have the names of the columns"
        )
    line = header_lines[-1]
    end = next((end for end in _ENDS if line.endswith(end)), "\n")
    return CsvForm(tuple(first), delimiter, end, compressed)


def scan_of(files: str, form: CsvForm, header: bool) -> str:
    """Return the scan of files as SQL. The columns get numbered names: a header may repeat one."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(max(len(form.first), 1)))
    return _CSV.format(
        files=files, columns=f"{{{columns}}}", header=str(header).lower(),
        delim="'" + form.delimiter.replace("'", "''") + "'", end=_ENDS[form.end],
        compression="gzip" if form.compressed else "none",
    )  # fmt: skip


def check_alike(paths: Sequence[str], forms: Sequence[CsvForm], header: bool) -> None:
    """Raise a FileError for files that are not one table.

    Their first lines may be records, and are not shown.
    """
    for path, form in zip(paths, forms, strict=True):
        both = f"{paths[0]!r} and {path!r}"
        if form.writing != forms[0].writing:
            raise FileError(
                f"{both} must be alike in compression, in delimiters and in the ends of lines, to "
                "be read as one table"
            )
        same = form.first == forms[0].first if header else len(form.first) == len(forms[0].first)
        if not same:
            raise FileError(
                f"{both} must have the same columns, in the same order, to be read as one table"
            )


def _open_text(file: Path, compressed: bool) -> AbstractContextManager[IO[str]]:
    # The buffer reaches into the records, and their bytes may be anything.
    how = {"encoding": "utf-8-sig", "errors": "surrogateescape", "newline": ""}
    if compressed:
        return gzip.open(file, "rt", **how)  # type: ignore[call-overload, no-any-return]
    return file.open(**how)  # type: ignore[call-overload, no-any-return]
