# SPDX-License-Identifier: MIT
"""What losses of all measures have in common: an order, and a form that JSON holds."""

from __future__ import annotations

from abc import abstractmethod
from decimal import Decimal
from fractions import Fraction
from typing import Any, Self

from cydp._numbers.rounding import as_float
from cydp.accounting._combine_relations import combine_relations
from cydp.accounting._errors import MeasureMismatchError

__all__ = ["Measure", "exact_string"]


class Measure:
    """A loss in some measure. Losses of one measure are ordered by their numbers.

    Epsilon and delta are compared, or the rho of `ZCDP`; the rho beside an epsilon and a plan are
    not. So of two losses that are not equal, each may be at most the other. A loss is at most
    another if both its epsilon and its delta are at most the other's. If one of them is smaller and
    the other is larger, no comparison of the two losses is true. A `PureDP` counts as delta 0.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def _numbers(self) -> tuple[Fraction, ...]:
        """The numbers that are compared: epsilon and delta, or rho."""

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
            "measure" is the name of the class. "epsilon", "delta" and "rho" are floats, as far as
            the loss has them: a decimal that a float prints is kept, every other number is rounded
            up to six digits (None beyond the largest float). "relation" is text or None. "exact"
            holds the same numbers exactly, as text, by the names that the class takes.

        Examples
        --------
        >>> from cydp import ApproxDP
        >>> loss = ApproxDP(0.1, 1e-6).to_dict()
        >>> loss["measure"], loss["epsilon"], loss["delta"], loss["relation"]
        ('ApproxDP', 0.1, 1e-06, None)
        >>> ApproxDP(**loss["exact"], relation=loss["relation"])
        ApproxDP(epsilon=0.1, delta=1e-06)

        """
        numbers = {name: getattr(self, name, None) for name in ("epsilon", "delta", "rho")}
        known = {name: number for name, number in numbers.items() if number is not None}
        return {
            "measure": type(self).__name__,
            **{name: as_float(number) for name, number in known.items()},
            "relation": getattr(self, "relation", None),
            "exact": {name: exact_string(number) for name, number in known.items()},
        }


def exact_string(number: Fraction) -> str:
    """Return a fraction as a string from which the library reads the same number.

    >>> exact_string(Fraction(1, 10)), exact_string(Fraction(3))
    ('1/10', '3')
    """
    # As a Decimal: Python writes no int of more than 4,300 digits, and sums have any length.
    quotient = [f"{Decimal(part):f}" for part in (number.numerator, number.denominator)]
    return "/".join(quotient if number.denominator != 1 else quotient[:1])


def _is_at_most(loss: Measure, other: Measure) -> bool:
    combine_relations("losses", *(getattr(each, "relation", None) for each in (loss, other)))
    numbers, others = loss._numbers, other._numbers
    if len(numbers) != len(others):
        raise MeasureMismatchError(
            f"cannot compare {loss} and {other}: ask for both in one measure, as "
            "cydp.convert(loss, delta=1e-6) of each does"
        )
    return all(a <= b for a, b in zip(numbers, others, strict=True))
