"""diffprivlib's ways, in an environment of their own: it needs an older scikit-learn."""

import warnings
from collections.abc import Callable
from typing import Any

import diffprivlib
import diffprivlib_releases
from diffprivlib import BudgetAccountant
from diffprivlib.mechanisms import Geometric

warnings.simplefilter("ignore")  # what it says of its own future


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


def release(name: str, table: Any, calls: int) -> Callable[[], Any]:
    """A release of diffprivlib_releases.py, again and again; returns all."""
    function = getattr(diffprivlib_releases, name)
    return lambda: [function(table) for _ in range(calls)]
