# SPDX-License-Identifier: MIT
"""Makes losses from computed numbers of any length."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cydp.accounting._loss_numbers import check_nonnegative

if TYPE_CHECKING:
    from cydp.accounting._plan import Plan

__all__ = ["COMPUTED_LATER", "fill_once", "make_loss"]

_Kind = TypeVar("_Kind")

COMPUTED_LATER = object()
"""Instead of the rho of a PureDP that follows from its epsilon."""


def make_loss(
    kind: type[_Kind],
    *values: Fraction | None,
    relation: str | None = None,
    plan: Plan | None = None,
) -> _Kind:
    """Return a loss of numbers that were computed, which may be of any length.

    Parameters
    ----------
    kind : type
        PureDP, ApproxDP or ZCDP.
    *values : Fraction or None
        The numbers of the class in its order: epsilon and rho; epsilon, delta and rho; rho.
    relation, plan
        As the attributes of the class.

    Raises
    ------
    ValueError
        If a number is negative, or delta would reach 1.

    """
    numbers = [value if value is None else check_nonnegative(value) for value in values]
    has_delta = hasattr(kind, "delta")
    if has_delta and cast("Fraction", values[1]) >= 1:
        raise ValueError("delta would reach 1, where nothing is guaranteed: release less")
    loss = object.__new__(kind)
    fill_once(loss, *numbers, relation, *([plan] if has_delta else []))
    return loss


def fill_once(loss: object, *values: object) -> None:
    """Set the attributes of a new loss; a TypeError for a loss that has them."""
    if hasattr(loss, "relation"):  # __init__ was called again
        raise TypeError(f"a {type(loss).__name__} is made once: its numbers cannot change")
    for name, value in zip(cast("Any", type(loss)).__slots__, values, strict=True):
        if value is not COMPUTED_LATER:
            object.__setattr__(loss, name, value)
