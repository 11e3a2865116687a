# SPDX-License-Identifier: MIT
"""How releases are shown and exported: text, HTML, plots, frames, Arrow and JSON."""

from __future__ import annotations

from cydp.releases.output._sheet import Axis, Numbers, Sheet

__all__ = ["Axis", "Numbers", "Sheet"]


def __dir__() -> list[str]:
    return __all__
