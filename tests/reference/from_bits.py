"""From the bits of one candidate to its value, exactly: what each sampler must give.

A candidate has a word of each plane, a sign bit where the words hold none, and two extensions:
the bits behind decision 1 and decision 2. None says that it is rejected.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from reference import discrete_gaussian, discrete_laplace
from reference.discrete_laplace import Extension

Bounds = Callable[[int], tuple[int, int]]  # bits -> (lo, hi)

LARGEST = 2**63 - 1  # where |value| stops


class Uniform:
    """A uniform number U in (0, 1): u / 2^n <= U <= (u + 1) / 2^n, and n grows as needed."""

    def __init__(self, prefix: int, prefix_bits: int, extension: Extension) -> None:
        self.u, self.n, self.words, self.extension = prefix, prefix_bits, 0, extension

    def extend(self) -> None:
        self.u = self.u << 64 | self.extension(self.words)
        self.n += 64
        self.words += 1

    def below(self, bounds: Bounds) -> bool:
        """Tell whether U < y, for y irrational, or 0 or 1."""
        while True:
            lo, hi = bounds(self.n + 32)
            if (self.u + 1) << 32 <= lo:
                return True
            if self.u << 32 >= hi:
                return False
            self.extend()

    def below_rational(self, p: Fraction) -> bool:
        """Tell whether U < p; not if U's bits equal p's where these end."""
        while True:
            if Fraction(self.u + 1, 1 << self.n) <= p:
                return True
            if Fraction(self.u, 1 << self.n) >= p:
                return False
            self.extend()

    def count(self, tail: Callable[[int, int], tuple[int, int]], start: int = 0) -> int:
        """Return #{k >= 1 : U < y_k}, y_k falling, bounded by tail(k, bits).

        By bisection, after steps of 1, 2, 4, ... from `start`.
        """

        def reaches(k: int) -> bool:
            return k <= 0 or self.below(lambda bits: tail(k, bits))

        low, high, step = start, start, 1
        while not reaches(low):
            low, high, step = low - step, low, 2 * step
        while low == high:
            if not reaches(low + step):
                high = low + step
            else:
                low, high, step = low + step, low + step, 2 * step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if reaches(middle) else (low, middle)
        return max(low, 0)


def _signed(negative: bool | int, magnitude: int) -> int:
    return (-1 if negative else 1) * min(magnitude, LARGEST)


def laplace_split_bits(scale: Fraction) -> int:
    """Return m, the least m >= 0 with scale / 2^m <= 2^20."""
    m = 0
    while scale > 2**20 << m:
        m += 1
    return m


def laplace_split_v(m: int) -> tuple[int, int]:
    """Return where V's first bits begin in the word that they share with R, and their number."""
    return (20, 12) if m <= 20 else (45, 19)


def laplace(
    scale: Fraction,
    words: Sequence[int],
    sign: bool,
    extension1: Extension,
    extension2: Extension,
    prefix_bits: int = 0,
) -> int | None:
    """Return the discrete Laplace value, by the method of the scale.

    Parameters
    ----------
    words : sequence of int
        The candidate's word of each plane.
    prefix_bits : int
        If not 0, a word holds a sign and this many bits of U.
    """
    if prefix_bits == 0 and scale > 2**20:
        return _laplace_split(scale, words, extension1, extension2)
    (word,) = words
    if prefix_bits == 0 and scale <= Fraction(11, 2):
        return _signed(sign, discrete_laplace.magnitude(scale, word, 16, extension1))
    prefix_bits = prefix_bits or (31 if scale <= 2**10 else 63)
    value = discrete_laplace.value(scale, word, prefix_bits, extension1)
    return _signed(value < 0, abs(value))


def _laplace_split(
    scale: Fraction, words: Sequence[int], extension1: Extension, extension2: Extension
) -> int | None:
    m = laplace_split_bits(scale)
    high = scale / 2**m

    def quotient_tail(k: int, bits: int) -> tuple[int, int]:
        return discrete_laplace.exp_negative_bounds(k / high, bits)

    u = words[0] >> 1
    near = int(float(high) * (63 * math.log(2) - math.log(u + 1)))
    quotient = Uniform(u, 63, extension1).count(quotient_tail, near)
    rest = words[1] & ((1 << m) - 1)
    place, v_bits = laplace_split_v(m)
    v = Uniform(words[1] >> place, v_bits, extension2)
    if not v.below(lambda bits: discrete_laplace.exp_negative_bounds(rest / scale, bits)):
        return None
    negative, magnitude = words[0] & 1, (quotient << m) + rest
    return None if negative and magnitude == 0 else _signed(negative, magnitude)


def gaussian(
    sigma2: Fraction,
    words: Sequence[int],
    sign: bool,
    extension1: Extension,
    extension2: Extension,
) -> int | None:
    """Return the discrete Gaussian value, by the method of sigma2; words as in `laplace`."""
    if sigma2 < discrete_gaussian.LEAST_SPLIT:
        u = Uniform(words[0], 16, extension1)
        return _signed(sign, u.count(lambda k, b: discrete_gaussian.tail_bounds(sigma2, k, b)))
    m = discrete_gaussian.split_bits(sigma2)
    negative, r = words[0] & 1, words[0] >> 1 & ((1 << m) - 1)
    base = sigma2 / 4**m
    x = Uniform(words[1], 16, extension1).count(
        lambda k, b: discrete_gaussian.tail_bounds(base, k, b, one_sided=True)
    )
    v = Uniform(words[2], 16, extension2)
    if r and not v.below(lambda b: discrete_gaussian.acceptance_bounds(sigma2, x, r, b)):
        return None
    magnitude = (x << m) + r
    return None if negative and magnitude == 0 else _signed(negative, magnitude)


def bernoulli(p: Fraction, words: Sequence[int], extension1: Extension) -> bool:
    """Return the coin U < p; 0 and 1 need no words."""
    if p in (0, 1):
        return p == 1
    return Uniform(words[0], 16, extension1).below_rational(p)


def category_offset(w: Fraction, k: int, words: Sequence[int], extension1: Extension) -> int:
    """Return the category offset among k: k - 1 - floor(U / w), or 0 if that is negative."""
    if k <= 64:
        u = Uniform(words[0], 16, extension1)
    elif k <= 2**16:
        u = Uniform(words[0], 32, extension1)
    else:
        u = Uniform(words[0] >> 1, 63, extension1)
    return sum(u.below_rational(j * w) for j in range(1, k))
