"""releases/_sum.py: with next to no noise the answer is numpy's."""

import numpy as np
import pytest

import cydp
from cydp.testing import SeededGenerator

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])
CLAMPED = X[~np.isnan(X)].clip(0, 100)


def test_the_answer() -> None:
    released = cydp.sum(X, (0, 100), epsilon=10**6, rng=SeededGenerator(1))
    assert released.value == pytest.approx(CLAMPED.sum(), abs=1e-2)
    lower, upper = released.interval(0.999)
    assert lower <= CLAMPED.sum() <= upper


def test_wrong_parameters_are_refused() -> None:
    for wrong in ({}, {"epsilon": 0}, {"epsilon": 1, "rho": 1}, {"delta": 1e-6}):
        with pytest.raises((TypeError, ValueError)):
            cydp.sum(X, (0, 100), **wrong)  # type: ignore[arg-type]
