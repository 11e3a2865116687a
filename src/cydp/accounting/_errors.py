# SPDX-License-Identifier: MIT
"""What can go wrong with a budget."""

from __future__ import annotations

from cydp.accounting._report import plain

__all__ = [
    "AdaptivityError",
    "BlockRetiredError",
    "BudgetExceededError",
    "ChargeConflictError",
    "ChargeInDoubtError",
    "LedgerBusyError",
    "LedgerCorruptError",
    "LedgerError",
    "LedgerRollbackError",
    "LedgerSchemaError",
    "MeasureMismatchError",
    "PrivacyError",
    "RelationMismatchError",
    "UnknownBlockError",
]


class PrivacyError(Exception):
    """A privacy guarantee would not hold; nothing was released."""


class BudgetExceededError(PrivacyError):
    """A charge would have exceeded a budget; nothing was charged.

    Attributes
    ----------
    budget, spent, remaining, requested : loss
        The whole budget, what was spent and left of it before the call, and what was asked for.
    block : str or None
        The block of a ledger that had too little left. None: the ledger has no blocks, or the
        budget is no ledger.
    charges : int
        How many charges of one call ask for `requested` together: more than 1 only of
        `BudgetLedger.charge_many`.

    """

    def __init__(
        self,
        budget: object,
        spent: object,
        remaining: object,
        requested: object,
        block: str | None = None,
        charges: int = 1,
    ) -> None:
        super().__init__(budget, spent, remaining, requested, block, charges)
        self.budget, self.spent, self.remaining = budget, spent, remaining
        self.requested, self.block, self.charges = requested, block, charges

    def __str__(self) -> str:
        place = "" if self.block is None else f" of block {self.block!r}"
        together = f" of {self.charges:,} charges together" if self.charges > 1 else ""
        return (
            f"the budget {plain(self.budget, left=True)}{place} has "
            f"{plain(self.remaining, left=True)} left: {plain(self.requested)}{together} does not "
            "fit; nothing was charged"
        )


class MeasureMismatchError(PrivacyError):
    """A loss cannot be paid from a budget, or be added to a loss, of another measure."""


class RelationMismatchError(PrivacyError):
    """A loss is stated under another relation of neighbours than the budget."""


class AdaptivityError(PrivacyError):
    """A guarantee that holds only for plans fixed in advance was asked for something else."""


class LedgerError(PrivacyError):
    """A ledger cannot be read or written; nothing was charged."""


class LedgerBusyError(LedgerError):
    """Another process held a ledger for too long; nothing was charged."""


class LedgerCorruptError(LedgerError):
    """A ledger is not what was written."""


class LedgerRollbackError(LedgerError):
    """A ledger is an older copy than the head that was expected, or than what was seen before."""


class LedgerSchemaError(LedgerError):
    """A file is no ledger, or one of another version."""


class UnknownBlockError(LedgerError):
    """A charge names a block that the ledger does not have."""


class BlockRetiredError(LedgerError):
    """A charge names a block that was retired."""


class ChargeConflictError(LedgerError):
    """A charge has the id of another one."""


class ChargeInDoubtError(LedgerError):
    """A charge of this id was paid, and whether its result was released is not known."""
