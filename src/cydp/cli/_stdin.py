# SPDX-License-Identifier: MIT
"""CSV from the standard input, which a release must read several times. docs/cli.md, "Files"."""

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

_GZIP = b"\x1f\x8b"


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
        yield [_copied(Path(folder)) if each == STDIN else each for each in files]


def _copied(folder: Path) -> str:
    """Write the standard input to a file, whose name says whether it is compressed."""
    if sys.stdin is None or sys.stdin.closed:
        raise FileError("there is no standard input to read")
    given = sys.stdin.buffer
    try:
        if not (first := given.read(2)):
            raise FileError("the standard input is empty: its first line must have the names")
        path = folder / ("stdin.csv.gz" if first == _GZIP else "stdin.csv")
        with path.open("wb") as file:
            file.write(first)
            shutil.copyfileobj(given, file)
    except OSError as error:
        why = f": {error.strerror}" if error.strerror else ""
        raise FileError(f"cannot copy the standard input to {str(folder)!r}{why}") from None
    return str(path)
