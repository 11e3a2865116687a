"""releases/_value_counts.py: with next to no noise the answer is numpy's."""

import numpy as np
import pytest

import cydp

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])


def test_the_answer() -> None:
    released = cydp.value_counts(X, [7, 8, 9], epsilon=1000)
    assert list(released.keys) == [7, 8, 9]
    assert released.counts.tolist() == [2, 1, 0]


def test_selected_keys_are_sorted_and_need_delta() -> None:
    released = cydp.value_counts(["b"] * 500 + ["a"] * 400 + ["rare"], epsilon=5, delta=1e-9)
    assert list(released.keys) == ["a", "b"]
    with pytest.raises(TypeError, match="delta"):
        cydp.value_counts(["a"], epsilon=1)
