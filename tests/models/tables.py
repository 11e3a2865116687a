"""Tables and models that the tests of models share."""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp.models import LinearRegression, linear_regression
from cydp.testing import SeededGenerator

__all__ = ["FEATURES", "TARGET", "made", "mean_model"]

FEATURES, TARGET = {"a": (0, 10), "b": (-3, 1)}, {"y": (-50, 50)}


def made(n: int = 500, seed: int = 1) -> dict[str, Any]:
    """A table with nearly all numbers within the bounds."""
    random = np.random.default_rng(seed)
    a, b = random.uniform(0, 10, n), random.uniform(-3, 1, n)
    return {"a": a, "b": b, "y": 3 * a - 4 * b + 5 + random.normal(0, 1, n)}


def mean_model(seed: int = 1) -> LinearRegression:
    """A model of noise alone."""
    return linear_regression(made(0), FEATURES, TARGET, epsilon=1, rng=SeededGenerator(seed))
