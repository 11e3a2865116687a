# SPDX-License-Identifier: MIT
"""Whether a file that is to be read as CSV begins as text does, or as another format."""

from __future__ import annotations

from cydp.cli._errors import FileError

__all__ = ["LONGEST", "check_text"]

# How formats begin. Each begins with bytes that no header in UTF-8 is likely to begin with.
_BEGINNINGS = {
    b"PAR1\x15": "is Parquet: name it *.parquet, or add --format parquet for FILE",
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
"""How many bytes of a file tell."""


def check_text(path: str, first: bytes) -> None:
    """Raise a FileError for a file of another format, by its first bytes.

    They lie in the header of a CSV file, or in what another format begins with, and so are public.
    """
    for beginning, what in _BEGINNINGS.items():
        if not first.startswith(beginning) or (
            beginning == b"BZh" and not first[4:].startswith(_BZIP2)
        ):
            continue
        raise FileError(f"{path!r} {what}")
