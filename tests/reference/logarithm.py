"""Proof of the error of a table-driven logarithm, in exact arithmetic.

On interval i of [0.6875, 1.375): r = z c_i - 1 and ln z ~ l_i + r (q_0 + q_1 r + ... + q_7 r^7).
Everything is exact or rounded outwards; the rounding of an evaluation in doubles is not counted.
"""

import struct
from collections.abc import Sequence
from fractions import Fraction

INTERVALS = 8
BITS = 200  # of a bound on a logarithm; errors of interest are above 2^-64
CELLS = 512  # subdivisions of [-R, R]

_FIRST = 0x3FE6000000000000  # the bits of 0.6875
_SHIFT = 49  # 2^49 doubles are one interval


def index(z: float) -> int:
    """Return the interval of z in [0.6875, 1.375)."""
    (pattern,) = struct.unpack("<q", struct.pack("<d", z))
    return int((pattern - _FIRST) >> _SHIFT & (INTERVALS - 1))


def interval(i: int) -> tuple[Fraction, Fraction]:
    """Return the ends of interval i."""
    patterns = struct.pack("<2q", _FIRST + (i << _SHIFT), _FIRST + ((i + 1) << _SHIFT))
    left, right = struct.unpack("<2d", patterns)
    return Fraction(left), Fraction(right)


def log_bounds(x: Fraction, bits: int = BITS) -> tuple[Fraction, Fraction]:
    """Bound ln x for x in [1/2, 2], within 2^-bits.

    ln x = 2 artanh(s), s = (x - 1) / (x + 1); 0 <= s <= 1/3 once x < 1 is turned over.
    """
    if not Fraction(1, 2) <= x <= 2:
        raise ValueError(f"x must be in [1/2, 2], not {x}")
    if x < 1:
        lo, hi = log_bounds(1 / x, bits)
        return -hi, -lo
    work = bits + bits.bit_length() + 8
    s = (x - 1) / (x + 1)
    power_lo = (s.numerator << work) // s.denominator
    power_hi = power_lo + 1
    square_lo, square_hi = power_lo * power_lo, power_hi * power_hi
    sum_lo = sum_hi = 0
    n = 1
    while power_lo:
        sum_lo += power_lo // n
        sum_hi += power_hi // n + 1
        power_lo = power_lo * square_lo >> 2 * work
        power_hi = (power_hi * square_hi >> 2 * work) + 1
        n += 2
    sum_hi += 2 * power_hi  # the terms s^m / m from m = n on: at most s^n / (n (1 - s^2)) < 2 s^n
    return Fraction(2 * sum_lo, 1 << work), Fraction(2 * sum_hi, 1 << work)


def _evaluate(coefficients: Sequence[Fraction], x: Fraction) -> Fraction:
    total = Fraction(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _expand(coefficients: Sequence[Fraction], x: Fraction) -> list[Fraction]:
    """Return the coefficients in powers of (r - x) of a polynomial in r."""
    out = list(coefficients)
    for low in range(len(out) - 1):
        for j in range(len(out) - 2, low - 1, -1):
            out[j] += x * out[j + 1]
    return out


def residual_bound(inverse: Sequence[float]) -> Fraction:
    """Return R, the largest |z c_i - 1| over the closed intervals."""
    ends = [(Fraction(c), z) for i, c in enumerate(inverse) for z in interval(i)]
    return max(abs(z * c - 1) for c, z in ends)


def centre_errors(inverse: Sequence[float], centre: Sequence[float]) -> list[Fraction]:
    """Return an upper bound of |l_i + ln c_i| for each i."""
    errors: list[Fraction] = []
    for c, l_i in zip(inverse, centre, strict=True):
        lo, hi = log_bounds(Fraction(c))
        errors.append(max(abs(Fraction(l_i) + lo), abs(Fraction(l_i) + hi)))
    return errors


def polynomial_error(q: Sequence[float], radius: Fraction, cells: int = CELLS) -> Fraction:
    """Return an upper bound of |ln(1 + r) - r q(r)| over |r| <= radius < 1/2.

    In each cell the value at the midpoint plus half a cell times a bound of the derivative,
    g(r) / (1 + r), where g = 1 - (1 + r) (r q(r))' is a polynomial, expanded at the midpoint.
    """
    terms = [Fraction(0), *map(Fraction, q)]  # r q(r)
    slope = [j * c for j, c in enumerate(terms)][1:]
    g = [-(a + b) for a, b in zip([*slope, Fraction(0)], [Fraction(0), *slope], strict=True)]
    g[0] += 1
    half = radius / cells
    worst = Fraction(0)
    for cell in range(cells):
        middle = (2 * cell + 1) * half - radius
        at_middle = _evaluate(terms, middle)
        lo, hi = log_bounds(1 + middle)
        error = max(abs(lo - at_middle), abs(hi - at_middle))
        g_bound = _evaluate([abs(c) for c in _expand(g, middle)], half)
        worst = max(worst, error + half * g_bound / (1 + middle - half))
    return worst


def truncation_error(
    inverse: Sequence[float], centre: Sequence[float], q: Sequence[float]
) -> Fraction:
    """Return an upper bound of |ln z - l_i - r q(r)| over z in [0.6875, 1.375), evaluated exactly.

    Parameters
    ----------
    inverse, centre, q : sequences of 8 floats
        c_i, l_i and the coefficients q_j; c_i in [1/2, 2].
    """
    if not len(inverse) == len(centre) == INTERVALS:
        lengths = f"{len(inverse)} and {len(centre)}"
        raise ValueError(f"inverse and centre must have {INTERVALS} entries, not {lengths}")
    # ln z = ln(1 + r) - ln c_i
    return max(centre_errors(inverse, centre)) + polynomial_error(q, residual_bound(inverse))
