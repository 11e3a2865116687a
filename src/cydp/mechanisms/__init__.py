# SPDX-License-Identifier: MIT
"""Mechanisms: noise that hides one unit, and what it costs."""

from cydp.mechanisms._discrete_laplace import DiscreteLaplace
from cydp.mechanisms._partition_selection import PartitionSelection
from cydp.mechanisms._randomized_response import RandomizedResponse

__all__ = ["DiscreteLaplace", "PartitionSelection", "RandomizedResponse"]
