# SPDX-License-Identifier: MIT
"""What is wrong with a file: it is of another format, or no well-formed CSV in UTF-8.

All readers see the same records in well-formed CSV. A cell with a quote or the end of a line stands
in quotes, as RFC 4180 says, https://www.rfc-editor.org/rfc/rfc4180. Any text can be written so: a
file is ill-formed by its writer, never by a record. Of an ill-formed file DuckDB drops rows without
a word, or makes many of one.
"""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LONGEST", "FileError", "as_value_errors", "check_text", "check_well_formed"]


# How formats begin. Each begins with bytes that no header in UTF-8 is likely to begin with.
_BEGINNINGS = {
    b"PAR1\x15": "is Parquet: name it *.parquet",
    b"\x1f\x8b": "is compressed by gzip: name it *.gz, which is read so",
    b"PK\x03\x04": "is a ZIP archive or a workbook: extract or export its table as CSV",
    b"BZh": "is compressed by bzip2: decompress it, or compress it by gzip",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd: decompress it, or compress it by gzip",
    b"\xfd7zXZ\x00": "is compressed by xz: decompress it, or compress it by gzip",
    b"\xd0\xcf\x11\xe0": "is a workbook: export its table as CSV",
    b"SQLite format 3\x00": "is a database of SQLite: export its table as CSV",
    b"\xff\xfe": "is text in UTF-16: write it in UTF-8",
    b"\xfe\xff": "is text in UTF-16: write it in UTF-8",
}
_BZIP2 = b"1AY&SY"  # after "BZh" and a digit
LONGEST = 16
"""How many bytes of a file tell its format."""

_CHUNK = 2**22  # bytes
_QUOTES = "a cell with a quote must stand in quotes, and have each quote twice"
_ENDS = "all lines must end alike, and a cell with the end of a line must stand in quotes"


class FileError(ValueError):
    """A file cannot be read or written. The message is one line without data."""


@contextmanager
def as_value_errors() -> Iterator[None]:
    """Raise a FileError as the ValueError that it is: its class has no public name."""
    try:
        yield
    except FileError as error:
        raise ValueError(str(error)) from None


def check_text(path: str, first: bytes) -> None:
    """Raise a FileError for a file of another format, by its first bytes.

    These bytes are public: they belong to the header of a CSV file, or mark another format.
    """
    for beginning, what in _BEGINNINGS.items():
        if not first.startswith(beginning) or (
            beginning == b"BZh" and not first[4:].startswith(_BZIP2)
        ):
            continue
        raise FileError(f"{path!r} {what}")


def check_well_formed(path: str, file: Path, delimiter: str, compressed: bool) -> None:
    """Read a CSV file to its end, and raise a FileError if it is ill-formed.

    Parameters
    ----------
    path : str
        As the user wrote it, for the message.
    file : Path
    delimiter : str
        One letter of ASCII.
    compressed : bool
        Whether by gzip.

    """
    opened: Any = (gzip.open if compressed else Path.open)(file, "rb")
    with opened:
        try:
            looks_like_json = opened.read(LONGEST).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (
                b"{",
                b"[",
            )
            opened.seek(0)
            complaint = _complaint(_text_of(opened), delimiter)
        except UnicodeDecodeError:
            raise FileError(f"{path!r} is no text in UTF-8: write it in UTF-8") from None
    if complaint:
        hint = " (it looks like JSON, which is not read)" if looks_like_json else ""
        raise FileError(f"{path!r} is no well-formed CSV: {complaint}{hint}")


def _text_of(opened: IO[bytes]) -> Iterator[bytes]:
    """Yield a file without its byte order mark; a UnicodeDecodeError if it is no UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    chunk = opened.read(_CHUNK).removeprefix(codecs.BOM_UTF8)
    while chunk:
        if not chunk.isascii() or decoder.getstate()[0]:
            decoder.decode(chunk)
        yield chunk
        chunk = opened.read(_CHUNK)
    decoder.decode(b"", final=True)


def _complaint(text: Iterator[bytes], delimiter: str) -> str:
    """Return what is wrong with quotes, which open and close cells by turns, or ends of lines."""
    around = np.zeros(
        256, bool
    )  # what stands before a quote that opens, and behind one that closes
    around[list(f'{delimiter}\r\n"'.encode())] = True
    edge = delimiter.encode()
    count, window, ends = 0, edge, set[str]()
    for chunk in chain(text, [edge]):
        window = window[-2:] + chunk  # each byte has neighbours in it, but the first and the last
        if b'"' not in window and b"\r" not in window:
            ends |= {"\n"} if b"\n" in window[1:-1] else set()
            continue
        letters = np.frombuffer(window, np.uint8)
        places = np.flatnonzero(letters[1:-1] == ord('"')) + 1
        opens = (np.arange(count, count + places.size) % 2) == 0
        if not around[letters[np.where(opens, places - 1, places + 1)]].all():
            return _QUOTES
        ends |= _ends_of_lines(letters, places, count)
        count += places.size
    if count % 2:
        return _QUOTES
    return _ENDS if len(ends) > 1 else ""


def _ends_of_lines(letters: NDArray[np.uint8], quotes: NDArray[np.intp], count: int) -> set[str]:
    """Return which ends of lines stand outside quotes; `count` quotes came before."""
    found = set()
    middle, before, behind = letters[1:-1], letters[:-2], letters[2:]
    for end, is_end in (
        ("\n", (middle == 10) & (before != 13)),
        ("\r\n", (middle == 10) & (before == 13)),
        ("\r", (middle == 13) & (behind != 10)),
    ):
        places = np.flatnonzero(is_end) + 1
        if ((np.searchsorted(quotes, places) + count) % 2 == 0).any():
            found.add(end)
    return found
