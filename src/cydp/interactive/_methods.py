# SPDX-License-Identifier: MIT
"""Methods of a session, made from releases: the same parameters, without the session's."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from inspect import Parameter, Signature, getdoc, signature
from types import FunctionType
from typing import Any, TypeVar, cast

from cydp._call_errors import signature_of
from cydp.releases._run import kind_of

__all__ = ["METHODS", "method", "refuse_arguments_of_session"]

_Result = TypeVar("_Result")

METHODS: dict[str, Callable[..., Any]] = {}  # the releases that have a method, by name

# Arguments that methods do not take: the session has them once, since one budget pays for all.
_WHY = {
    "budget": "the budget of the session pays",
    "rng": "its noise comes from the thread's own generator",
    "relation": "it is that of the session's budget",
} | {
    name: f"it is said once for all questions, by Session(table, budget, {name}=...)"
    for name in ("user", "unit", "max_rows_per_unit")
}


def method(release: Callable[..., _Result]) -> Callable[..., _Result]:
    """Return the method of a session that asks a release."""
    shape = signature(release)
    left_out = {kind_of(release).data, *_WHY}
    kept = [each for name, each in shape.parameters.items() if name not in left_out]
    again = Parameter("again", Parameter.KEYWORD_ONLY, default=0, annotation="Integer")
    of_self = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    own = shape.replace(parameters=[of_self, *kept, again])

    def ask(self: Any, *args: Any, **kwargs: Any) -> _Result:
        refuse_arguments_of_session(kwargs)
        try:
            bound = own.bind(self, *args, **kwargs)
        except TypeError as wrong:
            raise TypeError(f"{wrong}: call {signature_of(ask, own)}") from None
        # An iterator can be read once. It is read now, since both the key and the release read it.
        written = {
            name: list(value) if isinstance(value, Iterator) else value
            for name, value in bound.arguments.items()
            if value is not self
        }
        return cast(_Result, self._ask(release, written))

    name = release.__name__
    METHODS[name] = release
    ask.__name__, ask.__qualname__ = name, f"Session.{name}"
    ask.__module__ = "cydp.interactive._session"
    ask.__doc__ = _document(release, own, left_out)
    ask.__annotations__ = {
        each.name: each.annotation for each in own.parameters.values() if each is not of_self
    } | {"return": own.return_annotation}
    # The annotations are the release's, and the release's module has their names.
    vars(ask).update(__signature__=own, __wrapped__=cast(FunctionType, release))
    return ask


def refuse_arguments_of_session(kwargs: Mapping[str, Any]) -> None:
    """Raise a TypeError for an argument that the session has, and its questions do not take."""
    for name in kwargs:
        if name in _WHY:
            raise TypeError(f"{name} must not be given in a session: {_WHY[name]}")


def _document(release: Callable[..., Any], own: Signature, left_out: Collection[str]) -> str:
    """Return the docstring of a method, from the signature of its release."""
    summary = (getdoc(release) or "").split("\n\n")[0]
    home = release.__module__.rpartition(".")[0]
    said = [name for name in signature(release).parameters if name in left_out]
    taken = ", ".join(name for name in own.parameters if name not in ("self", "again"))
    return f"""{summary}

It is `{home}.{release.__name__}` of the session's table, without the parameters
{", ".join(said)}, which a question does not take.
A repeated question has the stored answer, at no cost.

Parameters
----------
{taken}
    What `{home}.{release.__name__}` says of them.
again : int >= 0, default 0
    1, 2, ...: another answer to the same question, with new noise and a cost of its own.

Returns
-------
{own.return_annotation}

Raises
------
TypeError, ValueError, PrivacyError
    What the release raises. Then nothing is charged and no data is read.
ChargeInDoubtError
    If a ledger has paid for the question, and has no recorded answer.
"""
