"""releases/_group_by.py: with next to no noise the answer is numpy's."""

import numpy as np
import pytest

import cydp
from cydp.testing import SeededGenerator

X = np.array([3.0, 7, 7, 8, 20, 55, np.nan, 120, -5])


def test_the_answer() -> None:
    table = {"key": list("abababaab"), "x": X}
    released = cydp.group_by(
        table,
        "key",
        keys=["b", "a", "c"],
        sums={"x": (0, 100)},
        means={"x": (0, 100)},
        epsilon=10**6,
        rng=SeededGenerator(1),
    )
    of = {key: X[np.array(table["key"]) == key].clip(0, 100) for key in "ba"}
    assert list(released.keys) == ["b", "a", "c"]
    assert released["n"].tolist() == [4, 5, 0]
    assert released["sum_x"][:2] == pytest.approx([np.nansum(of[key]) for key in "ba"], abs=1e-2)
    assert released["mean_x"][:2] == pytest.approx([np.nanmean(of[key]) for key in "ba"], abs=1e-2)


def test_bounds_are_required() -> None:
    with pytest.raises(TypeError):
        cydp.group_by({"key": ["a"], "x": X[:1]}, "key", keys=["a"], sums=["x"], epsilon=1)  # type: ignore[arg-type]
