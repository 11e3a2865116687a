"""releases/_ranked_grid.py: quantiles of integers are integers, and ties are what they are."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp.exact._grid import Grid
from cydp.releases._ranked_grid import ranked_grid
from cydp.testing import SeededGenerator

AGES = np.array([20, 30, 30, 40, 50] * 200)
INTEGERS = Grid(0, 0, 120)


def grid_of(x: Any, bounds: Any = (0, 120), **given: Any) -> Grid:
    grid: Grid = cydp.median(x, bounds, epsilon=1, **given).query.grid
    return grid


def test_a_column_of_integers_has_a_grid_of_integers() -> None:
    declared = [
        AGES, AGES.astype(np.int8), AGES.astype(np.uint64),
        pd.Series([20, None], dtype="Int64"), pd.Series([20, None], dtype="int32[pyarrow]"),
        pl.Series([20, None], dtype=pl.UInt8), pa.array([20, None], pa.int16()),
        pa.array([None, None], pa.int16()), duckdb.sql("select 20::integer as x"),
    ]  # fmt: skip
    assert all(grid_of(x) == INTEGERS for x in declared)
    others = [
        AGES.tolist(), AGES.astype(float), AGES > 30, [20, 30], pd.Series([20.0, None]),
        pd.Series(AGES),
        pl.Series([20.0]), pa.array([20], pa.float32()), pa.array([None, None], pa.float64()),
    ]  # fmt: skip
    assert all(grid_of(x).exponent == -22 for x in others)
    assert all(grid_of(x, step=1) == INTEGERS for x in others)


def test_a_file_of_csv_declares_no_integers(tmp_path: Any) -> None:
    table = pd.DataFrame({"age": AGES})
    table.to_csv(tmp_path / "ages.csv", index=False)
    table.to_parquet(tmp_path / "ages.parquet")
    for name, exponent in (("ages.csv", -22), ("ages.parquet", 0)):
        path = str(tmp_path / name)
        assert grid_of(path, column="age").exponent == exponent
        assert grid_of(path, column="age", step=1) == INTEGERS


def test_bounds_and_missing_decide_with_the_type() -> None:
    assert grid_of(AGES, (0.5, 120)).exponent < 0
    assert grid_of(AGES, missing=30) == INTEGERS
    assert grid_of(AGES, missing=30.5).exponent < 0
    assert grid_of(AGES, (0, 2**40)).exponent == 11  # the default step is larger
    assert grid_of(AGES, (0, 2**40), step=1).exponent == 0
    assert grid_of(AGES, (0, 120), step=2) == Grid(1, 0, 60)
    assert ranked_grid((0, 8), 0.5, 1.5, integers=True) == (Grid(-1, 0, 16), 3)


def test_neighbours_have_one_grid() -> None:
    """Whatever a record holds: an integer, the largest one, or nothing."""
    for more in ([0], [2**62], [None], [None, None]):
        for dtype in (pl.Int64, pl.Float64):
            with_it = pl.Series([20, 30, *more], dtype=dtype)
            assert grid_of(with_it) == grid_of(with_it[:2]) == grid_of(with_it[:0])
        # The dtype that pandas infers is float64 if a number is missing, else int64.
        assert grid_of(pd.Series([20, 30, *more])) == grid_of(pd.Series([20, 30]))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"step": 3}, ValueError, "step must be a power of two, such as 1 or 0.5, not 3"),
        ({"step": 1, "bounds": (0.5, 9)}, ValueError, "bounds must be multiples of step=1"),
        ({"step": 1, "missing": 2.5}, ValueError, "missing must be one of the multiples of step=1"),
        ({"step": "a"}, ValueError, "step must be a number"),
    ],
)  # fmt: skip
def test_wrong_steps_are_refused_before_a_charge(given: Any, error: Any, words: str) -> None:
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    arguments = {"bounds": (0, 9), **given}
    bounds = arguments.pop("bounds")
    with pytest.raises(error, match=words):
        cydp.median([1.0], bounds, epsilon=1, budget=budget, **arguments)
    by_key = {"x": (0.5, bounds, arguments["step"])}
    with pytest.raises(error, match=words.replace("bounds", "bounds of x")):
        cydp.group_by(
            {"k": [1], "x": [1.0]}, "k", keys=[1], quantiles=by_key, epsilon=1, budget=budget,
            missing=arguments.get("missing", "drop"),
        )  # fmt: skip
    assert budget.spent.epsilon == 0


def test_times_have_the_step_of_their_bounds() -> None:
    days, bounds = np.array(["2024-01-01"], "M8[D]"), ("2024-01-01", "2024-01-31")
    with pytest.raises(TypeError, match="step must be left out: bounds are times"):
        cydp.median(days, bounds, step=1, epsilon=1)
    with pytest.raises(TypeError, match="step must be left out: bounds of x are times"):
        cydp.group_by({"k": [1], "x": days}, "k", quantiles={"x": (0.5, bounds, 1)}, epsilon=1)


def test_quantiles_by_key_take_a_step_and_integers() -> None:
    table = {"k": ["a", "b"] * 500, "x": AGES, "y": AGES.tolist()}
    release = cydp.group_by(
        table, "k", keys=["a", "b"], epsilon=8, rng=SeededGenerator(1),
        quantiles={"x": (0.5, (0, 120)), "y": ([0.3, 0.5], (0, 120), 1)},
    )  # fmt: skip
    assert [each.grid for each in release.query.summaries] == [INTEGERS] * 2
    assert release["median_x"].tolist() == [30, 30]
    assert release["quantile_y"].tolist() == [[30, 30]] * 2
    listed = cydp.group_by(table, "k", keys=["a", "b"], epsilon=8, quantiles={"y": (0.5, (0, 120))})
    assert listed.query.summaries[0].grid.exponent == -22


def test_a_median_of_ages_and_of_answers_is_right() -> None:
    """On a grid of 2**29 points ages err by half a year, and half of the answers are right."""
    random, rng = np.random.default_rng(1), SeededGenerator(2)
    ages = random.integers(18, 80, 1000)
    answers = np.array([1] * 5 + [2] * 10 + [3] * 20 + [4] * 10 + [5] * 5)
    errors = [abs(cydp.median(ages, (0, 120), epsilon=1, rng=rng).value - np.median(ages))
              for _ in range(300)]  # fmt: skip
    assert np.mean(errors) < 0.1
    right = [cydp.median(answers, (1, 5), epsilon=1, rng=rng).value == 3 for _ in range(300)]
    assert np.mean(right) > 0.97


def test_an_interval_of_integers_holds_the_median() -> None:
    rng = SeededGenerator(3)
    for x in (AGES, AGES[:0], AGES[:1], np.array([7, 9] * 40)):
        ordered = np.sort(x)
        for _ in range(50):
            release = cydp.median(x, (0, 120), interval=0.999, epsilon=2, rng=rng)
            lower, upper = release.interval(0.999)
            n = len(ordered)
            least = ordered[max((n + 1) // 2 - 1, 0)] if n else 0
            most = ordered[n // 2] if n else 120
            assert lower <= least
            assert upper >= most
