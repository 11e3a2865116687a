# SPDX-License-Identifier: MIT
"""Which releases a Poisson sample of rows amplifies. docs/sampling.md, "What is refused"."""

from __future__ import annotations

from cydp.accounting._cost import Cost, units_of

__all__ = ["check_unit"]


def check_unit(cost: Cost, name: str) -> None:
    """Raise a ValueError for a release that protects a unit of several rows."""
    if any(unit.has_users or unit.max_rows > 1 for unit in units_of(cost)):
        raise ValueError(
            f"{name} must protect one row, not a unit that may have several: rows are sampled one "
            "by one, so that such a unit is in a sample more often than the share. Where all rows "
            "of a unit are in a sample together, give the loss alone"
        )
