# SPDX-License-Identifier: MIT
"""What can go wrong with a budget."""


class PrivacyError(Exception):
    """A privacy guarantee would not hold; nothing was released."""


class BudgetExceededError(PrivacyError):
    """A charge would have exceeded a budget; nothing was charged.

    Attributes
    ----------
    spent, requested, budget : loss
        What had been spent, what was asked for, and what there is.
    block : str or None
        The block of a ledger that had too little left.

    """

    def __init__(self, spent: object, requested: object, budget: object, block: str | None = None):
        super().__init__(spent, requested, budget, block)
        self.spent, self.requested, self.budget, self.block = spent, requested, budget, block

    def __str__(self) -> str:
        place = "" if self.block is None else f" of block {self.block!r}"
        spent = f"of which {self.spent} is spent"
        return f"budget{place} is {self.budget}, {spent}: {self.requested} does not fit"


class MeasureMismatchError(PrivacyError):
    """A loss says nothing in the measure of the budget, or of another loss."""


class RelationMismatchError(PrivacyError):
    """A loss is stated under another relation of neighbours than the budget."""


class AdaptivityError(PrivacyError):
    """A guarantee of plans that are fixed in advance was asked for what is not."""


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
