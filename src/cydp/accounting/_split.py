# SPDX-License-Identifier: MIT
"""A budget for several analyses: the share of each, and how many releases fit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import Any, TypeVar, overload

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_positive
from cydp.accounting._amounts import (
    add_amounts,
    amount_of,
    exceeds,
    loss_like,
    repeat_amount,
)
from cydp.accounting._budget import check_budget
from cydp.accounting._cost import Cost, loss_of, relation_of
from cydp.accounting._loss import ApproxDP, Loss
from cydp.accounting._measure import restate_relation
from cydp.accounting._plan import Plan

__all__ = ["largest_count", "split"]

Name = TypeVar("Name", bound=Hashable)

_MOST_RELEASES = 2**63


@overload
def split(budget: Loss, weights: Mapping[Name, Number]) -> dict[Name, Loss]: ...
@overload
def split(budget: Loss, weights: Sequence[Number]) -> list[Loss]: ...
@explain_arguments
def split(
    budget: Loss, weights: Mapping[Name, Number] | Sequence[Number]
) -> dict[Name, Loss] | list[Loss]:
    """Return the shares of one budget for several analyses, by their weights.

    Parameters
    ----------
    budget : PureDP, ApproxDP, ZCDP or ApproxZCDP
        What all analyses may cost together.
    weights : mapping of name to number, or sequence of numbers
        Of each analysis, above 0. Shares are in proportion to them.

    Returns
    -------
    dict or list of losses
        The share of each analysis, by its name or in the order of the weights, in the measure and
        relation of the budget. The shares add up to the budget exactly: epsilon, delta or rho.

    Raises
    ------
    TypeError, ValueError
        For what is no budget, for no weights, and for one that is not above 0.

    Notes
    -----
    Privacy cost: none by itself. The releases of all shares together cost at most the budget, by
    sequential composition [1]_, also if they are chosen adaptively.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.5.

    Examples
    --------
    >>> from cydp import PureDP, ZCDP
    >>> split(PureDP(1), {"ages": 3, "visits": 1})
    {'ages': PureDP(epsilon=0.75), 'visits': PureDP(epsilon=0.25)}
    >>> sum(split(ZCDP(0.5), [1, 1, 1])) == ZCDP(0.5)
    True

    """
    whole = amount_of(check_budget(budget), budget)
    if isinstance(weights, str) or not isinstance(weights, Mapping | Sequence):
        raise TypeError(
            f"weights must be a mapping of names to numbers, or a list of numbers, not "
            f"{type(weights).__name__}"
        )
    numbers: Any = weights.values() if isinstance(weights, Mapping) else weights
    each = [read_positive(weight, "weights") for weight in numbers]
    if not each:
        raise ValueError("weights must have one number for each analysis, and there are none")
    total = sum(each, Fraction(0))
    shares = [loss_like(budget, tuple(n * one / total for n in whole)) for one in each]
    return dict(zip(weights, shares, strict=True)) if isinstance(weights, Mapping) else shares


@explain_arguments
def largest_count(mechanism: Cost, budget: Loss, *, beside: Plan | None = None) -> int:
    """Return how many releases of a mechanism fit a budget, in addition to those of a plan.

    Parameters
    ----------
    mechanism : mechanism or loss
        What is released again and again.
    budget : PureDP, ApproxDP, ZCDP or ApproxZCDP
        What all releases may cost together. For ApproxDP that is the cost of a `Plan`, so the
        releases must all be fixed in advance.
    beside : Plan, optional
        Releases that must fit, too. Default: none.

    Returns
    -------
    int
        The largest count that fits; 0 if no further release does.

    Raises
    ------
    TypeError, ValueError
        For a bad parameter, for a mechanism that costs nothing, and if 2**63 releases fit.
    MeasureMismatchError, RelationMismatchError
        If the mechanism, or the plan, has no cost in the budget's measure, or is stated under
        another relation than the budget.

    Notes
    -----
    Privacy cost: none by itself.

    Examples
    --------
    >>> from cydp import ApproxDP, DiscreteLaplace, Plan, PureDP
    >>> counts = DiscreteLaplace(epsilon=0.1, sensitivity=1)
    >>> largest_count(counts, PureDP(1)), largest_count(counts, ApproxDP(5, 1e-6))
    (10, 108)
    >>> largest_count(counts, PureDP(1), beside=Plan([(counts, 4)]))
    6

    """
    limit = amount_of(check_budget(budget), budget)
    if beside is not None and not isinstance(beside, Plan):
        raise TypeError(f"beside must be a Plan, not {type(beside).__name__}")
    items = () if beside is None else beside.items
    for cost in (mechanism, *(cost for cost, _ in items)):
        loss = loss_of(cost, "mechanism")
        restate_relation("the budget and the releases", relation_of(cost), budget.relation)
        if not isinstance(budget, ApproxDP):
            amount_of(loss, budget)
    if not any(loss_of(mechanism)._numbers):
        raise ValueError("mechanism must cost something: any number of releases of it fit")

    def fits(count: int, *, quickly: bool) -> bool:
        every = [*items, (mechanism, count)]
        if isinstance(budget, ApproxDP):
            charged = Plan(every)._charged(budget.delta, quickly=quickly)
            return charged is not None and charged <= budget.epsilon
        amounts = [repeat_amount(loss_of(cost), times, budget) for cost, times in every]
        return not exceeds(reduce(add_amounts, amounts), limit)

    # First without the slow bound, which gains little.
    found = _search(partial(fits, quickly=True), 0)
    return _search(partial(fits, quickly=False), found) if isinstance(budget, ApproxDP) else found


def _search(fits: Callable[[int], bool], low: int) -> int:
    """Return the largest count that fits; one of `low` is known to, or is 0."""
    step = max(low // 8, 1)
    high = low + step
    while high <= _MOST_RELEASES and fits(high):
        low, step = high, 2 * step
        high = low + step
    if high > _MOST_RELEASES:
        raise ValueError("mechanism must cost more: 2**63 releases of it fit")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
