# SPDX-License-Identifier: MIT
"""Amounts: the numbers of a loss in the measure of a budget. A budget adds up amounts.

An amount is (epsilon,) for a PureDP budget, (epsilon, delta) for an ApproxDP budget, (rho,) for a
ZCDP budget, (rho, delta) for an ApproxZCDP budget, and (divergence,) for a RenyiDP budget. Amounts
of one budget have the same length.
A total is an amount as integers over one denominator: fractions would be reduced at every charge,
which takes most of the time of a charge.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TypeAlias, TypeVar

from cydp.accounting._approx_zcdp import ApproxZCDP, rho_and_delta
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import COMPUTED_LATER, check_nonnegative, fill
from cydp.accounting._renyi_dp import AnyLoss, RenyiDP
from cydp.accounting._words import format_loss

__all__ = [
    "MOST_BITS",
    "NOTHING",
    "Amount",
    "Total",
    "add_amounts",
    "add_totals",
    "amount_of",
    "amount_of_total",
    "exceeds",
    "exceeds_total",
    "loss_like",
    "loss_of_amount",
    "repeat_amount",
    "repeat_total",
    "shorten",
    "subtract_amounts",
    "total_of",
    "zero_amount",
]


MOST_BITS = 8192  # of a total; a longer one is rounded up to a multiple of 1 / _GRID
_GRID = 2**4096

Amount: TypeAlias = tuple[Fraction, ...]
_Like = TypeVar("_Like", Loss, AnyLoss)


Total: TypeAlias = tuple[int, int, int]
"""A denominator, and the numerators of an amount; the second is 0 if the amount has one number."""

NOTHING: Total = (1, 0, 0)


def amount_of(loss: AnyLoss, budget: AnyLoss) -> Amount:
    """Return the numbers of a loss in the measure of a budget; else MeasureMismatchError.

    >>> from cydp import ZCDP, PureDP
    >>> amount_of(PureDP(1, rho=0.1), ZCDP(3)), amount_of(PureDP(1), PureDP(3))
    ((Fraction(1, 10),), (Fraction(1, 1),))
    """
    if isinstance(loss, RenyiDP) or isinstance(budget, RenyiDP):
        return _divergence_of(loss, budget)
    if isinstance(budget, ApproxZCDP):
        return rho_and_delta(loss)
    if isinstance(loss, ApproxZCDP):
        what_to_do = "use an ApproxZCDP budget, or a mechanism without rho and delta"
        if isinstance(budget, ApproxDP):
            what_to_do += ", or charge cydp.accounting.convert(loss, delta=...)"
    elif isinstance(budget, ZCDP):
        if loss.rho is not None:
            return (loss.rho,)
        what_to_do = (
            "use an ApproxDP or ApproxZCDP budget, or a mechanism with epsilon or rho alone"
        )
    elif isinstance(loss, ZCDP):
        what_to_do = "use a ZCDP budget, or a mechanism with epsilon"
        if isinstance(budget, ApproxDP):
            what_to_do += (
                ", or charge Plan([(mechanism, count)]).as_loss(delta), or of a loss "
                "cydp.accounting.convert(loss, delta=...)"
            )
    elif isinstance(budget, ApproxDP):
        return loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else Fraction(0)
    elif isinstance(loss, PureDP):
        return (loss.epsilon,)
    else:
        what_to_do = "use an ApproxDP budget, or a mechanism with epsilon alone"
    article = "an" if isinstance(budget, ApproxDP) else "a"
    kind = f"{article} {type(budget).__name__}"
    raise MeasureMismatchError(
        f"the cost {format_loss(loss)} cannot be paid from {kind} budget: {what_to_do}"
    )


def _divergence_of(loss: AnyLoss, budget: AnyLoss) -> Amount:
    if not isinstance(budget, RenyiDP):
        raise MeasureMismatchError(
            f"the cost {format_loss(loss)} can be paid from a RenyiDP budget alone, or charge "
            "cydp.accounting.convert(loss, delta=...) to an ApproxDP budget"
        )
    if not isinstance(loss, RenyiDP) or loss.order != budget.order:
        raise MeasureMismatchError(
            f"the cost {format_loss(loss)} is of another order than the budget "
            f"{format_loss(budget)}: cydp.accounting.renyi_divergence has the one of each order"
        )
    return (loss.divergence,)


def loss_like(budget: _Like, amount: Amount) -> _Like:
    """Return an amount as a loss in the measure of a budget, and under its relation.

    >>> loss_like(RenyiDP(8, 1), (Fraction(1, 2),))
    RenyiDP(order=8, divergence=0.5)
    """
    if not isinstance(budget, RenyiDP):
        return loss_of_amount(type(budget), amount, budget.relation)
    loss = object.__new__(RenyiDP)
    fill(loss, budget.order, check_nonnegative(amount[0]), budget.relation)
    return loss


def loss_of_amount(kind: type[Loss], amount: Amount, relation: str | None = None) -> Loss:
    """Return an amount as a loss of a measure. Its delta may be 1 or more, in a refused charge."""
    numbers: list[object] = [check_nonnegative(number) for number in amount]
    if kind is PureDP or kind is ApproxDP:
        numbers.append(COMPUTED_LATER if kind is PureDP else None)
    loss = object.__new__(kind)
    fill(loss, *numbers, relation, *([None] if kind is ApproxDP else []))
    return loss


def repeat_amount(loss: AnyLoss, count: int, budget: AnyLoss) -> Amount:
    """Return what `count` releases of a loss cost in the measure of a budget.

    Raises MeasureMismatchError, and ValueError for a negative cost.
    """
    amount = amount_of(loss, budget)
    for number in amount:
        if number.numerator < 0:
            raise ValueError("cost must be at least 0")
    return amount if count == 1 else tuple(count * number for number in amount)


def shorten(number: Fraction) -> Fraction:
    """Return a number, rounded up if it is too long for an entry of a ledger."""
    if max(number.numerator.bit_length(), number.denominator.bit_length()) <= MOST_BITS:
        return number
    return Fraction(-(-number.numerator * _GRID // number.denominator), _GRID)


def add_amounts(spent: Amount, requested: Amount) -> Amount:
    """Return the sum. A number that would be too long is rounded up."""
    return tuple(map(_add, spent, requested))


def subtract_amounts(total: Amount, part: Amount) -> Amount:
    """Return what is left of a total without a part."""
    return tuple(a - b for a, b in zip(total, part, strict=True))


def exceeds(total: Amount, limit: Amount) -> bool:
    """Whether any number of a total is above its limit."""
    return any(a > b for a, b in zip(total, limit, strict=True))


def zero_amount(like: Amount) -> Amount:
    """Return nothing, in the measure of another amount."""
    return tuple(Fraction(0) for _ in like)


def _add(spent: Fraction, requested: Fraction) -> Fraction:
    return shorten(spent + requested) if requested else spent


def total_of(amount: Amount) -> Total:
    """Return an amount over the least denominator that its numbers have in common.

    >>> total_of((Fraction(1, 2), Fraction(1, 3))), total_of((Fraction(1, 2),))
    ((6, 3, 2), (2, 1, 0))
    """
    if len(amount) == 1:
        return amount[0].denominator, amount[0].numerator, 0
    first, second = amount
    common = lcm(first.denominator, second.denominator)
    return (
        common,
        first.numerator * (common // first.denominator),
        second.numerator * (common // second.denominator),
    )


def amount_of_total(total: Total, length: int) -> Amount:
    """Return the amount of one number or of two, in lowest terms.

    >>> amount_of_total((6, 3, 2), 2)
    (Fraction(1, 2), Fraction(1, 3))
    """
    denominator, first, second = total
    return (Fraction(first, denominator), Fraction(second, denominator))[:length]


def repeat_total(total: Total, count: int) -> Total:
    """Return a total `count` times."""
    denominator, first, second = total
    return denominator, count * first, count * second


def add_totals(spent: Total, requested: Total) -> Total:
    """Return the sum. A number that would be too long is rounded up, as in `add_amounts`.

    >>> add_totals((2, 1, 0), (3, 1, 1))
    (6, 5, 2)
    """
    denominator, first, second = spent
    part, more_first, more_second = requested
    if denominator == part:
        total = denominator, first + more_first, second + more_second
    else:
        common = denominator if denominator % part == 0 else lcm(denominator, part)
        scale, scale_more = common // denominator, common // part
        total = (
            common,
            scale * first + scale_more * more_first,
            scale * second + scale_more * more_second,
        )
    # If all three are short, then so are the numbers in lowest terms. The union has the bits of
    # the longest.
    if (total[0] | total[1] | total[2]).bit_length() <= MOST_BITS:
        return total
    return total_of(add_amounts(amount_of_total(spent, 2), amount_of_total(requested, 2)))


def exceeds_total(total: Total, limit: Total) -> bool:
    """Whether any number of a total is above its limit."""
    denominator, first, second = total
    part, most_first, most_second = limit
    return first * part > most_first * denominator or second * part > most_second * denominator
