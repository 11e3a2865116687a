# SPDX-License-Identifier: MIT
"""A scope of a ledger: its budget with the blocks, the label and the charge id of charges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from cydp._arguments import Integer
from cydp.accounting._budget import Asked
from cydp.accounting._cost import Cost
from cydp.accounting._errors import LedgerError
from cydp.accounting.ledger._accounts import AccountState
from cydp.accounting.ledger._blocks import ALL, BlockState, LossesByBlock
from cydp.accounting.ledger._charge import Booking
from cydp.accounting.ledger._paid import PaidByLedger, Receipt

if TYPE_CHECKING:
    from cydp.accounting.ledger._ledger import BudgetLedger

__all__ = ["LedgerScope"]


class LedgerScope:
    """Some blocks of a ledger, to be passed as ``budget=``. `BudgetLedger.scope` returns it.

    `budget`, `spent` and `remaining` are losses if the scope has one block, or if the ledger was
    made without blocks. For several blocks they are dicts of losses by block id.

    Attributes
    ----------
    ledger : BudgetLedger
        The ledger that pays.
    blocks : tuple of str
        The ids of the blocks that pay, each in full; empty if no blocks were named, as for a ledger
        without blocks.
    label : str or None
        What the charges are for; the history shows it.
    charge_id : str or None
        If given, one release is charged to these blocks and recorded, and every repetition returns
        the recorded result.
    data_version : str or None
        The caller's name for the data that is read.
    analyst : str or None
        Who asks, for the history of the ledger; a `Session` states it.
    table_in_blocks : bool
        The caller's promise that all rows of the table lie in the blocks.
    account : str or None
        The account that pays; then `budget`, `spent` and `remaining` are those of the account.

    Examples
    --------
    >>> import tempfile
    >>> from cydp import BudgetLedger, PureDP
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with BudgetLedger.create(
    ...         folder + "/l", PureDP(1), privacy_unit="person-day", by_block=True
    ...     ) as ledger:
    ...         ledger.add_blocks(["mon", "tue"])
    ...         receipt = ledger.scope(blocks=["mon"]).charge(PureDP(0.25))
    ...         ledger.scope(blocks=["mon"]).remaining, ledger.scope(blocks=["tue"]).remaining
    (PureDP(epsilon=0.75), PureDP(epsilon=1))

    """

    __slots__ = (
        "account", "analyst", "blocks", "charge_id", "data_version", "label", "ledger",
        "table_in_blocks",
    )  # fmt: skip

    account: str | None
    analyst: str | None
    blocks: tuple[str, ...]
    charge_id: str | None
    data_version: str | None
    label: str | None
    ledger: BudgetLedger
    table_in_blocks: bool

    def __init__(
        self,
        ledger: BudgetLedger,
        blocks: tuple[str, ...],
        label: str | None = None,
        charge_id: str | None = None,
        data_version: str | None = None,
        analyst: str | None = None,
        table_in_blocks: bool = False,
        account: str | None = None,
    ) -> None:
        values = account, analyst, blocks, charge_id, data_version, label, ledger, table_in_blocks
        for name, value in zip(LedgerScope.__slots__, values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the {name} of a LedgerScope cannot be changed: make another scope")

    def __reduce__(self) -> NoReturn:
        """Refuse: another process opens the ledger by its path."""
        raise TypeError(
            "a LedgerScope cannot be pickled or copied, as its ledger cannot: open it by its path, "
            "and make another scope"
        )

    @property
    def relation(self) -> str:
        """The relation of neighbours that the ledger is kept under."""
        return self.ledger.relation

    @property
    def budget(self) -> Any:
        """What may be spent in all in the block, or by the account; a dict for several blocks."""
        return self._each("budget")

    @property
    def spent(self) -> Any:
        """What was charged to the block, or to the account; a dict for several blocks."""
        return self._each("spent")

    @property
    def remaining(self) -> Any:
        """What may still be charged to the block, or to the account; a dict for several blocks."""
        return self._each("remaining")

    def _states(self) -> Mapping[str, BlockState] | Mapping[str, AccountState]:
        """Return the state of each of the blocks, or of the account there."""
        if self.account is None:
            return self.ledger._states(self.blocks or (ALL,))
        return self.ledger._accounts(self.account, self.blocks or (ALL,))

    def _each(self, what: str) -> Any:
        states = self._states()
        found = LossesByBlock({block: getattr(state, what) for block, state in states.items()})
        return next(iter(found.values())) if len(found) == 1 else found

    def charge(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> Receipt:
        """Spend a loss in each of the blocks, as `BudgetLedger.charge` does."""
        return self.ledger.charge(
            cost, count, blocks=self.blocks or None, charge_id=self.charge_id, label=self.label,
            relation=relation, account=self.account,
        )  # fmt: skip

    def once(
        self,
        cost: Cost,
        release: Callable[[], Any],
        count: Integer = 1,
        *,
        relation: str | None = None,
        function: str | None = None,
        arguments: Any = None,
        nbytes: int = 0,
    ) -> Any:
        """Charge, release and record, as `BudgetLedger.once` does with the `charge_id`."""
        if self.charge_id is None:
            raise ValueError(
                "charge_id must be given to the scope whose release is recorded: "
                "ledger.scope(charge_id=...)"
            )
        return self.ledger.once(
            self.charge_id, cost, release, count, blocks=self.blocks or None, label=self.label,
            relation=relation, function=function, arguments=arguments,
            data_version=self.data_version, nbytes=nbytes, account=self.account,
        )  # fmt: skip

    def _pay(self, asked: Asked) -> PaidByLedger:
        """Charge for one call of a release, as `BudgetLedger.charge` does."""
        return self.ledger._book(asked, self._booking)

    @property
    def _booking(self) -> Booking:
        return Booking(
            self.blocks or None,
            self.label,
            self.charge_id,
            self.data_version,
            self.analyst,
            account=self.account,
        )

    def _look_up(self, asked: Asked) -> tuple[bool, LedgerError | None]:
        """Return whether a call was charged by the charge id, and how it would be refused."""
        if self.charge_id is None:
            return False, None
        return self.ledger._look_up(asked, self._booking)

    def would_exceed(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> bool:
        """Whether a charge would be refused for lack of budget, as things stand."""
        return self.ledger.would_exceed(
            cost, count, blocks=self.blocks or None, relation=relation, account=self.account
        )

    def __repr__(self) -> str:
        given = {
            "blocks": list(self.blocks) or None,
            "label": self.label,
            "charge_id": self.charge_id,
            "data_version": self.data_version,
            "analyst": self.analyst,
            "table_in_blocks": self.table_in_blocks or None,
            "account": self.account,
        }
        words = (f"{name}={value!r}" for name, value in given.items() if value is not None)
        return f"{self.ledger!r}.scope({', '.join(words)})"
