"""No low bit of a real-valued release tells the values of neighbours apart.

An event is chosen on one half of the samples; on the other half one-sided Clopper-Pearson bounds
at 1e-6 must not contradict P(event | x0) <= exp(epsilon) P(event | x1).
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from numpy.typing import NDArray
from scipy.stats import beta

from cydp import Gaussian, Laplace
from cydp.mechanisms import Snapping

N = 40_000
LEVEL = 1e-6
PAIRS = [(0.0, 1.0), (0.0, 2.0**-20), (1.0, 1 + 2.0**-30), (2.0**20, 2.0**20 + 1), (-1.0, 0.0)]
SCALES = [2.0**i for i in (-30, -10, 0, 10, 30)]

Draw = Callable[[float], NDArray[np.float64]]


def events(released: NDArray[np.float64], scale: float) -> Iterator[NDArray[np.bool_]]:
    """Yield what may tell: how low the lowest bit is, and that together with the size."""
    mantissa, exponent = np.frexp(released)
    whole = (mantissa * 2.0**53).astype(np.int64)
    zeros = np.log2(np.maximum(whole & -whole, 1).astype(float))
    lowest = exponent - 53 + zeros  # of zero, -53
    small = np.abs(released) < scale
    for place in range(-110, 41, 2):
        yield lowest < place
        yield (lowest < place) & small
        yield (lowest < place) & ~small


def caught(draw: Draw, pair: tuple[float, float], scale: float, epsilon: float) -> bool:
    """Whether any direction of the pair contradicts the claim."""
    samples = [draw(x) for x in pair]
    halves = [[list(events(part, scale)) for part in np.split(x, 2)] for x in samples]
    for first, second in ((0, 1), (1, 0)):
        gains = [
            a.mean() - math.exp(min(epsilon, 700)) * b.mean()
            for a, b in zip(halves[first][0], halves[second][0], strict=True)
        ]
        chosen = int(np.argmax(gains))
        n = N // 2
        hits = [int(halves[side][1][chosen].sum()) for side in (first, second)]
        low = beta.ppf(LEVEL, hits[0], n - hits[0] + 1) if hits[0] else 0.0
        high = beta.isf(LEVEL, hits[1] + 1, n - hits[1]) if hits[1] < n else 1.0
        if low > math.exp(min(epsilon, 700)) * high:
            return True
    return False


def laplace(scale: float, norm: float) -> Any:
    return Laplace(epsilon=norm / scale, sensitivity=norm)


def gaussian(scale: float, norm: float) -> Any:
    return Gaussian(sensitivity=norm, sigma=scale)


def snapping(scale: float, norm: float) -> Any:
    bound = 2.0**45 * scale
    return Snapping(epsilon=norm / scale, sensitivity=norm, bounds=(-bound, bound))


FEW = [*zip(PAIRS, (1.0, 1.0, 2.0**-30, 2.0**10, 2.0**30), strict=True)]
ALL = [(pair, scale) for pair in PAIRS for scale in SCALES]


@pytest.mark.parametrize("cases", [FEW, pytest.param(ALL, marks=pytest.mark.long)], ids=["5", "25"])
@pytest.mark.parametrize("make", [laplace, gaussian, snapping])
def test_low_bits_tell_nothing(
    seeded: Seeded, make: Callable[..., Any], cases: list[tuple[tuple[float, float], float]]
) -> None:
    rng = seeded(6)
    for pair, scale in cases:
        norm = max(pair[1] - pair[0], scale * 2.0**-20)
        # Of a Gaussian with sigma = scale, but for 1e-9 of its losses.
        epsilon = norm / scale if make is not gaussian else 7 * norm / scale
        release = make(scale, norm).release
        draw = lambda x, release=release: release(np.full(N, x), rng=rng)  # noqa: E731
        assert not caught(draw, pair, scale, epsilon), (pair, scale)


def wide_noise(scale: float, rng: Any) -> Draw:
    """Noise of 57 bits below the scale, made a double, and then added."""

    def draw(x: float) -> NDArray[np.float64]:
        upper = rng.discrete_laplace(2**40, size=N).astype(object)
        lower = np.frombuffer(rng.bytes(8 * N), np.uint64) >> np.uint64(47)
        noise = np.array([(int(a) << 17) + int(b) for a, b in zip(upper, lower, strict=True)])
        return x + noise.astype(float) * (scale * 2.0**-57)

    return draw  # fmt: skip


def naive(scale: float, rng: Any) -> Draw:
    numpy = np.random.default_rng(5)
    return lambda x: x + numpy.laplace(scale=scale, size=N)


@pytest.mark.parametrize("mutant", [wide_noise, naive])
def test_mutants_are_caught(seeded: Seeded, mutant: Callable[..., Draw]) -> None:
    rng = seeded(7)
    assert caught(mutant(1.0, rng), (0.0, 1.0), 1.0, 1.0)
