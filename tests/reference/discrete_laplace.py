"""Discrete Laplace from an endless bit stream: |X| = #{k >= 1 : U < T_k}.

p = exp(-1/scale), T_k = P(|X| >= k) = 2 p^k / (1 + p), T_0 = 1. For k >= 1, T_k is irrational
(p is transcendental), so it never equals a binary fraction and every comparison ends.
A pair (lo, hi) of integers bounds a real y by lo / 2^bits <= y <= hi / 2^bits.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

Extension = Callable[[int], int]  # i -> the i-th 64 bits that follow the prefix


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def exp_negative_bounds(x: Fraction, bits: int) -> tuple[int, int]:
    """Bound exp(-x), x >= 0, with hi - lo <= 2.

    Taylor's series of exp(-y), y = x / 2^s < 2^-16, then s squarings rounded outwards.
    """
    if x < 0:
        raise ValueError(f"x must be at least 0, not {x}")
    if x == 0:
        return 1 << bits, 1 << bits
    if x >= bits:
        return 0, 1  # exp(-x) < 2^-x; also keeps the squarings few
    squarings = int(x).bit_length() + 16
    # The series' width is 4 j + 5 ulps, j about work / 16; a squaring doubles it and adds 2.
    guard = squarings + bits.bit_length() + 8
    work = bits + guard
    y = (x.numerator << (work - squarings)) // x.denominator  # short of x / 2^s by < 1 ulp
    total = term = 1 << work
    j = 0
    while term:
        j += 1
        term = (term * y >> work) // j  # short of y^j / j! by < 2 ulps
        total += -term if j & 1 else term
    slack = 2 * j + 2  # j rounded terms, and an alternating remainder below 2 ulps
    lo, hi = max(total - slack - 1, 0), min(total + slack, 1 << work)
    for _ in range(squarings):
        lo = lo * lo >> work
        hi = _ceil_div(hi * hi, 1 << work)
    return lo >> guard, _ceil_div(hi, 1 << guard)


@lru_cache(maxsize=256)
def _ratio_bounds(scale: Fraction, bits: int) -> tuple[int, int]:
    """Bound p."""
    return exp_negative_bounds(1 / scale, bits)


def tail_bounds(scale: Fraction, k: int, bits: int) -> tuple[int, int]:
    """Bound T_k = P(|X| >= k), k >= 0, with hi - lo <= 2; T_0 = 1 exactly."""
    if k == 0:
        return 1 << bits, 1 << bits
    work = bits + 4  # the quotient's width is at most 10 ulps
    one = 1 << work
    p_lo, p_hi = _ratio_bounds(scale, work)
    power_lo, power_hi = exp_negative_bounds(k / scale, work)
    lo = 2 * power_lo * one // (one + p_hi)
    hi = _ceil_div(2 * power_hi * one, one + p_lo)
    return lo >> 4, min(_ceil_div(hi, 1 << 4), 1 << bits)


def probability_bounds(scale: Fraction, k: int, bits: int) -> tuple[int, int]:
    """Bound P(X = k) = p^|k| (1 - p) / (1 + p), with hi - lo <= 2."""
    work = bits + 4  # the quotient's width is at most 8 ulps
    one = 1 << work
    p_lo, p_hi = _ratio_bounds(scale, work)
    power_lo, power_hi = exp_negative_bounds(abs(k) / scale, work)
    lo = power_lo * (one - p_hi) // (one + p_hi)
    hi = _ceil_div(power_hi * (one - p_lo), one + p_lo)
    return lo >> 4, _ceil_div(hi, 1 << 4)


def variance_bounds(scale: Fraction, bits: int) -> tuple[int, int]:
    """Bound the variance 2 p / (1 - p)^2, with hi - lo <= 2."""
    # The derivative in p is at most 4 / (1 - p)^3 <= 4 (scale + 1)^3.
    work = bits + 3 * (int(scale) + 2).bit_length() + 8
    one = 1 << work
    p_lo, p_hi = _ratio_bounds(scale, work)
    lo = (2 * p_lo << (work + bits)) // (one - p_lo) ** 2
    hi = _ceil_div(2 * p_hi << (work + bits), (one - p_hi) ** 2)
    return lo, hi


def _tail_exceeds(scale: Fraction, k: int, u: int, n: int) -> bool:
    """Tell whether T_k >= u / 2^n, with as many bits as that takes."""
    bits = n + 32
    while True:
        lo, hi = tail_bounds(scale, k, bits)
        bound = u << (bits - n)
        if lo >= bound:
            return True
        if hi <= bound:
            return False
        bits *= 2


def _count_above(scale: Fraction, u: int, n: int) -> int:
    """Return #{k >= 1 : T_k >= u / 2^n}, u in [1, 2^n].

    Newton from the left: T_(k+s) >= T_k (1 - s/scale) >= v for s <= scale (1 - v / T_k), so
    no step goes too far (at k = 0 it is only shorter: T_0 is below 2 / (1 + p)). When no whole
    step is left, k + 1 is decided by itself.
    """
    # v < 2^-j, and T_k >= p^k >= 2^-j for k <= scale j ln 2; 0.693 < ln 2.
    j = max(n - u.bit_length(), 0)
    k = int(scale * j * Fraction(693, 1000))
    bits = n + int(scale).bit_length() + 64
    bound = u << (bits - n)
    while True:
        lo, _ = tail_bounds(scale, k, bits)
        step = max(scale.numerator * (lo - bound) // (scale.denominator * lo), 0)
        if step == 0 and _tail_exceeds(scale, k + 1, u, n):
            step = 1
        if step == 0:
            return k
        k += step


def magnitude(scale: Fraction, prefix: int, prefix_bits: int, extension: Extension) -> int:
    """Return |X| = #{k >= 1 : U < T_k}.

    Parameters
    ----------
    scale : Fraction
        Positive.
    prefix, prefix_bits : int
        The first `prefix_bits` bits of U, the most significant first.
    extension : callable
        i -> the i-th 64 bits of U after the prefix; called for i = 0, 1, ... until U is decided.
    """
    u, n, i = prefix, prefix_bits, 0
    while True:
        k = _count_above(scale, u + 1, n)  # U <= (u + 1) / 2^n < T_k
        if not _tail_exceeds(scale, k + 1, u, n):  # < u / 2^n <= U; not at u = 0
            return k
        u, n, i = u << 64 | extension(i), n + 64, i + 1


def value(scale: Fraction, word: int, prefix_bits: int, extension: Extension) -> int:
    """Return X: the word's lowest bit is the sign (1 is negative), the prefix stands above it."""
    prefix = word >> 1 & ((1 << prefix_bits) - 1)
    k = magnitude(scale, prefix, prefix_bits, extension)
    return -k if word & 1 else k


def cell_masses(
    scale: Fraction, u: int, prefix_bits: int, bits: int
) -> dict[int, tuple[Fraction, Fraction]]:
    """Bound the mass of each |X| = k that U in [u, u + 1) / 2^prefix_bits can give.

    Cell 0 holds infinitely many k: its list ends where the rest weighs at most 2^-bits.

    Returns
    -------
    dict
        k -> (lo, hi), each within 2^(2 - bits) of the mass; ascending k.
    """
    left, right = Fraction(u, 1 << prefix_bits), Fraction(u + 1, 1 << prefix_bits)
    masses: dict[int, tuple[Fraction, Fraction]] = {}
    upper_lo = upper_hi = right
    k = _count_above(scale, u + 1, prefix_bits)
    while _tail_exceeds(scale, k + 1, u, prefix_bits):
        lo, hi = tail_bounds(scale, k + 1, bits)
        lower_lo = max(Fraction(lo, 1 << bits), left)
        lower_hi = min(Fraction(hi, 1 << bits), right)
        masses[k] = max(upper_lo - lower_hi, Fraction(0)), upper_hi - lower_lo
        if u == 0 and hi <= 1:
            return masses
        upper_lo, upper_hi = lower_lo, lower_hi
        k += 1
    masses[k] = upper_lo - left, upper_hi - left
    return masses
