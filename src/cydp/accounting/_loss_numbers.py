# SPDX-License-Identifier: MIT
"""The numbers of a loss: how they are read and checked, and how a loss is made of them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cydp._arguments import Integer, Number
from cydp._numbers.intervals import exp_bounds, sqrt_bounds
from cydp._numbers.rational import (
    Exact,
    as_exact,
    float_of,
    format_number,
    read_exact,
    read_integer,
    read_positive,
)
from cydp._numbers.rounding import decimal_above, decimal_below, delta_above

if TYPE_CHECKING:
    from cydp.accounting._plan import Plan

__all__ = [
    "COMPUTED_LATER",
    "check_nonnegative",
    "epsilon_of_pure",
    "fill",
    "group_delta",
    "half_square",
    "make_loss",
    "read_claimed_rho",
    "read_count",
    "read_delta",
    "read_group_size",
    "read_nonnegative",
    "read_positive_delta",
    "rho_of_pure",
]

_Kind = TypeVar("_Kind")

COMPUTED_LATER = object()
"""Stands for the rho of a PureDP that follows from its epsilon."""

# epsilon tanh(epsilon / 2) is above epsilon**2 / 2 (1 - 1e-16), and above epsilon (1 - 1e-15).
_LEAST_TANH, _MOST_TANH = Fraction(3, 10**8), 36
_RHO_DIGITS = 16


def read_nonnegative(value: Number, name: str) -> Exact:
    """Read a number exactly; a ValueError for a negative one."""
    number = read_exact(value, name)
    if number.numerator < 0:
        raise ValueError(f"{name} must be at least 0, not {format_number(number)}")
    return number


def read_claimed_rho(rho: Number, epsilon: Fraction) -> Exact:
    """Read a rho that the caller claims beside an epsilon.

    A ValueError for a rho of 0 beside an epsilon above 0: it would say that nothing is lost at all.
    """
    value = read_nonnegative(rho, "rho")
    if value == 0 and epsilon > 0:
        raise ValueError(f"rho must be more than 0 beside an epsilon of {format_number(epsilon)}")
    return value


def half_square(epsilon: Fraction) -> Exact:
    """Return epsilon**2 / 2, which is above the rho of a pure loss, and close for a small one."""
    return Exact(epsilon.numerator**2, 2 * epsilon.denominator**2)  # thrice as fast as **2 / 2


def rho_of_pure(epsilon: Fraction) -> Exact:
    """Return the largest rho of a pure loss: epsilon tanh(epsilon / 2), rounded up by 1e-15.

    >>> float(rho_of_pure(Fraction(1))), rho_of_pure(Fraction(1, 10**9))
    (0.4621171572600098, Fraction(1, 2000000000000000000))
    """
    return _rho_of_pure(epsilon.numerator, epsilon.denominator)


@lru_cache(1024)  # of integers, whose hash is quick
def _rho_of_pure(numerator: int, denominator: int) -> Exact:
    epsilon = Fraction(numerator, denominator)
    simple = half_square(epsilon)
    if epsilon < _LEAST_TANH:
        return simple
    if epsilon > _MOST_TANH:
        return Exact(epsilon)
    power = exp_bounds(epsilon, _RHO_DIGITS + 20)[1]
    return min(simple, decimal_above(epsilon * (power - 1) / (power + 1), _RHO_DIGITS))


def epsilon_of_pure(rho: Fraction) -> Exact:
    """Return a decimal of six digits of which a pure loss costs a rho > 0, or a little less.

    >>> epsilon_of_pure(Fraction(1)), epsilon_of_pure(Fraction(1, 5 * 10**19))
    (Fraction(7717, 5000), Fraction(1, 5000000000))
    """
    least = decimal_below(max(sqrt_bounds(2 * rho)[0], rho))  # since epsilon**2 / 2 is above it
    found, wanted = float_of(least), float_of(rho)
    if not 1e-6 < wanted < 1e6:  # where no decimal of six digits is better
        return least
    for _ in range(8):  # Newton's method
        tanh = math.tanh(found / 2)
        found -= (found * tanh - wanted) / (tanh + found / 2 * (1 - tanh * tanh))
    epsilon = decimal_below(Fraction(found))
    while rho_of_pure(epsilon) > rho:
        epsilon = decimal_below(epsilon * (1 - Fraction(1, 10**6)))
    return max(epsilon, least)


def check_nonnegative(number: Fraction) -> Exact:
    """Return a number of a loss. A sum may be longer than what `read_exact` reads."""
    if number.numerator < 0:
        raise ValueError("a loss must be at least 0")
    return as_exact(number)


def read_count(count: Integer) -> int:
    """Read how many releases there are, from 0 to 2**64 - 1; else TypeError, ValueError."""
    n = read_integer(count, "count")
    if not 0 <= n < 2**64:
        raise ValueError("count must be from 0 to 2**64 - 1")
    return n


def read_group_size(k: Integer) -> int:
    """Read in how many units neighbours differ, from 1 to 2**64 - 1; else TypeError, ValueError."""
    size = read_integer(k, "k")
    if not 1 <= size < 2**64:
        raise ValueError("k must be from 1 to 2**64 - 1")
    return size


def read_delta(delta: Number) -> Exact:
    """Read a delta from 0 to 1, without 1; else TypeError, ValueError."""
    number = read_exact(delta, "delta")
    if not 0 <= number < 1:
        raise ValueError(f"delta must be at least 0 and less than 1, not {format_number(number)}")
    return number


def read_positive_delta(delta: Number) -> Exact:
    """Read a delta between 0 and 1, without 0 and 1; else TypeError, ValueError."""
    number = read_positive(delta, "delta")
    if number >= 1:
        raise ValueError(f"delta must be less than 1, not {format_number(number)}")
    return number


def group_delta(epsilon: Fraction, delta: Fraction, size: int) -> Fraction:
    """Return delta (e**(size epsilon) - 1) / (e**epsilon - 1), or a little more; 1 or more if huge.

    That is delta (1 + e**epsilon + ... + e**((size - 1) epsilon)).
    """
    if delta == 0 or size == 1:
        return delta
    # The factor is beyond 1 / delta for every delta of 4,096 bits.
    if (size - 1) * epsilon > 12_000:
        return Fraction(1)
    if epsilon == 0:
        return size * delta
    if size * epsilon < Fraction(1, 10**30):  # no term of the sum is above e**(size epsilon)
        return delta_above(delta * size * exp_bounds(size * epsilon)[1])
    numerator = exp_bounds(size * epsilon, 120)[1] - 1
    denominator = exp_bounds(epsilon, 120)[0] - 1
    return delta_above(delta * numerator / max(denominator, epsilon))


def make_loss(
    kind: type[_Kind],
    *values: Fraction | None,
    relation: str | None = None,
    plan: Plan | None = None,
) -> _Kind:
    """Return a loss of computed numbers. They may have any length.

    Parameters
    ----------
    kind : type
        PureDP, ApproxDP, ZCDP or ApproxZCDP.
    *values : Fraction or None
        The numbers of the class in its order: epsilon and rho; epsilon, delta and rho; rho; rho and
        delta.
    relation, plan
        As the attributes of the class.

    Raises
    ------
    ValueError
        If a number is negative, or delta would reach 1.

    """
    numbers = [value if value is None else check_nonnegative(value) for value in values]
    if hasattr(kind, "delta") and cast("Fraction", values[1]) >= 1:
        raise ValueError("delta would reach 1, where nothing is guaranteed: release less")
    loss = object.__new__(kind)
    fill(loss, *numbers, relation, *([plan] if hasattr(kind, "plan") else []))
    return loss


def fill(loss: object, *values: object) -> None:
    """Set the attributes of a new loss, in the order of its class."""
    for name, value in zip(cast("Any", type(loss)).__slots__, values, strict=True):
        if value is not COMPUTED_LATER:
            object.__setattr__(loss, name, value)
