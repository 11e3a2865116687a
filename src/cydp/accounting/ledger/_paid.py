# SPDX-License-Identifier: MIT
"""What a ledger returns when it has paid: the receipt of a charge, and the payment of a release."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from cydp.accounting._budget import note_charge
from cydp.accounting._errors import ChargeInDoubtError, LedgerError
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._serialize import read_result, serialize

if TYPE_CHECKING:
    from cydp.accounting.ledger._ledger_charges import LedgerCharges

__all__ = ["PaidByLedger", "Payment", "Receipt", "payment_of"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a charge has written, returned by `BudgetLedger.charge`.

    Attributes
    ----------
    seq : int
        The place of the entry in the ledger, from 1 on.
    charge_id : str
        The id of the charge: the one that was given, or else a new one.
    cost : loss
        What each block has paid.
    blocks : tuple of str
        The ids of the blocks that have paid; empty for a ledger without blocks.
    hash : str
        The hash of this entry, which depends on all entries before it.
    rounded : bool
        Whether a total was so long that the charge was rounded up.
    result : object
        The result that was recorded for the charge, if the charge was paid before.
    fresh : bool
        Whether this call has paid. If not, the charge was paid before: use `result`, and draw no
        new noise, because nothing was paid for it.

    """

    seq: int
    charge_id: str
    cost: Loss
    blocks: tuple[str, ...]
    hash: str
    rounded: bool = False
    result: Any = None
    fresh: bool = True


class PaidByLedger:
    """A charge of a ledger, and where its result is recorded.

    Parameters
    ----------
    ledger : BudgetLedger
    receipt : Receipt
    records : bool
        Whether `keep` records the result.

    """

    __slots__ = ("ledger", "receipt", "records")

    def __init__(self, ledger: LedgerCharges, receipt: Receipt, *, records: bool) -> None:
        self.ledger: Any = ledger
        self.receipt, self.records = receipt, records

    @property
    def cost(self) -> Loss:
        """What each block was charged, in the measure of the ledger."""
        return self.receipt.cost

    @property
    def fresh(self) -> bool:
        """Whether this call was charged. Else `result` is what was recorded for it."""
        return self.receipt.fresh

    @property
    def result(self) -> Any:
        """The recorded result of a call that was charged before."""
        return self.receipt.result

    def keep(self, result: Any) -> Any:
        """Record a result if the charge has an id, and return it as it is read back.

        If another one was recorded since, by another driver of the same run, it is returned: two
        results of a charge are never told.
        """
        if not self.records:
            return result
        text = serialize(result)
        try:
            self.ledger._record(self.receipt.charge_id, text)
        except LedgerError:
            known = self.read_again()
            if known.fresh:
                raise
            return known.result
        return read_result(text)

    def read_again(self) -> PaidByLedger:
        """Return the charge, with its result if it was recorded since.

        Raises
        ------
        LedgerError
            If the ledger does not have the charge.

        """
        try:
            result = self.ledger.result(self.receipt.charge_id)
        except ChargeInDoubtError:
            return self
        receipt = replace(self.receipt, result=result, fresh=False)
        return PaidByLedger(self.ledger, receipt, records=True)

    @property
    def stands(self) -> bool:
        """Whether the charge was written, if `_pay` was interrupted; True where nobody can tell."""
        try:
            return self.ledger._read_charge(self.receipt.charge_id) is not None
        except LedgerError:
            return True

    def note(self, error: BaseException) -> None:
        """Note on an exception what became of the charge, if it was written."""
        receipt = self.receipt
        if not receipt.fresh:
            return
        words = f"as entry {receipt.seq} of the ledger, by the id {receipt.charge_id!r}"
        try:
            charge = self.ledger._read_charge(receipt.charge_id)
        except (LedgerError, KeyboardInterrupt):
            note_charge(error, self, f"may have been charged {words}")
            return
        if charge is None:  # the transaction was interrupted before it was written
            return
        end = "nothing was released"
        if charge[-1] is not None:
            end = "its result is recorded: repeat the call to get it"
        note_charge(error, self, f"was charged {words}", end)


@dataclass(frozen=True, slots=True)
class Payment:
    """The entry of a ledger that has paid for a release.

    Attributes
    ----------
    ledger : str
        The UUID of the ledger.
    privacy_unit : str
        What the ledger protects.
    blocks : tuple of str
        The ids of the blocks that have paid; empty for a ledger without blocks.
    seq : int
        The place of the entry in the ledger.
    charge_id : str
        The id of the charge.
    hash : str
        The hash of the entry, which depends on all entries before it.
    recorded : bool
        Whether the release is the one that was recorded for a charge of before.

    """

    ledger: str
    privacy_unit: str
    blocks: tuple[str, ...]
    seq: int
    charge_id: str
    hash: str
    recorded: bool = field(default=False, compare=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader on how the release was got, which are no part of it."""
        if not self.recorded:
            return ()
        return (
            f"this is the recorded result of charge {self.charge_id!r}, for which nothing was read "
            "or charged again: that the data is the same is the caller's promise",
        )


def payment_of(paid: Any) -> Payment | None:
    """Return the payment that a ledger has made; None for a filter, and without a budget."""
    if not isinstance(paid, PaidByLedger):
        return None
    ledger, receipt = paid.ledger, paid.receipt
    return Payment(
        ledger.uuid, ledger.privacy_unit, receipt.blocks, receipt.seq, receipt.charge_id,
        receipt.hash, not receipt.fresh,
    )  # fmt: skip
