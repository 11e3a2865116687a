# SPDX-License-Identifier: MIT
"""Who draws the noise of a release, and who pays for it."""

from typing import TypeAlias

from cydp.accounting import BudgetLedger, LedgerBlocks, PrivacyFilter
from cydp.accounting.budget import Cost
from cydp.random import Generator, generator_or_default

Budget: TypeAlias = PrivacyFilter | BudgetLedger | LedgerBlocks


def charged_generator(
    rng: Generator | None,
    budget: Budget | None,
    cost: Cost,
    count: int = 1,
    *,
    relation: str | None = None,
) -> Generator:
    """Charge a budget, if there is one, and return the generator to draw from.

    Everything public must have been checked before, and no data been read. `relation`: what
    the cost is stated under, if it is known.

    Raises
    ------
    TypeError
        If rng is no Generator or a seeded one that a budget should pay for, or budget no budget.
    PrivacyError
        If the budget refuses, or is kept under another relation; then nothing was charged.

    """
    generator = generator_or_default(rng)
    if budget is None:
        return generator
    if not isinstance(budget, PrivacyFilter | BudgetLedger | LedgerBlocks):
        raise TypeError(
            "budget must be a PrivacyFilter, a BudgetLedger or blocks of one, not "
            f"{type(budget).__name__}"
        )
    if generator.reproducible:
        raise TypeError("rng must not be seeded where a budget pays: its noise is known")
    budget.charge(cost, count, relation=relation)
    return generator
