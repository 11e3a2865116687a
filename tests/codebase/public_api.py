"""What a user may call: found from the public modules, and from what their functions return."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cydp
from cydp import (
    accounting,
    build,
    distributed,
    exact,
    interactive,
    local,
    mechanisms,
    models,
    publishing,
    random,
    releases,
    sampling,
    sensitivity,
    teach,
    testing,
    workloads,
)
from cydp.accounting import ledger
from cydp.teach import attacks, figures, loss, meaning, scores, utility
from cydp.teach import sensitivity as exhaustive

MODULES = [
    cydp, accounting, build, ledger, distributed, exact, interactive, local, mechanisms, models,
    publishing, random, releases, sampling, sensitivity, teach, attacks, figures, loss, meaning,
    utility, scores, exhaustive, testing, workloads,
]  # fmt: skip


@dataclass(frozen=True)
class Public:
    """A function, class, method or property, by the name that a user would write."""

    name: str
    thing: Any
    owner: type | None = None  # of a method or a property

    @property
    def function(self) -> Any:
        """What is called: for a class, what makes it."""
        if not inspect.isclass(self.thing):
            return self.thing
        made_by_new = "__new__" in vars(self.thing) and "__init__" not in vars(self.thing)
        return self.thing.__new__ if made_by_new else self.thing.__init__

    @property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.thing)

    @property
    def parameters(self) -> list[inspect.Parameter]:
        found = list(self.signature.parameters.values())
        return found[1:] if found and found[0].name in ("self", "cls") else found

    @property
    def is_error(self) -> bool:
        return inspect.isclass(self.thing) and issubclass(self.thing, Exception)


def is_ours(thing: object) -> bool:
    """Whether this package defines it, in Python."""
    name = str(getattr(thing, "__module__", ""))
    file = str(getattr(sys.modules.get(name), "__file__", ""))
    return name.split(".")[0] == "cydp" and file.endswith(".py")


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """The attributes of a class that this package defines and that have no underscore."""
    for name in dir(owner):
        home = next((base for base in owner.__mro__ if name in vars(base)), None)
        if not name.startswith("_") and home is not None and is_ours(home):
            yield name, inspect.getattr_static(owner, name)


def things() -> list[tuple[str, Any]]:
    """Public functions and classes, each by its first name, and classes that they return."""
    found: dict[int, tuple[str, Any]] = {}
    for module in MODULES:
        for name in dir(module):
            thing = getattr(module, name)
            if callable(thing):
                found.setdefault(id(thing), (f"{module.__name__}.{name}", thing))
    queue = list(found.values())
    while queue:
        name, thing = queue.pop()
        inner = [getattr(thing, key) for key, _ in members(thing)] if inspect.isclass(thing) else []
        for function in filter(inspect.isroutine, [thing, *inner]):
            for kind in returned(function):
                if id(kind) not in found:
                    found[id(kind)] = (f"{kind.__module__}.{kind.__qualname__}", kind)
                    queue.append(found[id(kind)])
    return sorted(found.values(), key=lambda pair: pair[0])


def returned(function: Any) -> list[type]:
    """The classes of this package that a function says it returns, those in a union included."""
    if not is_ours(function):
        return []
    hint = typing.get_type_hints(function).get("return")
    kinds = [hint, *typing.get_args(hint)]
    return [kind for kind in kinds if inspect.isclass(kind) and is_ours(kind)]


def everything() -> list[Public]:
    """All of it, with methods, class methods and properties; what is inherited counts once."""
    found: list[Public] = []
    seen: set[int] = set()
    for name, thing in things():
        found.append(Public(name, thing))
        if inspect.isclass(thing):
            for key, attribute in members(thing):
                if id(attribute) in seen:
                    continue
                seen.add(id(attribute))
                is_property = isinstance(attribute, property)
                value = attribute if is_property else getattr(thing, key)
                of_others = getattr(value, "__module__", "cydp").split(".")[0] != "cydp"
                if is_property or (inspect.isroutine(value) and not of_others):
                    found.append(Public(f"{name}.{key}", value, thing))
    return found


EVERYTHING = everything()
CALLABLES = [p for p in EVERYTHING if not isinstance(p.thing, property) and not p.is_error]
