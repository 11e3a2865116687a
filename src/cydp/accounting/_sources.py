# SPDX-License-Identifier: MIT
"""What a cost was made of, and which privacy units that protects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["units_of"]

# What releases, what is made of them, and mechanisms on samples call that which they were made of.
_MADE_OF = ("query", "release", "mechanism", "plan")


def units_of(cost: object) -> list[Any]:
    """Return the privacy units that a cost, and all that it was made of, states.

    Parameters
    ----------
    cost : object
        A loss, a mechanism, a query, a release, what was made of a release, or a plan of these.

    Returns
    -------
    list of cydp.releases._unit.Unit
        Each one once. Empty for a loss or mechanism that knows of no unit.

    Examples
    --------
    >>> import cydp
    >>> table = cydp.value_counts(["a", "b"], ["a", "b"], epsilon=1).nonnegative()
    >>> [unit.name for unit in units_of(cydp.Plan([(table, 3)]).as_loss(0))]
    ['row']

    """
    found: dict[Any, None] = {}
    for source in _sources_of(cost):
        unit = getattr(source, "unit", None)
        # By name, since releases and their units are on a floor above this one.
        if hasattr(unit, "check_kept"):
            found[unit] = None
    return list(found)


def _sources_of(cost: Any) -> Iterator[Any]:
    """Yield a cost, and all that it was made of."""
    yield cost
    items = getattr(cost, "items", ())  # of a plan: a mapping has a method of this name
    parts = [item for item, _ in items] if isinstance(items, tuple) else []
    for part in [getattr(cost, name, None) for name in _MADE_OF] + parts:
        if part is not None and not callable(part):  # a mechanism has a method `release`
            yield from _sources_of(part)
