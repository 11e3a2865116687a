"""Discrete Gaussian: P(X = k) = rho(k) / sum over all integers of rho, rho(j) = exp(-j^2 / (2 s2)).

s2 (sigma2) is sigma squared, a Fraction. S_k = sum_{j >= k} rho(j); the folded tails are
T_k = P(|X| >= k) = 2 S_k / (2 S_0 - 1), the one-sided ones B_k = S_k / S_0.
A pair (lo, hi) of integers bounds a real y by lo / 2^bits <= y <= hi / 2^bits.
"""

import math
from fractions import Fraction
from functools import lru_cache

from reference.discrete_laplace import exp_negative_bounds

Bounds = tuple[int, int]

TERMS = 3000  # sums are taken term by term up to this many


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def _narrow(bounds: Bounds, bits: int) -> Bounds:
    """Drop the last bits, rounding outwards."""
    return bounds[0] >> bits, _ceil_div(bounds[1], 1 << bits)


def rho_bounds(sigma2: Fraction, j: int, bits: int) -> Bounds:
    """Bound rho(j), with hi - lo <= 2."""
    return exp_negative_bounds(j * j / (2 * sigma2), bits)


# --- Sums term by term --------------------------------------------------------------------------


def _terms(sigma2: Fraction, bits: int) -> int:
    """Return the least J >= 1 with J^2 >= 2 s2 bits: then rho(J) <= exp(-bits)."""
    square = 2 * sigma2 * bits
    return math.isqrt(_ceil_div(square.numerator, square.denominator) - 1) + 1


@lru_cache(maxsize=64)
def _plain_sums(sigma2: Fraction, bits: int) -> list[Bounds]:
    """Bound S_0, S_1, ..., S_J for J of `_terms`, with hi - lo <= 2 J + 4.

    The rest S_J <= rho(J) + (integral of rho from J on) <= rho(J) (1 + s2 / J).
    """
    last = _terms(sigma2, bits)
    _, edge = rho_bounds(sigma2, last, bits + 2 * last.bit_length() + 8)
    rest = math.ceil(edge * (1 + sigma2 / last))
    lo, hi = 0, _ceil_div(rest, 1 << (2 * last.bit_length() + 8))
    sums = [(lo, hi)]
    for j in range(last - 1, -1, -1):
        term_lo, term_hi = rho_bounds(sigma2, j, bits)
        lo, hi = lo + term_lo, hi + term_hi
        sums.append((lo, hi))
    return sums[::-1]


# --- Sums by integrals, for a large sigma -------------------------------------------------------


@lru_cache(maxsize=16)
def pi_bounds(bits: int) -> Bounds:
    """Bound pi = 16 arctan(1/5) - 4 arctan(1/239), with hi - lo <= 2."""
    work = bits + bits.bit_length() + 12
    lo = hi = 0
    for factor, x in ((16, 5), (-4, 239)):
        power, total, j = (1 << work) // x, 0, 0  # short of x^-(2 j + 1) by < 2 ulps
        while power:
            total += (-1) ** j * (power // (2 * j + 1))  # off by < 3 ulps
            power //= x * x
            j += 1
        error = abs(factor) * (3 * j + 4)
        lo, hi = lo + factor * total - error, hi + factor * total + error
    return _narrow((lo, hi), work - bits)


def _total_bounds(sigma2: Fraction, bits: int) -> Bounds:
    """Bound 2 S_0 - 1, the sum over all integers, for 27 s2 >= bits + 2 log2(s2) + 8.

    Poisson: it is sqrt(2 pi s2) (1 + 2 sum_{n >= 1} exp(-2 pi^2 s2 n^2)); 2 pi^2 > 19, and
    exp(-19) < 2^-27, so what follows the 1 weighs at most 3 2^(-27 s2).
    """
    extra = int(sigma2).bit_length() + 8
    lo, hi = pi_bounds(2 * bits + extra)
    lo = 2 * lo * sigma2.numerator // sigma2.denominator >> extra
    hi = _ceil_div(2 * hi * sigma2.numerator, sigma2.denominator << extra)
    return math.isqrt(lo), math.isqrt(hi) + 2


def _integral_bounds(sigma2: Fraction, k: int, bits: int) -> Bounds:
    """Bound the integral of rho from 0 to k: k rho(k) sum_n (k^2 / s2)^n / (2 n + 1)!!."""
    square = k * k / sigma2
    # The sum is at most exp(k^2 / (2 s2)) < 2^(0.73 k^2 / s2).
    work = bits + k.bit_length() + math.ceil(square * Fraction(73, 100)) + 16
    a, b = square.numerator, square.denominator
    lo = hi = term_lo = term_hi = 1 << work
    n = 0
    while term_hi > 1 or 2 * square > 2 * n + 3:
        n += 1
        term_lo = term_lo * a // (b * (2 * n + 1))
        term_hi = _ceil_div(term_hi * a, b * (2 * n + 1))
        lo, hi = lo + term_lo, hi + term_hi
    hi += term_hi  # each later term is at most half the one before
    rho_lo, rho_hi = rho_bounds(sigma2, k, work)
    return _narrow((k * lo * rho_lo, k * hi * rho_hi), 2 * work - bits)


def _bernoulli_numbers(count: int) -> list[Fraction]:
    """Return B_2, B_4, ..., B_(2 count)."""
    numbers = [Fraction(1), Fraction(-1, 2)]
    for m in range(2, 2 * count + 1):
        total = sum((math.comb(m + 1, j) * numbers[j] for j in range(m)), Fraction(0))
        numbers.append(-total / (m + 1))
    return numbers[2::2]


def _order(sigma2: Fraction, bits: int) -> int:
    """Return n such that Euler and Maclaurin's remainder after B_(2n) is at most 2^-bits.

    The remainder is at most 4 (2 pi)^-2n times the integral of |rho^(2n)|. That derivative is
    s^-2n He_2n(x / s) rho(x), and by Cauchy and Schwarz its integral is at most
    s^(1 - 2n) sqrt(2 pi (2n)!). Squared, with 2 pi > 157/25:
    101 (2n)! s2 / ((157/25)^2 s2)^2n, at most what floor(s2) gives.
    """
    s2 = int(sigma2)
    n, factorial = 1, 2
    while 101 * factorial * s2 * 625 ** (2 * n) << 2 * bits > (24649 * s2) ** (2 * n):
        n += 1
        factorial *= 2 * n * (2 * n - 1)
        if n > 20 * s2:
            raise ValueError(f"sigma2 = {sigma2} is too small for {bits} bits without summing")
    return n


def _head_bounds(sigma2: Fraction, k: int, bits: int) -> Bounds:
    """Bound S_0 - S_k = rho(0) + ... + rho(k - 1), by Euler and Maclaurin's formula.

    It is the integral of rho from 0 to k, plus (1 - rho(k)) / 2, plus the sum over i <= n of
    B_2i / (2 i)! rho^(2i - 1)(k); at 0 the odd derivatives are 0.
    """
    order = _order(sigma2, bits)
    before, now = Fraction(1), -k / sigma2  # rho^(i) / rho at k, for i = 0 and 1
    factor, i = Fraction(-1, 2), 1
    for bernoulli in _bernoulli_numbers(order):
        factor += bernoulli / math.factorial(i + 1) * now
        for _ in range(2):
            before, now = now, -(k * now + i * before) / sigma2
            i += 1
    lo, hi = _integral_bounds(sigma2, k, bits)
    work = bits + max(int(abs(factor)).bit_length(), 1) + 4
    rho = rho_bounds(sigma2, k, work)
    products = [y * factor.numerator // factor.denominator >> (work - bits) for y in rho]
    half = 1 << (bits - 1)
    return lo + half + min(products) - 1, hi + half + max(products) + 2


# --- The distribution ---------------------------------------------------------------------------


def _step(bits: int) -> int:
    """Return the least 64 2^j >= bits + 24: sums of few precisions serve all."""
    return 64 << max((bits + 24 - 1) // 64, 0).bit_length()


def _plain(sigma2: Fraction, bits: int) -> bool:
    """Tell whether to add the terms: they are few, or the integrals cannot be that precise."""
    return _terms(sigma2, bits) <= TERMS or 26 * sigma2 < bits + 64


def sum_bounds(sigma2: Fraction, k: int, bits: int) -> Bounds:
    """Bound S_k, k >= 0, with hi - lo <= 2."""
    work = _step(bits)
    if _plain(sigma2, work):
        sums = _plain_sums(sigma2, work)
        lo, hi = sums[min(k, len(sums) - 1)]
        return _narrow((lo if k < len(sums) else 0, hi), work - bits)
    work = bits + 8
    total_lo, total_hi = _total_bounds(sigma2, work)
    one = 1 << work
    lo, hi = (total_lo + one) // 2, _ceil_div(total_hi + one, 2)  # S_0
    if k * k >= 2 * sigma2 * (work + 2 * int(sigma2).bit_length()):
        # S_k <= rho(k) (1 + s2 / k), and rho(k) <= exp(-work) / s2^2
        return 0, 1
    if k > 0:
        head_lo, head_hi = _head_bounds(sigma2, k, work)
        lo, hi = lo - head_hi, hi - head_lo
    return _narrow((max(lo, 0), hi), 8)


def tail_bounds(sigma2: Fraction, k: int, bits: int, one_sided: bool = False) -> Bounds:
    """Bound T_k = P(|X| >= k), or B_k = S_k / S_0, k >= 0; hi - lo <= 2, and 1 exactly at 0."""
    if k == 0:
        return 1 << bits, 1 << bits
    work = bits + 4
    all_lo, all_hi = sum_bounds(sigma2, 0, work)
    lo, hi = sum_bounds(sigma2, k, work)
    if not one_sided:  # 2 S / (2 S_0 - 1)
        lo, hi = 2 * lo, 2 * hi
        all_lo, all_hi = 2 * all_lo - (1 << work), 2 * all_hi - (1 << work)
    quotient = (lo << work) // all_hi, _ceil_div(hi << work, all_lo)
    lo, hi = _narrow(quotient, 4)
    return lo, min(hi, 1 << bits)


def probability_bounds(sigma2: Fraction, k: int, bits: int) -> Bounds:
    """Bound P(X = k), with hi - lo <= 2."""
    work = bits + 4
    all_lo, all_hi = sum_bounds(sigma2, 0, work)
    lo, hi = rho_bounds(sigma2, k, work)
    one = 1 << work
    return _narrow(((lo << work) // (2 * all_hi - one), _ceil_div(hi << work, 2 * all_lo - one)), 4)


def variance_bounds(sigma2: Fraction, bits: int) -> Bounds:
    """Bound the variance, with hi - lo <= 2.

    By Poisson's formula it is s2 less 8 pi^2 s2^2 E / (1 + 2 F), E = sum n^2 exp(-2 pi^2 s2 n^2)
    and F = sum exp(-2 pi^2 s2 n^2); that is at most 81 s2^2 2^(-27 s2) for s2 >= 1.
    """
    if sigma2 >= 1 and 27 * int(sigma2) >= bits + 2 * int(sigma2).bit_length() + 9:
        bound = (sigma2.numerator << bits) // sigma2.denominator
        return bound - 1, bound + 1
    # The rest of sum j^2 rho(j) from J on, past the maximum at sqrt(2) sigma, is at most
    # J^2 rho(J) + integral <= rho(J) (J^2 + J s2 + s2^2 / J).
    work = bits + 32 + 4 * _terms(sigma2, bits + 32).bit_length()
    last = _terms(sigma2, work)
    lo = hi = 0
    for j in range(1, last):
        term_lo, term_hi = rho_bounds(sigma2, j, work)
        lo, hi = lo + j * j * term_lo, hi + j * j * term_hi
    _, edge = rho_bounds(sigma2, last, work)
    hi += math.ceil(edge * (last**2 + last * sigma2 + sigma2**2 / last))
    one = 1 << work
    all_lo, all_hi = (2 * bound - one for bound in sum_bounds(sigma2, 0, work))
    return (2 * lo << bits) // all_hi, _ceil_div(2 * hi << bits, all_lo)


# --- The split: sigma >= 14.5 -------------------------------------------------------------------

LEAST_SPLIT = Fraction(841, 4)  # sigma2


def split_bits(sigma2: Fraction) -> int:
    """Return m: 0 for sigma < 14.5, else the least m with sigma / 2^m < 8."""
    m = 0
    while sigma2 >= LEAST_SPLIT and sigma2 >= 64 * 4**m:
        m += 1
    return m


def acceptance_exponent(sigma2: Fraction, x: int, r: int) -> Fraction:
    """Return g = R (R + 2 M x) / (2 s2), M = 2^m."""
    return r * (r + (2 * x << split_bits(sigma2))) / (2 * sigma2)


def acceptance_bounds(sigma2: Fraction, x: int, r: int, bits: int) -> Bounds:
    """Bound exp(-g), the chance that a candidate of base x and low bits r is accepted."""
    return exp_negative_bounds(acceptance_exponent(sigma2, x, r), bits)


def candidate_bounds(sigma2: Fraction, v: int, bits: int) -> Bounds:
    """Bound the chance that one candidate of the split is accepted and has the value v.

    |v| = M x + R: the chances of the sign, 1/2, of R, 1/M, of x, B_x - B_(x+1), and of
    acceptance. Zero has the one sign.
    """
    m = split_bits(sigma2)
    x, r = divmod(abs(v), 1 << m)
    work = bits + 8
    above_lo, above_hi = tail_bounds(sigma2 / 4**m, x, work, one_sided=True)
    below_lo, below_hi = tail_bounds(sigma2 / 4**m, x + 1, work, one_sided=True)
    lo, hi = acceptance_bounds(sigma2, x, r, work)
    lo, hi = max(above_lo - below_hi, 0) * lo, (above_hi - below_lo) * hi
    return _narrow((lo, hi), 2 * work - bits + m + 1)


def acceptance_rate_bounds(sigma2: Fraction, bits: int) -> Bounds:
    """Bound the chance that a candidate of the split is accepted.

    P(candidate gives v) = rho(v) / (2 M S), S = S_0 of the base: in all (2 S_0 - 1) / (2 M S).
    """
    m = split_bits(sigma2)
    work = bits + 8
    lo, hi = (2 * bound - (1 << work) for bound in sum_bounds(sigma2, 0, work))
    base_lo, base_hi = sum_bounds(sigma2 / 4**m, 0, work)
    lo, hi = (lo << work) // (base_hi << (m + 1)), _ceil_div(hi << work, base_lo << (m + 1))
    return _narrow((lo, hi), 8)
