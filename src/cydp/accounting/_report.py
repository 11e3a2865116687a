# SPDX-License-Identifier: MIT
"""How reports and messages for people are written."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR
from html import escape
from typing import Any

from cydp._numbers.rational import text as number_text

__all__ = ["html_of", "plain", "printable"]


def html_of(report: str) -> str:
    """Return a report as it is written.

    >>> html_of("1 < 2")
    '<pre>1 &lt; 2</pre>'
    """
    return f"<pre>{escape(report, quote=False)}</pre>"


def plain(loss: Any, *, left: bool = False) -> str:
    """Return a loss with its own numbers, which are written roughly where they are long.

    Those of a cost are rounded up, and those of what may be spent (`left`) are rounded down.

    >>> from cydp import ZCDP, PureDP
    >>> plain(ZCDP("1/3")), plain(PureDP(1, relation="change-one")), plain(PureDP("1e-300"))
    ('ZCDP(rho=1/3)', 'PureDP(epsilon=1)', 'PureDP(epsilon=about 1E-300)')
    """
    names = [name for name in ("epsilon", "delta") if hasattr(loss, name)] or ["rho"]
    rounding = ROUND_FLOOR if left else ROUND_CEILING
    numbers = ", ".join(f"{name}={number_text(getattr(loss, name), rounding)}" for name in names)
    return f"{type(loss).__name__}({numbers})"


def printable(text: str) -> str:
    r"""Return what somebody has written, in quotes if it could take more than its line.

    >>> printable("ages"), printable("a\nb")
    ('ages', "'a\\nb'")
    """
    return text if text.isprintable() else repr(text)
