# SPDX-License-Identifier: MIT
"""The items of a plan: how they are read, and the parts that bounds are computed from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, cast

from cydp._arguments import Integer
from cydp.accounting._composition_bounds import Part
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._dominating_pairs import Pairs
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP
from cydp.accounting._loss_numbers import read_count

__all__ = ["Items", "pairs_of", "parts_of", "read_items"]

_PAIRS = "items must be a list of pairs (mechanism or loss, count)"

Items: TypeAlias = tuple[tuple[Cost, int], ...]


def read_items(items: Iterable[tuple[Cost, Integer]]) -> Items:
    """Return pairs of a mechanism or a loss and a count; else TypeError, ValueError."""
    if not isinstance(items, Iterable):
        raise TypeError(f"{_PAIRS}, not {_describe(items)}")
    return tuple(map(_read_item, items))


def parts_of(items: Items) -> list[Part]:
    """Return the items that cost anything, with the dominating pairs of their mechanisms."""
    parts = [Part(loss_of(cost), count, pairs_of(cost)) for cost, count in items]
    return [part for part in parts if part.costs]


def _read_item(item: tuple[Cost, Integer]) -> tuple[Cost, int]:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise TypeError(f"{_PAIRS}: one item is {_describe(item)}, not a pair")
    cost, count = item
    if not isinstance(getattr(cost, "loss", cost), PureDP | ApproxDP | ZCDP):
        raise TypeError(f"{_PAIRS}: one pair begins with {_describe(cost)}")
    return cost, read_count(count)


def _describe(given: object) -> str:
    """Return the type of a value that was given by mistake, and its length if that may help."""
    if isinstance(given, type):
        return f"the class {given.__name__}"
    if isinstance(given, tuple | list):
        return f"a {type(given).__name__} of {len(given)}"
    return "None" if given is None else type(given).__name__


def pairs_of(cost: Cost) -> Pairs | None:
    """Return the dominating pairs that the class of a mechanism itself states.

    Those of a base class do not count: a subclass may release something else, at another loss.
    """
    has_own = "_pairs" in type(cost).__dict__
    return cast("Pairs | None", cost._pairs) if has_own else None  # type: ignore[union-attr]
