# SPDX-License-Identifier: MIT
"""The sensitivity of your own function, among all small tables."""

from __future__ import annotations

from cydp.teach.sensitivity._of import ExhaustiveSensitivity, of

__all__ = ["ExhaustiveSensitivity", "of"]


def __dir__() -> list[str]:
    return __all__
