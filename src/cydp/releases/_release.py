# SPDX-License-Identifier: MIT
"""What all releases have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Self, TypeVar, cast

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, read_integer, read_level
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._serialize import register
from cydp.exact._grid import Grid
from cydp.exact._time_grid import TimeGrid
from cydp.releases._answers import Answer, Steps
from cydp.releases._certificate import (
    describe,
    describe_loss,
    json_of_query,
    make_certificate,
)
from cydp.releases._format import format_cost, format_noise
from cydp.releases._query import Query
from cydp.releases._unit import Unit
from cydp.releases.output._exportable import Exportable
from cydp.releases.output._sheet import Axis, Numbers, Sheet

__all__ = ["ADDED", "Release", "recorded", "rounded"]

_Kind = TypeVar("_Kind", bound=type)

ADDED = MappingProxyType({"added": True})
"""The metadata of a field that earlier versions did not have: its default is not recorded."""


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Release(Exportable):
    """A private release, which knows its query, cost and errors.

    Releases are values: they are equal if all their fields are, but for `payment`, they can be
    hashed, copied and pickled, and their arrays are read-only. A subclass is a frozen dataclass
    with keyword-only fields and ``eq=False``.

    Attributes
    ----------
    query : Query
        The query: noise, privacy unit and loss, from public parameters alone.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.

    """

    query: Query
    payment: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, _read_only(value))
            elif type(value) is tuple:
                object.__setattr__(self, name, tuple(map(_read_only, value)))

    @property
    def loss(self) -> Loss:
        """Privacy cost of the whole release."""
        return self.query.loss

    @property
    def relation(self) -> str:
        """The relation of neighbours, such as "add-remove"."""
        return self.query.relation

    @property
    def unit(self) -> str:
        """What is protected, in words; a promise for any unit holds for that of the ledger."""
        query, paid = self.query, self.payment
        if paid is None or query.unit.protected:
            return query.protects
        return replace(query.unit, name=paid.privacy_unit).words

    @property
    def mechanism(self) -> Any:
        """The mechanism, in steps of the grid; if the release has several parts, one for each."""
        made = {name: part.mechanism for name, part in self.query.parts.items()}
        return made.popitem()[1] if len(made) == 1 else MappingProxyType(made)

    @property
    def metadata(self) -> dict[str, Any]:
        """The facts about the release besides its numbers, as JSON can hold them.

        Exact numbers are text, such as "1/3".
        """
        return describe(self.query)

    @property
    @abstractmethod
    def variance(self) -> Any:
        """Variance of the noise in each released number."""

    @property
    def _steps(self) -> Steps:
        """The noisy answers of each part, in steps."""
        return {}

    @property
    def _answer(self) -> Answer:
        """The released numbers, if they are of one kind."""
        (answer,) = self.query.answers()
        return answer

    @explain_arguments
    def error_bound(self, confidence: Number = 0.95, *, count: Integer = 1) -> Any:
        """Return the distance within which released numbers are from the exact answers.

        Exact answers are of numbers as they count: clamped, and for sums rounded to the grid.
        A sum has no public bound of this rounding; a mean's bound includes it.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The least probability that this holds.
        count : int >= 1, default 1
            For how many of the released numbers it holds together: 1, or as many as there are.

        Returns
        -------
        int for counts, else float
            In rows for counts, else in the unit of the numbers. For a selected key it is by how
            many rows its count is below the best one. 0 if the noise is nothing with this
            confidence, or if there is no choice: results are then the exact ones, and texts say so.

        Raises
        ------
        TypeError, ValueError
            If confidence or count is outside its range, or if a bound would depend on the data, as
            for a quantile.

        Examples
        --------
        >>> import cydp
        >>> release = cydp.histogram([1, 2], 4, (0, 4), epsilon=1)
        >>> release.error_bound(), release.error_bound(count=4)
        (3, 4)

        """
        together = read_integer(count, "count")
        return rounded(self._answer.error_bound(self._steps, confidence, together))

    @explain_arguments
    def interval(self, confidence: Number = 0.95, *, count: Integer = 1) -> tuple[Any, Any]:
        """Return intervals that contain the exact answers; parameters as in `error_bound`.

        Returns
        -------
        (lower, upper) : two numbers, or two arrays of the shape of the released numbers

        Examples
        --------
        >>> import cydp
        >>> lower, upper = cydp.count([1, 2, 3], epsilon=1).interval(0.99)
        >>> upper - lower
        8

        """
        together = read_integer(count, "count")
        lower, upper = self._answer.interval(self._steps, confidence, together)
        return rounded(lower), rounded(upper)

    def _make_sheet(
        self,
        axes: Iterable[Axis],
        columns: Iterable[Numbers],
        confidence: Number,
        simultaneous: bool,
        *,
        title: str = "",
        notes: tuple[str, ...] = (),
    ) -> Sheet:
        """Return a sheet with the facts about the release besides its numbers."""
        return Sheet(
            title=title or self.query.title,
            cost=format_cost(self.loss),
            relation=self.relation,
            protects=self.unit,
            noise=self._noise_words,
            axes=tuple(axes),
            columns=tuple(columns),
            confidence=read_level(confidence),
            simultaneous=simultaneous,
            notes=(
                *self._notes_of_rows(),
                *notes,
                *self.query.standing_notes,
                *self._notes_of_payment(),
            ),
            further_notes=() if self.payment is None else self.payment.notes,
        )

    def _notes_of_rows(self) -> list[str]:
        """Return which rows were left out, by a public condition."""
        where = self.query.reads.where
        return [] if where is None else [f"only rows where {where}"]

    def _notes_of_payment(self) -> list[str]:
        """Return what the ledger protects, if it is a part of what the release protects."""
        paid = self.payment
        if paid is None or not paid.blocks or paid.privacy_unit == self.query.unit.name:
            return []
        is_said = not self.query.unit.protected  # as what is protected
        notes = [] if is_said else [f"the ledger that has paid protects: one {paid.privacy_unit}"]
        if not self.query.reads.chooses_blocks:
            promise = "that all rows lie in the blocks that have paid is the caller's promise"
            notes.append(promise)
        return notes

    @property
    def _noise_words(self) -> str:
        return format_noise(self.query.parts.values(), self.query.words_of_parts)

    @property
    def _exact(self) -> dict[str, Any]:
        """The released integers and fractions, which JSON holds beside rounded numbers."""
        return {}

    def _facts(self) -> dict[str, Any]:
        return {
            "exact": describe_loss(self.loss) | self._exact,
            "metadata": self.metadata,
            "query": json_of_query(self.query),
        }

    def __format__(self, spec: str) -> str:
        """Return the number in a format, such as ".2f"; without one, the text."""
        if not spec:
            return str(self)
        number = getattr(self, "value", None)
        if number is None or np.ndim(number):
            raise TypeError(f"{self.query.function} is no single number that has a format")
        return format(number, spec)

    @explain_arguments
    def certificate(self, *, ledger: BudgetLedger | None = None) -> dict[str, Any]:
        """Return what a third party needs to check the release, as JSON can hold it.

        ``cydp verify-release`` checks it, without data and without a network.

        Parameters
        ----------
        ledger : BudgetLedger, optional
            The ledger that has paid: its head now is added. Default: the head is the entry that has
            paid.

        Returns
        -------
        dict
            The query, mechanisms, privacy unit, relation, promises and loss; the SHA-256 of
            `to_json`; the version and the build of the library; and the entry of the ledger. It is
            not signed, and it does not say that the data were what they should be.

        Raises
        ------
        TypeError, ValueError
            If the ledger is not the one that has paid.

        Examples
        --------
        >>> import cydp
        >>> certificate = cydp.count([1, 2, 3], epsilon=1).certificate()
        >>> certificate["loss"], certificate["ledger"]
        ({'epsilon': '1'}, None)

        """
        return make_certificate(
            self.query, describe(self.query), self.to_json(), self.payment, ledger
        )

    def _fields(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def _compared(self) -> dict[str, Any]:
        """Return the fields that make releases equal."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.compare}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, theirs = self._compared(), cast(Self, other)._compared()
        return all(_are_equal(mine[name], theirs[name]) for name in mine)

    def __hash__(self) -> int:
        # Numbers of equal value have equal hashes, whatever the dtype of their array.
        parts = self._compared().values()
        return hash((type(self), *(_hashable_of(part) for part in parts)))

    def __reduce__(self) -> tuple[Any, ...]:
        # Not by dataclass's __setstate__, after which arrays would not be read-only.
        return _rebuild, (type(self), self._fields())


def recorded(kind: _Kind) -> _Kind:
    """Let a ledger record objects of a dataclass by their fields."""
    names = [each.name for each in fields(kind) if each.init and each.compare]
    added = {each.name: each.default for each in fields(kind) if each.metadata.get("added")}

    def pack(value: Any) -> dict[str, Any]:
        found = {name: getattr(value, name) for name in names}
        return {
            name: part for name, part in found.items() if name not in added or part != added[name]
        }

    def unpack(parts: dict[str, Any]) -> Any:
        return kind(**{name: _as_tuple(part) for name, part in parts.items()})

    register(kind, pack, unpack)
    return kind


def _as_tuple(part: Any) -> Any:
    """Return a list as the tuple that it was before it was recorded."""
    return tuple(map(_as_tuple, part)) if isinstance(part, list) else part


def rounded(number: Any) -> Any:
    """Return a fraction as a float; an int, or an array, as it is."""
    return float_of(number) if isinstance(number, Fraction) else number


def _read_only(value: Any) -> Any:
    """Return a copy of an array; neither the given array nor the copy's base can change it."""
    if not isinstance(value, np.ndarray):
        return value
    own = value.copy()
    own.flags.writeable = False
    return own.view()


def _are_equal(a: Any, b: Any) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_are_equal, a, b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)


def _hashable_of(part: Any) -> Any:
    if isinstance(part, tuple):
        return tuple(map(_hashable_of, part))
    return tuple(part.ravel().tolist()) if isinstance(part, np.ndarray) else part


def _rebuild(kind: type[Release], parts: dict[str, Any]) -> Release:
    return kind(**parts)


recorded(Grid)
recorded(TimeGrid)
recorded(Unit)
register(
    PureDP,
    lambda loss: [loss.epsilon, loss.rho, loss.relation],
    lambda parts: PureDP(parts[0], rho=parts[1], relation=parts[2]),
)
register(
    ApproxDP,
    lambda loss: [loss.epsilon, loss.delta, loss.rho, loss.relation],
    lambda parts: ApproxDP(parts[0], parts[1], rho=parts[2], relation=parts[3]),
)
register(
    ZCDP, lambda loss: [loss.rho, loss.relation], lambda parts: ZCDP(parts[0], relation=parts[1])
)
register(
    ApproxZCDP,
    lambda loss: [loss.rho, loss.delta, loss.relation],
    lambda parts: ApproxZCDP(parts[0], parts[1], relation=parts[2]),
)
