"""Pieces of reStructuredText, of which the made pages consist."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = "https://github.com/cydp/cydp/blob/main/"
_CODE = re.compile(r"(`[^`]+`|\b(?:cydp|CYDP)_\w+(?:\.h)?|(?<![\w-])--[a-z][a-z-]*)")


def heading(title: str, line: str) -> str:
    """Return a heading, underlined by a sign."""
    return f"{title}\n{line * len(title)}\n"


def code(language: str, text: str) -> str:
    """Return a block of code."""
    return f".. code-block:: {language}\n\n{indent(text.strip())}\n"


def indent(text: str, by: str = "   ") -> str:
    """Return lines further right."""
    return "\n".join(f"{by}{line}" if line.strip() else "" for line in text.split("\n"))


def words(text: str) -> str:
    """Return plain words, escaped; names of the C API, options and `code` are code."""
    pieces = _CODE.split(" ".join(text.split()))
    for i, piece in enumerate(pieces):
        if i % 2:
            pieces[i] = f"\\ ``{piece.strip('`')}``\\ "
        else:
            pieces[i] = re.sub(r"([\\*`|_<>])", r"\\\1", piece)
    return "".join(pieces)


def put(path: Path, text: str) -> None:
    """Write a page where it has changed, or else Sphinx would read it again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
