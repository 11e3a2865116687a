# SPDX-License-Identifier: MIT
"""What losses of all measures have in common: an order, and a form that JSON holds."""

from __future__ import annotations

from abc import abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import Any, Self

from cydp._numbers.rounding import as_float
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._stated import common_relation

__all__ = ["Measure", "exact_text"]


class Measure:
    """A loss in some measure. Losses of one measure have an order: that of their numbers.

    Only epsilon and delta are compared, or the rho of `ZCDP`: no rho beside an epsilon, no plan.
    So two losses that are not equal may each be at most the other. Of an epsilon and a delta both
    must be at most the other's: where one is smaller and one larger, neither loss is at most the
    other. `PureDP` has delta 0 beside an `ApproxDP`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def _numbers(self) -> tuple[Fraction, ...]:
        """What is compared: epsilon and delta, or rho."""

    def __le__(self, other: object) -> bool:
        return _are_at_most(self, other) if isinstance(other, Measure) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return _are_at_most(other, self) if isinstance(other, Measure) else NotImplemented

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return _are_at_most(self, other) and self._numbers != other._numbers

    def __gt__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return _are_at_most(other, self) and self._numbers != other._numbers

    def __radd__(self, other: int) -> Self:
        """Return the loss itself for 0, at which `sum` begins."""
        return self if type(other) is int and other == 0 else NotImplemented

    def to_dict(self) -> dict[str, Any]:
        """Return the loss as a dict that `json.dumps` takes.

        Returns
        -------
        dict
            "measure" is the name of the class. "epsilon", "delta" and "rho" are floats, those the
            loss has: a decimal that a float prints is kept, anything else is rounded up to six
            digits (None beyond the largest float). "relation" is text or None. "exact" holds the
            same numbers exactly, as text, by the names that the class takes.

        Examples
        --------
        >>> from cydp import ApproxDP
        >>> told = ApproxDP(0.1, 1e-6).to_dict()
        >>> told["measure"], told["epsilon"], told["delta"], told["relation"]
        ('ApproxDP', 0.1, 1e-06, None)
        >>> ApproxDP(**told["exact"], relation=told["relation"])
        ApproxDP(epsilon=0.1, delta=1e-06)

        """
        numbers = {name: getattr(self, name, None) for name in ("epsilon", "delta", "rho")}
        known = {name: number for name, number in numbers.items() if number is not None}
        return {
            "measure": type(self).__name__,
            **{name: as_float(number) for name, number in known.items()},
            "relation": getattr(self, "relation", None),
            "exact": {name: exact_text(number) for name, number in known.items()},
        }


def exact_text(number: Fraction) -> str:
    """Return a fraction as text that every number of the library may be given as.

    >>> exact_text(Fraction(1, 10)), exact_text(Fraction(3))
    ('1/10', '3')
    """
    # As a Decimal: Python writes no int of more than 4,300 digits, and sums have any length.
    quotient = [f"{Decimal(part):f}" for part in (number.numerator, number.denominator)]
    return "/".join(quotient if number.denominator != 1 else quotient[:1])


def _are_at_most(one: Measure, other: Measure) -> bool:
    common_relation("losses", *(getattr(loss, "relation", None) for loss in (one, other)))
    numbers, others = one._numbers, other._numbers
    if len(numbers) != len(others):
        raise MeasureMismatchError(
            f"cannot compare {one} and {other}: ask for both in one measure, as "
            "cydp.convert(loss, delta=1e-6) of each does"
        )
    return all(a <= b for a, b in zip(numbers, others, strict=True))
