# SPDX-License-Identifier: MIT
"""What `DiscreteGaussian` and `Gaussian` have in common."""

from __future__ import annotations

from fractions import Fraction

from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.mechanisms._gaussian_parameters import GaussianParameters

__all__ = ["GaussianMechanism"]


class GaussianMechanism:
    """The properties of a Gaussian mechanism that follow from its parameters alone."""

    __slots__ = ()

    _parameters: GaussianParameters
    _loss: ZCDP | ApproxDP

    @property
    def sensitivity(self) -> Fraction:
        """L2 norm of the change that one unit can make."""
        return self._parameters.sensitivity

    @property
    def coordinates(self) -> int | None:
        """The number of entries that one unit can change; None if it can change all."""
        return self._parameters.coordinates

    @property
    def loss(self) -> ZCDP | ApproxDP:
        """Privacy cost of one release."""
        return self._loss
