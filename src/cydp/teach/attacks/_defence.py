# SPDX-License-Identifier: MIT
"""A budget of a lesson, which pays for a release or refuses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._generator import Generator
from cydp.accounting._errors import BudgetExceededError
from cydp.accounting._filter import PrivacyFilter
from cydp.mechanisms._discrete_laplace import DiscreteLaplace

__all__ = ["release_while_paid"]


def release_while_paid(
    noise: DiscreteLaplace,
    values: Sequence[Any],
    budget: PrivacyFilter,
    rng: Generator | None,
) -> NDArray[np.int64]:
    """Release one value after another until the budget refuses.

    Budgets refuse seeded generators, whose noise is known. A lesson may have one, so that its
    numbers stay: here the budget is charged apart from the draw, and is the lesson's own.

    """
    paid = 0
    try:
        while paid < len(values):
            budget.charge(noise)
            paid += 1
    except BudgetExceededError:
        pass
    return noise.release(np.asarray(values[:paid], np.int64), rng=rng)
