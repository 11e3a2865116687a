# SPDX-License-Identifier: MIT
"""What a release does, from its public parameters alone. docs/releases.md, "Queries"."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from cydp._numbers.rational import Exact
from cydp.accounting._loss import Loss
from cydp.releases._format import format_parameter
from cydp.releases._joint import RowMoves, joint_of
from cydp.releases._parts import ALONE, Aggregate, Joint, Part, split_privacy
from cydp.releases._unit import Unit

__all__ = ["Query", "kept"]

_Builder = TypeVar("_Builder", bound=Callable[..., Any])

_KEPT = 256  # queries of the parameters that callers wrote last
_KEPT_TYPES = frozenset({int, float, bool, str, Fraction, Exact, type(None), np.float64, np.int64})


@dataclass(frozen=True, repr=False)
class Query(ABC):
    """A release without its data: mechanisms, scales and loss follow from public parameters.

    Attributes
    ----------
    privacy : loss
        What the caller gives for the release, under its relation.
    unit : Unit
        What the release protects.
    parts : mapping of names to Part
        The noisy answers, and how they are made.
    loss : loss
        What the release costs: `privacy`, and what is known beside it.

    """

    function: ClassVar[str]

    privacy: Loss
    unit: Unit
    parts: Mapping[str, Part] = field(init=False, repr=False, compare=False, kw_only=True)
    loss: Loss = field(init=False, repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        given = self.privacy_of_parts
        parts, loss = split_privacy(given, self.aggregates(), self.joint)
        # Nobody may change a query that is kept for later releases.
        object.__setattr__(self, "parts", MappingProxyType(parts))
        object.__setattr__(self, "loss", loss if given is self.privacy else self.privacy)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, each.name) for each in fields(self) if each.init)

    @abstractmethod
    def aggregates(self) -> Sequence[Aggregate]:
        """Return the exact answers that are released, with their weights."""

    def row_moves(self) -> RowMoves | None:
        """Return what a row does to all parts at once; None: there is one part.

        It is asked only where a unit's rows may become others: a row that comes moves all parts as
        far as it can.
        """
        return None

    @cached_property
    def joint(self) -> Joint:
        """What all parts cost together, of the sum of what each of them can cost alone."""
        moves = self.row_moves() if self.unit.rows_may_become_others else None
        return ALONE if moves is None else joint_of(self.unit, self.aggregates(), moves)

    @property
    def privacy_of_parts(self) -> Loss:
        """What of the privacy is for the parts; the rest is for a selection before them."""
        return self.privacy

    @property
    def further(self) -> dict[str, Any]:
        """What is done besides the noise of the parts, as JSON can hold it."""
        return {}

    @property
    def relation(self) -> str:
        """The relation of neighbours."""
        return self.unit.relation

    @property
    def mechanisms(self) -> dict[str, Any]:
        """The mechanisms, in the order in which they run, by what they release."""
        return {name: part.mechanism for name, part in self.parts.items()}

    @property
    def mechanism_name(self) -> str:
        """What a ledger calls the mechanisms."""
        names = {type(mechanism).__name__: None for mechanism in self.mechanisms.values()}
        return " and ".join(names)

    def __repr__(self) -> str:
        # A ledger keeps this text, and compares it when a charge is repeated.
        own = [each.name for each in fields(self) if each.init][len(fields(Query)) - 2 :]
        parts = [
            repr(self.privacy),
            *(f"{name}={format_parameter(getattr(self, name))}" for name in own),
            f"mechanisms={format_parameter(self.mechanisms)}",
            self.unit.parameters,
        ]
        return f"{self.function}({', '.join(parts)})"


def kept(build: _Builder) -> _Builder:
    """Return a function that keeps its last results by the parameters that callers wrote.

    Parameters are public, so what is kept tells nothing about records. All arguments are
    positional.
    """
    cached = lru_cache(_KEPT, typed=True)(build)  # typed, since True == 1

    def keep_or_build(*args: Any) -> Any:
        if _KEPT_TYPES.issuperset(map(type, args)):
            return cached(*args)
        return build(*args)

    return cast(_Builder, keep_or_build)
