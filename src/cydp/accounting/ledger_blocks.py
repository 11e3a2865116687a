# SPDX-License-Identifier: MIT
"""Some blocks of a ledger as a budget, and charges that can be repeated safely."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex

from cydp.accounting.budget import Cost
from cydp.accounting.charges import Receipt

if TYPE_CHECKING:
    from cydp.accounting.ledger_charges import LedgerCharges


class LedgerBlocks:
    """Some blocks of a ledger, to be passed as ``budget=``; made by `BudgetLedger.blocks`.

    Attributes
    ----------
    ledger : BudgetLedger
    blocks : tuple of str
        The blocks that pay, each of them in full.
    label : str or None
        What the history says of the charges.
    charge_id : str or None
        If given, one release is paid by these blocks, recorded, and returned again to whoever
        repeats it.
    data_version : str or None
        What the caller calls the data that is read.

    """

    __slots__ = ("blocks", "charge_id", "data_version", "label", "ledger")

    blocks: tuple[str, ...]
    charge_id: str | None
    data_version: str | None
    label: str | None
    ledger: "LedgerCharges"

    def __init__(
        self,
        ledger: "LedgerCharges",
        blocks: tuple[str, ...],
        label: str | None = None,
        charge_id: str | None = None,
        data_version: str | None = None,
    ) -> None:
        values = blocks, charge_id, data_version, label, ledger
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger's blocks cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"the {name} of a ledger's blocks cannot be deleted")

    def charge(
        self, cost: Cost, count: SupportsIndex = 1, *, relation: str | None = None
    ) -> Receipt:
        """Spend a loss in each of the blocks, as `BudgetLedger.charge` does."""
        return self.ledger.charge(
            cost, count, blocks=self.blocks, charge_id=self.charge_id, label=self.label,
            relation=relation,
        )  # fmt: skip

    def once(
        self,
        cost: Cost,
        release: Callable[[], Any],
        count: SupportsIndex = 1,
        *,
        relation: str | None = None,
        function: str | None = None,
        arguments: Any = None,
        nbytes: int = 0,
    ) -> Any:
        """Charge, release and record, as `BudgetLedger.once` does with the `charge_id`."""
        if self.charge_id is None:
            raise ValueError("charge_id must be given to blocks of which a release is recorded")
        return self.ledger.once(
            self.charge_id, cost, release, count, blocks=self.blocks, label=self.label,
            relation=relation, function=function, arguments=arguments,
            data_version=self.data_version, nbytes=nbytes,
        )  # fmt: skip

    def would_exceed(self, cost: Cost, count: SupportsIndex = 1) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand."""
        return self.ledger.would_exceed(cost, count, blocks=self.blocks)

    def __repr__(self) -> str:
        return f"{self.ledger!r}.blocks({', '.join(map(repr, self.blocks))})"
