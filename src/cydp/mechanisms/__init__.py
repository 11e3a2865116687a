# SPDX-License-Identifier: MIT
"""Mechanisms: noise that hides one unit, and what it costs."""

from cydp.mechanisms._discrete_laplace import DiscreteLaplace
from cydp.mechanisms._selection import ExponentialMechanism, PermuteAndFlip

__all__ = ["DiscreteLaplace", "ExponentialMechanism", "PermuteAndFlip"]
