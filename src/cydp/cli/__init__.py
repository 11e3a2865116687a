# SPDX-License-Identifier: MIT
"""The command line, and its reader of files."""

from __future__ import annotations

from cydp.cli._start import main

__all__ = ["main"]


def __dir__() -> list[str]:
    return __all__
