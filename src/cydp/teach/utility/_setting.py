# SPDX-License-Identifier: MIT
"""A setting: one point of the grid over which errors are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cydp._arguments import Number

__all__ = ["EXPONENTIAL", "GAUSSIAN", "LAPLACE", "RESPONSE", "Setting"]

LAPLACE, GAUSSIAN = "discrete Laplace", "discrete Gaussian"
EXPONENTIAL, RESPONSE = "exponential", "randomized response"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One point of the grid: what is asked, and for which privacy.

    Attributes
    ----------
    workload : str
    dimension : int
        How many cells, answers, columns or rows: what the workload counts (`WORKLOADS`).
    mechanism : str
        "discrete Laplace", "discrete Gaussian", "exponential", "randomized response", or the name
        of a `Method`.
    relation : str
    epsilon, rho, delta : number or None
        The privacy of the whole release, as it was given.

    """

    workload: str
    dimension: int
    mechanism: str
    relation: str = "add-remove"
    epsilon: Number | None = None
    rho: Number | None = None
    delta: Number | None = None

    @property
    def privacy(self) -> dict[str, Any]:
        """The arguments of a release: epsilon, rho or delta, where given, and relation.

        >>> Setting(workload="sum", dimension=9, mechanism="", relation="change-one", rho=1).privacy
        {'rho': 1, 'relation': 'change-one'}
        """
        given = {"epsilon": self.epsilon, "rho": self.rho, "delta": self.delta}
        found: dict[str, Any] = {name: each for name, each in given.items() if each is not None}
        return found | {"relation": self.relation}
