# SPDX-License-Identifier: MIT
"""The smallest cost at which a release is accurate enough. docs/releases/explain.md."""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction

from cydp._numbers.rational import Exact
from cydp.releases._query import Query

__all__ = ["least_privacy"]

_DIGITS = 4  # of the answer, so that it is above the least number by 0.1 % at most
_MOST_DOUBLINGS = 64
_UP = Context(prec=_DIGITS, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)


def least_privacy(
    build: Callable[[Fraction], Query], is_enough: Callable[[Query], bool], name: str
) -> Exact:
    """Return the least decimal of four digits at which a query is accurate enough.

    Parameters
    ----------
    build : callable
        Returns the query for a number: an epsilon or a rho.
    is_enough : callable
        Whether a query is accurate enough; if it is, so are those of larger numbers.
    name : str
        What the number is, for the error.

    Raises
    ------
    ValueError
        If no number is enough, or if the least for which there is noise is more than enough; and
        the errors of `build` for 1, if it has one for every number.

    """

    def holds(number: Fraction) -> bool | None:
        try:
            query = build(number)
        except ValueError:  # the noise of this number is too small or too large to be drawn
            return None
        return is_enough(query)

    power = _first(lambda k: holds(Fraction(2) ** k) is not None)
    if power is None:
        build(Fraction(1))  # raises
        raise AssertionError
    most = _first(lambda k: holds(Fraction(2) ** (power + k)) is not False)
    if most is None or holds(Fraction(2) ** (power + most)) is None:
        raise ValueError(f"error must be larger: no {name} makes the release that accurate")
    above = Fraction(2) ** (power + most)
    down = _first(lambda k: holds(above / Fraction(2) ** (k + 1)) is not True)
    if down is None or holds(above / Fraction(2) ** (down + 1)) is None:
        raise ValueError(f"error must be smaller: every {name} makes the release that accurate")
    above /= Fraction(2) ** down
    below = above / 2
    while above > below * (1 + Fraction(1, 10**_DIGITS)):
        middle = (above + below) / 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    number = _UP.divide(Decimal(above.numerator), Decimal(above.denominator))
    while not holds(Fraction(number)):  # where the error does not fall with each step
        number = number.next_plus(_UP)
    return Exact(number)


def _first(is_found: Callable[[int], bool]) -> int | None:
    return next((k for k in range(_MOST_DOUBLINGS) if is_found(k)), None)
