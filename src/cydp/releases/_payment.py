# SPDX-License-Identifier: MIT
"""What a release knows of the entry of a ledger that has paid for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cydp.accounting.ledger._paid import PaidByLedger

__all__ = ["Payment", "payment_of"]


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

    """

    ledger: str
    privacy_unit: str
    blocks: tuple[str, ...]
    seq: int
    charge_id: str
    hash: str


def payment_of(paid: Any) -> Payment | None:
    """Return the payment that a ledger has made; None for a filter, and without a budget."""
    if not isinstance(paid, PaidByLedger):
        return None
    ledger, receipt = paid.ledger, paid.receipt
    return Payment(
        ledger.uuid, ledger.privacy_unit, receipt.blocks, receipt.seq, receipt.charge_id,
        receipt.hash,
    )  # fmt: skip
