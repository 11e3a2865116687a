"""diffprivlib's ways, in an environment of their own: it needs an older scikit-learn."""

from collections.abc import Callable

import diffprivlib
from diffprivlib import BudgetAccountant
from diffprivlib.mechanisms import Geometric


def version() -> Callable[[], str]:
    return lambda: diffprivlib.__version__


def scalar_laplace(scale: float, calls: int) -> Callable[[], list[int]]:
    """Its discrete Laplace mechanism, again and again."""
    mechanism = Geometric(epsilon=1 / scale, sensitivity=1)
    return lambda: [mechanism.randomise(0) for _ in range(calls)]


def budget(epsilon: float, each: float, count: int) -> Callable[[], float]:
    """Charges to a BudgetAccountant in memory, which keeps floats; returns what is spent."""

    def spend() -> float:
        accountant = BudgetAccountant(epsilon=epsilon, delta=0)
        for _ in range(count):
            accountant.spend(each, 0)
        return float(accountant.total()[0])

    return spend
