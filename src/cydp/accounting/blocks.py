# SPDX-License-Identifier: MIT
"""Some blocks of a ledger, as a budget."""

from typing import TYPE_CHECKING, SupportsIndex

from cydp.accounting.budget import Cost
from cydp.accounting.charges import Receipt

if TYPE_CHECKING:
    from cydp.accounting.ledger import BudgetLedger


class LedgerBlocks:
    """Some blocks of a ledger, as a budget; made by `BudgetLedger.blocks`."""

    __slots__ = ("blocks", "label", "ledger")

    def __init__(self, ledger: "BudgetLedger", blocks: tuple[str, ...], label: str | None) -> None:
        self.ledger, self.blocks, self.label = ledger, blocks, label

    def charge(
        self, cost: Cost, count: SupportsIndex = 1, *, relation: str | None = None
    ) -> Receipt:
        """Spend a loss in each of the blocks, as `BudgetLedger.charge` does."""
        return self.ledger.charge(
            cost, count, blocks=self.blocks, label=self.label, relation=relation
        )

    def would_exceed(self, cost: Cost, count: SupportsIndex = 1) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand."""
        return self.ledger.would_exceed(cost, count, blocks=self.blocks)

    def __repr__(self) -> str:
        return f"{self.ledger!r}.blocks({', '.join(map(repr, self.blocks))})"
