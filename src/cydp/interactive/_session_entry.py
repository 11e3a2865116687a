# SPDX-License-Identifier: MIT
"""What a session has asked, and what that has cost."""

from __future__ import annotations

from dataclasses import dataclass

from cydp.accounting._loss import Loss

__all__ = ["SessionEntry"]


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A question of a session that was answered or paid for. It holds nothing of the data.

    Attributes
    ----------
    question : str
        What was asked, as it was written.
    analyst : str or None
        Who asked.
    loss : loss
        What the question costs.
    cost : loss
        What the budget has paid for it now, in its own measure; 0 for a repeated question.
    repeated : bool
        Whether the answer was there before: given by this session, or recorded by the ledger.
    answered : bool
        Whether the call has returned an answer. If not, the budget had paid before an error.
    seq : int or None
        The place of the charge in the ledger; None for a filter.

    """

    question: str
    analyst: str | None
    loss: Loss
    cost: Loss
    repeated: bool = False
    answered: bool = True
    seq: int | None = None
