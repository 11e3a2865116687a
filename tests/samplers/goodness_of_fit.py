"""Chi-square of integers of a symmetric distribution, in cells whose chances are exact."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

Samples = NDArray[np.int64]

LIMIT = 1e-6  # of a test that is right once for one key
REJECTED = LIMIT / 10  # of a mutant

_LEAST = 50  # expected in each cell


def ends_of(step: int, count: int) -> list[int]:
    """Return where cells of |X| begin: 0, 1, 1 + step, 1 + 2 step, ..."""
    return [0, *range(1, 1 + step * count, step)]


def cells(
    ends: Sequence[int], tail: Callable[[int], Fraction], n: int
) -> tuple[list[int], NDArray[np.float64]]:
    """Return the ends that leave no cell rare, and the chances of the signed cells.

    Parameters
    ----------
    ends : sequence of int
        Where cells of |X| begin, ascending from 0.
    tail : callable
        k -> P(|X| >= k).
    n : int
        Number of samples.
    """
    tails = [tail(k) for k in ends]
    masses = [a - b for a, b in zip(tails, [*tails[1:], Fraction(0)], strict=True)]
    chances = np.array([float(mass) for mass in masses])
    keep = int(np.argmax(chances * n / 2 < _LEAST)) or len(chances)
    chances = np.append(chances[: keep - 1], float(tails[keep - 1]))
    return list(ends[:keep]), np.concatenate([chances[:0:-1] / 2, chances[:1], chances[1:] / 2])


def _signed_counts(part: Samples, ends: Sequence[int]) -> NDArray[np.int64]:
    index = np.searchsorted(ends, np.abs(part), side="right") - 1
    signed = np.where(part < 0, -index, index) + len(ends) - 1
    return np.bincount(signed, minlength=2 * len(ends) - 1)


def p_value(
    samples: Iterable[Samples], n: int, ends: Sequence[int], chances: NDArray[np.float64]
) -> float:
    """Return the exact chi-square tail of how n samples, in parts, fall into `cells`."""
    counts = sum((_signed_counts(part, ends) for part in samples), np.zeros(len(chances), np.int64))
    expected = chances * n
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(chances) - 1))
