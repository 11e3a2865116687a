"""The places of numbers that share a unit, one by one: docs/mechanisms/quantile_lists.md."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

__all__ = ["places_of_groups", "places_of_units"]


def places_of_units(units: Sequence[int], lowest: int, bits: int) -> list[int]:
    """Return the places of sorted units, of which each has 2**bits from (unit - lowest) 2**bits on.

    The k-th number of a unit takes its first place, its middle, then the middles between these from
    left to right, and so on.
    """
    found = []
    for unit, same in itertools.groupby(units):
        for k, _ in enumerate(same):
            power = max(k.bit_length() - 1, 0)  # halved so often before, and now in this many parts
            place = (2 * (k - 2**power) + 1 << bits) >> power + 1 if k else 0
            found.append((unit - lowest << bits) + place)
    return sorted(found)


def places_of_groups(
    units: Sequence[int], offsets: Sequence[int], lowest: int, bits: int
) -> list[int]:
    """Return the places of sorted units in groups; those of a group are its own."""
    groups = (units[first:last] for first, last in itertools.pairwise(offsets))
    return [place for group in groups for place in places_of_units(group, lowest, bits)]
