# SPDX-License-Identifier: MIT
"""Parameters that are given by name, with errors that say what to write."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

__all__ = ["by_name"]

_Init = TypeVar("_Init", bound=Callable[..., None])

# What there is no default for, because the guarantee would rest on a number that nobody chose.
_MEANINGS = {
    "sensitivity": "it is by how much one unit can change what is released; cydp.sensitivity has "
    "that of counts, sums, means and histograms",
    "max_partitions": "it is in how many partitions one user can be; "
    "cydp.exact.bound_contributions sees to it",
    "bounds": "they are the pair (lower, upper) that values are clamped to",
}

_NO_SEED = "no seed: cydp.testing.SeededGenerator(seed), for tests, has one"


def by_name(init: _Init) -> _Init:
    """Return an `__init__` that says which parameter is missing, unknown or without its name."""
    parameters = list(signature(init).parameters.values())[1:]
    known = dict.fromkeys(parameter.name for parameter in parameters)
    required = {each.name for each in parameters if each.default is Parameter.empty}

    @wraps(init)
    def checked(self: object, *args: Any, **kwargs: Any) -> None:
        if args or not required <= kwargs.keys() <= known.keys():
            raise TypeError(_wrong(type(self).__name__, list(known), required, args, kwargs))
        init(self, **kwargs)

    return cast(_Init, checked)


def _wrong(
    name: str, known: list[str], required: set[str], args: tuple[Any, ...], given: dict[str, Any]
) -> str:
    shown = [each for each in known if each in required or each == "rho"]  # first of several ways
    usage = f"{name}({', '.join(f'{each}=...' for each in shown)})"
    if args:
        hint = "" if required else f", and {_NO_SEED}"
        return f"{name} takes its parameters by name, such as {usage}{hint}"
    for each in given:
        if each == "seed":
            return f"{name} has {_NO_SEED}"
        if each not in known:
            near = get_close_matches(each, known, 1, 0.4)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
            return f"{name} has no parameter {each[:40]}: {hint}"
    missing = next(each for each in known if each in required and each not in given)
    meaning = f": {_MEANINGS[missing]}" if missing in _MEANINGS else ""
    return f"{missing} must be given, as in {usage}{meaning}"
