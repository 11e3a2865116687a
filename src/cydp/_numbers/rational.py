# SPDX-License-Identifier: MIT
"""The one way in which a number that matters becomes an exact fraction, or an integer."""

from __future__ import annotations

import math
import numbers
import operator
import re
import sys
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import cast

import numpy as np

from cydp._arguments import Integer, Number

__all__ = [
    "MAX_BITS",
    "Exact",
    "as_exact",
    "binary",
    "exact",
    "float_of",
    "index",
    "log_of",
    "positive",
    "quoted",
    "quoted_binary",
    "rounded_up",
    "text",
    "upward",
]

MAX_BITS = 4096
_MOST_INDEX_BITS = 2048  # of a length or a count: few enough digits for a message
# Enough decimal digits for MAX_BITS, and an exponent that such a number can need: longer text
# is refused before it is computed with.
_MAX_DIGITS = 1240
_TEXT = re.compile(r"\s*[-+]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE]([-+]?\d+))?)\s*", re.ASCII)
_ALLOWED = "an int, float, str, Fraction or Decimal"
_PLACE = re.compile(r"(.?[<>^])?\d*", re.ASCII | re.DOTALL)  # a format of text: where it stands
_AS_A_FLOAT = tuple("eEfFgG%")  # what a format ends with that shows digits of a float


class Exact(Fraction):
    """A Fraction that every supported Python can format; equal to any other of its value.

    What is computed from it is a Fraction again.

    Examples
    --------
    >>> Exact(1, 3)
    Fraction(1, 3)
    >>> f"{Exact(1, 3):.3f} {Exact(1, 3):g} {Exact(1, 3):>6}"
    '0.333 0.333333    1/3'

    """

    __slots__ = ()

    # The same, and quicker: they ask for the type of the other one, mostly a plain Fraction.
    __radd__, __rmul__ = Fraction.__add__, Fraction.__mul__

    if sys.version_info < (3, 13):  # 3.11 formats no Fraction; 3.12 refuses a width alone

        def __format__(self, spec: str) -> str:
            """Format the nearest float, or the quotient if no digits of a float are asked for."""
            if spec.endswith(_AS_A_FLOAT):
                near = float_of(self)
                is_float = sys.float_info.min <= abs(near) <= sys.float_info.max
                return format(near if is_float or not self else _divided(self, 17), spec)
            match = _PLACE.fullmatch(spec)
            if match is None:
                allowed = "a width, or digits such as '.3f'"
                raise ValueError(f"format specifier must be {allowed}, not {spec[:40]!r}")
            return format(str(self), spec if match[1] else f">{spec}")

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"


def as_exact(number: Fraction) -> Exact:
    """Return the same number, which every supported Python can format.

    >>> f"{as_exact(Fraction(1, 3) + 1):.3f}"
    '1.333'
    """
    return number if type(number) is Exact else _reduced(number.numerator, number.denominator)


def _reduced(numerator: int, denominator: int) -> Exact:
    """Return a fraction in lowest terms: without Fraction's checks, half a microsecond sooner."""
    new = object.__new__(Exact)
    new._numerator, new._denominator = numerator, denominator  # type: ignore[attr-defined]
    return new


def exact(value: Number, name: str) -> Exact:
    """Read a number exactly.

    Parameters
    ----------
    value : int, float, str, Fraction, Decimal or numpy real scalar
        A float means its shortest repr: 0.1 is 1/10. Text is ``"0.1"``, ``"1e-3"`` or
        ``"1/3"``.
    name : str
        What the value is called in an error.

    Raises
    ------
    TypeError
        For bool, arrays, lists and every other type.
    ValueError
        If it is not finite, not a number, or longer than 4,096 bits.

    Examples
    --------
    >>> exact(0.1, "epsilon")
    Fraction(1, 10)

    """
    kind = type(value)  # most often one of these, which are read the quickest way
    if kind is Exact or kind is Fraction or kind is int:
        fraction = cast("Fraction | int", value)
        numerator, denominator = fraction.numerator, fraction.denominator
        if not _are_short(numerator, denominator):
            raise _too_long(name)
        return value if kind is Exact else _reduced(numerator, denominator)  # type: ignore[return-value]
    if isinstance(value, (bool, np.bool_, np.timedelta64)):
        raise TypeError(f"{name} must be {_ALLOWED}, not {type(value).__name__.rstrip('_')}")
    if isinstance(value, (int, np.integer, numbers.Rational)):
        numerator, denominator = int(value.numerator), int(value.denominator)
        if not _are_short(numerator, denominator):
            raise _too_long(name)
        return Exact(numerator, denominator)
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise ValueError(f"{name} must be finite, not {float(value)}")
        # Not repr(): numpy's says np.float64(0.1). str() keeps the shortest digits of each type.
        return _read(float.__repr__(value) if isinstance(value, float) else str(value), name)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{name} must be finite, not {value}")
        return _read(str(value), name)
    if isinstance(value, str):
        return _read(value, name)
    given = "None" if value is None else type(value).__name__
    raise TypeError(f"{name} must be {_ALLOWED}, not {given}")


def binary(value: Number, name: str) -> Exact:
    """Read a number as `exact` does, but a float by its exact binary value.

    >>> binary(0.5, "lower"), binary(0.1, "lower") == Fraction(1, 10)
    (Fraction(1, 2), False)
    """
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return exact(Exact(*value.as_integer_ratio()), name)
    return exact(value, name)


def upward(value: Number, name: str) -> Exact:
    """Read a number as `exact` does, but a float as what is larger: its repr or its binary value.

    For a number that must not be too small, whichever of the two is meant.

    >>> upward(0.7, "sensitivity"), upward(0.1, "sensitivity") > Fraction(1, 10)
    (Fraction(7, 10), True)
    """
    number = exact(value, name)
    return max(number, binary(value, name)) if isinstance(value, float | np.floating) else number


def positive(value: Number, name: str) -> Exact:
    """Read a number exactly; a ValueError for zero, less, and floats that are subnormal."""
    number = exact(value, name)
    if isinstance(value, (float, np.floating)) and 0 < number < sys.float_info.min:
        raise ValueError(f"{name} must not be a subnormal float: write what it means as text")
    if number <= 0:
        raise ValueError(f"{name} must be greater than 0, not {text(number)}")
    return number


def index(n: Integer, name: str) -> int:
    """Read an integer: a length, a count.

    TypeError for bool and what is no integer, ValueError for one that no message could print.
    """
    if type(n) is int and n.bit_length() <= _MOST_INDEX_BITS:
        return n  # most often, and the quickest way
    if isinstance(n, (bool, np.bool_, np.timedelta64)):
        raise TypeError(f"{name} must be an integer, not {type(n).__name__.rstrip('_')}")
    try:
        integer = operator.index(n)
    except TypeError:
        given = "None" if n is None else type(n).__name__
        raise TypeError(f"{name} must be an integer, not {given}") from None
    if integer.bit_length() > _MOST_INDEX_BITS:
        raise ValueError(f"{name} must be an integer of at most {_MOST_INDEX_BITS} bits")
    return integer


def text(number: Fraction, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a Fraction for people: a decimal where that is exact and short, else a quotient.

    A number of more than 256 bits is only written roughly, in six digits. `rounding` is one of
    the decimal module's.

    >>> text(Fraction(1, 10)), text(Fraction(1, 3)), text(Fraction(2))
    ('0.1', '1/3', '2')
    """
    if _is_long(number):
        return f"about {_divided(number, 6, rounding)}"
    if number.denominator == 1:
        return str(number.numerator)
    decimal = float.__repr__(float_of(number))
    return decimal if Fraction(decimal) == number else str(number)


def quoted(number: Fraction) -> str:
    """Write a Fraction as an expression that `exact` reads as that very number.

    A number of more than 4,096 bits, which no constructor takes, is only written roughly.

    >>> quoted(Fraction(1, 10)), quoted(Fraction(1, 3)), quoted(Fraction(1, 10**400))
    ('0.1', "'1/3'", "'1e-400'")
    """
    written = _written(number)
    plain = written.removeprefix("-").replace("e-", "").replace(".", "").isdigit()
    # As a float, what is below the normal ones would be 0, or refused.
    least = Fraction(sys.float_info.min)
    return written if plain and (number == 0 or abs(number) >= least) else repr(written)


def quoted_binary(number: Fraction) -> str:
    """Write a Fraction as an expression that both `exact` and `binary` read as that very number.

    >>> quoted_binary(Fraction(1, 2)), quoted_binary(Fraction(1, 10))
    ('0.5', "'0.1'")
    """
    written = quoted(number)
    if number.denominator == 1 or Fraction(float_of(number)) == number:
        return written
    return repr(_written(number))


def _written(number: Fraction) -> str:
    """Write a Fraction exactly, unless it has more than `MAX_BITS`."""
    if not _is_long(number) or not _are_short(number.numerator, number.denominator):
        return text(number)
    decimal = _divided(number, 17)
    if Fraction(decimal) == number:
        return f"{decimal.normalize(_context(17)):e}".replace("e+", "e")
    return str(number)


def _divided(number: Fraction, digits: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    context = _context(digits, rounding)
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _context(digits: int, rounding: str = ROUND_HALF_EVEN) -> Context:
    return Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)


def _is_long(number: Fraction) -> bool:
    return number.numerator.bit_length() + number.denominator.bit_length() > 256


def float_of(number: Fraction) -> float:
    """Round to the nearest float; infinite beyond the largest."""
    try:
        return number.numerator / number.denominator
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def log_of(number: Fraction) -> float:
    """Return the logarithm of a number > 0, however large or small.

    >>> log_of(Fraction(1, 10**400)).__round__(3)
    -921.034
    """
    if Fraction(1, 2) < number < 2:
        return math.log1p(float_of(number - 1))  # keeps the digits of what is next to 1
    return math.log(number.numerator) - math.log(number.denominator)


def rounded_up(number: Fraction) -> Fraction:
    """Return a number at least as large, of 256 significant bits."""
    shift = number.denominator.bit_length() - number.numerator.bit_length() + 256
    if shift <= 0:
        return number
    return Fraction(-((-number.numerator << shift) // number.denominator), 1 << shift)


def _read(digits: str, name: str) -> Exact:
    match = _TEXT.fullmatch(digits) if len(digits) <= 3 * _MAX_DIGITS else None
    if match is None:
        if len(digits) > 3 * _MAX_DIGITS:
            raise _too_long(name)
        raise ValueError(f"{name} must be a number such as '0.1' or '1/3', not {digits[:40]!r}")
    exponent = cast("str | None", match[1])
    if exponent is not None and (len(exponent) > 6 or abs(int(exponent)) > 2 * _MAX_DIGITS):
        raise _too_long(name)
    try:
        number = Exact(digits)
    except ZeroDivisionError:
        raise ValueError(f"{name} must be a number, and its denominator is 0") from None
    if not _are_short(number.numerator, number.denominator):
        raise _too_long(name)
    return number


def _are_short(numerator: int, denominator: int) -> bool:
    return max(numerator.bit_length(), denominator.bit_length()) <= MAX_BITS


def _too_long(name: str) -> ValueError:
    return ValueError(f"{name} must have a numerator and a denominator of at most {MAX_BITS} bits")
