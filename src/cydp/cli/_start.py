# SPDX-License-Identifier: MIT
"""The start of the command line, which tells in one line why cydp cannot be imported."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``cydp``; return the exit code."""
    try:
        from cydp.cli._main import main as run
    except ImportError as error:  # such as one about CYDP_NUM_THREADS
        print(f"cydp: error: {error}", file=sys.stderr)
        return 2
    return run(arguments)
