# SPDX-License-Identifier: MIT
"""Questions to a table, one after the other, that one budget pays."""

from __future__ import annotations

from cydp.interactive._memory import SessionEntry
from cydp.interactive._session import Session

__all__ = ["Session", "SessionEntry"]


def __dir__() -> list[str]:
    return __all__
