# SPDX-License-Identifier: MIT
"""The fields of frozen dataclasses that check their parameters."""

from __future__ import annotations

from typing import Any

__all__ = ["set_fields"]


def set_fields(instance: object, **values: Any) -> None:
    """Set fields of a frozen instance, in its ``__init__``."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)
