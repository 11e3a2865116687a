# SPDX-License-Identifier: MIT
"""How releases are shown and exported: text, HTML, plots, frames, Arrow and JSON."""

from __future__ import annotations

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
