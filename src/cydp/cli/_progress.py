# SPDX-License-Identifier: MIT
"""A line on the terminal that says how far a file was read. It is erased at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["watching"]

Watch = Callable[[int], None]
"""A function of the number of rows that were read so far."""

_FIRST, _BETWEEN = 2.0, 0.2  # seconds
_ERASE = "\r\x1b[K"


@contextmanager
def watching(total: Callable[[], int | None]) -> Iterator[Watch | None]:
    """Return a function to call while a file is read; None if nobody would see the line.

    Parameters
    ----------
    total : callable
        Returns how many rows there are, if that is known.

    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    line = _Line(total())
    try:
        yield line
    finally:
        line.erase()


class _Line:
    def __init__(self, total: int | None) -> None:
        self._of = "" if total is None else f" of {total:,}"
        self._next, self._shown = time.monotonic() + _FIRST, False

    def __call__(self, rows: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next, self._shown = now + _BETWEEN, True
            _write(f"{_ERASE}read {rows:,}{self._of} rows")

    def erase(self) -> None:
        if self._shown:
            _write(_ERASE)


def _write(text: str) -> None:
    with suppress(OSError):  # a terminal that is gone does not end the release
        sys.stderr.write(text)
        sys.stderr.flush()
