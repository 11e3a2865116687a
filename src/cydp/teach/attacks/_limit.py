# SPDX-License-Identifier: MIT
"""How often any attacker can be right about a release of a given loss. docs/teach/attacks.md."""

from __future__ import annotations

import math

from cydp._numbers.rational import float_of
from cydp.accounting._loss import PureDP

__all__ = ["largest_success"]


def largest_success(loss: PureDP, chance: float) -> float:
    """Return the largest probability to be right about a secret that a loss protects.

    Parameters
    ----------
    loss : PureDP
        Tables with any two values of the secret are neighbours.
    chance : float between 0 and 1
        The probability of the most probable value, before the release.

    Examples
    --------
    >>> round(largest_success(PureDP(1), 0.5), 4)
    0.7311

    """
    return 1 / (1 + (1 - chance) / chance * math.exp(-float_of(loss.epsilon)))
