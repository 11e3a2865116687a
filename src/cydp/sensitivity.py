# SPDX-License-Identifier: MIT
"""Global sensitivity: how much one record can change an answer, as the textbook has it.

Neighbouring tables differ by one record more or less under "add-remove", and by one record that
has another value under "change-one". What the functions return carries its relation to the
mechanism that it is passed to. Source: Dwork, Roth, "The algorithmic foundations of differential
privacy", 2014, section 3.3; docs/sensitivity.md.
"""

import math
import operator
import sys
from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any, SupportsIndex, TypeAlias

import numpy as np

from cydp.accounting.stated import common_relation
from cydp.bounds import check_order, pair_of
from cydp.certified import sqrt_bounds
from cydp.rational import Exact, Number, binary, exact, float_of, index, text, upward
from cydp.relations import check_relation, check_stated

Bounds: TypeAlias = tuple[Number | None, Number | None] | None
_MOST_DIGITS = 10**16  # an integer below is written without an exponent
_Pair: TypeAlias = tuple[Fraction | None, Fraction | None]


class Sensitivity(Exact):
    """A sensitivity that knows which relation of neighbours it holds under.

    It is a Fraction, and equals every number of its value. Adding an int, a Fraction, a positive
    float or a sensitivity under the same relation keeps the relation, and so does multiplying or
    dividing by one. Every other operation gives a plain number, which has no relation.

    Parameters
    ----------
    value : number >= 0
        A float is read up: as the larger of its shortest repr and its binary value.
    relation : {"add-remove", "change-one"}, optional
        None: the number holds under both relations, or its relation is not stated; then the caller
        answers for it.

    Attributes
    ----------
    relation : str or None

    Raises
    ------
    TypeError, ValueError
        For another value or relation.
    RelationMismatchError
        If value is already stated under the other relation.

    Examples
    --------
    >>> 2 * Sensitivity("1/3", relation="change-one")
    Sensitivity('2/3', relation='change-one')
    >>> Sensitivity(5, relation="change-one") == 5
    True

    """

    __slots__ = ("_relation",)

    _relation: str | None

    def __new__(cls, value: Number, *, relation: str | None = None) -> "Sensitivity":
        """Return a sensitivity that is stated under a relation."""
        number = upward(value, "value")
        if number < 0:
            raise ValueError(f"value must be at least 0, not {text(number)}")
        stated = common_relation("value", relation_of(value), check_stated(relation))
        return _stated(number, stated)

    # Comparisons of Fractions with floats call it on their own class.
    from_float = Fraction.from_float  # type: ignore[assignment]

    @property
    def relation(self) -> str | None:
        """The relation that it holds under; None: both, or it is not stated."""
        return self._relation

    def __add__(self, other: Any) -> Any:
        return _kept(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _kept(operator.add, other, self)

    def __mul__(self, other: Any) -> Any:
        return _kept(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _kept(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _kept(operator.truediv, self, other)

    def __copy__(self) -> "Sensitivity":
        return self

    def __deepcopy__(self, memo: object) -> "Sensitivity":
        return self

    def __reduce__(self) -> tuple[Callable[..., "Sensitivity"], tuple[Fraction, str | None]]:
        return _stated, (_plain(self), self._relation)

    def __repr__(self) -> str:
        relation = "" if self._relation is None else f", relation={self._relation!r}"
        return f"Sensitivity({written(self)}{relation})"


class Unbounded(float):
    """An infinite sensitivity, which knows which bound is missing, and its relation.

    Parameters
    ----------
    missing_bound : str
        Which bound would make it finite.
    relation : {"add-remove", "change-one"}, optional
        None: not stated.

    Raises
    ------
    ValueError
        For another relation.

    Examples
    --------
    >>> sum((0, None)) == math.inf, sum((0, None)).missing_bound, sum((0, None)).relation
    (True, 'upper bound', 'add-remove')

    """

    __slots__ = ("_missing_bound", "_relation")

    _missing_bound: str
    _relation: str | None

    def __new__(cls, missing_bound: str, *, relation: str | None = None) -> "Unbounded":
        """Return infinity for lack of a bound."""
        new = super().__new__(cls, math.inf)
        new._missing_bound, new._relation = missing_bound, check_stated(relation)
        return new

    @property
    def missing_bound(self) -> str:
        """Which bound would make it finite."""
        return self._missing_bound

    @property
    def relation(self) -> str | None:
        """The relation that was asked for; None: it was not stated."""
        return self._relation

    def __reduce__(self) -> tuple[Callable[..., "Unbounded"], tuple[str, str | None]]:
        return _infinite, (self._missing_bound, self._relation)


def count(*, relation: str = "add-remove") -> Sensitivity:
    """Return the sensitivity of the number of records with some property: 1.

    Parameters
    ----------
    relation : {"add-remove", "change-one"}, default "add-remove"

    Raises
    ------
    ValueError
        For another relation.

    Examples
    --------
    >>> count(relation="change-one")
    Sensitivity(1, relation='change-one')

    """
    return _stated(Fraction(1), check_relation(relation))


def sum(
    bounds: Bounds, *, relation: str = "add-remove", missing: bool = True
) -> Sensitivity | Unbounded:
    """Return the sensitivity of a sum of numbers clamped to bounds.

    Parameters
    ----------
    bounds : (lower, upper)
        What the numbers are clamped to. None or an infinity in place of a number: no such bound.
    relation : {"add-remove", "change-one"}, default "add-remove"
    missing : bool, default True
        Whether a record may have no number, and so add 0. It matters under "change-one" only.
        False is the caller's promise that no number is missing.

    Returns
    -------
    Sensitivity, or infinity
        Add-remove: max(abs(lower), abs(upper)). Change-one: upper - lower; if numbers may be
        missing, that of the bounds widened to include 0.

    Raises
    ------
    TypeError, ValueError
        For bad bounds or another relation.

    Examples
    --------
    >>> sum((-2, 5)) == 5, sum((2, 5), relation="change-one") == 5
    (True, True)
    >>> sum((2, 5), relation="change-one", missing=False)
    Sensitivity(3, relation='change-one')

    """
    lower, upper = _read(bounds)
    check_relation(relation)
    check_missing(missing)
    if lower is None or upper is None:
        return _unbounded(lower, upper, relation)
    if relation == "add-remove":
        return _stated(max(abs(lower), abs(upper)), relation)
    if missing:
        lower, upper = min(lower, Fraction(0)), max(upper, Fraction(0))
    return _stated(upper - lower, relation)


def mean(
    bounds: Bounds,
    n: SupportsIndex | None = None,
    *,
    relation: str = "add-remove",
    empty: Number | None = None,
    n_at_least: SupportsIndex | None = None,
    missing: bool = True,
) -> Sensitivity | Unbounded:
    """Return the sensitivity of a mean of numbers clamped to bounds.

    Exactly one of `n`, `empty` and `n_at_least` says what the sum is divided by.

    Parameters
    ----------
    bounds : (lower, upper)
        What the numbers are clamped to. None or an infinity in place of a number: no such bound.
    n : int >= 1
        The sum is divided by n, the public number of all records, including those without a
        number. Only under "change-one": under "add-remove" the number of records is private.
    relation : {"add-remove", "change-one"}, default "add-remove"
    empty : number
        The sum is divided by the number of numbers, and the mean of no numbers is `empty`, which
        is fixed in advance. The middle of the bounds is best.
    n_at_least : int >= 1
        The sum is divided by the number of numbers, and every table has at least so many. That is
        the caller's promise, and the guarantee holds only among tables that keep it.
    missing : bool, default True
        Whether a record may have no number. It matters under "change-one" only; with `n` such a
        record adds 0 to the sum. False is the caller's promise that no number is missing.

    Returns
    -------
    Sensitivity, or infinity
        With `n`: that of the sum, over n. With `empty`: max(upper - empty, empty - lower). With
        `n_at_least`: (upper - lower) / (n_at_least + 1); under "change-one"
        (upper - lower) / n_at_least.

    Raises
    ------
    TypeError, ValueError
        For bad parameters, and unless exactly one of `n`, `empty` and `n_at_least` is given.

    Notes
    -----
    docs/sensitivity.md has the proofs. (upper - lower) / n with the n of the data at hand is no
    global sensitivity where n is private.

    Examples
    --------
    >>> mean((0, 100), 50, relation="change-one")
    Sensitivity(2, relation='change-one')
    >>> mean((0, 7), empty=3.5), mean((0, 7), empty=0), mean((0, 7), n_at_least=13)
    ... # doctest: +NORMALIZE_WHITESPACE
    (Sensitivity(3.5, relation='add-remove'), Sensitivity(7, relation='add-remove'),
     Sensitivity(0.5, relation='add-remove'))

    """
    lower, upper = _read(bounds)
    check_relation(relation)
    check_missing(missing)
    if [n, empty, n_at_least].count(None) != 2:
        raise TypeError("exactly one of n, empty and n_at_least must be given")
    if n is not None:
        if relation == "add-remove":
            raise ValueError(
                "n is private under 'add-remove': give relation='change-one', or empty= or "
                "n_at_least= instead of n"
            )
        whole = sum(bounds, relation=relation, missing=missing)
        each = Fraction(1, _rows(n, "n"))
        return whole if isinstance(whole, Unbounded) else _stated(whole * each, relation)
    rows = None if n_at_least is None else _rows(n_at_least, "n_at_least")
    center = None if empty is None else binary(empty, "empty")
    if lower is None or upper is None:
        return _unbounded(lower, upper, relation)
    width = upper - lower
    if rows is not None:
        return _stated(width / (rows + (relation == "add-remove")), relation)
    assert center is not None  # one of the three was given
    one_or_none = max(upper - center, center - lower)
    if relation == "add-remove" or (missing and one_or_none > width):
        return _stated(one_or_none, relation)
    return _stated(width, relation)


def minimum(bounds: Bounds) -> Sensitivity | Unbounded:
    """Return the sensitivity of the least of numbers clamped to bounds: upper - lower.

    It holds under both relations, and so states neither. The minimum of no numbers must be a number
    within the bounds that is fixed in advance.

    Parameters
    ----------
    bounds : (lower, upper)
        What the numbers are clamped to. None or an infinity in place of a number: no such bound.

    Raises
    ------
    TypeError, ValueError
        For bad bounds.

    Examples
    --------
    >>> minimum((0, 100))
    Sensitivity(100)

    """
    lower, upper = _read(bounds)
    if lower is None or upper is None:
        return _unbounded(lower, upper, None)
    return _stated(upper - lower, None)


def maximum(bounds: Bounds) -> Sensitivity | Unbounded:
    """Return the sensitivity of the largest of numbers clamped to bounds: as of `minimum`.

    Parameters
    ----------
    bounds : (lower, upper)
        What the numbers are clamped to. None or an infinity in place of a number: no such bound.

    Raises
    ------
    TypeError, ValueError
        For bad bounds.

    Examples
    --------
    >>> maximum((0, None))
    inf

    """
    return minimum(bounds)


def histogram(*, relation: str = "add-remove", norm: int = 1) -> Sensitivity:
    """Return the sensitivity of counts in disjoint cells.

    Parameters
    ----------
    relation : {"add-remove", "change-one"}, default "add-remove"
    norm : {1, 2}, default 1
        L1: 1, or 2 under "change-one". L2, for Gaussian noise: 1, or sqrt(2), rounded up.

    Raises
    ------
    TypeError, ValueError
        For another relation or norm.

    Examples
    --------
    >>> histogram() == 1, histogram(relation="change-one") == 2
    (True, True)

    """
    check_norm(norm)
    if check_relation(relation) == "add-remove":
        return _stated(Fraction(1), relation)
    return _stated(Fraction(2) if norm == 1 else sqrt_bounds(Fraction(2))[1], relation)


def queries(*sensitivities: Number) -> Sensitivity | Unbounded:
    """Return the L1 sensitivity of several answers together: at most the sum of theirs.

    Parameters
    ----------
    *sensitivities : numbers >= 0
        One for each answer. The result has the relation that any of them are stated under.

    Raises
    ------
    TypeError, ValueError
        For what is no number of at least 0.
    RelationMismatchError
        For sensitivities that are stated under different relations.

    Examples
    --------
    >>> queries(count(), histogram())
    Sensitivity(2, relation='add-remove')

    """
    relation = common_relation("sensitivities", *map(relation_of, sensitivities))
    total = Fraction(0)
    for given in sensitivities:
        if _is_infinite(given):
            missing = given.missing_bound if isinstance(given, Unbounded) else "bound"
            return Unbounded(missing, relation=relation)
        value = upward(given, "each of sensitivities")
        if value < 0:
            raise ValueError(f"each of sensitivities must be at least 0, not {text(value)}")
        total += value
    return _stated(total, relation)


def relation_of(sensitivity: object) -> str | None:
    """Return the relation that a sensitivity is stated under; None: it states none."""
    return sensitivity.relation if isinstance(sensitivity, Sensitivity | Unbounded) else None


def written(number: Fraction) -> str:
    """Write a sensitivity as an expression that means the same to whoever reads it up.

    >>> written(Fraction(1, 10)), written(Fraction(0.1)), written(Fraction(3))
    ("'0.1'", '0.1', '3')
    """
    if number.denominator == 1 and number < _MOST_DIGITS:
        return str(number)
    near = float_of(number)
    if sys.float_info.min <= near < math.inf:
        decimal = float.__repr__(near)
        if upward(near, "number") == number:
            return decimal
        if Fraction(decimal) == number:
            return repr(decimal)
    return repr(str(number))  # however long it is


def _stated(number: Fraction, relation: str | None) -> Sensitivity:
    new = Fraction.__new__(Sensitivity, number)
    new._relation = relation
    return new


def _plain(number: Any) -> Any:
    return Fraction(number) if isinstance(number, Sensitivity) else number


def _kept(operation: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    """Return what an operation gives, under the relation of what it was given.

    A positive float is read up, or, as a divisor, down: the result is not less than is meant.
    """
    one, other = (
        _read_up(one),
        _read_down(other) if operation is operator.truediv else _read_up(other),
    )
    result = operation(_plain(one), _plain(other))
    relation = common_relation("sensitivities", relation_of(one), relation_of(other))
    if not isinstance(one, Rational) or not isinstance(other, Rational) or result < 0:
        return result
    return _stated(result, relation)


def _read_up(number: Any) -> Any:
    return upward(number, "number") if _is_positive_float(number) else number


def _read_down(number: Any) -> Any:
    if not _is_positive_float(number):
        return number
    return min(exact(number, "number"), binary(number, "number"))


def _is_positive_float(number: Any) -> bool:
    return isinstance(number, float | np.floating) and bool(0 < number < math.inf)


def check_missing(missing: object) -> None:
    """Raise a TypeError unless missing is True or False."""
    if not isinstance(missing, bool):
        raise TypeError(f"missing must be True or False, not {type(missing).__name__}")


def check_norm(norm: object) -> None:
    """Raise an error unless norm is 1 or 2."""
    if not isinstance(norm, int) or isinstance(norm, bool):
        raise TypeError(f"norm must be 1 or 2, not {type(norm).__name__}")
    if norm not in (1, 2):
        raise ValueError("norm must be 1 or 2")


def _rows(n: SupportsIndex, name: str) -> int:
    rows = index(n, name)
    if rows < 1:
        raise ValueError(f"{name} must be at least 1, not {rows}")
    return rows


def _is_infinite(value: Number | None) -> bool:
    return isinstance(value, float | np.floating) and math.isinf(value)


def _read(bounds: Bounds) -> _Pair:
    if bounds is None:
        return None, None
    lower, upper = (
        None
        if end is None or _is_infinite(end)
        else binary(end, f"{name} in bounds=(lower, upper)")
        for end, name in zip(pair_of(bounds), ("lower", "upper"), strict=True)
    )
    if lower is not None and upper is not None:
        check_order(lower, upper)
    return lower, upper


def _unbounded(lower: Fraction | None, upper: Fraction | None, relation: str | None) -> Unbounded:
    names = [name for name, end in (("lower", lower), ("upper", upper)) if end is None]
    return Unbounded(" and ".join(names) + " bound", relation=relation)


def _infinite(missing_bound: str, relation: str | None) -> Unbounded:
    return Unbounded(missing_bound, relation=relation)
