"""Bytes of keystream that n values cannot do without: the words of docs/samplers.md."""

import math

ACCEPTED = 0.953  # at most, of the candidates of a large sigma: docs/samplers/discrete_gaussian.md


def of_laplace(scale: float, n: int) -> int:
    """Words of a discrete Laplace distribution."""
    if scale <= 5.5:
        return 2 * n + n // 8  # 16 bits of U; a sign
    if scale <= 2**10:
        return 4 * n
    if scale <= 2**20:
        return 8 * n
    return (12 if scale <= 2**40 else 16) * n


def of_gaussian(sigma: float, n: int) -> int:
    """Words of a discrete Gaussian distribution, the rejected candidates with them."""
    if sigma < 14.5:
        return 2 * n + n // 8
    remainder = math.floor(math.log2(sigma / 4))  # its bits; sigma / 2^remainder is in [4, 8)
    first = next(width for width in (16, 32, 64) if remainder + 1 <= width)  # with the sign
    return int((first // 8 + 4) * n / ACCEPTED)


def of_bernoulli(n: int) -> int:
    """Words of booleans."""
    return 2 * n


def of_reports(categories: int, n: int) -> int:
    """Words of randomized response."""
    return n * (2 if categories <= 64 else 4 if categories <= 2**16 else 8)


def of_scores(n: int) -> int:
    """Words of a selection among n scores, or of n rows of one."""
    return 4 * n
