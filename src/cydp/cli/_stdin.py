# SPDX-License-Identifier: MIT
"""A table from the standard input, which a release reads several times. docs/cli.md, "Files"."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from cydp._columns.file_errors import FileError

__all__ = ["STDIN", "with_stdin"]

STDIN = "-"
"""The name of the standard input among files."""

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1\x15"


@contextmanager
def with_stdin(files: Sequence[str]) -> Iterator[list[str]]:
    """Return files, with a private copy in place of the standard input.

    The copy is in a folder that its owner alone may read, and is removed at the end. A release
    reads a file for its columns, for its form and for its rows, with users once for each piece, and
    a pipe can be read once.

    Raises
    ------
    FileError
        If there is no standard input, or nothing in it, or no room for the copy.

    """
    if STDIN not in files:
        yield list(files)
        return
    with TemporaryDirectory(prefix="cydp-") as folder:
        copy = _copied(Path(folder))
        try:
            yield [copy if each == STDIN else each for each in files]
        except ValueError as error:
            if copy not in str(error):
                raise
            raise FileError(str(error).replace(repr(copy), "the standard input")) from None


def _copied(folder: Path) -> str:
    """Write the standard input to a file, whose name says its format."""
    if sys.stdin is None or sys.stdin.closed:
        raise FileError("there is no standard input to read")
    given = sys.stdin.buffer
    try:
        if not (first := given.read(len(_PARQUET))):
            raise FileError("the standard input is empty: its first line must have the names")
        name = "stdin.csv.gz" if first.startswith(_GZIP) else "stdin.csv"
        path = folder / ("stdin.parquet" if first == _PARQUET else name)
        with path.open("wb") as file:
            file.write(first)
            shutil.copyfileobj(given, file)
    except OSError as error:
        why = f": {error.strerror}" if error.strerror else ""
        raise FileError(f"cannot copy the standard input to {str(folder)!r}{why}") from None
    return str(path)
