# SPDX-License-Identifier: MIT
"""Privacy losses, as exact fractions."""

from dataclasses import dataclass
from fractions import Fraction

from cydp.rational import Number, exact, text


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PureDP:
    """Pure differential privacy: every event is at most exp(epsilon) times likelier.

    Parameters
    ----------
    epsilon : number >= 0
        Kept as a Fraction: 0.1 means 1/10.

    Raises
    ------
    TypeError, ValueError
        If epsilon is not a finite number of at least 0.

    Notes
    -----
    Dwork, McSherry, Nissim, Smith, "Calibrating noise to sensitivity", 2006.

    Examples
    --------
    >>> PureDP(0.1)
    PureDP(epsilon=0.1)
    >>> PureDP("1/3").epsilon
    Fraction(1, 3)

    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        value = exact(epsilon, "epsilon")
        if value < 0:
            raise ValueError(f"epsilon must be at least 0, not {text(value)}")
        object.__setattr__(self, "epsilon", value)

    def __repr__(self) -> str:
        return f"PureDP(epsilon={text(self.epsilon)})"
