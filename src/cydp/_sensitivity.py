# SPDX-License-Identifier: MIT
"""Sensitivities: numbers that know their relation of neighbours and their norm."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from cydp._arguments import Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import (
    Exact,
    float_of,
    format_binary,
    read_binary,
    read_exact,
    read_upward,
)
from cydp._relations import SINGLE_RELATIONS, check_optional_relation
from cydp.accounting._measure import combine_relations, restate_relation

__all__ = [
    "Sensitivity",
    "Unbounded",
    "check_missing",
    "check_norm",
    "largest_sensitivity",
    "norm_order",
    "relation_of",
    "sensitivity_of",
    "upward_literal_of",
]

_MOST_DIGITS = 10**16  # a smaller integer is written without an exponent


class Sensitivity(Exact):
    """A sensitivity that knows which relation of neighbours it holds under.

    Pass it to a mechanism as ``sensitivity=``: the loss of the mechanism is then stated under the
    relation. Budgets kept under another relation refuse it, unless this relation implies theirs.

    A sensitivity is a Fraction, and equals every number of its value. Adding an int, a Fraction, a
    positive float or a sensitivity under the same relation keeps the relation, and so does
    multiplying or dividing by one of these. Every other operation gives a plain number, which has
    no relation. A sum or a multiple of L2 norms is an L2 norm.

    A sensitivity of several answers bounds both norms: the number the L1 norm, `l2` the L2 norm.
    Gaussian mechanisms take the latter.

    Parameters
    ----------
    value : number >= 0
        A float is rounded up: it is read as the larger of its shortest repr and its binary value.
    relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
        The relation that the number holds under. None: it holds under every relation, or no
        relation is stated, and the caller is responsible for it.
    norm : {1, 2}, default 1
        1: the number bounds the L1 norm of a change. 2: it bounds the L2 norm only. Gaussian
        mechanisms take an L2 norm. The other mechanisms, which need an L1 norm, refuse it.
    l2 : number >= 0, optional
        A bound of the L2 norm. Default: the number itself, which is one.

    Attributes
    ----------
    relation : str or None
        The relation that the number holds under.
    norm : int
        1 or 2.
    l2 : Fraction
        The bound of the L2 norm, at most the number. It is for answers that each get their own
        noise; a total of them changes by up to the number.

    Raises
    ------
    TypeError, ValueError
        For another value, relation, norm or l2.
    RelationMismatchError
        If value is already stated under a relation that does not imply this one.

    Notes
    -----
    Two sensitivities are in no order if one has the larger L1 norm and the other the larger L2
    norm: to compare them by < or >, as `max` does, is a TypeError. A plain number is compared with
    the number alone, as <= and >= compare all.

    Examples
    --------
    >>> 2 * Sensitivity("1/3", relation="change-one")
    Sensitivity('2/3', relation='change-one')
    >>> Sensitivity(5, relation="change-one") == 5
    True
    >>> (3 * Sensitivity(100, l2=10)).l2
    Fraction(30, 1)

    """

    __slots__ = ("_l2", "_norm", "_relation")

    _l2: Fraction
    _norm: int
    _relation: str | None

    @explain_arguments
    def __new__(
        cls,
        value: Number,
        *,
        relation: str | None = None,
        norm: int = 1,
        l2: Number | None = None,
    ) -> Sensitivity:
        """Return a sensitivity that is stated under a relation."""
        number = read_upward(value, "value")
        if number < 0:
            raise ValueError(f"value must be at least 0, not {format_binary(number)}")
        stated = restate_relation("value", relation_of(value), check_optional_relation(relation))
        check_norm(norm)
        known = _l2_of(value) if l2 is None else min(read_upward(l2, "l2"), _l2_of(value))
        if known < 0:
            raise ValueError(f"l2 must be at least 0, not {format_binary(known)}")
        return sensitivity_of(number, stated, max(norm, norm_order(value)), known)

    # Fraction calls it on the class of a number that is compared with a float.
    from_float = Fraction.from_float  # type: ignore[assignment]

    @property
    def relation(self) -> str | None:
        """The relation that it holds under; None: it holds under all, or states none."""
        return self._relation

    @property
    def norm(self) -> int:
        """1: it bounds the L1 norm of a change, and so the L2 norm; 2: only the L2 norm."""
        return self._norm

    @property
    def l2(self) -> Fraction:
        """A bound of the L2 norm of a change: the number, or less."""
        return self._l2

    def __add__(self, other: Any) -> Any:
        return _apply(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _apply(operator.add, other, self)

    def __mul__(self, other: Any) -> Any:
        return _apply(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _apply(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _apply(operator.truediv, self, other)

    def __lt__(self, other: Any) -> bool:
        return _compare(operator.lt, self, other)

    def __gt__(self, other: Any) -> bool:
        return _compare(operator.gt, self, other)

    def __copy__(self) -> Sensitivity:
        return self

    def __deepcopy__(self, memo: object) -> Sensitivity:
        return self

    def __reduce__(self) -> tuple[Callable[..., Sensitivity], tuple[Any, ...]]:
        return sensitivity_of, (_plain(self), self._relation, self._norm, self._l2)

    def __repr__(self) -> str:
        relation = "" if self._relation is None else f", relation={self._relation!r}"
        norm = "" if self._norm == 1 else f", norm={self._norm}"
        l2 = "" if self._l2 == self else f", l2={upward_literal_of(self._l2)}"
        return f"Sensitivity({upward_literal_of(self)}{relation}{norm}{l2})"


class Unbounded(float):
    """An infinite sensitivity, which knows which bound is missing, and its relation.

    A mechanism that is given one names the missing bound in its error.

    Parameters
    ----------
    missing_bound : str
        The bound that would make it finite, such as "upper bound".
    relation : {"add-remove", "change-one", "add-remove-or-change"}, optional
        The relation that it was computed for. None: no relation is stated.

    Raises
    ------
    ValueError
        For another relation.

    Examples
    --------
    >>> from cydp.sensitivity import sum
    >>> sum((0, None)) == math.inf, sum((0, None)).missing_bound, sum((0, None)).relation
    (True, 'upper bound', 'add-remove')

    """

    __slots__ = ("_missing_bound", "_relation")

    _missing_bound: str
    _relation: str | None

    @explain_arguments
    def __new__(cls, missing_bound: str, *, relation: str | None = None) -> Unbounded:
        """Return infinity for lack of a bound."""
        new = super().__new__(cls, math.inf)
        new._missing_bound, new._relation = missing_bound, check_optional_relation(relation)
        return new

    @property
    def missing_bound(self) -> str:
        """The bound that would make it finite."""
        return self._missing_bound

    @property
    def relation(self) -> str | None:
        """The relation that it was computed for; None: no relation is stated."""
        return self._relation

    def __reduce__(self) -> tuple[Callable[..., Unbounded], tuple[str, str | None]]:
        return _make_unbounded, (self._missing_bound, self._relation)


def relation_of(sensitivity: object) -> str | None:
    """Return the relation that a sensitivity is stated under, or None."""
    return sensitivity.relation if isinstance(sensitivity, Sensitivity | Unbounded) else None


def norm_order(sensitivity: object) -> int:
    """Return 2 for a sensitivity that bounds the L2 norm only, and 1 for any other number."""
    return sensitivity.norm if isinstance(sensitivity, Sensitivity) else 1


def largest_sensitivity(find: Callable[..., Sensitivity | Unbounded]) -> Sensitivity:
    """Return the larger of the sensitivities under "add-remove" and under "change-one".

    It holds under "add-remove-or-change", where tables are neighbours under one of the two.

    Parameters
    ----------
    find : callable
        Returns the sensitivity under ``relation=``, which is finite.

    """
    found = [find(relation=relation) for relation in SINGLE_RELATIONS]
    # If one of them bounds the L2 norm only, so does the larger.
    norm = max(map(norm_order, found))
    largest, l2 = max(Fraction(each) for each in found), max(map(_l2_of, found))
    return sensitivity_of(largest, "add-remove-or-change", norm, l2)


def upward_literal_of(number: Fraction) -> str:
    """Return an expression that `read_upward` reads as this very number.

    >>> [upward_literal_of(Fraction(number)) for number in ("0.1", 0.1, 3)]
    ["'0.1'", '0.1', '3']
    """
    if number.denominator == 1 and number < _MOST_DIGITS:
        return str(number)
    near = float_of(number)
    if sys.float_info.min <= near < math.inf:
        decimal = float.__repr__(near)
        if read_upward(near, "number") == number:
            return decimal
        if Fraction(decimal) == number:
            return repr(decimal)
    return repr(str(number))  # however long it is


def sensitivity_of(
    number: Fraction, relation: str | None, norm: int = 1, l2: Fraction | None = None
) -> Sensitivity:
    """Return a sensitivity of a number, a relation and norms that were checked before."""
    new = Fraction.__new__(Sensitivity, number)
    new._relation, new._norm = relation, norm
    new._l2 = Fraction(number) if l2 is None else Fraction(min(number, l2))
    return new


def _l2_of(number: Any) -> Fraction:
    """Return the bound of the L2 norm that follows from a number in its norm."""
    return number.l2 if isinstance(number, Sensitivity) else read_upward(number, "value")


def _plain(number: Any) -> Any:
    return Fraction(number) if isinstance(number, Sensitivity) else number


def _apply(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Return the result of an operation, under the relation that the operands have in common.

    A positive float is rounded up, and as a divisor down, so that the result is never too small.
    """
    is_division = operation is operator.truediv
    left, right = _round_up(left), _round_down(right) if is_division else _round_up(right)
    result = operation(_plain(left), _plain(right))
    relation = combine_relations("sensitivities", relation_of(left), relation_of(right))
    if not isinstance(left, Rational) or not isinstance(right, Rational) or result < 0:
        return result
    norm = max(norm_order(left), norm_order(right))
    # A norm of a sum is at most the sum of norms, and a multiple has the multiple of both norms. Of
    # a product or quotient by another sensitivity, and where something is taken away, the number
    # alone is known.
    both = isinstance(left, Sensitivity) and isinstance(right, Sensitivity)
    by_another = (
        both if operation is operator.mul else is_division and isinstance(right, Sensitivity)
    )
    if by_another or min(_plain(left), _plain(right)) < 0:
        return sensitivity_of(result, relation, norm)
    return sensitivity_of(result, relation, norm, operation(_l2_of(left), _l2_of(right)))


def _compare(operation: Callable[[Any, Any], Any], one: Sensitivity, other: Any) -> bool:
    """Return how the numbers compare; a TypeError if the L2 norms compare otherwise.

    Otherwise `max` might return a number with an L2 norm far too small for the other.
    """
    found = bool(operation(_plain(one), _plain(other)))
    if isinstance(other, Sensitivity) and bool(operation(one.l2, other.l2)) != found:
        raise TypeError(
            "sensitivities must not be compared if one has the larger L1 norm and the other the "
            "larger L2 norm: compare Fraction(...) of them, or their l2"
        )
    return found


def _round_up(number: Any) -> Any:
    return read_upward(number, "number") if _is_positive_float(number) else number


def _round_down(number: Any) -> Any:
    if not _is_positive_float(number):
        return number
    return min(read_exact(number, "number"), read_binary(number, "number"))


def _is_positive_float(number: Any) -> bool:
    return isinstance(number, float | np.floating) and bool(0 < number < math.inf)


def check_missing(missing: object) -> None:
    """Raise a TypeError unless `missing` is True or False."""
    if not isinstance(missing, bool):
        raise TypeError(f"missing must be True or False, not {type(missing).__name__}")


def check_norm(norm: object) -> None:
    """Raise a TypeError or a ValueError unless `norm` is 1 or 2."""
    if not isinstance(norm, int) or isinstance(norm, bool):
        raise TypeError(f"norm must be 1 or 2, not {type(norm).__name__}")
    if norm not in (1, 2):
        raise ValueError("norm must be 1, for Laplace noise, or 2, for Gaussian noise")


def _make_unbounded(missing_bound: str, relation: str | None) -> Unbounded:
    return Unbounded(missing_bound, relation=relation)
