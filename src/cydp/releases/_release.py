# SPDX-License-Identifier: MIT
"""What all releases have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Protocol, Self, cast

import numpy as np

from cydp._arguments import Integer, Number
from cydp.accounting._loss import Loss

__all__ = ["Release"]


class Mechanism(Protocol):
    """What a release asks its mechanism for."""

    @property
    def loss(self) -> Loss: ...

    @property
    def variance(self) -> float: ...


class Release(ABC):
    """A private release, which knows what it is.

    Releases are values: they are equal if all their fields are, they can be hashed, copied and
    pickled, and their arrays are read-only. A subclass is a frozen dataclass with keyword-only
    fields and ``eq=False``.

    Attributes
    ----------
    mechanism : mechanism
        The noise, with its scale.
    relation : str
        "add-remove" or "change-one".

    """

    __slots__ = ()

    mechanism: Mechanism
    relation: str

    def __post_init__(self) -> None:
        for name in cast(Any, self).__dataclass_fields__:
            if isinstance(value := getattr(self, name), np.ndarray):
                # Neither the array that was given, nor this one made writable again, changes it.
                own = value.copy()
                own.flags.writeable = False
                object.__setattr__(self, name, own.view())

    @property
    def loss(self) -> Loss:
        """Privacy cost of the whole release."""
        return self.mechanism.loss

    @property
    def variance(self) -> float:
        """Variance of the noise in each released number."""
        return self.mechanism.variance

    @abstractmethod
    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> float:
        """Return the largest distance of released numbers from the true ones."""

    @abstractmethod
    def interval(self, confidence: Number = 0.95, *, count: Integer = 1) -> tuple[Any, Any]:
        """Return lower and upper ends that hold the true numbers."""

    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(cast(Any, self))}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self._fields(), cast(Self, other)._fields()
        return all(_are_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        # Numbers of equal value have equal hashes, whatever the dtype of their array.
        parts = self._fields().values()
        return hash((type(self), *(_hashable_of(part) for part in parts)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by dataclass's __setstate__, after which arrays would not be read-only.
        return _rebuild, (type(self), self._fields())


def _are_equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)


def _hashable_of(part: Any) -> Any:
    return tuple(part.ravel().tolist()) if isinstance(part, np.ndarray) else part


def _rebuild(kind: type[Release], parts: dict[str, Any]) -> Release:
    return kind(**parts)
