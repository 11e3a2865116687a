# SPDX-License-Identifier: MIT
"""How an error describes an argument of a wrong type: by its type, never by its value."""

from __future__ import annotations

from types import UnionType

__all__ = ["describe_argument", "describe_wrong_loss"]


def describe_argument(value: object, *advice: tuple[type | UnionType, str]) -> str:
    """Return the type of an argument, and advice if the type is often passed by mistake.

    Parameters
    ----------
    value : object
        The argument. Its value is not shown.
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

    >>> describe_wrong_loss("0.5"), describe_wrong_loss([])
    ('str', 'list: pass its losses one by one, with *')
    """
    # The class is asked, not the value: a frame of data may have a column of this name.
    if hasattr(type(value), "loss") and not isinstance(value, type):
        return describe_argument(value, (object, "pass its loss"))
    return describe_argument(value, (list | tuple, "pass its losses one by one, with *"))
