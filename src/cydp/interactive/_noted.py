# SPDX-License-Identifier: MIT
"""A budget that pays for one question of a session, and notes what it has paid."""

from __future__ import annotations

from typing import Any

from cydp.accounting._asked import Asked, Paid

__all__ = ["Noted", "seq_of"]


class Noted:
    """A budget, and what it has paid, even if the release raised an error after the charge.

    Parameters
    ----------
    budget : PrivacyFilter or LedgerScope

    """

    __slots__ = ("_asked", "_budget")

    def __init__(self, budget: Any) -> None:
        self._budget = budget
        self._asked: Asked | None = None

    @property
    def charge_id(self) -> str | None:
        """The charge id by which a ledger records the answer."""
        return getattr(self._budget, "charge_id", None)

    def _pay(self, asked: Asked) -> Paid:
        """Let the budget pay."""
        self._asked = asked
        paid: Paid = self._budget._pay(asked)
        return paid

    def paid(self, *, failed: bool) -> Paid | None:
        """Return what was paid, whether or not the release has failed; None: nothing."""
        answers = [] if self._asked is None else self._asked.answers
        if not answers or (failed and not answers[-1].stands):
            return None
        return answers[-1]


def seq_of(paid: Paid | None) -> int | None:
    """Return the place of a charge in a ledger; None for a filter."""
    receipt = getattr(paid, "receipt", None)
    return None if receipt is None else int(receipt.seq)
