# SPDX-License-Identifier: MIT
"""Whether a file is well-formed CSV in UTF-8, of which all readers see the same records.

A cell with a quote stands in quotes, as RFC 4180 says, https://www.rfc-editor.org/rfc/rfc4180. Any
text can be written so: it is who wrote the file that makes it ill-formed, and no record. Of such a
file DuckDB drops rows without a word.
"""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from cydp.cli._errors import FileError

__all__ = ["check_well_formed"]

_CHUNK = 2**22  # bytes


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
            well_formed = _quotes_are_well_formed(_text_of(opened), delimiter)
        except UnicodeDecodeError:
            raise FileError(f"{path!r} is no text in UTF-8: write it in UTF-8") from None
    if not well_formed:
        raise FileError(
            f"{path!r} is no well-formed CSV: a cell with a quote must stand in quotes, and have "
            "each quote twice"
        )


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


def _quotes_are_well_formed(text: Iterator[bytes], delimiter: str) -> bool:
    """Whether quotes by turns open and close a cell; in one, two that touch close and open it."""
    around = np.zeros(256, bool)  # what stands before one that opens, and behind one that closes
    around[list(f'{delimiter}\r\n"'.encode())] = True
    count, window = 0, b"\n"
    for chunk in chain(text, [b"\n"]):
        window = window[-2:] + chunk  # each byte has neighbours in it, but the first and the last
        if b'"' not in window:
            continue
        letters = np.frombuffer(window, np.uint8)
        places = np.flatnonzero(letters[1:-1] == ord('"')) + 1
        opens = (np.arange(count, count + places.size) % 2) == 0
        if not around[letters[np.where(opens, places - 1, places + 1)]].all():
            return False
        count += places.size
    return count % 2 == 0
