# SPDX-License-Identifier: MIT
"""A total that is given to published tables."""

from __future__ import annotations

from typing import Any

from cydp.publishing._integers import MOST
from cydp.releases.postprocessing._steps import read_totals

__all__ = ["read_total"]


def read_total(total: Any) -> int | None:
    """Return a total that is given; None if there is none. A released one below 0 counts as 0.

    Raises
    ------
    TypeError, ValueError
        If it is no released count and no integer from 0 to 2**62.

    """
    if total is None:
        return None
    given = read_totals(total, False, 1, 0, "total")
    assert isinstance(given, int)  # one table, one total
    found = int(given)
    if hasattr(total, "query"):  # noise decided it
        return min(max(found, 0), MOST)
    if not 0 <= found <= MOST:
        raise ValueError(f"total must be from 0 to 2**62, not {found}")
    return found
