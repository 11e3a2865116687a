"""A filter, a ledger, and a ledger with blocks, each with a quarter of its budget left."""

from pathlib import Path
from typing import Any

from accounting.ledger.ledger_processes import new

import cydp
from cydp import PrivacyFilter, PureDP

__all__ = ["World", "release"]


class World:
    """`days` has the blocks "mon" and "tue", and "old", which was retired."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.filter = PrivacyFilter(PureDP(1))
        self.ledger = new(self.path)
        self.days = new(path.with_name("days"), by_block=True)
        self.days.add_blocks(["mon", "tue", "old"])
        self.days.retire("old")
        for budget in self.budgets().values():
            budget.charge(PureDP("0.75"))

    def budgets(self) -> dict[str, Any]:
        """Return what releases may be paid from."""
        days = self.days.scope(blocks=["mon"], table_in_blocks=True)
        return {"a filter": self.filter, "a ledger": self.ledger, "a block": days}

    def state(self) -> tuple[object, ...]:
        """Return what changes with every charge."""
        return self.filter.spent, self.ledger.head(), self.days.head()


def release(budget: Any) -> Any:
    """Count three numbers in two bins, at an epsilon of 1/2."""
    return cydp.histogram([1, 2], 2, (0, 4), epsilon=0.5, max_rows_per_unit=1, budget=budget)
