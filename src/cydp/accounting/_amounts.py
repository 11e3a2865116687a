# SPDX-License-Identifier: MIT
"""Amounts: the numbers of a loss in the measure of a budget, which are what a budget adds up.

An amount is (epsilon,) for a PureDP budget, (epsilon, delta) for an ApproxDP budget, and (rho,) for
a ZCDP budget. Amounts of one budget have the same length.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._format import format_loss
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import check_nonnegative
from cydp.accounting._make_loss import COMPUTED_LATER, fill_once

__all__ = [
    "MOST_BITS",
    "Amount",
    "add_amounts",
    "amount_of",
    "exceeds",
    "loss_of_amount",
    "repeat_amount",
    "subtract_amounts",
    "zero_amount",
]

MOST_BITS = 8192  # of a total; a longer one is rounded up to a multiple of 1 / _GRID
_GRID = 2**4096

Amount: TypeAlias = tuple[Fraction, ...]


def amount_of(loss: Loss, budget: Loss) -> Amount:
    """Return the numbers of a loss in the measure of a budget; else MeasureMismatchError.

    >>> from cydp import ZCDP, PureDP
    >>> amount_of(PureDP(1), ZCDP(3))
    (Fraction(1, 2),)
    """
    if isinstance(budget, ZCDP):
        if loss.rho is not None:
            return (loss.rho,)
        what_to_do = "use an ApproxDP budget, or a mechanism with epsilon or rho alone"
    elif isinstance(loss, ZCDP):
        what_to_do = "use a ZCDP budget, or a mechanism with epsilon"
        if isinstance(budget, ApproxDP):
            what_to_do += (
                ", or charge Plan([(mechanism, count)]).as_loss(delta), or of a loss "
                "cydp.convert(loss, delta=...)"
            )
    elif isinstance(budget, ApproxDP):
        return loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else Fraction(0)
    elif isinstance(loss, PureDP):
        return (loss.epsilon,)
    else:
        what_to_do = "use an ApproxDP budget, or a mechanism with epsilon alone"
    kind = "an ApproxDP" if isinstance(budget, ApproxDP) else f"a {type(budget).__name__}"
    raise MeasureMismatchError(
        f"the cost {format_loss(loss)} cannot be paid from {kind} budget: {what_to_do}"
    )


def loss_of_amount(kind: type[Loss], amount: Amount, relation: str | None = None) -> Loss:
    """Return the loss of a measure that an amount stands for; its delta may be 1 or more.

    A charge that is refused may have asked for such a delta.
    """
    numbers: list[object] = [check_nonnegative(number) for number in amount]
    if kind is not ZCDP:
        numbers.append(COMPUTED_LATER if kind is PureDP else None)
    loss = object.__new__(kind)
    fill_once(loss, *numbers, relation, *([None] if kind is ApproxDP else []))
    return loss


def repeat_amount(loss: Loss, count: int, budget: Loss) -> Amount:
    """Return what `count` releases of a loss cost in the measure of a budget.

    Raises MeasureMismatchError, and ValueError for a negative cost.
    """
    amount = amount_of(loss, budget)
    for number in amount:
        if number.numerator < 0:
            raise ValueError("cost must be at least 0")
    return amount if count == 1 else tuple(count * number for number in amount)


def add_amounts(spent: Amount, requested: Amount) -> Amount:
    """Return the sum, in which a number that would be too long is rounded up."""
    return tuple(map(_add, spent, requested))


def subtract_amounts(total: Amount, part: Amount) -> Amount:
    """Return what is left of a total without a part."""
    return tuple(a - b for a, b in zip(total, part, strict=True))


def exceeds(total: Amount, limit: Amount) -> bool:
    """Whether any number of a total is above that of a limit."""
    return any(a > b for a, b in zip(total, limit, strict=True))


def zero_amount(like: Amount) -> Amount:
    """Return nothing, in the measure of another amount."""
    return tuple(Fraction(0) for _ in like)


def _add(spent: Fraction, requested: Fraction) -> Fraction:
    if not requested:
        return spent
    total = spent + requested
    if max(total.numerator.bit_length(), total.denominator.bit_length()) <= MOST_BITS:
        return total
    return Fraction(-(-total.numerator * _GRID // total.denominator), _GRID)
