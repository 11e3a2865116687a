# SPDX-License-Identifier: MIT
"""The receipt of a charge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cydp.accounting._loss import Loss

__all__ = ["Receipt"]


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
