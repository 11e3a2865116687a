# SPDX-License-Identifier: MIT
"""Other people's engines, read for their columns."""

from __future__ import annotations

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
