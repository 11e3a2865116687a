# SPDX-License-Identifier: MIT
"""Mechanisms: noise that hides one unit, and what it costs."""

from __future__ import annotations

from cydp.mechanisms._frequency_oracle import Estimate
from cydp.mechanisms._gaussian import DiscreteGaussian, Gaussian
from cydp.mechanisms._laplace import DiscreteLaplace, Laplace
from cydp.mechanisms._noisy_max import ExponentialMechanism, PermuteAndFlip
from cydp.mechanisms._partition_selection import PartitionSelection
from cydp.mechanisms._propose_test_release import ProposeTestRelease
from cydp.mechanisms._randomized_response import RandomizedResponse
from cydp.mechanisms._selection import UniformChoice
from cydp.mechanisms._snapping import Snapping
from cydp.mechanisms._sparse_vector import SparseVector, ThresholdTests

__all__ = [
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Estimate",
    "ExponentialMechanism",
    "Gaussian",
    "Laplace",
    "PartitionSelection",
    "PermuteAndFlip",
    "ProposeTestRelease",
    "RandomizedResponse",
    "Snapping",
    "SparseVector",
    "ThresholdTests",
    "UniformChoice",
]


def __dir__() -> list[str]:
    return __all__
