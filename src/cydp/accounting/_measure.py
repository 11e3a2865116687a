# SPDX-License-Identifier: MIT
"""What losses of all measures have in common: a relation, an order, and a form for JSON."""

from __future__ import annotations

from abc import abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import Any, Self

from cydp._numbers.rounding import as_float
from cydp._relations import implies
from cydp.accounting._errors import MeasureMismatchError, RelationMismatchError

__all__ = [
    "Measure",
    "combine_relations",
    "exact_string",
    "relation_argument",
    "restate_relation",
]


def combine_relations(what: str, *relations: str | None) -> str | None:
    """Return the relation that several numbers hold under together.

    Parameters
    ----------
    what : str
        What the numbers are, for the error.
    *relations : {"add-remove", "change-one", "add-remove-or-change", None}
        None: the number states no relation, and the caller is responsible for it.

    Returns
    -------
    str or None
        The relation that each of the stated ones implies. None if none of the numbers states a
        relation.

    Raises
    ------
    RelationMismatchError
        If neither of two stated relations implies the other.

    Examples
    --------
    >>> combine_relations("losses", None, "change-one", None)
    'change-one'
    >>> combine_relations("losses", "add-remove-or-change", "add-remove")
    'add-remove'

    """
    stated = {relation for relation in relations if relation is not None}
    for relation in stated:
        if all(implies(other, relation) for other in stated):
            return relation
    if stated:
        raise _mismatch(what, *stated)
    return None


def restate_relation(what: str, stated: str | None, relation: str | None) -> str | None:
    """Return the relation that a number is used under. Its own relation must imply it.

    Parameters
    ----------
    what : str
        What the number is, for the error.
    stated : str or None
        The relation that the number is stated under.
    relation : str or None
        The relation that it is used under. None: its own.

    Raises
    ------
    RelationMismatchError
        If the number is stated under a relation that does not imply the other.

    Examples
    --------
    >>> restate_relation("value", "add-remove-or-change", "change-one")
    'change-one'

    """
    if relation is None:
        return stated
    if not implies(stated, relation):
        raise _mismatch(what, str(stated), relation)
    return relation


def relation_argument(relation: str | None) -> str:
    """Return what the repr of a loss says of its relation: nothing, if it states none.

    >>> relation_argument("change-one"), relation_argument(None)
    (", relation='change-one'", '')
    """
    return "" if relation is None else f", relation={relation!r}"


def _mismatch(what: str, *stated: str) -> RelationMismatchError:
    all_stated = " and ".join(sorted(map(repr, stated)))
    return RelationMismatchError(
        f"{what} must be stated under one relation, not under {all_stated}"
    )


class Measure:
    """A loss in some measure. Losses of one measure are ordered by their numbers.

    Epsilon and delta are compared, or rho and delta. A loss is at most another if both numbers are
    at most the other's; if one is smaller and the other is larger, no comparison is true. The delta
    of a `PureDP` and of a `ZCDP` is 0. Neither the rho beside an epsilon
    nor a plan counts: two losses of different rho may each be at most the other.
    """

    __slots__ = ()

    relation: str | None

    @property
    @abstractmethod
    def _numbers(self) -> tuple[Fraction, Fraction]:
        """The numbers that are compared: epsilon and delta, or rho and delta."""

    def __le__(self, other: object) -> bool:
        return _is_at_most(self, other) if isinstance(other, Measure) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return _is_at_most(other, self) if isinstance(other, Measure) else NotImplemented

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return _is_at_most(self, other) and self._numbers != other._numbers

    def __gt__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return _is_at_most(other, self) and self._numbers != other._numbers

    def __radd__(self, other: int) -> Self:
        """Return the loss itself for 0, at which `sum` begins."""
        return self if type(other) is int and other == 0 else NotImplemented

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as a dict that `json.dumps` takes.

        Returns
        -------
        dict
            "measure" is the name of the class. "epsilon", "delta", "rho", "order" and "divergence"
            are floats, as far as the loss has them: a decimal that a float prints is kept, every
            other number is rounded up to six digits (None beyond the largest float). "relation" is
            text or None. "exact" holds the same numbers exactly, as text, by the names that the
            class takes.

        Examples
        --------
        >>> from cydp import ApproxDP
        >>> loss = ApproxDP(0.1, 1e-6).to_dict()
        >>> loss["measure"], loss["epsilon"], loss["delta"], loss["relation"]
        ('ApproxDP', 0.1, 1e-06, None)
        >>> ApproxDP(**loss["exact"], relation=loss["relation"])
        ApproxDP(epsilon=0.1, delta=1e-06)

        """
        names = ("epsilon", "delta", "rho", "order", "divergence")
        numbers = {name: getattr(self, name, None) for name in names}
        known = {name: number for name, number in numbers.items() if number is not None}
        return {
            "measure": type(self).__name__,
            **{name: as_float(number) for name, number in known.items()},
            "relation": getattr(self, "relation", None),
            "exact": {name: exact_string(number) for name, number in known.items()},
        }


def exact_string(number: Fraction) -> str:
    """Return a fraction as a string that the library reads as the same number.

    >>> exact_string(Fraction(1, 10)), exact_string(Fraction(3))
    ('1/10', '3')
    """
    # As a Decimal: Python writes no int of more than 4,300 digits, and sums have any length.
    quotient = [f"{Decimal(part):f}" for part in (number.numerator, number.denominator)]
    return "/".join(quotient if number.denominator != 1 else quotient[:1])


def _is_at_most(loss: Measure, other: Measure) -> bool:
    combine_relations("losses", *(getattr(each, "relation", None) for each in (loss, other)))
    if _scale_of(loss) != _scale_of(other):
        raise MeasureMismatchError(
            f"cannot compare {loss} and {other}: ask for both in one measure, as "
            "cydp.accounting.convert(loss, delta=1e-6) of each does"
        )
    return all(a <= b for a, b in zip(loss._numbers, other._numbers, strict=True))


def _scale_of(loss: Measure) -> object:
    """Return what the first number of a loss is: an epsilon, a rho, or a divergence of an order."""
    return getattr(loss, "order", hasattr(loss, "epsilon"))
