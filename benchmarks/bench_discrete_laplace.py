"""Discrete Laplace noise beside numpy's, of which none is private."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy_reference
import pytest
from numpy.typing import NDArray

import cydp

N = 10**6
OUT = np.zeros(N, np.int64)

Draw = Callable[[float, np.random.Generator], NDArray[Any]]
RIVALS: dict[str, Draw] = {
    "cydp": lambda scale, _: cydp.discrete_laplace(scale, N),
    "cydp, warm out=": lambda scale, _: cydp.discrete_laplace(scale, out=OUT),
    "numpy geometric differences": lambda scale, rng: numpy_reference.discrete_laplace(
        scale, N, rng
    ),
    "numpy laplace": lambda scale, rng: numpy_reference.laplace(scale, N, rng),
    "numpy laplace, rounded": lambda scale, rng: numpy_reference.rounded_laplace(scale, N, rng),
}


def has_the_variance(drawn: NDArray[Any], scale: float) -> bool:
    """Within 1 % or, for continuous noise, its 2 scale^2: 6 standard deviations and more."""
    expected = cydp.DiscreteLaplace(1 / scale).variance
    expected += 0 if drawn.dtype == np.int64 else 2 * scale**2 - expected
    return bool(abs(np.square(drawn, dtype=float).mean() / expected - 1) < 0.02)


@pytest.mark.parametrize("rival", RIVALS)
@pytest.mark.parametrize("scale", [1, 4, 10, 1000, 2**20])
def bench_million(benchmark: Any, scale: int, rival: str) -> None:
    benchmark.group = f"discrete Laplace, 10^6 samples, scale {scale}"
    drawn = benchmark(RIVALS[rival], scale, np.random.default_rng(1))
    assert rival == "numpy laplace, rounded" or has_the_variance(drawn, scale)


@pytest.mark.parametrize("rival", ["cydp", "numpy geometric differences", "numpy laplace"])
def bench_scalar(benchmark: Any, rival: str) -> None:
    benchmark.group = "discrete Laplace, one sample, scale 10"
    rng = np.random.default_rng(1)
    draw: dict[str, Callable[[], float]] = {
        "cydp": lambda: cydp.discrete_laplace(10),
        "numpy geometric differences": lambda: rng.geometric(0.1) - rng.geometric(0.1),
        "numpy laplace": lambda: rng.laplace(0, 10),
    }
    assert abs(benchmark(draw[rival])) < 1000


@pytest.mark.parametrize("rival", ["cydp", "numpy, not private"])
def bench_private_histogram(benchmark: Any, rival: str) -> None:
    benchmark.group = "private histogram, 10^6 bins of 10^7 records"
    x, rng = np.random.default_rng(2).random(10**7), np.random.default_rng(3)
    if rival == "cydp":
        counts = benchmark(lambda: cydp.histogram(x, 10**6, (0, 1), epsilon=1).counts)
    else:
        counts = benchmark(numpy_reference.private_histogram, x, 10**6, (0, 1), 1.0, rng)
    assert abs(counts.sum() - len(x)) < 10**5
