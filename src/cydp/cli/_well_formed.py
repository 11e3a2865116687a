# SPDX-License-Identifier: MIT
"""Whether a file is well-formed CSV in UTF-8, of which all readers see the same records.

A cell with a quote or the end of a line stands in quotes, as RFC 4180 says,
https://www.rfc-editor.org/rfc/rfc4180. Any text can be written so: it is who wrote the file that
makes it ill-formed, and no record. Of such a file DuckDB drops rows without a word, or makes many
of one.
"""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cydp.cli._errors import FileError

__all__ = ["check_well_formed"]

_CHUNK = 2**22  # bytes
_QUOTES = "a cell with a quote must stand in quotes, and have each quote twice"
_ENDS = "all lines must end alike, and a cell with the end of a line must stand in quotes"


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
            complaint = _complaint(_text_of(opened), delimiter)
        except UnicodeDecodeError:
            raise FileError(f"{path!r} is no text in UTF-8: write it in UTF-8") from None
    if complaint:
        raise FileError(f"{path!r} is no well-formed CSV: {complaint}")


def _text_of(opened: IO[bytes]) -> Iterator[bytes]:
    """Yield what a file holds but its byte order mark; a UnicodeDecodeError if it is no UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    chunk = opened.read(_CHUNK).removeprefix(codecs.BOM_UTF8)
    while chunk:
        if not chunk.isascii() or decoder.getstate()[0]:
            decoder.decode(chunk)
        yield chunk
        chunk = opened.read(_CHUNK)
    decoder.decode(b"", final=True)


def _complaint(text: Iterator[bytes], delimiter: str) -> str:
    """Return what is wrong: with quotes, which open and close cells by turns, or ends of lines."""
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
    """Return which ends of lines stand outside quotes, `count` of which came before."""
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
