# SPDX-License-Identifier: MIT
"""A uniform choice among candidates: what a selection with epsilon 0 would be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Integer
from cydp._call_errors import require_names
from cydp._generator import Generator
from cydp._numbers.rational import read_integer
from cydp.accounting._budget import Asked
from cydp.accounting._loss import PureDP
from cydp.mechanisms._parameters import set_fields
from cydp.mechanisms._run import Budget, pay_and_draw
from cydp.mechanisms._selection import draw_below

__all__ = ["UniformChoice"]

_MOST_LISTED = 2**30


@dataclass(frozen=True, slots=True, init=False, match_args=False)
class UniformChoice:
    """A choice among candidates that sees no data: all are equally likely, and it costs nothing.

    It is the limit of `ExponentialMechanism` for an epsilon that goes to 0. Mechanisms refuse
    epsilon 0, at which scores would not matter: this class does not take any.

    Parameters
    ----------
    count : int from 1 to 2**62
        The number of candidates, which must be public.

    Raises
    ------
    TypeError, ValueError
        If count is not such an integer.

    References
    ----------
    .. [1] McSherry, Talwar, "Mechanism design via differential privacy", 2007.

    Examples
    --------
    >>> uniform = UniformChoice(count=4)
    >>> uniform.probabilities(), uniform.loss
    (array([0.25, 0.25, 0.25, 0.25]), PureDP(epsilon=0))
    >>> uniform.release() in range(4)
    True

    """

    count: int

    @require_names
    def __init__(self, *, count: Integer) -> None:
        number = read_integer(count, "count")
        if not 1 <= number <= 2**62:
            raise ValueError(f"count must be from 1 to 2**62, not {number}")
        set_fields(self, count=number)

    @property
    def loss(self) -> PureDP:
        """Privacy cost: none."""
        return PureDP(0)

    def probabilities(self) -> NDArray[np.float64]:
        """Return the probability of each candidate, shape (count,).

        Raises
        ------
        ValueError
            For more than 2**30 candidates: an array of them would not fit.

        """
        if self.count > _MOST_LISTED:
            raise ValueError(
                f"count must be at most 2**30 for an array of probabilities, not {self.count}: "
                "each is 1 / count"
            )
        return np.full(self.count, 1 / self.count)

    def release(self, *, budget: Budget | None = None, rng: Generator | None = None) -> int:
        """Choose a candidate.

        Parameters
        ----------
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            It records the choice, and pays nothing.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        int
            From 0 to count - 1, each with the same probability, exactly.

        Raises
        ------
        TypeError
            If budget or rng is not allowed.
        PrivacyError
            If the budget refuses every charge, such as a ledger after its blocks are retired.

        """
        asked = Asked(self, "UniformChoice")
        chosen, _ = pay_and_draw(
            asked, lambda generator: draw_below(self.count, generator), budget, rng
        )
        return int(chosen)
