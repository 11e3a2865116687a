# SPDX-License-Identifier: MIT
"""What an exception after a charge says: what has paid, and what became of the release."""

from __future__ import annotations

from cydp.accounting._loss import Loss
from cydp.accounting.ledger._charges import Receipt

__all__ = ["note"]


def note(
    error: BaseException,
    cost: Loss,
    receipt: Receipt | None,
    paid: str = "was charged",
    end: str = "nothing was released",
) -> None:
    """Add to an exception what was charged before it, to a ledger if there is a receipt."""
    if receipt is None:
        error.add_note(f"{cost} {paid} to the budget; {end}")
    else:
        error.add_note(
            f"{cost} {paid} as entry {receipt.seq} of the ledger, by the id "
            f"{receipt.charge_id!r}; {end}"
        )
