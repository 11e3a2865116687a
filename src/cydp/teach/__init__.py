# SPDX-License-Identifier: MIT
"""Lessons: what a privacy loss is and means, attacks beside defences, errors, and figures."""

from __future__ import annotations

from cydp.teach import attacks, utility

__all__ = ["attacks", "utility"]


def __dir__() -> list[str]:
    return __all__
