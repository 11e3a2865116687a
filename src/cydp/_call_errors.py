# SPDX-License-Identifier: MIT
"""Errors for calls with wrong arguments: they name the argument and show how to call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar, cast

__all__ = ["explain_arguments", "nearest_name", "require_names", "signature_of"]

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

_TABLE = {name: f"the table is the first argument, {name}" for name in ("x", "table")}
# What others call a parameter, or what is asked for by another one: the parameters that may be
# meant, and how to write them.
_MEANT = {
    "medians": {"quantiles": "quantiles={'x': (0.5, (0, 100))} is a median"},
    "simultaneous": {"count": "count= says how many numbers together, such as count=len(release)"},
    "bounds": {"range": ""},
    "range": {"bounds": ""},
    "max_rows": {"max_partitions": ""},
    "max_partitions": {"max_rows": ""},
    "data": _TABLE, "df": _TABLE, "frame": _TABLE, "table": _TABLE, "x": _TABLE,
}  # fmt: skip

_COSTS = ("epsilon", "delta", "rho")  # of a budget, which is one loss
# What is asked for elsewhere: how to write it.
_ELSEWHERE = {
    "where": "a condition is of the table: cydp.where(table, 'age > 17')",
    "left_out": "count, value_counts and group_by estimate how many rows are left out",
}

_RETURNS_TEXT = "it returns text: pathlib.Path('name').write_text(text) makes a file of it"

_LONGEST = 90  # of a signature in an error
_ALIKE = 0.7  # at least, of a name that is likely meant
_PROMISE = "max_rows_per_unit"  # nobody should be led to a promise by a bound that has another name
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
    """Return a function or a method whose error for wrong arguments shows how it is called."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            shape = signature(function)
            try:
                shape.bind(*args, **kwargs)
            except TypeError as wrong:
                near = _near_name(shape, kwargs, is_missing=str(wrong).startswith("missing"))
                if [*shape.parameters] == ["self"] and shape.return_annotation == "str":
                    near = f" ({_RETURNS_TEXT})"
                how = near or f"{_name_in_place(shape, args)}: call {signature_of(function, shape)}"
                raise TypeError(f"{wrong}{how}") from None
            raise

    return cast(_Function, call)


def signature_of(function: Callable[..., Any], shape: Signature) -> str:
    """Return how a function or a method is called, without types; further names are after it.

    >>> def f(x, *, first=None, second=None): ...
    >>> signature_of(f, signature(f))
    'f(x, *, first=None, second=None)'
    """
    owner, _, name = function.__qualname__.rpartition(".")
    plain = [each.replace(annotation=Parameter.empty) for each in shape.parameters.values()]
    if owner:  # without self
        plain = plain[1:]
    called, optional = owner if name in ("__init__", "__new__") else name, len(plain)
    names: list[str] = []
    text = f"{called}{Signature(plain)}"
    while len(text) > _LONGEST and optional:
        optional -= 1
        shown = [each for i, each in enumerate(plain) if i < optional or not _may_be_left(each)]
        names = [each.name for i, each in enumerate(plain) if i >= optional and _may_be_left(each)]
        text = f"{called}{Signature(shown)}".removesuffix(")") + ", ...)"
    return text + (f", or with {', '.join(names)}" if names else "")


def _may_be_left(parameter: Parameter) -> bool:
    return parameter.kind is Parameter.KEYWORD_ONLY and parameter.default is not Parameter.empty


def _near_name(shape: Signature, given: Mapping[str, Any], *, is_missing: bool) -> str:
    """Return what to write instead of a name that is not known, or nothing."""
    unknown = next((each for each in given if each not in shape.parameters), "")
    budget = shape.parameters.get("budget")
    if unknown in _COSTS and budget is not None and budget.default is Parameter.empty:
        return (
            " (a budget is a loss: PureDP(epsilon), ApproxDP(epsilon, delta), ZCDP(rho) or "
            "ApproxZCDP(rho, delta))"
        )
    if unknown in _ELSEWHERE:
        return f" ({_ELSEWHERE[unknown]})"
    known = [each for each in shape.parameters if each != _PROMISE]
    meant = {name: how for name, how in _MEANT.get(unknown, {}).items() if name in known}
    near, how = next(iter(meant.items()), (nearest_name(unknown, known), ""))
    if how:
        return f" ({how})"
    unknown_too = f" by {unknown!r}" if is_missing else ""  # of which the error does not speak
    return f" (did you mean {near!r}{unknown_too}?)" if near else ""


def nearest_name(given: str, names: Iterable[object]) -> str | None:
    """Return the name that is likely meant by one that is not there, or None.

    >>> nearest_name("Euros", ["user", "euros", 3])
    'euros'
    """
    lowered = {name.lower(): name for name in names if isinstance(name, str)}
    begun = [name for name in lowered if len(given) > 2 and name.startswith(given.lower())]
    near = begun or get_close_matches(given.lower(), lowered, 1, _ALIKE)
    return lowered[near[0]] if near else None


def _name_in_place(shape: Signature, args: tuple[Any, ...]) -> str:
    """Return how to name a column, if a text stands in the place of something else."""
    text = next((each for each in args[1:] if isinstance(each, str)), None)
    named = shape.parameters.get("column")
    if text is None or named is None or named.kind is not Parameter.KEYWORD_ONLY:
        return ""
    return " (the name of a column is column='...')"


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
            near = nearest_name(each, known)
            hint = f"did you mean {near}?" if near else f"it takes {', '.join(known)}"
            return f"{name} has no parameter {each[:40]}: {hint}"
    missing = next(each for each in known if each in required and each not in given)
    meaning = f": {_MEANINGS[missing]}" if missing in _MEANINGS else ""
    return f"{missing} must be given, as in {usage}{meaning}"
