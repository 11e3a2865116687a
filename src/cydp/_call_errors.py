# SPDX-License-Identifier: MIT
"""Errors for calls with wrong arguments: they name the argument and show how to call."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, cast

__all__ = ["explain_arguments", "require_names", "signature_of"]

_Init = TypeVar("_Init", bound=Callable[..., None])
_Function = TypeVar("_Function", bound=Callable[..., Any])

# Parameters without a default, because the guarantee would rest on a number that was not chosen.
_MEANINGS = {
    "sensitivity": "it is by how much one unit can change what is released; cydp.sensitivity has "
    "that of counts, sums, means and histograms",
    "max_partitions": "it is in how many partitions one user can be; "
    "cydp.exact.bound_contributions sees to it",
    "bounds": "they are the pair (lower, upper) that values are clamped to",
}

_NO_SEED = "no seed: cydp.testing.SeededGenerator(seed), for tests, has one"


def require_names(init: _Init) -> _Init:
    """Return an `__init__` that takes its parameters by name, with errors that say what is wrong.

    They say which parameter is missing, unknown, or without its name.
    """
    parameters = list(signature(init).parameters.values())[1:]
    known = dict.fromkeys(parameter.name for parameter in parameters)
    required = {each.name for each in parameters if each.default is Parameter.empty}

    @wraps(init)
    def check_and_call(self: object, *args: Any, **kwargs: Any) -> None:
        if args or not required <= kwargs.keys() <= known.keys():
            raise TypeError(_explain(type(self).__name__, list(known), required, args, kwargs))
        init(self, **kwargs)

    return cast(_Init, check_and_call)


def explain_arguments(function: _Function) -> _Function:
    """Return a function that shows its signature in the error for wrong arguments."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            shape = signature(function)
            try:
                shape.bind(*args, **kwargs)
            except TypeError as wrong:
                raise TypeError(f"{wrong}: call {signature_of(function, shape)}") from None
            raise

    return cast(_Function, call)


def signature_of(function: Callable[..., Any], shape: Signature) -> str:
    """Return how a function or a method is called, without types."""
    owner, _, name = function.__qualname__.rpartition(".")
    plain = [each.replace(annotation=Parameter.empty) for each in shape.parameters.values()]
    if owner:  # without self
        plain = plain[1:]
    return f"{owner if name in ('__init__', '__new__') else name}{Signature(plain)}"


def _explain(
    name: str, known: list[str], required: set[str], args: tuple[Any, ...], given: dict[str, Any]
) -> str:
    shown = [
        each for each in known if each in required or each == "rho"
    ]  # rho: one of several ways
    usage = f"{name}({', '.join(f'{each}=...' for each in shown)})"
    if args:
        hint = "" if required else f", and {_NO_SEED}"
        return f"{name} takes its parameters by name, such as {usage}{hint}"
    for each in given:
        if each == "seed":
            return f"{name} has {_NO_SEED}"
        if each == "relation" and "sensitivity" in known:
            return (
                f"{name} takes its relation from its sensitivity: "
                "sensitivity=cydp.sensitivity.count(relation=...), for instance, states one"
            )
        if each not in known:
            near = get_close_matches(each, known, 1, 0.6)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}"
            return f"{name} has no parameter {each[:40]}: {hint}"
    missing = next(each for each in known if each in required and each not in given)
    meaning = f": {_MEANINGS[missing]}" if missing in _MEANINGS else ""
    return f"{missing} must be given, as in {usage}{meaning}"
