# SPDX-License-Identifier: MIT
"""What an error says of a value that was passed by mistake: its type, never the value."""

from __future__ import annotations

__all__ = ["kind_given"]


def kind_given(value: object) -> str:
    """Return the type of a value that was passed where a loss is needed, and what to do.

    >>> kind_given("0.5"), kind_given(int), kind_given([])
    ('str', 'the class int: pass an instance of it', 'list: pass its losses one by one, with *')
    """
    if isinstance(value, type):
        return f"the class {value.__name__}: pass an instance of it"
    name = type(value).__name__
    if isinstance(value, list | tuple):
        return f"{name}: pass its losses one by one, with *"
    # Of the class, not of the value: a frame of data may have a column of this name.
    return f"{name}: pass its loss" if hasattr(type(value), "loss") else name
