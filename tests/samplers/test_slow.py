"""Minutes instead of seconds, so only on demand: pytest -n 0 -m slow -s."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from generator.streams import Seeded, Stream
from numpy.typing import NDArray
from samplers import test_discrete_gaussian as gaussian
from samplers import test_discrete_laplace as laplace
from samplers.test_exact_comparison import every_distribution, random_candidates

pytestmark = pytest.mark.slow

PARTS, PART = 10, 10**7
SCALES = ["1/7", "1", "3", "5.5", "10", "1000", "1025", str(2**20), "1048577", "1099511627776"]
SIGMAS = ["1/3", "1", "4", "10", "14.49", "14.5", "1000", "1048576", "1099511627776"]


def drawn(seeded: Seeded, name: str, parameter: str) -> Iterator[NDArray[np.int64]]:
    part = np.empty(PART, np.int64)
    for key in range(PARTS):
        yield getattr(seeded(100 + key), name)(parameter, out=part)


@pytest.mark.parametrize("scale", SCALES)
def test_laplace_fits_with_a_hundred_million(scale: str, stream: Stream, seeded: Seeded) -> None:
    p = laplace.p_value(drawn(seeded, "discrete_laplace", scale), PARTS * PART, Fraction(scale))
    print(f"discrete Laplace, scale {scale}, {stream}: p = {p:.3g}")
    assert p > laplace.LIMIT


@pytest.mark.parametrize("sigma", SIGMAS)
def test_gaussian_fits_with_a_hundred_million(sigma: str, stream: Stream, seeded: Seeded) -> None:
    p = gaussian.p_value(
        drawn(seeded, "discrete_gaussian", sigma), PARTS * PART, Fraction(sigma) ** 2
    )
    print(f"discrete Gaussian, sigma {sigma}, {stream}: p = {p:.3g}")
    assert p > gaussian.LIMIT


@every_distribution()
def test_exact_comparison_of_a_million_candidates(distribution: str, text: str) -> None:
    for key in range(10):
        given = random_candidates(distribution, text, 10**5, 2000 * key)
        fast, exact = given.map(distribution, text), given.map(distribution, text, resolve_all=True)
        assert np.array_equal(fast.values, exact.values)
