"""A single number has a path of its own, and the same noise as an array of it."""

import math
from typing import Any

import numpy as np
import pytest

from cydp import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from cydp.mechanisms import PartitionSelection, RandomizedResponse, Snapping
from cydp.testing import SeededGenerator

REALS: list[float] = [
    0, 5, -5, 2**53, -(2**53), 2**53 + 1, 2**62 + 1, -(2**70), 10**400, -(10**400),
    np.float64(5.5), np.int64(2**53 + 1), np.int64(-7), 5.5, -0.0,
    0.1, 1e17, -1e300, 1e-320, math.inf, -math.inf, math.nan,
]  # fmt: skip
MECHANISMS: list[tuple[Any, list[Any]]] = [
    (Laplace(epsilon=1, sensitivity=1), REALS),
    (Laplace(epsilon="1e-9", sensitivity=1, step=2**13), REALS),
    (Gaussian(rho=0.5, sensitivity=3), REALS),
    (Gaussian(rho="1e-30", sensitivity=1, step=2.0**-3), REALS),
    (Snapping(epsilon=1, sensitivity="0.3", bounds=(-1000, 10)), REALS),
    (Snapping(epsilon="1e-8", sensitivity=2**20, bounds=(0, 2**66)), REALS),
    (DiscreteLaplace(epsilon="1e-12", sensitivity=1), [0, 7, -(2**63), 2**70, np.int64(2**63 - 1)]),
    (DiscreteGaussian(rho=1, sensitivity=1), [0, 7, -(2**63), 2**70, np.int64(2**63 - 1)]),
    (RandomizedResponse(epsilon=1), [0, 1, -1, 2, 2**70, False, True]),
    (RandomizedResponse(epsilon=2, n_categories=2**31), [0, 2**31 - 1, 2**31, -(2**63) - 1]),
    (PartitionSelection(epsilon=1, delta=0.2, max_partitions=1), [-(2**70), -1, 0, 1, 2, 3, 2**70]),
]


@pytest.mark.parametrize(("mechanism", "numbers"), MECHANISMS)
def test_it_is_released_as_in_an_array(mechanism: Any, numbers: list[Any]) -> None:
    for i, number in enumerate(numbers):
        for seed in range(40 * i, 40 * (i + 1)):
            one, many = SeededGenerator(seed), SeededGenerator(seed)
            alone, (listed,) = (
                mechanism.release(number, rng=one),
                mechanism.release([number], rng=many).tolist(),
            )
            assert alone == listed
            assert type(alone) is type(listed)
            # Later noise is the same, too: for both, as many bits were read.
            assert one.bytes(8) == many.bytes(8)
