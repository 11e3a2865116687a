"""What a user would write by hand with numpy: fast or slow, and not private.

Each docstring says in a word why. "Floats" means that the noise is rounded in doubles, whose low
bits tell which values were possible (Mironov 2012); "PCG64" that numpy's generator is no cipher.
`rng` may draw from secure bits (`secure_bits`), which mends the latter alone.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cydp

BLOCK = 2**16  # proposals that fit into the cache


def secure_bits() -> np.random.Generator:
    """Return numpy's generator on the bits of a cipher, which are those of cydp."""
    return np.random.Generator(cydp.Generator())


# Noise.


def laplace(scale: float, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise by numpy's usual call, by a logarithm. Not private: floats, PCG64."""
    return rng.laplace(0, scale, n)


def laplace_of_exponentials(scale: float, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise as a difference of exponentials. Not private: floats, PCG64.

    The fastest that numpy has: exponential variables come from a ziggurat, where `laplace` takes a
    logarithm; blocks stay in the cache.
    """
    drawn, other = np.empty(n), np.empty(min(n, BLOCK // 2))
    for start in range(0, n, len(other)):
        block = drawn[start : start + len(other)]
        rng.standard_exponential(out=block)
        block -= rng.standard_exponential(out=other[: len(block)])
        block *= scale
    return drawn


def discrete_laplace(scale: float, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Differences of two geometric variables. Not private: inexact in the tail, PCG64."""
    p = -np.expm1(-1 / scale)
    return rng.geometric(p, n) - rng.geometric(p, n)


def normal(sigma: float, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Normal noise. Not private: floats, PCG64."""
    return rng.normal(0, sigma, n)


def rounded_normal(sigma: float, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Normal noise, rounded to integers. Not private: a short tail, PCG64."""
    return np.rint(rng.normal(0, sigma, n)).astype(np.int64)


def discrete_gaussian(sigma: float, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Discrete Gaussian noise by rejection. Not private: chances are rounded, PCG64.

    The method of jax_privacy's `sample_discrete_gaussian` (after Canonne, Kamath, Steinke 2020),
    written anew here after jax_privacy's description: discrete Laplace proposals of scale t, a
    difference of two geometric variables, are accepted with probability
    exp(-(|x| - sigma^2/t)^2 / (2 sigma^2)), in doubles. It is tuned: t = sigma, where 76 % are
    accepted, and blocks that fit into the cache take 38 ns a value where t = 1.3 sigma and one
    batch of 5/3 n proposals take 52.
    """
    p, chance = -np.expm1(-1 / sigma), 0.76
    drawn, found = np.empty(n, np.int64), 0
    while found < n:
        tried = min(BLOCK, int((n - found) / chance + 4 * (n - found) ** 0.5) + 8)
        x = rng.geometric(p, tried)
        x -= rng.geometric(p, tried)
        exponent = (np.abs(x) - sigma) / sigma
        exponent *= exponent
        exponent *= -0.5
        accepted = x[rng.random(tried) < np.exp(exponent, out=exponent)][: n - found]
        drawn[found : found + len(accepted)] = accepted
        found += len(accepted)
    return drawn


def bernoulli(p: float, n: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """True with a chance. Not private: the chance is rounded, PCG64."""
    return rng.random(n) < p


def randomized_response(
    codes: NDArray[Any], k: int, epsilon: float, rng: np.random.Generator
) -> NDArray[Any]:
    """The truth, or any category. Not private: the chance is rounded, PCG64."""
    q = k / (np.exp(epsilon) - 1 + k)
    others = rng.integers(0, k, len(codes), dtype=codes.dtype)
    return np.where(rng.random(len(codes)) < q, others, codes)


def flipped(codes: NDArray[Any], epsilon: float, rng: np.random.Generator) -> NDArray[Any]:
    """Flip codes of two categories, by 32 bits each. Not private: the chance is rounded, PCG64."""
    q = 1 / (1 + float(np.exp(epsilon)))
    reports, uniform = np.empty_like(codes), np.empty(BLOCK, np.float32)
    for start in range(0, len(codes), BLOCK):
        block = codes[start : start + BLOCK]
        flips = rng.random(out=uniform[: len(block)], dtype=np.float32) < q
        np.bitwise_xor(block, flips, out=reports[start : start + BLOCK])
    return reports


def noisy_argmax(scores: NDArray[Any], noise: Callable[..., Any]) -> Any:
    """Report the noisy maximum of each row. Not private: floats, PCG64.

    With Gumbel noise this is the exponential mechanism, with exponential noise permute-and-flip.
    """
    return np.argmax(scores + noise(size=scores.shape), axis=-1)


def kept(
    counts: NDArray[np.int64], chances: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Keep partitions by a table of chances. Not private: chances are rounded, PCG64."""
    return rng.random(len(counts)) < chances[np.minimum(counts, len(chances) - 1)]


# Exact answers, as far as doubles go: not private, for they have no noise.


def histogram_counts(
    x: NDArray[Any], bins: int | NDArray[Any], range: tuple[float, float] | None = None
) -> NDArray[np.int64]:
    """Count in equal bins, or between given edges. Not private: no noise."""
    return np.histogram(x, bins, range)[0]


def histogram2d_counts(
    x: NDArray[Any], y: NDArray[Any], bins: int, range: Any
) -> NDArray[np.float64]:
    """Count in cells. Not private: no noise."""
    return np.histogramdd([x, y], bins, range)[0]


def counts(codes: NDArray[Any], k: int = 0) -> NDArray[np.int64]:
    """Count codes from 0 on. Not private: no noise."""
    return np.bincount(codes, minlength=k)


def clamped_sum(x: NDArray[Any], lower: float, upper: float) -> Any:
    """The sum of clamped values. Not private: no noise, and a sum that depends on the order."""
    return np.clip(x, lower, upper).sum()


def grouped_sums(codes: NDArray[Any], x: NDArray[Any], k: int) -> NDArray[np.float64]:
    """The sum of each group. Not private: no noise, nothing is clamped, sums in doubles."""
    return np.bincount(codes, x, k)


def bounded_contributions(
    users: NDArray[Any], groups: NDArray[Any], most: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """One row of each pair, and `most` pairs of each user, by sorting. Not private: PCG64."""
    secret = rng.integers(0, 2**63, 2)
    # No real hash, but a fast one.
    priority = (users * secret[0] + groups * secret[1]) * np.int64(-7046029254386353131)
    order = np.lexsort((rng.random(len(users)), groups, priority, users))
    u, g = users[order], groups[order]
    return first_pairs(order, u, (u[1:] != u[:-1]) | (g[1:] != g[:-1]), most)


def bounded_by_packed_keys(
    users: NDArray[Any], groups: NDArray[Any], most: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """One row of each pair, and `most` pairs of each user, by one key. Not private: PCG64.

    The high bits of the key are the user, the low ones a hash of the pair, so that one sort of 64
    bits does. Of a pair's rows the sort chooses one, not at random; two groups of one user are
    taken for one where their hashes are equal: for 10^6 users of 10 groups, and hashes of 44 bits,
    that happens once in 400,000 calls.
    """
    high = int(users.max()).bit_length()
    secret = rng.integers(0, 2**63, 2)
    keys = (users * secret[0] + groups * secret[1]) * np.int64(-7046029254386353131)
    keys = keys.view(np.uint64) >> np.uint64(high)
    keys |= users.astype(np.uint64) << np.uint64(64 - high)
    order = np.argsort(keys)
    keys = keys[order]
    return first_pairs(order, keys >> np.uint64(64 - high), keys[1:] != keys[:-1], most)


def first_pairs(
    order: NDArray[Any], users: NDArray[Any], new_pair: NDArray[np.bool_], most: int
) -> NDArray[np.bool_]:
    """Keep the first row of each user's first pairs, where rows and users are sorted by an order.

    `new_pair` says of each row but the first whether its pair differs from the one before.
    """
    starts = np.r_[0, np.flatnonzero(new_pair) + 1]
    of = users[starts]
    # A pair is too many where the one `most` places before is of the same user.
    few = np.r_[np.ones(min(most, len(of)), bool), of[most:] != of[:-most]]
    stays = np.zeros(len(order), bool)
    stays[order[starts[few]]] = True
    return stays


# Releases.


def private_histogram(
    x: NDArray[Any], bins: int, range: tuple[float, float], epsilon: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:  # fmt: skip
    """A histogram with noise as it is often written. Not private: the noise is not."""
    return histogram_counts(x, bins, range) + discrete_laplace(1 / epsilon, bins, rng)


def private_counts(
    codes: NDArray[Any], k: int, epsilon: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """A group-by of k known keys that counts rows. Not private: the noise is not."""
    return counts(codes, k) + discrete_laplace(1 / epsilon, k, rng)


def private_sum(
    x: NDArray[Any], lower: float, upper: float, epsilon: float, rng: np.random.Generator
) -> float:
    """A sum of clamped values. Not private: floats, in the sum too."""
    return float(clamped_sum(x, lower, upper) + rng.laplace(0, max(-lower, upper) / epsilon))


def private_mean(
    x: NDArray[Any], lower: float, upper: float, epsilon: float, rng: np.random.Generator
) -> float:
    """A noisy sum of distances from the middle over a noisy count. Not private: floats."""
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    total = np.clip(x - middle, -half, half).sum() + rng.laplace(0, 2 * half / epsilon)
    return float(middle + total / max(len(x) + rng.laplace(0, 2 / epsilon), 1))


def private_quantile(
    x: NDArray[Any], q: float, lower: float, upper: float, epsilon: float,
    rng: np.random.Generator,
) -> float:  # fmt: skip
    """An interval between values by the exponential mechanism (Smith 2011). Not private: floats."""
    ends = np.concatenate([[lower], np.sort(np.clip(x, lower, upper)), [upper]])
    with np.errstate(divide="ignore"):  # an interval may be empty
        weights = np.log(np.diff(ends))
    weights -= epsilon / 2 * np.abs(np.arange(len(x) + 1) - q * len(x))
    chosen = noisy_argmax(weights, rng.gumbel)
    return float(rng.uniform(ends[chosen], ends[chosen + 1]))


# Post-processing, which keeps what was private so.


def total(counts: NDArray[np.int64]) -> float:
    """The total in doubles, as int64 would wrap where counts are huge."""
    return float(counts.sum(dtype=np.float64))


def nonnegative(counts: NDArray[np.int64], total: float) -> NDArray[np.float64]:
    """The closest real numbers >= 0 with a total, by sorting; sums are in doubles."""
    if total == 0:
        return np.zeros(len(counts))
    falling = np.sort(counts)[::-1].astype(np.float64)
    thresholds = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    last = np.nonzero(falling > thresholds)[0][-1]
    return np.maximum(counts - thresholds[last], 0)


def with_total(counts: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """The closest real numbers that sum to n; the sum is in doubles."""
    return counts - (total(counts) - n) / len(counts)
