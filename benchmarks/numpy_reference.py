"""What a user would write by hand with numpy: fast or slow, and not private."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def discrete_laplace(scale: float, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Differences of two geometric variables: inexact, and from a generator that is no cipher."""
    p = -np.expm1(-1 / scale)
    return rng.geometric(p, n) - rng.geometric(p, n)


def laplace(scale: float, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Laplace noise in doubles, the fastest that numpy has; its floats leak (Mironov 2012)."""
    return rng.laplace(0, scale, n)


def normal(sigma: float, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Normal noise in doubles."""
    return rng.normal(0, sigma, n)


def randomized_response(
    codes: NDArray[np.integer], k: int, epsilon: float, rng: np.random.Generator
) -> NDArray[np.integer]:
    """The truth, or any category: the chance is rounded, and the generator is no cipher."""
    q = k / (np.exp(epsilon) - 1 + k)
    others = rng.integers(0, k, len(codes), dtype=codes.dtype)
    return np.where(rng.random(len(codes)) < q, others, codes)


def histogram_counts(
    x: NDArray[np.float64] | NDArray[np.int64],
    bins: int | NDArray[np.float64],
    range: tuple[float, float] | None = None,
) -> NDArray[np.int64]:
    """Count in bins."""
    return np.histogram(x, bins, range)[0]


def private_histogram(
    x: NDArray[np.float64], bins: int, range: tuple[float, float], epsilon: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:  # fmt: skip
    """A histogram with noise as it is often written: not private, for the reasons above."""
    return histogram_counts(x, bins, range) + discrete_laplace(1 / epsilon, bins, rng)


def noisy_argmax(scores: NDArray[np.float64], noise: Callable[..., Any]) -> Any:
    """Report the noisy maximum of each row; the noise is in doubles."""
    return np.argmax(scores + noise(size=scores.shape), axis=-1)


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
