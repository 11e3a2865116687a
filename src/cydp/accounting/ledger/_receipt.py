# SPDX-License-Identifier: MIT
"""The receipt of a charge, and the note of an exception that is raised after a charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cydp.accounting._loss import Loss

__all__ = ["Receipt", "note_charge"]


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


def note_charge(
    error: BaseException,
    cost: Loss,
    receipt: Receipt | None,
    paid: str = "was charged",
    end: str = "nothing was released",
) -> None:
    """Add a note to an exception: what was charged before it, and what became of the release.

    Without a receipt, a filter was charged; with one, a ledger.
    """
    if receipt is None:
        error.add_note(f"{cost} {paid} to the budget; {end}")
    else:
        error.add_note(
            f"{cost} {paid} as entry {receipt.seq} of the ledger, by the id "
            f"{receipt.charge_id!r}; {end}"
        )
