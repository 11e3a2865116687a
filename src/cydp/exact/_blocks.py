# SPDX-License-Identifier: MIT
"""How many rows are converted, and handed to a kernel, at a time."""

from __future__ import annotations

__all__ = ["BLOCK_ROWS", "block_rows"]

BLOCK_ROWS = 65_536


def block_rows(counts: int) -> int:
    """Return the rows for one call of a kernel that also visits every count once.

    >>> block_rows(10), block_rows(10**6)
    (65536, 1000000)
    """
    return max(BLOCK_ROWS, counts)
