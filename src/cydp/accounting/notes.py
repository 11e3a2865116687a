# SPDX-License-Identifier: MIT
"""What an exception after a charge says: the budget has paid, and nothing was released."""

from cydp.accounting.charges import Receipt
from cydp.accounting.loss import Loss


def note(error: BaseException, cost: Loss, receipt: Receipt | None) -> None:
    """Add to an exception what was charged before it, to a ledger if there is a receipt."""
    if receipt is None:
        error.add_note(f"{cost} was charged to the budget; nothing was released")
    else:
        error.add_note(
            f"{receipt.cost} was charged as entry {receipt.seq} of the ledger, by the id "
            f"{receipt.charge_id!r}; nothing was released"
        )
