# SPDX-License-Identifier: MIT
"""How every number that matters for privacy is read, as an exact fraction or an integer.

And how such numbers are written, for people and in a repr.
"""

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
    "binary_literal_of",
    "float_of",
    "format_binary",
    "format_number",
    "is_written_number",
    "literal_of",
    "log_of",
    "read_binary",
    "read_exact",
    "read_integer",
    "read_level",
    "read_positive",
    "read_quantile",
    "read_rows",
    "read_upward",
    "round_near",
    "round_up",
]


MAX_BITS = 4096
_MOST_INDEX_BITS = 2048  # of a length or a count: its digits then fit into a message
# Enough decimal digits for MAX_BITS, and for an exponent that such a number can need. Longer text
# is refused before anything is computed.
_MAX_DIGITS = 1240
_TEXT = re.compile(
    r"\s*([-+]?)(?:(\d+)/(\d+)|(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?)\s*", re.ASCII
)
_DIGITS = 6
_ALLOWED = "an int, float, str, Fraction or Decimal"
_MANY_DIGITS = 10**16  # from here on floats are written with an exponent
_PLACE = re.compile(r"(.?[<>^])?\d*", re.ASCII | re.DOTALL)  # a format of strings: where they stand
_AS_A_FLOAT = tuple("eEfFgG%")  # the ends of formats that show digits of a float


class Exact(Fraction):
    """A Fraction that every supported Python can format. It equals every Fraction of its value.

    Results of arithmetic are plain Fractions.

    Examples
    --------
    >>> Exact(1, 3)
    Fraction(1, 3)
    >>> f"{Exact(1, 3):.3f} {Exact(1, 3):g} {Exact(1, 3):>6}"
    '0.333 0.333333    1/3'

    """

    __slots__ = ()

    # As in Fraction, but quicker, because the other operand is mostly a Fraction.
    __radd__, __rmul__ = Fraction.__add__, Fraction.__mul__

    if sys.version_info < (3, 13):  # 3.11 formats no Fraction; 3.12 refuses a width alone

        def __format__(self, spec: str) -> str:
            """Format the nearest float, or the quotient for a format without digits of a float."""
            if spec.endswith(_AS_A_FLOAT):
                near = float_of(self)
                is_float = sys.float_info.min <= abs(near) <= sys.float_info.max
                return format(near if is_float or not self else _divide(self, 17), spec)
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
    return number if type(number) is Exact else _make_reduced(number.numerator, number.denominator)


def _make_reduced(numerator: int, denominator: int) -> Exact:
    """Return a fraction in lowest terms without the checks of Fraction, which are slow."""
    new = object.__new__(Exact)
    new._numerator, new._denominator = numerator, denominator  # type: ignore[attr-defined]
    return new


def is_written_number(text: str) -> bool:
    """Whether a text is written as `read_exact` takes it.

    >>> is_written_number("1/3"), is_written_number("01.01.2024")
    (True, False)
    """
    return _TEXT.fullmatch(text) is not None


def read_exact(value: Number, name: str) -> Exact:
    """Read a number exactly.

    Parameters
    ----------
    value : int, float, str, Fraction, Decimal or numpy real scalar
        A float means its shortest repr: 0.1 is 1/10. A string is ``"0.1"``, ``"1e-3"`` or
        ``"1/3"``.
    name : str
        The name of the parameter, for the error.

    Raises
    ------
    TypeError
        For bool, arrays, lists and every other type.
    ValueError
        If it is not finite, if a string is no number, or if it is longer than 4,096 bits.

    Examples
    --------
    >>> read_exact(0.1, "epsilon")
    Fraction(1, 10)

    """
    kind = type(value)  # these are the most common, and are read in the quickest way
    if kind is Exact or kind is Fraction or kind is int:
        fraction = cast("Fraction | int", value)
        numerator, denominator = fraction.numerator, fraction.denominator
        if not _are_short(numerator, denominator):
            raise _too_long(name)
        return value if kind is Exact else _make_reduced(numerator, denominator)  # type: ignore[return-value]
    if kind is str:
        return _read(cast("str", value), name)
    if kind is float and math.isfinite(cast("float", value)):
        return _read(repr(value), name)
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
        # str(), since numpy's repr() is np.float64(0.1). It has the shortest digits of each type.
        return _read(float.__repr__(value) if isinstance(value, float) else str(value), name)
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{name} must be finite, not {value}")
        return _read(str(value), name)
    if isinstance(value, str):
        return _read(value, name)
    given = "None" if value is None else type(value).__name__
    raise TypeError(f"{name} must be {_ALLOWED}, not {given}")


def read_binary(value: Number, name: str) -> Exact:
    """Read a number as `read_exact` does, but a float as its exact binary value.

    >>> read_binary(0.5, "lower"), read_binary(0.1, "lower") == Fraction(1, 10)
    (Fraction(1, 2), False)
    """
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        return read_exact(Exact(*value.as_integer_ratio()), name)
    return read_exact(value, name)


def read_upward(value: Number, name: str) -> Exact:
    """Read a number as `read_exact` does, but a float as the larger of its repr and binary value.

    It is for a number that must not be too small, whichever of the two the caller means.

    >>> read_upward(0.7, "sensitivity"), read_upward(0.1, "sensitivity") > Fraction(1, 10)
    (Fraction(7, 10), True)
    """
    number = read_exact(value, name)
    return (
        max(number, read_binary(value, name)) if isinstance(value, float | np.floating) else number
    )


def read_positive(value: Number, name: str) -> Exact:
    """Read a number above 0 exactly; a ValueError for other numbers and for subnormal floats."""
    number = read_exact(value, name)
    positive = number.numerator > 0
    is_float = isinstance(value, (float, np.floating))
    if is_float and positive and float(value) < sys.float_info.min:
        raise ValueError(f"{name} must not be a subnormal float: write what it means as text")
    if not positive:
        raise ValueError(f"{name} must be greater than 0, not {format_number(number)}")
    return number


def read_integer(n: Integer, name: str) -> int:
    """Read an integer, such as a length or a count.

    Raises a TypeError for bool and for values that are no integers, and a ValueError for an integer
    that no message could print.
    """
    if type(n) is int and n.bit_length() <= _MOST_INDEX_BITS:
        return n  # the most common kind, read in the quickest way
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


def format_number(number: Fraction, rounding: str = ROUND_HALF_EVEN) -> str:
    """Write a Fraction for people: as a decimal if that is exact and short, else as a quotient.

    A number of more than 256 bits is rounded to six digits, by a `rounding` of the module decimal.

    >>> [format_number(Fraction(number)) for number in ("0.1", "1/3", 2, "3e30")]
    ['0.1', '1/3', '2', '3e30']
    """
    if _is_long(number):
        return f"about {_divide(number, 6, rounding)}"
    if number.denominator == 1 and abs(number) < _MANY_DIGITS:
        return str(number.numerator)
    decimal = float.__repr__(float_of(number)).replace("e+", "e")
    return decimal if Fraction(decimal) == number else str(number)


def format_binary(number: Fraction) -> str:
    """Write a number that `read_binary` has read, for people: a float by its repr, as it was typed.

    >>> format_binary(read_binary(0.1, "lower")), format_binary(Fraction(1, 3))
    ('0.1', '1/3')
    """
    near = float_of(number)
    if number.denominator == 1 or not math.isfinite(near) or Fraction(near) != number:
        return format_number(number)
    return float.__repr__(near)


def literal_of(number: Fraction) -> str:
    """Return an expression that `read_exact` reads as this very number.

    A number of more than 4,096 bits, which no constructor takes, is rounded.

    >>> [literal_of(Fraction(number)) for number in ("0.1", "1/3", "1e-400")]
    ['0.1', "'1/3'", "'1e-400'"]
    """
    written = _exact_string_of(number)
    plain = written.removeprefix("-").replace("e-", "").replace(".", "").isdigit()
    # A float below the normal floats would be 0, or would be refused.
    least = Fraction(sys.float_info.min)
    return written if plain and (number == 0 or abs(number) >= least) else repr(written)


def binary_literal_of(number: Fraction) -> str:
    """Return an expression that both `read_exact` and `read_binary` read as this very number.

    >>> binary_literal_of(Fraction(1, 2)), binary_literal_of(Fraction(1, 10))
    ('0.5', "'0.1'")
    """
    written = literal_of(number)
    if number.denominator == 1 or Fraction(float_of(number)) == number:
        return written
    return repr(_exact_string_of(number))


def _exact_string_of(number: Fraction) -> str:
    """Write a Fraction exactly, unless it has more than `MAX_BITS`."""
    if not _is_long(number) or not _are_short(number.numerator, number.denominator):
        return format_number(number)
    decimal = _divide(number, 17)
    if Fraction(decimal) == number:
        return f"{decimal.normalize(_context(17)):e}".replace("e+", "e")
    return str(number)


def _divide(number: Fraction, digits: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    context = _context(digits, rounding)
    return context.divide(Decimal(number.numerator), Decimal(number.denominator))


def _context(digits: int, rounding: str = ROUND_HALF_EVEN) -> Context:
    return Context(prec=digits, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)


def _is_long(number: Fraction) -> bool:
    return number.numerator.bit_length() + number.denominator.bit_length() > 256


def float_of(number: Fraction) -> float:
    """Return the nearest float; infinity beyond the largest float."""
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
        return math.log1p(float_of(number - 1))  # keeps the digits of a number close to 1
    return math.log(number.numerator) - math.log(number.denominator)


def round_up(number: Fraction) -> Fraction:
    """Round a number up to 256 significant bits."""
    shift = number.denominator.bit_length() - number.numerator.bit_length() + 256
    if shift <= 0:
        return number
    return Fraction(-((-number.numerator << shift) // number.denominator), 1 << shift)


def round_near(number: Fraction, within: Fraction) -> Fraction:
    """Return the decimal of the fewest digits, six at most, near a number; else the number itself.

    >>> round_near(Fraction(0.1), Fraction(1, 10**9)), round_near(Fraction(64), Fraction(8))
    (Fraction(1, 10), Fraction(64, 1))
    """
    if number.denominator == 1:
        return number
    found = (Fraction(_divide(number, digits)) for digits in range(1, _DIGITS + 1))
    return next((each for each in found if abs(each - number) <= within), number)


def _read(digits: str, name: str) -> Exact:
    match = _TEXT.fullmatch(digits) if len(digits) <= 3 * _MAX_DIGITS else None
    if match is None:
        if len(digits) > 3 * _MAX_DIGITS:
            raise _too_long(name)
        raise ValueError(f"{name} must be a number such as '0.1' or '1/3', not {digits[:40]!r}")
    sign, above, below, whole, decimals, exponent = match.groups()
    if exponent is not None and (len(exponent) > 6 or abs(int(exponent)) > 2 * _MAX_DIGITS):
        raise _too_long(name)
    numerator, denominator = int(above or whole or 0), int(below or 1)
    if denominator == 0:
        raise ValueError(f"{name} must be a number, and its denominator is 0")
    if decimals:
        denominator = 10 ** len(decimals)
        numerator = numerator * denominator + int(decimals)
    if exponent is not None:
        power = int(exponent)
        if power >= 0:
            numerator *= 10**power
        else:
            denominator *= 10**-power
    shared = math.gcd(numerator, denominator)
    numerator, denominator = numerator // shared, denominator // shared
    if not _are_short(numerator, denominator):
        raise _too_long(name)
    return _make_reduced(-numerator if sign == "-" else numerator, denominator)


def _are_short(numerator: int, denominator: int) -> bool:
    return max(numerator.bit_length(), denominator.bit_length()) <= MAX_BITS


def _too_long(name: str) -> ValueError:
    return ValueError(f"{name} must have a numerator and a denominator of at most {MAX_BITS} bits")


def read_level(confidence: Number) -> Fraction:
    """Return a confidence as a Fraction between 0 and 1, or raise a TypeError or ValueError."""
    level = read_exact(confidence, "confidence")
    if not 0 < level < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {format_number(level)}")
    return level


def read_rows(rows: Integer, name: str) -> int:
    """Read a public number of rows, from 1 to 2**62; else TypeError, ValueError."""
    number = read_integer(rows, name)
    if not 1 <= number <= 2**62:
        raise ValueError(f"{name} must be from 1 to 2**62, not {format_number(Fraction(number))}")
    return number


_MOST_DENOMINATOR = 2**64 - 1


def read_quantile(q: Number, name: str = "q") -> Fraction:
    """Return which quantile is meant.

    Raises
    ------
    TypeError, ValueError
        If it is no number from 0 to 1, or if its denominator is 2**64 or more.

    Examples
    --------
    >>> read_quantile(0.95)
    Fraction(19, 20)

    """
    number = read_exact(q, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be from 0 to 1, not {format_number(number)}")
    if number.denominator > _MOST_DENOMINATOR:
        raise ValueError(f"{name} must have a denominator below 2**64")
    return number
