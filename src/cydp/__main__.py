# SPDX-License-Identifier: MIT
"""``python -m cydp`` is the command line."""

from __future__ import annotations

from cydp.cli._start import main

__all__: list[str] = []

if __name__ == "__main__":
    raise SystemExit(main())
