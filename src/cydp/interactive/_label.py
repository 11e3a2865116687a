# SPDX-License-Identifier: MIT
"""The label of a charge, which says in a ledger who has asked what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cydp.accounting.ledger._fields import check_string

__all__ = ["analyst_of", "check_analyst", "label_of"]

_LABEL = re.compile(r"\[([^\[\]]+)\] ", re.DOTALL)
_MOST_NAME, _MOST_LABEL = 100, 1000


def check_analyst(analyst: str) -> str:
    """Return the name of an analyst; a TypeError or ValueError for what cannot be one.

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
    return str(analyst)  # of a str of numpy, whose repr would be shown


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
    # An earlier version told it by the label alone.
    found = _LABEL.match(entry["label"])
    return None if found is None else found[1]
