"""diffprivlib's ways, in an environment of their own: it needs an older scikit-learn."""

import warnings
from collections.abc import Callable
from typing import Any

import diffprivlib
import diffprivlib_releases
import numpy as np
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
    """A release of diffprivlib_releases.py, again and again; returns the last."""
    function = getattr(diffprivlib_releases, name)

    def released() -> Any:
        for _ in range(calls):
            answer = function(table)
        return numbers(answer)

    return released


def drawn(name: str, table: Any, runs: int) -> Callable[[], Any]:
    """The same, all of them."""
    function = getattr(diffprivlib_releases, name)
    return lambda: np.array([numbers(function(table)) for _ in range(runs)], float)


def numbers(answer: Any) -> Any:
    """Counts without the edges of a histogram."""
    return np.asarray(answer[0] if isinstance(answer, tuple) else answer)
