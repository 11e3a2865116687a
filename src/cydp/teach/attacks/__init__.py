# SPDX-License-Identifier: MIT
"""Attacks that recover what a release was to hide, each beside its defence."""

from __future__ import annotations

from cydp.teach.attacks._attack import Attack, Trial

__all__ = ["Attack", "Trial"]


def __dir__() -> list[str]:
    return __all__
