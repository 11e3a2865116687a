"""releases/_quantile.py: with next to no noise the answer is numpy's."""

import numpy as np
import pytest

import cydp
from cydp.testing import SeededGenerator

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])


def test_quantiles_and_the_median() -> None:
    x = np.arange(1001.0)
    released = cydp.quantile(x, [0.25, 0.9], (0, 1000), epsilon=1000, rng=SeededGenerator(1))
    assert np.abs(released.value - [250, 900]).max() <= 2
    median = cydp.median([*x, None], (0, 1000), epsilon=1000, rng=SeededGenerator(1))
    assert abs(float(median) - 500) <= 2
    assert 0 <= cydp.median(X, (0, 100), epsilon=1e-6).value <= 100


def test_wrong_parameters_are_refused() -> None:
    for q in (-0.1, 1.5, "x"):
        with pytest.raises((TypeError, ValueError)):
            cydp.quantile(X, q, (0, 100), epsilon=1)
