# SPDX-License-Identifier: MIT
"""Budgets that pay for one question of a session, and note what they have paid.

A session must know that even if the release raises an error after the charge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from cydp._arguments import Integer
from cydp.accounting._amounts import loss_of_amount, repeat_amount
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._errors import LedgerError
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._loss import Loss
from cydp.accounting._loss_numbers import read_count
from cydp.accounting.ledger._ledger_results import LedgerResults
from cydp.accounting.ledger._receipt import Receipt
from cydp.accounting.ledger._scope import LedgerScope

__all__ = ["NotedFilter", "NotedScope"]


class Paid(NamedTuple):
    """What a budget has paid for a question, and by which entry of a ledger."""

    cost: Loss
    seq: int | None
    fresh: bool


class NotedFilter(PrivacyFilter):
    """A filter's budget for one question. It has none of its own."""

    __slots__ = ("_paid", "_payer")

    def __init__(self, payer: PrivacyFilter) -> None:  # without the base's, which makes a budget
        self._payer = payer
        self._paid: Paid | None = None

    @property
    def budget(self) -> Loss:
        """What may be spent in all."""
        return self._payer.budget

    @property
    def relation(self) -> str:
        """The relation of neighbours that the budget is kept under."""
        return self._payer.relation

    def charge(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> None:
        """Charge the filter, and note it."""
        self._payer.charge(cost, count, relation=relation)
        budget = self.budget
        amount = repeat_amount(loss_of(cost), read_count(count), budget)
        self._paid = Paid(loss_of_amount(type(budget), amount, budget.relation), None, True)

    def paid(self, *, failed: bool) -> Paid | None:
        """Return what was paid, whether or not the release has failed; None: nothing."""
        return self._paid


class NotedScope(LedgerScope):
    """A scope of a ledger for one question."""

    __slots__ = ("_receipts",)

    _receipts: list[Receipt]

    def __init__(
        self,
        ledger: LedgerResults,
        blocks: tuple[str, ...],
        label: str,
        charge_id: str | None,
        data_version: str | None,
    ) -> None:
        super().__init__(ledger, blocks, label, charge_id, data_version)
        object.__setattr__(self, "_receipts", [])

    def paid(self, *, failed: bool) -> Paid | None:
        """Return what was paid; None: nothing, as when the transaction was interrupted."""
        if not self._receipts:
            return None
        receipt = self._receipts[0]
        if failed:
            try:
                if self.ledger._read_outcome(receipt.charge_id) is None:
                    return None
            except LedgerError:
                pass  # it was written, as far as anyone knows
        return Paid(receipt.cost, receipt.seq, receipt.fresh)

    def charge(self, cost: Cost, count: Integer = 1, *, relation: str | None = None) -> Receipt:
        """Charge the ledger, and note it."""
        receipt = super().charge(cost, count, relation=relation)
        self._receipts.append(receipt)
        return receipt

    def _once(
        self,
        cost: Cost,
        release: Callable[[], Any],
        count: Integer,
        relation: str | None,
        function: str | None,
        arguments: Any,
        nbytes: int,
        receipts: list[Receipt],
    ) -> Any:
        try:
            return super()._once(
                cost, release, count, relation, function, arguments, nbytes, receipts
            )
        finally:
            self._receipts[:] = receipts
