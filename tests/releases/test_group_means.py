"""releases/_group_query.py: a mean by key has a count of rows, its own or that of "n"."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp.testing import SeededGenerator

TABLE = {"key": ["a", "a", "b", "b", "c"], "x": [1.0, None, 5, 6, None]}
MEANS = {"drop": [1, 5.5, 4], 2: [1.5, 5.5, 2]}


@pytest.mark.parametrize("missing", MEANS)
@pytest.mark.parametrize("count", [True, False])
def test_a_mean_is_over_the_rows_that_count(count: bool, missing: Any) -> None:
    release = cydp.group_by(
        TABLE, "key", keys=["a", "b", "c"], count=count, means={"x": (0, 8)}, missing=missing,
        epsilon=10**4, rng=SeededGenerator(1),
    )  # fmt: skip
    assert release.columns == [*(["n"] if count else []), "mean_x"]
    assert release["mean_x"] == pytest.approx(MEANS[missing], abs=0.01)
    lower, upper = release.interval(0.999, count=3, column="mean_x")
    assert (lower <= np.array(MEANS[missing])).all()
    assert (upper >= np.array(MEANS[missing])).all()


def test_the_count_of_rows_is_shared_where_it_can_be() -> None:
    shares = {
        (count, missing): {name: part.share for name, part in cydp.group_by(
            TABLE, "key", keys=["a"], count=count, means={"x": (0, 8)}, missing=missing, epsilon=1,
        ).query.parts.items()}
        for count in (True, False)
        for missing in ("drop", 2)
    }  # fmt: skip
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    alone = {"mean_x_rows": half, "mean_x": half}
    assert shares == {
        (True, "drop"): {"n": half, "mean_x_rows": quarter, "mean_x": quarter},
        (True, 2): {"n": half, "mean_x": half},
        (False, "drop"): alone,
        (False, 2): alone,
    }
