# SPDX-License-Identifier: MIT
"""Who asks: the budget that pays for a question notes the analyst and the label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cydp.accounting._budget import Asked, Paid
from cydp.accounting.ledger._serialize import check_string

__all__ = ["WatchedBudget", "analyst_of", "check_analyst", "label_of", "seq_of"]


_LABEL = re.compile(r"\[([^\[\]]+)\] ", re.DOTALL)
_MOST_NAME, _MOST_LABEL = 100, 1000


def check_analyst(analyst: str) -> str:
    """Return the name of an analyst; a TypeError or ValueError if it cannot be one.

    >>> check_analyst("ada")
    'ada'
    """
    check_string(analyst, "analyst")
    is_plain = analyst.isprintable() and analyst.strip() == analyst and len(analyst) <= _MOST_NAME
    if not is_plain or set("[]") & set(analyst):
        raise ValueError(
            f"analyst must be a name of 1 to {_MOST_NAME} printable characters without [ and ], "
            "and without spaces around it"
        )
    return str(analyst)  # a str of numpy would show its own repr


def label_of(analyst: str | None, scope: str | None, question: str) -> str:
    """Return the label of the charge for a question; `scope` is the label of a ledger's scope.

    >>> label_of("ada", None, "count(epsilon=1)")
    '[ada] count(epsilon=1)'
    """
    who = "" if analyst is None else f"[{analyst}] "
    what = question if scope is None else f"{scope}: {question}"
    return (who + what)[:_MOST_LABEL]


def analyst_of(entry: Mapping[str, Any]) -> str | None:
    """Return who has asked, by the entry of a charge; None if it does not say.

    >>> analyst_of({"analyst": "ada", "label": "[bob] ages"})
    'ada'
    """
    if "analyst" in entry or entry["label"] is None:
        return entry.get("analyst")
    # An earlier version had it in the label alone.
    found = _LABEL.match(entry["label"])
    return None if found is None else found[1]


class WatchedBudget:
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
        """Return the payment, whether or not the release has failed; None if nothing was paid."""
        answers = [] if self._asked is None else self._asked.answers
        if not answers or (failed and not answers[-1].stands):
            return None
        return answers[-1]


def seq_of(paid: Paid | None) -> int | None:
    """Return the place of a charge in a ledger; None for a filter."""
    receipt = getattr(paid, "receipt", None)
    return None if receipt is None else int(receipt.seq)
