"""What the moments of noise must be, to check an answer by: within eight standard errors."""

from typing import Any

import numpy as np
from harness.sizes import tolerance
from numpy.typing import NDArray

import cydp

ERRORS = 8  # standard errors: a correct answer fails once in 10^15
FEW = 20  # values, where a tail is so rare that no standard error holds


def check_laplace(drawn: Any, scale: float) -> None:
    """Hold integers to a discrete Laplace distribution."""
    check_discrete(drawn, cydp.DiscreteLaplace(epsilon=1 / scale, sensitivity=1), scale, 24)


def check_gaussian(drawn: Any, sigma: float) -> None:
    """Hold integers to a discrete Gaussian distribution."""
    check_discrete(drawn, cydp.DiscreteGaussian(sigma=sigma, sensitivity=1), sigma, 3)


def check_discrete(drawn: Any, law: Any, scale: float, fourth: float) -> None:
    """Hold draws to their share of 0, and to mean and variance."""
    values = np.asarray(drawn)
    assert values.dtype.kind == "i"
    chance = float(law.pmf(0))
    off = ERRORS * (chance * (1 - chance) / len(values)) ** 0.5 + FEW / len(values)
    assert abs((values == 0).mean() - chance) < off
    # Below a scale of 1 the values are -1, 0 and 1 almost always, and x^4 is x^2.
    most = fourth * scale**4 + law.variance
    check_variance(values, law.variance, most)


def check_variance(drawn: NDArray[Any], variance: float, fourth: float) -> None:
    """Hold draws with mean 0 to a variance, for a fourth moment that is at most this."""
    values, rare = drawn.astype(float), FEW / len(drawn)
    assert abs(values.mean()) < variance**0.5 * tolerance(len(values), ERRORS) + rare
    off = fourth**0.5 * tolerance(len(values), ERRORS) + rare
    assert abs(np.square(values).mean() - variance) < off
