# SPDX-License-Identifier: MIT
"""A result as a file, CSV or Parquet, that is written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._columns.csv_cells import sql_text
from cydp._extras import import_extra
from cydp.releases.output._arrow import Stream, columns_of
from cydp.releases.output._sheet import Sheet, time_words

__all__ = ["check_free", "csv_of", "finish_file", "new_file", "write_file", "write_parquet"]


def check_free(path: Any, overwrite: bool) -> None:
    """Raise a FileExistsError if a file would be replaced that the caller has not given up."""
    if not isinstance(overwrite, bool):
        raise TypeError(f"overwrite must be True or False, not {type(overwrite).__name__}")
    if not overwrite and isinstance(path, str | os.PathLike) and os.path.lexists(path):
        raise FileExistsError(
            f"{os.fspath(path)!r} exists already: choose another name, or add overwrite=True"
        )


def write_file(path: str | os.PathLike[str], write: Callable[[str], object]) -> None:
    """Write a file by a function of the name of a temporary file, which takes its place at the end.

    Raises
    ------
    OSError
        If no file can be written there. What was there before stays.

    """
    target = Path(os.fspath(path))
    draft = new_file(target)
    try:
        write(draft)
        finish_file(draft, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def new_file(path: Path) -> str:
    """Make a temporary file beside a path, with the permissions of a new file."""
    try:
        descriptor, draft = tempfile.mkstemp(path.suffix, ".cydp-", path.parent)
    except OSError as error:  # of the path, and not of a name that nobody has given
        raise type(error)(error.errno, error.strerror, str(path)) from None
    os.close(descriptor)
    mask = os.umask(0)
    os.umask(mask)
    os.chmod(draft, 0o666 & ~mask)
    return draft


def finish_file(draft: str, path: Path) -> None:
    """Put a temporary file in its place, once the disk has it."""
    with open(draft, "r+b") as file:  # Windows syncs what may be written only
        os.fsync(file.fileno())
    os.replace(draft, path)


def csv_of(sheet: Sheet, *, intervals: bool) -> str:
    """Return the columns of a sheet as CSV."""
    columns = columns_of(sheet, intervals=intervals)
    header = ",".join(map(_quoted, columns))
    rows = map(",".join, zip(*map(_written, columns.values()), strict=True))
    return "\n".join([header, *rows, ""])


def _written(column: NDArray[Any]) -> Iterable[str]:
    """Return entries as CSV has them: a number so that it reads back, nothing for a null."""
    if column.dtype.kind in "iuf" and column.dtype.itemsize <= 8:
        return map(repr, column.tolist())
    if column.dtype.kind in "Mm":
        return ["" if text == "NaT" else text for text in column.astype(str).tolist()]
    return map(_entry, column.tolist())


def _entry(entry: Any) -> str:
    if entry is None:
        return ""
    if isinstance(entry, bool | np.bool_):
        return "true" if entry else "false"
    if isinstance(entry, bytes):
        return _quoted(entry.decode("utf-8", "backslashreplace"))
    return repr(entry) if type(entry) is float else _quoted(time_words(entry))


def _quoted(text: str) -> str:
    """Return text in quotes where it would be read as several entries, or as a null.

    >>> print(_quoted("a"), _quoted(""), _quoted('a "b" c'))
    a "" "a ""b"" c"
    """
    if text and not any(letter in text for letter in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def write_parquet(stream: Stream, path: str) -> None:
    """Write a stream, with its facts as metadata of the file, by DuckDB."""
    duckdb = import_extra("duckdb", "to_parquet")
    facts = ", ".join(f"{name}: {sql_text(text)}" for name, text in stream.facts.items())
    with duckdb.connect() as connection:
        connection.register("released", stream)
        connection.execute(
            f"COPY released TO {sql_text(path)} (FORMAT parquet, KV_METADATA {{{facts}}})"
        )
