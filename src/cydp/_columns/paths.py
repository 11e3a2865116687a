# SPDX-License-Identifier: MIT
"""The files that a path or a glob means. docs/columns.md, "Files"."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeGuard

from cydp._columns.file_errors import FileError

__all__ = ["files_of", "is_path", "named_files"]


def is_path(x: Any) -> TypeGuard[str | os.PathLike[Any]]:
    """Whether x is a text or a path: as a table it is the path of files."""
    return isinstance(x, str | os.PathLike)


def files_of(path: str) -> list[str]:
    r"""Return the files of a path, or of a glob, by their names.

    A file of exactly this name is meant, if there is one; `glob.escape` of a name means it as well.

    Raises
    ------
    FileError
        If there is no such file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("b.csv", "a.csv", "*.csv"):
    ...         _ = Path(folder, name).write_text("age\n31\n")
    ...     [len(files_of(f"{folder}/{name}")) for name in ("[ab].csv", "*.csv", "a.csv")]
    [2, 1, 1]

    """
    found = named_files([path])
    if not found:
        raise FileError(f"no file matches {path!r}")
    for each in found:
        _check_file(each)
    return found


def named_files(paths: Iterable[str]) -> list[str]:
    """Return the files that paths and globs name, be they there or not."""
    found = []
    for path in paths:
        if not glob.has_magic(path) or os.path.exists(path):
            found.append(path)
            continue
        with suppress(ValueError):  # zero bytes
            matches = glob.glob(path, recursive=True)
            found += sorted(each for each in matches if not os.path.isdir(each))
    return found


def _check_file(path: str) -> Path:
    """Return the absolute path of a regular file that may be read; else raise a FileError."""
    if not path:  # which would be the folder of the process
        raise FileError("the path of a file is empty")
    try:
        file = Path(path).absolute()  # DuckDB would take a leading ~ for the home directory
        if not file.exists():
            is_home = path.startswith("~")
            hint = " (write the path of your home directory for ~)" if is_home else ""
            raise FileError(f"no such file: {path!r}{hint}")
        if file.is_dir():
            files = f"{path.rstrip('/')}/*.parquet"
            raise FileError(f"{path!r} is a directory: name its files, as {files!r}")
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
