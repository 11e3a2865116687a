# SPDX-License-Identifier: MIT
"""What the charges to the blocks of a ledger guarantee together.

docs/accounting/ledger.md has the proofs: "The guarantee over all data" and "A unit in several
blocks".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from cydp.accounting._amounts import Amount, loss_of_amount, zero_amount
from cydp.accounting._approx_zcdp import ApproxZCDP, refuse_group
from cydp.accounting._loss import ZCDP, ApproxDP, Loss
from cydp.accounting._loss_numbers import group_delta
from cydp.accounting.ledger._blocks import BlockState
from cydp.accounting.ledger._serialize import own_amount_of

__all__ = ["BlocksCharge", "guarantee_of", "guarantee_of_several"]

BlocksCharge: TypeAlias = tuple[Amount, Sequence[str]]
"""What a charge took from each of its blocks, and the ids of the blocks."""


def guarantee_of(states: Mapping[str, BlockState], budget: Loss, relation: str) -> Loss:
    """Return what holds for a unit with all records in one block.

    Parameters
    ----------
    states : mapping
        What each block has and has spent.
    budget : loss
        The budget of the ledger, for the measure.
    relation : str

    """
    most: Amount = zero_amount(own_amount_of(budget))
    for state in states.values():
        most = tuple(map(max, most, _guaranteed(own_amount_of(state.budget), state.spent)))
    return loss_of_amount(type(budget), most, relation)


def _guaranteed(limit: Amount, spent: Loss) -> Amount:
    """Return what one block guarantees, even if earlier answers have decided its charges."""
    amount = own_amount_of(spent)
    if isinstance(spent, ZCDP | ApproxZCDP):
        return limit if any(amount) else amount
    epsilon, *delta = amount  # a delta that was not spent on this path may be on another
    return (epsilon, *(most if paid else paid for most, paid in zip(limit[1:], delta, strict=True)))


def guarantee_of_several(
    states: Mapping[str, BlockState],
    budget: Loss,
    relation: str,
    most_blocks: int,
    charges: Iterable[BlocksCharge] | None,
) -> Loss:
    """Return what holds for a unit with records in several blocks, by group privacy.

    Parameters
    ----------
    states, budget, relation
        As in `guarantee_of`.
    most_blocks : int >= 1
        In how many blocks the unit has records at most.
    charges : iterable of BlocksCharge, or None
        All charges, if all of them were fixed before the first release. None: earlier releases may
        have decided them.

    Raises
    ------
    ValueError
        If delta would reach 1, where nothing is guaranteed.
    MeasureMismatchError
        For a budget in approximate zCDP, and a unit in more than one block.

    """
    size = min(most_blocks, len(states)) or 1
    if isinstance(budget, ApproxZCDP):
        return guarantee_of(states, budget, relation) if size == 1 else refuse_group()
    if isinstance(budget, ZCDP):
        rho = _rho_of_any(states, size) if charges is None else _rho_of_fixed(charges, size)
        return loss_of_amount(ZCDP, (rho,), relation)
    epsilon = _sum_of_largest((own_amount_of(state.spent)[0] for state in states.values()), size)
    if not isinstance(budget, ApproxDP):
        return loss_of_amount(type(budget), (epsilon,), relation)
    delta = _delta_of_any(states, size) if charges is None else _delta_of_fixed(charges, size)
    if delta >= 1:
        raise ValueError(
            f"max_blocks must be less than {size:,} for this ledger: delta would reach 1, where "
            "nothing is guaranteed"
        )
    return ApproxDP(epsilon, delta, relation=relation)


def _rho_of_any(states: Mapping[str, BlockState], size: int) -> Fraction:
    """Return the largest sum of m^2 rho over charges that the budgets of `size` blocks allow."""
    if not any(any(own_amount_of(state.spent)) for state in states.values()):
        return Fraction(0)
    budgets = sorted((own_amount_of(state.budget)[0] for state in states.values()), reverse=True)
    return sum(((2 * i + 1) * rho for i, rho in enumerate(budgets[:size])), Fraction(0))


def _delta_of_any(states: Mapping[str, BlockState], size: int) -> Fraction:
    """Return the largest sum of deltas of groups that the budgets of `size` blocks allow."""
    amounts = [own_amount_of(state.budget) for state in states.values()]
    if not any(own_amount_of(state.spent)[1] for state in states.values()):
        return Fraction(0)
    epsilon = max(amount[0] for amount in amounts)
    together = _sum_of_largest((amount[1] for amount in amounts), size)
    return group_delta(epsilon, together / size, size)


def _rho_of_fixed(charges: Iterable[BlocksCharge], size: int) -> Fraction:
    weights: dict[str, Fraction] = {}
    for (rho,), blocks in charges:
        for block in blocks:
            weights[block] = weights.get(block, Fraction(0)) + rho * min(size, len(blocks))
    return _sum_of_largest(weights.values(), size)


def _delta_of_fixed(charges: Iterable[BlocksCharge], size: int) -> Fraction:
    weights: dict[str, Fraction] = {}
    for (epsilon, delta), blocks in charges:
        reached = min(size, len(blocks))
        each = group_delta(epsilon, delta, reached) / reached
        for block in blocks:
            weights[block] = weights.get(block, Fraction(0)) + each
    return _sum_of_largest(weights.values(), size)


def _sum_of_largest(numbers: Iterable[Fraction], size: int) -> Fraction:
    return sum(sorted(numbers, reverse=True)[:size], Fraction(0))
