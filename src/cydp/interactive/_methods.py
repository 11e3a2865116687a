# SPDX-License-Identifier: MIT
"""Methods of a session, made from releases: the same parameters, without those of the session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, getdoc, signature
from types import FunctionType
from typing import Any, TypeVar, cast

from cydp._call_errors import signature_of
from cydp.releases._run import kind_of

__all__ = ["RELEASES", "method", "refuse_arguments_of_session"]

_Result = TypeVar("_Result")

RELEASES: dict[str, Callable[..., Any]] = {}  # that have a method, by name

# What the methods do not take. What is protected is said once, since one budget pays for all.
_WHY = {
    "budget": "the budget of the session pays",
    "rng": "its noise comes from the thread's own generator",
    "relation": "it is that of the session's budget",
} | {
    name: f"it is said once for all questions, by Session(table, budget, {name}=...)"
    for name in ("user", "unit", "max_rows_per_unit")
}
_AGAIN = """
again : int >= 0, default 0
    1, 2, ...: another answer to the same question, with new noise and a cost of its own."""
_IN_DOUBT = """
ChargeInDoubtError
    If a ledger has paid for the question, and has no recorded answer."""
_HEADER = re.compile(r"(?P<names>\w[\w, ]*?)(?P<kind> : .*)?")


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
        # What can be read once is read now: the key reads it, and the release.
        written = {
            name: list(value) if isinstance(value, Iterator) else value
            for name, value in bound.arguments.items()
            if value is not self
        }
        return cast(_Result, self._ask(release, written))

    name = release.__name__
    RELEASES[name] = release
    ask.__name__, ask.__qualname__ = name, f"Session.{name}"
    ask.__module__ = "cydp.interactive._session"
    ask.__doc__ = _document(name, getdoc(release) or "", left_out)
    ask.__annotations__ = {
        each.name: each.annotation for each in own.parameters.values() if each is not of_self
    } | {"return": own.return_annotation}
    # The annotations are those of the release, whose module has their names.
    vars(ask).update(__signature__=own, __wrapped__=cast(FunctionType, release))
    return ask


def refuse_arguments_of_session(kwargs: Mapping[str, Any]) -> None:
    """Raise a TypeError for an argument that a session has said, and its questions do not take."""
    for name in kwargs:
        if name in _WHY:
            raise TypeError(f"{name} must not be given in a session: {_WHY[name]}")


def _document(name: str, text: str, left_out: set[str]) -> str:
    """Return the docstring of a method, from that of its release."""
    parts = re.split(r"\n\n(\w+)\n-+\n", f"\n\n{text}\n\n")
    sections = {
        title: body.strip("\n") for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }
    summary = parts[0].strip().split("\n\n")[0]
    parameters = _without(sections.get("Parameters", ""), left_out)
    return (
        f"{summary}\n\nAs `cydp.releases.{name}` does, of the session's table. A repeated "
        "question\nhas the stored answer, at no cost.\n\n"
        f"Parameters\n----------\n{parameters}{_AGAIN}\n\n"
        f"Returns\n-------\n{sections.get('Returns', '')}\n\n"
        f"Raises\n------\n{sections.get('Raises', '')}{_IN_DOUBT}\n"
    )


def _without(parameters: str, left_out: set[str]) -> str:
    """Return the section of parameters without some."""
    kept, keeps = [], True
    for line in parameters.splitlines():
        header = None if line.startswith(" ") else _HEADER.fullmatch(line)
        if header is not None:
            names = [each for each in header["names"].split(", ") if each not in left_out]
            keeps = bool(names)
            line = ", ".join(names) + (header["kind"] or "")
        if keeps:
            kept.append(line)
    return "\n".join(kept)
