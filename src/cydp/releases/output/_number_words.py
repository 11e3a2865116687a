# SPDX-License-Identifier: MIT
"""How numbers, edges and keys are written for people."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["bin_words", "bound_words", "digits_of", "end_words", "key_words", "value_words"]

_LONGEST_KEY = 40
_MOST_PLAIN = 1e15  # beyond which floats are written with an exponent
_MOST_SIX_DIGITS = 999999.5  # from which six digits would need an exponent
_MOST_DECIMALS = 12
_DIGITS = 6


def bound_words(bound: Any) -> str:
    """Return an error bound; a float is rounded up to two digits.

    >>> bound_words(1234), bound_words(599146.5), bound_words(0.0121), bound_words(4.0)
    ('1,234', '600,000', '0.013', '4')
    """
    if isinstance(bound, np.ndarray):
        bound = bound.flat[0].item()
    if isinstance(bound, int):
        return f"{bound:,}"
    if not 0 < bound < math.inf:
        return f"{bound:g}"
    decimals = _decimals_of(bound)
    up = math.ceil(bound * 10.0**decimals) / 10.0**decimals if abs(decimals) < 300 else bound
    return _plain(max(up, bound) if math.isinf(up) else up, decimals).removesuffix(".0")


def value_words(value: Any, bound: Any = None) -> str:
    """Return a number: an integer with all its digits, a float to two digits of its bound.

    >>> value_words(-12345), value_words(31188540.25, 599146.5), value_words(0.123456, 0.0123)
    ('-12,345', '31,190,000', '0.123')
    >>> value_words(19174.12345), value_words(1234567.25), value_words(1e300, 1e299)
    ('19,174.1', '1,234,567', '1e+300')
    """
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    number = float(value)
    if bound is None or not 0 < bound < math.inf or not math.isfinite(number):
        whole = _MOST_SIX_DIGITS <= abs(number) < _MOST_PLAIN
        return f"{number:,.0f}" if whole else f"{number:,.6g}"
    decimals = _decimals_of(float(bound))
    return _plain(round(number, decimals) if abs(decimals) < 300 else number, decimals)


def end_words(end: Any, *, upper: bool) -> str:
    """Return an end of an interval; a float is rounded outwards, to six digits or to an integer.

    >>> end_words(0.12345678, upper=False), end_words(0.12345612, upper=True)
    ('0.123456', '0.123457')
    """
    if isinstance(end, int | np.integer) or not math.isfinite(end):
        return value_words(end)
    exact = Decimal(repr(float(end)))
    whole = exact.adjusted() + 1 if abs(end) < _MOST_PLAIN else 0
    rounding = ROUND_CEILING if upper else ROUND_FLOOR
    return value_words(float(Context(max(whole, _DIGITS), rounding).plus(exact)))


def bin_words(edges: NDArray[Any], place: int, digits: int) -> str:
    """Return a bin, with as many digits as `digits_of`; the last one includes its right edge.

    >>> bin_words(np.array([0.0, 33.333333, 100]), 0, 6), bin_words(np.array([0, 1]), 0, 0)
    ('[0, 33.3333)', '[0, 1]')
    """
    left, right = (_edge_words(edges[i], digits) for i in (place, place + 1))
    return f"[{left}, {right}" + ("]" if place == len(edges) - 2 else ")")


def key_words(key: Any) -> str:
    r"""Return a key in one line; a long one is cut.

    >>> key_words("a"), key_words(None), key_words("a\nb"), key_words("x" * 50)[-5:]
    ('a', 'None', 'a\\nb', 'xx...')
    """
    text = str(key)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return text if len(text) <= _LONGEST_KEY else f"{text[: _LONGEST_KEY - 3]}..."


def _decimals_of(bound: float) -> int:
    """Return after how many decimals the second digit of a bound is."""
    return 1 - math.floor(math.log10(bound))


def _plain(number: float, decimals: int) -> str:
    if abs(number) >= _MOST_PLAIN or decimals > _MOST_DECIMALS:
        return f"{number:.6g}"
    return f"{number + 0.0:,.{max(decimals, 0)}f}"


def digits_of(edges: NDArray[Any]) -> int:
    """Return how many digits tell edges apart, at least 6; 0 for other edges than floats."""
    if edges.dtype.kind != "f":
        return 0
    finite = edges[np.isfinite(edges)].astype(np.float64)
    widths = np.diff(finite)
    if not len(widths) or not widths.min() > 0:
        return 6
    ratio = float(np.abs(finite).max()) / float(widths.min())
    return min(max(math.ceil(math.log10(ratio)) + 2, 6), 17) if 0 < ratio < math.inf else 17


def _edge_words(edge: Any, digits: int) -> str:
    return f"{float(edge) + 0.0:.{digits}g}" if digits else str(edge)
