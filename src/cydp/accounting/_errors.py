# SPDX-License-Identifier: MIT
"""The errors of budgets, losses and ledgers."""

from __future__ import annotations

from cydp.accounting._words import format_loss

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
    "UnitMismatchError",
    "UnknownAccountError",
    "UnknownBlockError",
]


class PrivacyError(Exception):
    """A privacy guarantee would not hold, so nothing was released."""


class BudgetExceededError(PrivacyError):
    """A charge would have exceeded a budget; nothing was charged.

    Attributes
    ----------
    budget, spent, remaining, requested : loss
        The whole budget, what was spent and what was left of it before the call, and what the call
        asked for.
    block : str or None
        The block of a ledger that had too little left. None: the ledger has no blocks, or the
        budget is no ledger.
    charges : int
        How many charges of one call ask for `requested` together. Only `BudgetLedger.charge_many`
        makes more than one.
    account : str or None
        The account of a ledger that had too little left, whose budget this is.
    set_aside : loss or None
        What the ledger keeps for its accounts, where it keeps something.

    """

    def __init__(
        self,
        budget: object,
        spent: object,
        remaining: object,
        requested: object,
        block: str | None = None,
        charges: int = 1,
        account: str | None = None,
        set_aside: object = None,
    ) -> None:
        super().__init__(budget, spent, remaining, requested, block, charges, account, set_aside)
        self.budget, self.spent, self.remaining = budget, spent, remaining
        self.requested, self.block, self.charges = requested, block, charges
        self.account, self.set_aside = account, set_aside

    def __str__(self) -> str:
        place = "" if self.account is None else f" of account {self.account!r}"
        place += "" if self.block is None else f" of block {self.block!r}"
        together = f" of {self.charges:,} charges together" if self.charges > 1 else ""
        kept = ""
        if self.set_aside is not None:
            kept = f", and {format_loss(self.set_aside, left=True)} set aside for accounts"
        return (
            f"the budget {format_loss(self.budget, left=True)}{place} has "
            f"{format_loss(self.remaining, left=True)} left{kept}: "
            f"{format_loss(self.requested)}{together} does not fit; nothing was charged"
        )


class MeasureMismatchError(PrivacyError):
    """A loss and a budget, or two losses, have measures that cannot be combined."""


class RelationMismatchError(PrivacyError):
    """Losses, or a loss and a budget, are stated under different relations of neighbours."""


class UnitMismatchError(PrivacyError):
    """A release protects a different unit than the ledger that should pay for it."""


class AdaptivityError(PrivacyError):
    """A plan was used adaptively, but its guarantee needs all releases fixed in advance."""


class LedgerError(PrivacyError):
    """A ledger cannot be read or written; a note says if something was charged."""

    _is_undone = False  # whether it is certain that nothing of the transaction was written


class LedgerBusyError(LedgerError):
    """Another process has used a ledger for too long; a note says if something was charged."""


class LedgerCorruptError(LedgerError):
    """A ledger does not hold what was written to it."""


class LedgerRollbackError(LedgerError):
    """A ledger is an older copy than the head that was expected, or than what was seen before."""


class LedgerSchemaError(LedgerError):
    """A file is no ledger, or a ledger of another version."""


class UnknownBlockError(LedgerError):
    """A charge names a block that the ledger does not have."""


class UnknownAccountError(LedgerError):
    """A charge names an account that the ledger does not have, or that was closed."""


class BlockRetiredError(LedgerError):
    """A charge names a block that was retired."""


class ChargeConflictError(LedgerError):
    """A charge has the id of another charge."""


class ChargeInDoubtError(LedgerError):
    """A charge of this id was paid before, and it is not known whether its result was released."""


# A traceback shows the name that a user can import, and pickles keep it.
for _name in __all__:
    globals()[_name].__module__ = "cydp.accounting"
