# SPDX-License-Identifier: MIT
"""A budget of a lesson, which pays for a release or refuses it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._loss import PureDP
from cydp.mechanisms._laplace import DiscreteLaplace

__all__ = ["release_while_paid"]


def release_while_paid(
    noise: DiscreteLaplace, values: Sequence[Any], total: Fraction, rng: Generator | None
) -> tuple[NDArray[np.int64], PureDP]:
    """Release as many of the values as a budget pays for; return them, and what they cost.

    Budgets refuse seeded generators, whose noise is known. A lesson may have one, so that its
    numbers stay: the budget, which is the lesson's own, is charged apart from the draw.

    Parameters
    ----------
    noise : DiscreteLaplace
        Of each value; its sensitivity states a relation.
    values : sequence of int, or of arrays
    total : Fraction
        The epsilon that the budget allows, which is enough for one value.
    rng : Generator or None

    """
    budget = PrivacyFilter(PureDP(total), relation=noise.relation or "add-remove")
    paid = min(len(values), int(total / noise.epsilon))
    budget.charge(noise, count=paid)
    assert paid == len(values) or budget.would_exceed(noise)
    noisy = noise.release(np.asarray(values[:paid], np.int64), rng=rng)
    return noisy, PureDP(paid * noise.epsilon, relation=noise.relation)
