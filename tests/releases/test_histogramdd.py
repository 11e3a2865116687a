"""releases/_histogramdd.py: with next to no noise the answer is numpy's."""

import numpy as np
import pytest

import cydp

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])


def test_the_answer() -> None:
    y = np.arange(9.0)
    released = cydp.histogramdd([X, y], [4, 3], [(0, 100), (0, 9)], epsilon=1000)
    kept = ~np.isnan(X)
    counts, edges = np.histogramdd([X[kept], y[kept]], [4, 3], [(0, 100), (0, 9)])
    assert released.counts.tolist() == counts.tolist()
    assert [each.tolist() for each in released.edges] == [each.tolist() for each in edges]


def test_a_range_of_the_data_is_refused() -> None:
    with pytest.raises(ValueError, match="range"):
        cydp.histogramdd([X, X], [4, 3], epsilon=1)
