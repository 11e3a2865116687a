# SPDX-License-Identifier: MIT
"""How reports and messages write losses and names for people."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR
from html import escape
from typing import Any

from cydp._numbers.rational import format_number

__all__ = ["format_loss", "format_name", "html_of"]


def html_of(report: str) -> str:
    """Return a report as HTML that keeps its lines and spaces.

    >>> html_of("1 < 2")
    '<pre>1 &lt; 2</pre>'
    """
    return f"<pre>{escape(report, quote=False)}</pre>"


def format_loss(loss: Any, *, left: bool = False) -> str:
    """Write a loss with its numbers, long ones in six digits.

    The long numbers of a cost are rounded up. Those of what may still be spent (`left`) are rounded
    down.

    >>> from cydp import ZCDP, PureDP
    >>> format_loss(ZCDP("1/3")), format_loss(PureDP(1, relation="change-one"))
    ('ZCDP(rho=1/3)', 'PureDP(epsilon=1)')
    >>> format_loss(PureDP("1e-300"))
    'PureDP(epsilon=about 1E-300)'
    """
    names = [name for name in ("epsilon", "delta") if hasattr(loss, name)] or ["rho"]
    rounding = ROUND_FLOOR if left else ROUND_CEILING
    numbers = ", ".join(f"{name}={format_number(getattr(loss, name), rounding)}" for name in names)
    return f"{type(loss).__name__}({numbers})"


def format_name(name: str) -> str:
    r"""Return a name that a user chose, in quotes if it could take more than its line.

    >>> format_name("ages"), format_name("a\nb")
    ('ages', "'a\\nb'")
    """
    return name if name.isprintable() else repr(name)
