# SPDX-License-Identifier: MIT
"""The share of the rows that a sample has."""

from __future__ import annotations

from cydp._arguments import Number
from cydp._numbers.rational import Exact, format_number, read_exact

__all__ = ["read_share"]


def read_share(share: Number) -> Exact:
    """Read the probability with which each row is in a sample, above 0 and at most 1."""
    number = read_exact(share, "share")
    if not 0 < number <= 1:
        raise ValueError(f"share must be more than 0 and at most 1, not {format_number(number)}")
    return number
