# SPDX-License-Identifier: MIT
"""Tables that are made from released counts, at no privacy cost."""

from __future__ import annotations

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
