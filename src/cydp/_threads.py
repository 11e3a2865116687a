# SPDX-License-Identifier: MIT
"""How many threads a large call uses, and what is large; csrc/base/parallel_for.c starts them."""

from __future__ import annotations

import os

__all__ = ["NUM_THREADS", "THREADS_FROM", "threads_for"]

THREADS_FROM = 2**19  # values; two threads were faster from 2**18 on (booleans: from 2**19 on)


def _read_environment() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    given = os.environ.get("CYDP_NUM_THREADS", "") or str(usable or 1)
    if not (given.isascii() and given.isdigit() and len(given) < 5 and 1 <= int(given) <= 1024):
        raise ImportError(f"CYDP_NUM_THREADS must be from 1 to 1024, not {given[:20]!r}")
    return int(given)


NUM_THREADS = _read_environment()


def threads_for(n: int) -> int:
    """Return the number of threads for a call on n values."""
    return NUM_THREADS if n >= THREADS_FROM else 1
