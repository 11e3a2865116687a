# SPDX-License-Identifier: MIT
"""How messages and reports write losses, names, and arguments of a wrong type."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from html import escape
from types import UnionType
from typing import Any

from cydp._numbers.rational import format_number

__all__ = [
    "describe_argument",
    "describe_wrong_loss",
    "format_loss",
    "format_name",
    "format_numbers",
    "html_of",
    "names_of",
    "numbers_of",
]


def html_of(report: str) -> str:
    """Return a report as HTML that keeps its lines and spaces.

    >>> html_of("1 < 2")
    '<pre>1 &lt; 2</pre>'
    """
    return f"<pre>{escape(report, quote=False)}</pre>"


def format_loss(loss: Any, *, left: bool = False) -> str:
    """Write a loss with its numbers, long ones in six digits.

    Long numbers of a cost are rounded up. Long numbers of what may still be spent (`left`) are
    rounded down.

    >>> from cydp import ZCDP, PureDP
    >>> format_loss(ZCDP("1/3")), format_loss(PureDP(1, relation="change-one"))
    ('ZCDP(rho=1/3)', 'PureDP(epsilon=1)')
    >>> format_loss(PureDP("1e-300"))
    'PureDP(epsilon=about 1E-300)'
    """
    return f"{type(loss).__name__}({format_numbers(numbers_of(loss), left=left)})"


def format_numbers(numbers: Mapping[str, Fraction], *, left: bool = False) -> str:
    """Write the numbers of a loss as `format_loss` does: ``epsilon=0.1, delta=1e-06``."""
    rounding = ROUND_FLOOR if left else ROUND_CEILING
    return ", ".join(
        f"{name}={format_number(number, rounding)}" for name, number in numbers.items()
    )


def numbers_of(loss: Any) -> dict[str, Fraction]:
    """Return the numbers of a loss in its own measure, by name."""
    return {name: getattr(loss, name) for name in names_of(loss)}


def names_of(loss: Any) -> tuple[str, ...]:
    """Return the names of the numbers of a loss in its own measure.

    >>> from cydp import ZCDP, ApproxDP
    >>> names_of(ZCDP(1)), names_of(ApproxDP(1, 1e-6))
    (('rho',), ('epsilon', 'delta'))
    """
    if hasattr(loss, "order"):
        return "order", "divergence"
    first = "epsilon" if hasattr(loss, "epsilon") else "rho"
    return (first, "delta") if hasattr(loss, "delta") else (first,)


def format_name(name: str) -> str:
    r"""Return a name that a user chose, in quotes if it could take more than its line.

    >>> format_name("ages"), format_name("a\nb")
    ('ages', "'a\\nb'")
    """
    return name if name.isprintable() else repr(name)


def describe_argument(value: object, *advice: tuple[type | UnionType, str]) -> str:
    """Return the type of an argument, and advice if the type is often passed by mistake.

    An error shows the type, and never the value.

    Parameters
    ----------
    value : object
        The argument.
    *advice : (type, str)
        What to do if the argument is of this type. The first that fits is used.

    Examples
    --------
    >>> describe_argument(int), describe_argument("x"), describe_argument("x", (str, "open it"))
    ('the class int: pass an instance of it', 'str', 'str: open it')

    """
    if isinstance(value, type):
        return f"the class {value.__name__}: pass an instance of it"
    found = (f": {what_to_do}" for kind, what_to_do in advice if isinstance(value, kind))
    return type(value).__name__ + next(found, "")


def describe_wrong_loss(value: object) -> str:
    """Return the type of an argument that should have been a loss, and what to do about it.

    >>> describe_wrong_loss(0.5), describe_wrong_loss([])
    ('float: epsilon alone is PureDP(epsilon)', 'list: pass its losses one by one, with *')
    """
    # The class is asked, not the value: a frame of data may have a column of this name.
    if hasattr(type(value), "loss") and not isinstance(value, type):
        return describe_argument(value, (object, "pass its loss"))
    of_number = str | int | float | Fraction | Decimal, "epsilon alone is PureDP(epsilon)"
    several = list | tuple, "pass its losses one by one, with *"
    return describe_argument(value, of_number, several)
