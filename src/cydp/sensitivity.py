# SPDX-License-Identifier: MIT
"""Global sensitivity: how much one record can change an answer, as the textbook has it.

Under "add-remove" one record more or less, under "change-one" one with another value. Source:
Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import SupportsIndex, TypeAlias

import numpy as np

from cydp.certified import sqrt_bounds
from cydp.rational import Number, binary, exact, index, text
from cydp.relations import check_relation

Bounds: TypeAlias = Sequence[Number | None] | None
_Pair: TypeAlias = tuple[Fraction | None, Fraction | None]


class Unbounded(float):
    """An infinite sensitivity, which knows what is missing.

    >>> sum((0, None)) == math.inf, sum((0, None)).missing
    (True, 'upper bound')
    """

    missing: str

    def __new__(cls, missing: str) -> "Unbounded":
        """Return infinity for lack of a bound."""
        new = super().__new__(cls, math.inf)
        new.missing = missing
        return new

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Unbounded, (self.missing,)


def count(relation: str = "add-remove") -> Fraction:
    """Return the sensitivity of the number of records with some property: 1.

    Raises
    ------
    ValueError
        For another relation.

    Examples
    --------
    >>> count("change-one")
    Fraction(1, 1)

    """
    check_relation(relation)
    return Fraction(1)


def sum(
    bounds: Bounds, relation: str = "add-remove", missing: bool = False
) -> Fraction | Unbounded:
    """Return the sensitivity of a sum of numbers clamped to bounds.

    Parameters
    ----------
    bounds : (lower, upper)
        None or an infinity: there is none.
    relation : {"add-remove", "change-one"}
    missing : bool, default False
        Whether a record may have no number, and so add 0; matters under "change-one".

    Returns
    -------
    Fraction, or infinity
        Add-remove: max(abs(lower), abs(upper)). Change-one: upper - lower, of bounds that hold 0
        if numbers may be missing.

    Raises
    ------
    TypeError, ValueError
        For bad bounds or another relation.

    Examples
    --------
    >>> sum((-2, 5)), sum((2, 5), "change-one"), sum((2, 5), "change-one", missing=True)
    (Fraction(5, 1), Fraction(3, 1), Fraction(5, 1))

    """
    lower, upper = _read(bounds)
    check_relation(relation)
    if lower is None or upper is None:
        return _unbounded(lower, upper)
    if relation == "add-remove":
        return max(abs(lower), abs(upper))
    if missing:
        return max(upper, Fraction(0)) - min(lower, Fraction(0))
    return upper - lower


def mean(bounds: Bounds, n: SupportsIndex, relation: str = "change-one") -> Fraction | Unbounded:
    """Return the sensitivity of the mean of n numbers clamped to bounds: (upper - lower) / n.

    Under "add-remove" n is private, and so it is infinite: divide a noisy sum by a noisy count.

    Raises
    ------
    TypeError, ValueError
        For bad bounds, an n below 1, or another relation.

    Examples
    --------
    >>> mean((0, 100), 50)
    Fraction(2, 1)

    """
    lower, upper = _read(bounds)
    rows = index(n, "n")
    if rows < 1:
        raise ValueError("n must be at least 1")
    if check_relation(relation) == "add-remove":
        return Unbounded("public number of records")
    if lower is None or upper is None:
        return _unbounded(lower, upper)
    return (upper - lower) / rows


def minimum(bounds: Bounds) -> Fraction | Unbounded:
    """Return the sensitivity of the least of numbers clamped to bounds: upper - lower.

    Raises
    ------
    TypeError, ValueError
        For bad bounds.

    Examples
    --------
    >>> minimum((0, 100))
    Fraction(100, 1)

    """
    lower, upper = _read(bounds)
    return _unbounded(lower, upper) if lower is None or upper is None else upper - lower


def maximum(bounds: Bounds) -> Fraction | Unbounded:
    """Return the sensitivity of the largest of numbers clamped to bounds: upper - lower.

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


def histogram(relation: str = "add-remove", norm: int = 1) -> Fraction:
    """Return the sensitivity of counts in disjoint cells.

    Parameters
    ----------
    relation : {"add-remove", "change-one"}
    norm : {1, 2}
        L1: 1, or 2 under "change-one". L2, for Gaussian noise: 1, or sqrt(2), rounded up.

    Raises
    ------
    ValueError
        For another relation or norm.

    Examples
    --------
    >>> histogram(), histogram("change-one")
    (Fraction(1, 1), Fraction(2, 1))

    """
    if norm not in (1, 2) or isinstance(norm, bool):
        raise ValueError("norm must be 1 or 2")
    if check_relation(relation) == "add-remove":
        return Fraction(1)
    return Fraction(2) if norm == 1 else sqrt_bounds(Fraction(2))[1]


def queries(*sensitivities: Number) -> Fraction | Unbounded:
    """Return the L1 sensitivity of several answers together: at most the sum of theirs.

    Raises
    ------
    TypeError, ValueError
        For what is no number of at least 0.

    Examples
    --------
    >>> queries(count(), histogram())
    Fraction(2, 1)

    """
    total = Fraction(0)
    for given in sensitivities:
        if _is_infinite(given):
            return given if isinstance(given, Unbounded) else Unbounded("bound")
        value = exact(given, "sensitivities")
        if value < 0:
            raise ValueError(f"sensitivities must be at least 0, not {text(value)}")
        total += value
    return total


def _is_infinite(value: Number | None) -> bool:
    return isinstance(value, float | np.floating) and math.isinf(value)


def _read(bounds: Bounds) -> _Pair:
    if bounds is None:
        return None, None
    if isinstance(bounds, str | bytes) or not hasattr(bounds, "__len__") or len(bounds) != 2:
        raise TypeError("bounds must be a pair (lower, upper)")
    lower, upper = (
        None if end is None or _is_infinite(end) else binary(end, name)
        for end, name in zip(bounds, ("lower", "upper"), strict=True)
    )
    if lower is not None and upper is not None and lower > upper:
        raise ValueError(f"lower must be at most upper, not {text(lower)} above {text(upper)}")
    return lower, upper


def _unbounded(lower: Fraction | None, upper: Fraction | None) -> Unbounded:
    names = [name for name, end in (("lower", lower), ("upper", upper)) if end is None]
    return Unbounded(" and ".join(names) + " bound")
